#include "daemon/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "daemon/peer.hpp"

namespace toolhost {
namespace {

Error refused(std::string message, std::string hint) {
  return make_error(Code::internal, std::move(message), std::move(hint));
}

// "process 123 (/usr/bin/toolhostd)", as far as it can be told.
std::string holder(int fd) {
  std::array<char, 32> text;
  const ssize_t got = pread(fd, text.data(), text.size(), 0);
  pid_t pid = 0;
  if (got > 0) std::from_chars(text.data(), text.data() + got, pid);
  if (pid <= 0) return "another process";
  std::error_code ec;
  const auto exe = std::filesystem::read_symlink(
      "/proc/" + std::to_string(pid) + "/exe", ec);
  return "process " + std::to_string(pid) +
         (ec ? std::string() : " (" + exe.string() + ")");
}

Result<void> check_private(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) {
    return system_error("Looking at the folder " + path, errno);
  }
  const std::string hint =
      "Remove it or choose another folder with --socket; the daemon makes it "
      "with mode 0700.";
  if (!S_ISDIR(facts.st_mode)) {
    return refused(path + " is not a folder but " +
                       (S_ISLNK(facts.st_mode) ? "a link." : "a file."),
                   hint);
  }
  if (facts.st_uid != geteuid()) {
    return refused("The folder " + path + " belongs to user " +
                       std::to_string(facts.st_uid) + ", not to us.",
                   hint);
  }
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused("The folder " + path + " can be written by other users.",
                   "Run chmod 700 " + path +
                       ", or choose another folder "
                       "with --socket.");
  }
  return {};
}

}  // namespace

Result<UniqueFd> take_lock(const std::string& path) {
  UniqueFd fd(open(path.c_str(),
                   O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                   0600));
  if (!fd) return system_error("Opening the lock file " + path, errno);
  struct stat facts {};
  if (fstat(fd.get(), &facts) != 0 || !S_ISREG(facts.st_mode) ||
      facts.st_uid != geteuid()) {
    return refused("The lock file " + path + " is not a file of ours.",
                   "Remove it and start again.");
  }
  while (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      return system_error("Locking " + path, errno);
    }
    return refused("A daemon is running here: " + holder(fd.get()) +
                       " holds the lock " + path + ".",
                   "Use it, or end it with `toolhost stop`.");
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(fd.get(), 0) != 0 ||
      pwrite(fd.get(), pid.data(), pid.size(), 0) !=
          static_cast<ssize_t>(pid.size())) {
    return system_error("Writing our pid to " + path, errno);
  }
  return fd;
}

Result<void> prepare_private_folder(const std::string& path) {
  const std::filesystem::path folder(path);
  std::string made;
  for (const auto& part : folder) {
    made = made.empty() ? part.string()
                        : (std::filesystem::path(made) / part).string();
    if (mkdir(made.c_str(), 0700) != 0 && errno != EEXIST &&
        access(made.c_str(), F_OK) != 0) {
      return system_error("Making the folder " + made, errno);
    }
  }
  return check_private(path);
}

}  // namespace toolhost
