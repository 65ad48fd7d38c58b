// LineWriter: messages to standard output, never waiting for who reads them.
//
// The descriptor stays as it is: it may be shared with the client's own
// standard error, which a non-blocking flag would break. What does not fit is
// kept; `full` says that no more should be produced.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toolhost::cli::mcp {

class LineWriter {
 public:
  // Above this nothing more is read from the client or the daemon. One result
  // (16 MiB) has to fit on top.
  static constexpr std::size_t kFull = 4U << 20;

  explicit LineWriter(int fd);

  // `message` is one line of JSON without its end.
  void add(std::string_view message);
  // Writes what is taken without waiting.
  void flush();

  bool empty() const { return start_ == buffer_.size(); }
  bool full() const { return buffer_.size() - start_ > kFull; }
  // Nobody reads any more.
  bool broken() const { return broken_; }
  int fd() const { return fd_; }

 private:
  const int fd_;
  const bool is_socket_;
  std::string buffer_;
  std::size_t start_ = 0;  // first byte that is not written
  bool broken_ = false;
};

}  // namespace toolhost::cli::mcp
