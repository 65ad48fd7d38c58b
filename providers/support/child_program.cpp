#include "providers/support/child_program.hpp"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace toolhost {
namespace {

bool is_executable_file(const std::string& path) {
  struct stat facts = {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

std::string_view path_of(const std::vector<std::string>& env) {
  for (const std::string_view entry : env) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return {};
}

std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return {};
  const std::string_view whole(path, static_cast<std::size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace

Result<std::string> find_program(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty()) {
    return make_error(Code::internal, "A command without a program.");
  }
  const std::string& name = spec.argv[0];
  if (name.find('/') != std::string::npos) return name;
  std::string_view path = path_of(spec.env);
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), folder.size() + 1));
    if (!folder.starts_with('/')) continue;
    std::string candidate = std::string(folder) + "/" + name;
    if (is_executable_file(candidate)) return candidate;
  }
  return make_error(
      Code::internal,
      "Cannot start \"" + name + "\": it is in no folder of PATH.",
      "Install it, or name it with its absolute path.");
}

Result<std::string> find_launcher() {
  if (const char* named = std::getenv("TOOLHOST_LAUNCH")) {
    if (is_executable_file(named)) return std::string(named);
    return make_error(Code::internal, std::string("TOOLHOST_LAUNCH names ") +
                                          named +
                                          ", which is not an executable file.");
  }
  const std::string folder = own_folder();
  for (const char* place : {"/", "/../", "/../libexec/toolhost/"}) {
    std::string candidate = folder + place + "toolhost-launch";
    if (is_executable_file(candidate)) return candidate;
  }
  return make_error(
      Code::internal,
      "The program toolhost-launch, under which every command runs, is "
      "missing or not executable (looked beside " +
          folder + ", one folder up and in ../libexec/toolhost).",
      "Install toolhost again, or build it (scripts/build).");
}

}  // namespace toolhost
