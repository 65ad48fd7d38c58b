#include "daemon/cli/mcp/line_writer.hpp"

#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace toolhost::cli::mcp {
namespace {

bool socket_at(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 && S_ISSOCK(facts.st_mode);
}

// A pipe that polls writable takes this much without waiting.
ssize_t write_to_pipe(int fd, std::string_view bytes) {
  pollfd out{fd, POLLOUT, 0};
  if (::poll(&out, 1, 0) <= 0) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(fd, bytes.data(),
                 std::min<std::size_t>(bytes.size(), PIPE_BUF));
}

}  // namespace

LineWriter::LineWriter(int fd) : fd_(fd), is_socket_(socket_at(fd)) {}

void LineWriter::add(std::string_view message) {
  if (broken_) return;
  buffer_ += message;
  buffer_ += '\n';
}

void LineWriter::flush() {
  while (!broken_ && start_ < buffer_.size()) {
    const std::string_view rest = std::string_view(buffer_).substr(start_);
    const ssize_t sent = is_socket_ ? ::send(fd_, rest.data(), rest.size(),
                                             MSG_DONTWAIT | MSG_NOSIGNAL)
                                    : write_to_pipe(fd_, rest);
    if (sent > 0) {
      start_ += static_cast<std::size_t>(sent);
    } else if (sent < 0 && errno == EINTR) {
      continue;
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      break;
    } else {
      broken_ = true;
    }
  }
  if (broken_ || start_ == buffer_.size()) {
    buffer_.clear();
    start_ = 0;
  } else if (start_ > kFull) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
}

}  // namespace toolhost::cli::mcp
