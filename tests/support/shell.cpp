#include "tests/support/shell.hpp"

#include <sys/wait.h>

#include <cstdio>

namespace toolhost::testing {

ShellResult shell(const std::string& command) {
  ShellResult out;
  FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (!pipe) return out;
  char bytes[4096];
  while (const std::size_t got = fread(bytes, 1, sizeof bytes, pipe)) {
    out.output.append(bytes, got);
  }
  const int status = pclose(pipe);
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return out;
}

}  // namespace toolhost::testing
