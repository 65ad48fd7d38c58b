#include "daemon/doctor/lock_holder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "providers/support/unique_fd.hpp"

namespace toolhost::doctor {
namespace {

// "08:02:1234567", as the kernel names an inode in /proc/locks.
std::string inode_name(const struct stat& status) {
  char out[64];
  std::snprintf(out, sizeof out, "%02x:%02x:%lu", major(status.st_dev),
                minor(status.st_dev),
                static_cast<unsigned long>(status.st_ino));
  return out;
}

std::optional<pid_t> number(std::string_view text) {
  pid_t out = 0;
  const auto end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || at == text.data()) return {};
  return out;
}

// The pid that the daemon wrote into the file.
pid_t written_pid(int fd) {
  char text[32];
  const ssize_t got = ::pread(fd, text, sizeof text, 0);
  if (got <= 0) return 0;
  return number({text, static_cast<std::size_t>(got)}).value_or(0);
}

// "1: FLOCK ADVISORY WRITE 4711 08:02:1234567 0 EOF"; a waiter has "->" in it.
std::optional<pid_t> holder_in(const std::string& line,
                               const std::string& inode) {
  std::istringstream in(line);
  std::string id, type, kind, access, pid, where;
  in >> id >> type >> kind >> access >> pid >> where;
  if (type != "FLOCK" || where != inode) return {};
  return number(pid);
}

}  // namespace

LockHolder find_lock_holder(const std::string& path) {
  LockHolder out;
  const UniqueFd fd(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat status;
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    out.state = errno == ENOENT ? LockHolder::State::missing
                                : LockHolder::State::unknown;
    out.reason = std::strerror(errno);
    return out;
  }
  std::ifstream locks("/proc/locks");
  if (!locks) {
    out.reason = "/proc/locks cannot be read";
    return out;
  }
  const std::string inode = inode_name(status);
  out.state = LockHolder::State::free;
  for (std::string line; std::getline(locks, line);) {
    const auto pid = holder_in(line, inode);
    if (!pid) continue;
    out.state = LockHolder::State::held;
    out.pid = *pid > 0 ? *pid : written_pid(fd.get());
    return out;
  }
  return out;
}

}  // namespace toolhost::doctor
