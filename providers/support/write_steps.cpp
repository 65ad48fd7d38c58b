#include "providers/support/write_steps.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace toolhost {
namespace {

// Hidden, and recognisable for whoever finds one after a power cut.
std::string random_name() {
  std::array<unsigned char, 12> random;
  if (getrandom(random.data(), random.size(), 0) !=
      static_cast<ssize_t>(random.size())) {
    return {};
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string name = ".toolhost-";
  for (const unsigned char byte : random) {
    name += kHex[byte >> 4];
    name += kHex[byte & 15];
  }
  return name + ".tmp";
}

bool has_size(int fd, std::size_t size) {
  struct stat st {};
  if (fstat(fd, &st) != 0) return false;
  if (static_cast<std::size_t>(st.st_size) == size) return true;
  errno = EIO;
  return false;
}

// The old content, or nullopt when it is too large to keep or not readable.
std::optional<std::string> old_bytes(int fd) {
  struct stat st {};
  if (fstat(fd, &st) != 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(st.st_size);
  if (size > kMaxRestored) return std::nullopt;
  std::string bytes(size, '\0');
  std::size_t used = 0;
  while (used < size) {
    const ssize_t got =
        pread(fd, bytes.data() + used, size - used, static_cast<off_t>(used));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    used += static_cast<std::size_t>(got);
  }
  return bytes;
}

// Room for what is longer than before, so that a full disk is found out
// before the first byte is overwritten.
bool reserve(const SystemCalls& calls, int fd, std::size_t size) {
  struct stat st {};
  if (fstat(fd, &st) != 0) return false;
  if (size <= static_cast<std::size_t>(st.st_size)) return true;
  if (calls.fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) ==
      0) {
    return true;
  }
  return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR;
}

}  // namespace

bool write_fully(const SystemCalls& calls, int fd, std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t got =
        calls.pwrite(fd, bytes.data() + written, bytes.size() - written,
                     static_cast<off_t>(written));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = ENOSPC;
    if (got <= 0) return false;
    written += static_cast<std::size_t>(got);
  }
  return true;
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) ::unlinkat(directory_, name_.c_str(), 0);
}

bool TemporaryFile::create(mode_t mode) {
  fd_.reset(
      calls_.openat(directory_, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (fd_) return true;
  const bool unknown =
      errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
  return unknown && create_named(mode);
}

bool TemporaryFile::create_named(mode_t mode) {
  name_ = random_name();
  if (name_.empty()) return false;
  fd_.reset(calls_.openat(directory_, name_.c_str(),
                          O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC,
                          mode));
  if (!fd_) name_.clear();
  return static_cast<bool>(fd_);
}

bool TemporaryFile::fill(std::string_view bytes) {
  return write_fully(calls_, fd_.get(), bytes) &&
         has_size(fd_.get(), bytes.size()) && calls_.fsync(fd_.get()) == 0;
}

bool TemporaryFile::link_as(const std::string& name) {
  if (!name_.empty()) {
    return calls_.linkat(directory_, name_.c_str(), directory_, name.c_str(),
                         0) == 0;
  }
  const std::string self = "/proc/self/fd/" + std::to_string(fd_.get());
  return calls_.linkat(AT_FDCWD, self.c_str(), directory_, name.c_str(),
                       AT_SYMLINK_FOLLOW) == 0;
}

bool TemporaryFile::publish_new(const std::string& name) {
  if (link_as(name)) return true;
  // vfat and some network file systems have no hard links.
  const bool no_links = errno == EPERM || errno == EOPNOTSUPP;
  if (!no_links || name_.empty()) return false;
  struct stat st {};
  if (fstatat(directory_, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return replace(name);
}

bool TemporaryFile::prepare_replace() {
  if (!name_.empty()) return true;
  const std::string name = random_name();
  if (name.empty() || !link_as(name)) return false;
  name_ = name;
  return true;
}

bool TemporaryFile::replace(const std::string& name) {
  if (calls_.renameat(directory_, name_.c_str(), directory_, name.c_str()) !=
      0) {
    return false;
  }
  name_.clear();
  return true;
}

std::optional<std::string> overwrite(const SystemCalls& calls, int fd,
                                     std::string_view bytes) {
  const auto before = old_bytes(fd);
  if (reserve(calls, fd, bytes.size()) && write_fully(calls, fd, bytes) &&
      calls.ftruncate(fd, static_cast<off_t>(bytes.size())) == 0 &&
      calls.fsync(fd) == 0) {
    return std::nullopt;
  }
  const std::string why = std::strerror(errno);
  if (!before) {
    return why +
           "; it is too large to be put back, and may hold a mix of old "
           "and new bytes";
  }
  if (write_fully(calls, fd, *before) &&
      calls.ftruncate(fd, static_cast<off_t>(before->size())) == 0) {
    return why + "; the old content is back in place";
  }
  return why + "; putting the old content back failed too (" +
         std::strerror(errno) + "), so that it may hold a mix";
}

}  // namespace toolhost
