// Reading the configuration file: only one that nobody else can have written.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "config/load.hpp"

namespace toolhost::config {
namespace {

// Closes on every way out; UniqueFd lives a layer above.
struct OpenFile {
  int fd = -1;
  ~OpenFile() {
    if (fd >= 0) ::close(fd);
  }
};

Error refused(const std::string& file, const std::string& why,
              std::string hint) {
  Error error =
      make_error(Code::config_invalid, "the configuration " + file + " " + why,
                 std::move(hint));
  error.details["file"] = file;
  return error;
}

Error unreadable(const std::string& file, int number) {
  Error error = system_error("cannot read the configuration " + file, number);
  error.code = Code::config_invalid;
  error.hint =
      "Give yourself read permission, or name another file with "
      "--config.";
  error.details["file"] = file;
  return error;
}

std::optional<Error> check_file(const std::string& file,
                                const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    return refused(file, "is not a regular file",
                   "Name a file with --config or $TOOLHOST_CONFIG.");
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return refused(
        file,
        "belongs to another user (uid " + std::to_string(status.st_uid) + ")",
        "chown it to yourself after reading it.");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refused(file, "can be written by other users", "chmod go-w " + file);
  }
  if (static_cast<std::size_t>(status.st_size) > kMaxConfigBytes) {
    return refused(file,
                   "is " + std::to_string(status.st_size) +
                       " bytes long; at most " +
                       std::to_string(kMaxConfigBytes) + " are read",
                   "Is it the right file?");
  }
  return {};
}

Result<std::string> read_all(const OpenFile& open, const std::string& file) {
  std::string text;
  for (;;) {
    char block[16384];
    const ssize_t got = ::read(open.fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(file, errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    // It may grow while it is read.
    if (text.size() > kMaxConfigBytes) {
      return refused(file,
                     "grew over " + std::to_string(kMaxConfigBytes) + " bytes",
                     "Is it the right file?");
    }
  }
}

}  // namespace

Result<Config> load_config(const std::string& file) {
  OpenFile open;
  // O_NONBLOCK: a FIFO in its place must not hang the daemon. A link is
  // followed, people keep their dot files so; what it leads to is checked.
  open.fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (open.fd < 0 && errno == ENOENT) {
    struct stat link;
    if (::lstat(file.c_str(), &link) != 0) return Config{};
    return refused(file, "is a link that leads nowhere",
                   "Repair or remove the link.");
  }
  if (open.fd < 0) return unreadable(file, errno);
  struct stat status;
  if (::fstat(open.fd, &status) != 0) return unreadable(file, errno);
  if (auto error = check_file(file, status)) return *std::move(error);
  auto text = read_all(open, file);
  if (!text) return std::move(text).error();
  return parse_config(*text, file);
}

Result<Config> load_config(const Paths& paths) {
  if (paths.config_named && ::access(paths.config_file.c_str(), F_OK) != 0 &&
      errno == ENOENT) {
    return refused(paths.config_file, "does not exist",
                   "It was named by --config or $TOOLHOST_CONFIG; create it "
                   "or drop the name.");
  }
  return load_config(paths.config_file);
}

}  // namespace toolhost::config
