// A listening Unix socket: bound safely or inherited, removed if still ours.
#pragma once

#include <sys/types.h>

#include <string>

#include "protocol/error.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

class ListeningSocket {
 public:
  // Only under the lock of the folder: probes what is at `path`, removes it
  // if it is a socket that refuses connections, binds (0600), listens.
  static Result<ListeningSocket> bind(const std::string& path);
  // systemd's: never unlinked.
  static ListeningSocket adopt(UniqueFd fd);

  ListeningSocket(ListeningSocket&&) noexcept = default;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  // Takes the next connection, close-on-exec and non-blocking; invalid with
  // errno set when there is none (EAGAIN) or no descriptor (EMFILE).
  UniqueFd accept() const;
  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }

 private:
  ListeningSocket(UniqueFd fd, std::string path)
      : fd_(std::move(fd)), path_(std::move(path)) {}

  UniqueFd fd_;
  std::string path_;  // empty: not ours to remove
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace toolhost
