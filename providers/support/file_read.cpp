#include "providers/support/file_read.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "protocol/text.hpp"

namespace toolhost {
namespace {

CallError not_regular(const ResolvedPath& path, mode_t mode) {
  const std::string type(file_type_name(mode));
  const bool directory = S_ISDIR(mode);
  CallError error = make_call_error(
      CallErrorKind::tool_failed,
      display_text(path.shown) + " is " + type + ", not a regular file.",
      directory ? "Use ls to list a directory."
                : "Only regular files can be read and written.");
  error.details["fileType"] = type.substr(type.find(' ') + 1);
  return error;
}

}  // namespace

std::string revision_of(const struct stat& status) {
  const auto nanoseconds =
      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
      status.st_mtim.tv_nsec;
  return std::to_string(status.st_size) + ":" + std::to_string(nanoseconds) +
         ":" + std::to_string(status.st_ino);
}

Outcome<OpenFile> open_regular(const Workspace& workspace,
                               const ResolvedPath& path) {
  // A FIFO is not even opened: its writer would see a reader come and go.
  if (path.exists && path.mode != 0 && !S_ISREG(path.mode)) {
    return not_regular(path, path.mode);
  }
  auto fd = workspace.open(path, O_RDONLY);
  if (!fd) return fd.error();
  OpenFile file;
  file.fd = std::move(*fd);
  if (fstat(file.fd.get(), &file.status) != 0) return read_error(path, errno);
  if (!S_ISREG(file.status.st_mode)) {
    return not_regular(path, file.status.st_mode);
  }
  return file;
}

ssize_t read_at(int fd, char* buffer, std::size_t size, std::uint64_t offset) {
  ssize_t got = 0;
  do {
    got = pread(fd, buffer, size, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

CallError read_error(const ResolvedPath& path, int number) {
  return make_call_error(CallErrorKind::tool_failed,
                         display_text(path.shown) +
                             " cannot be read: " + std::strerror(number) + ".");
}

Outcome<std::string> read_whole(const OpenFile& file, const ResolvedPath& path,
                                std::size_t limit) {
  // One byte more than told, so that the end is seen by a short read.
  const auto told = static_cast<std::uint64_t>(file.status.st_size);
  std::size_t room =
      static_cast<std::size_t>(std::min<std::uint64_t>(told, limit)) + 1;
  if (told == 0) room = 4096;
  std::string bytes;
  for (;;) {
    const std::size_t had = bytes.size();
    bytes.resize(std::max(room, had + had / 2));
    std::size_t used = had;
    ssize_t got = 1;
    while (used < bytes.size() && got > 0) {
      got = read_at(file.fd.get(), bytes.data() + used, bytes.size() - used,
                    used);
      if (got < 0) return read_error(path, errno);
      used += static_cast<std::size_t>(got);
    }
    bytes.resize(used);
    if (used > limit) {
      return make_call_error(
          CallErrorKind::tool_failed,
          display_text(path.shown) + " is larger than " +
              std::to_string(limit) + " bytes (it has " +
              std::to_string(std::max<std::uint64_t>(told, used)) + ").");
    }
    if (got == 0) return bytes;
    room = used + 64 * 1024;
  }
}

}  // namespace toolhost
