#include "daemon/doctor/program_search.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace toolhost::doctor {

std::vector<std::string> path_folders() {
  const char* value = std::getenv("PATH");
  std::vector<std::string> out;
  if (!value) return out;
  std::string_view rest = value;
  for (;;) {
    const auto colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    out.emplace_back(folder.empty() ? "." : folder);
    if (colon == std::string_view::npos) return out;
    rest.remove_prefix(colon + 1);
  }
}

std::string find_program(const std::string& name) {
  for (const std::string& folder : path_folders()) {
    if (!folder.starts_with('/')) continue;
    std::string file = folder + "/" + name;
    if (is_executable(file)) return file;
  }
  return {};
}

bool is_executable(const std::string& file) {
  struct stat status;
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(file.c_str(), X_OK) == 0;
}

}  // namespace toolhost::doctor
