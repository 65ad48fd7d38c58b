// The programs that tools run, and PATH, where they are looked for.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "daemon/doctor/families.hpp"
#include "daemon/doctor/program_search.hpp"
#include "protocol/text.hpp"

namespace toolhost::doctor {
namespace {

// "dir": why a program in it cannot be relied on; empty: nothing is wrong.
std::string folder_fault(const std::string& folder) {
  if (!folder.starts_with('/')) {
    return "\"" + display_text(folder) +
           "\" is relative: it means another "
           "folder for every command";
  }
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0) return {};
  if (!S_ISDIR(status.st_mode)) return folder + " is not a folder";
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return folder + " belongs to uid " + std::to_string(status.st_uid);
  }
  if ((status.st_mode & S_IWOTH) != 0) {
    return "everybody can write to " + folder;
  }
  return {};
}

bool exists(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored);
}

// The folder of the program that runs this check.
std::string own_folder() {
  std::error_code error;
  const auto exe = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : exe.parent_path().string();
}

}  // namespace

Findings check_git(const CheckInput&) {
  const std::string git = find_program("git");
  if (!git.empty()) return {ok("git", "git is " + git + ".")};
  return {warn("git", "git is not on PATH; the git tools are unavailable.",
               "Install the package git.")};
}

Findings check_ripgrep(const CheckInput&) {
  const std::string rg = find_program("rg");
  if (!rg.empty()) return {ok("ripgrep", "ripgrep is " + rg + ".")};
  return {fail("ripgrep", "rg is not on PATH; grep and glob are unavailable.",
               "Install the package ripgrep.")};
}

Findings check_launcher(const CheckInput&) {
  const std::string folder = own_folder();
  if (folder.empty()) {
    return {skip("launcher", "/proc/self/exe cannot be read.")};
  }
  const std::string beside = folder + "/toolhost-launch";
  const std::string installed =
      std::filesystem::path(folder + "/../libexec/toolhost/toolhost-launch")
          .lexically_normal()
          .string();
  for (const std::string& file : {beside, installed}) {
    if (is_executable(file)) return {ok("launcher", file + " is there.")};
  }
  return {fail("launcher",
               "toolhost-launch is neither " + beside + " nor " + installed +
                   "; no command can be started.",
               "Install toolhost again, all of it.")};
}

Findings check_path(const CheckInput&) {
  Findings out;
  std::size_t there = 0;
  const auto folders = path_folders();
  for (const std::string& folder : folders) {
    if (exists(folder)) ++there;
    if (std::string fault = folder_fault(folder); !fault.empty()) {
      out.push_back(warn("path", "In PATH, " + fault + ".",
                         "Take it out of PATH: a program there could stand "
                         "in for another."));
    }
  }
  if (there == 0) {
    out.push_back(fail("path", "PATH has no folder that exists.",
                       "Set PATH, for example to /usr/local/bin:/usr/bin:"
                       "/bin."));
  } else if (out.empty()) {
    out.push_back(ok("path", std::to_string(there) + " of " +
                                 std::to_string(folders.size()) +
                                 " folders of PATH exist; nobody else can "
                                 "write to them."));
  }
  return out;
}

}  // namespace toolhost::doctor
