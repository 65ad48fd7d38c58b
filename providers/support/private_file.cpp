#include "providers/support/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "protocol/ids.hpp"
#include "providers/support/log.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {
namespace {

Result<void> write_whole(int fd, std::string_view text,
                         const std::string& name) {
  while (!text.empty()) {
    const ssize_t sent = ::write(fd, text.data(), text.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return system_error("cannot write " + name, errno);
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  if (fsync(fd) != 0) return system_error("cannot write " + name, errno);
  return {};
}

}  // namespace

Result<std::string> read_private_file(const std::string& file,
                                      std::size_t max_bytes) {
  UniqueFd fd(
      ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) {
    if (errno == ENOENT) return std::string();
    return system_error("cannot open " + file, errno);
  }
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) {
    return system_error("cannot look at " + file, errno);
  }
  if (!S_ISREG(status.st_mode) ||
      (status.st_uid != geteuid() && status.st_uid != 0) ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return make_error(Code::internal,
                      file +
                          " is not used: it is not a file that only this "
                          "user can write.",
                      "Look inside, then chown and chmod 600 it.");
  }
  std::string text;
  char block[16 * 1024];
  for (;;) {
    const ssize_t got = ::read(fd.get(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read " + file, errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > max_bytes) {
      return make_error(Code::internal, file + " is larger than " +
                                            std::to_string(max_bytes) +
                                            " bytes and is not used.");
    }
  }
}

Result<struct stat> replace_private_file(const std::string& file,
                                         std::string_view text) {
  const std::string temporary = file + "." + random_id("new_");
  UniqueFd fd(::open(temporary.c_str(),
                     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                     0600));
  if (!fd) return system_error("cannot create " + temporary, errno);
  Result<void> written = write_whole(fd.get(), text, temporary);
  if (written && ::rename(temporary.c_str(), file.c_str()) != 0) {
    written = system_error("cannot replace " + file, errno);
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return written.error();
  }
  // It is in place; without this a power cut may undo that.
  const auto parent = std::filesystem::path(file).parent_path().string();
  const UniqueFd folder(::open(parent.empty() ? "." : parent.c_str(),
                               O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || fsync(folder.get()) != 0) {
    log_warn("cannot sync a folder path=" + parent);
  }
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) {
    return system_error("cannot look at " + file, errno);
  }
  return status;
}

}  // namespace toolhost
