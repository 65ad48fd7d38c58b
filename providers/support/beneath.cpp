#include "providers/support/beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

namespace toolhost {
namespace {

// Debian 12's libc has no wrapper; the number is the same everywhere.
constexpr long kOpenat2 = 437;
// EAGAIN means that a rename elsewhere made the kernel unsure; rare.
constexpr int kAttempts = 16;

std::atomic<bool> openat2_missing{false};

int openat2_once(int directory, const char* path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<__u64>(flags | O_CLOEXEC);
  // With O_PATH and O_NOFOLLOW the kernel would hand out the link itself.
  if (flags & O_PATH) how.flags &= ~static_cast<__u64>(O_NOFOLLOW);
  const bool temporary = (flags & O_TMPFILE) == O_TMPFILE;
  if ((flags & O_CREAT) || temporary) how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(kOpenat2, directory, path, &how, sizeof how));
}

UniqueFd step_into(int directory, const std::string& name) {
  return UniqueFd(openat(directory, name.c_str(),
                         O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

UniqueFd open_last(int directory, const std::string& name, int flags,
                   mode_t mode) {
  UniqueFd fd(
      openat(directory, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode));
  struct stat st {};
  if (fd && (flags & O_PATH) && fstat(fd.get(), &st) == 0 &&
      S_ISLNK(st.st_mode)) {
    errno = ELOOP;
    return {};
  }
  return fd;
}

// O_DIRECTORY makes a link ENOTDIR; callers are promised ELOOP.
void name_links_as_loops(int directory, const std::string& name) {
  const int error = errno;
  struct stat st {};
  const bool link =
      error == ENOTDIR &&
      fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISLNK(st.st_mode);
  errno = link ? ELOOP : error;
}

}  // namespace

UniqueFd open_beneath(int directory, const std::string& path, int flags,
                      mode_t mode) {
  if (openat2_missing.load(std::memory_order_relaxed)) {
    return open_stepwise(directory, path, flags, mode);
  }
  int fd = -1;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fd = openat2_once(directory, path.c_str(), flags, mode);
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  // A seccomp filter of a container answers EPERM where ENOSYS is meant; the
  // stepwise walk fails in the same way if the refusal was about the file.
  if (fd < 0 && errno == ENOSYS) {
    openat2_missing.store(true, std::memory_order_relaxed);
    return open_stepwise(directory, path, flags, mode);
  }
  if (fd < 0 && errno == EPERM) {
    return open_stepwise(directory, path, flags, mode);
  }
  return UniqueFd(fd);
}

UniqueFd open_stepwise(int directory, const std::string& path, int flags,
                       mode_t mode) {
  UniqueFd held;
  int at = directory;
  std::size_t start = 0;
  for (;;) {
    const std::size_t slash = path.find('/', start);
    const std::string name = path.substr(start, slash - start);
    if (slash == std::string::npos) {
      UniqueFd last = open_last(at, name, flags, mode);
      if (!last) name_links_as_loops(at, name);
      return last;
    }
    UniqueFd next = step_into(at, name);
    if (!next) {
      name_links_as_loops(at, name);
      return {};
    }
    held = std::move(next);
    at = held.get();
    start = slash + 1;
  }
}

UniqueFd make_directories(int directory, const std::string& path) {
  constexpr int kFlags = O_PATH | O_DIRECTORY;
  UniqueFd whole = open_beneath(directory, path, kFlags);
  if (whole || errno != ENOENT) return whole;
  UniqueFd held;
  std::size_t start = 0;
  while (start < path.size()) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    const std::string name = path.substr(start, slash - start);
    const int at = held ? held.get() : directory;
    UniqueFd next = open_beneath(at, name, kFlags);
    if (!next && errno == ENOENT) {
      if (mkdirat(at, name.c_str(), 0777) != 0 && errno != EEXIST) return {};
      next = open_beneath(at, name, kFlags);
    }
    if (!next) return {};
    held = std::move(next);
    start = slash + 1;
  }
  return held;
}

}  // namespace toolhost
