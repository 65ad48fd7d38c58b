// LineSplitter: what a server writes, line by line, in bounded memory.
//
// A line over the limit is thrown away while it comes; its two ends are kept,
// because the id of the answer stands at one of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace toolhost::mcp {

// A 20 MiB answer in base64, and its wrapping.
inline constexpr std::size_t kMaxLine = 32U << 20;

class LineSplitter {
 public:
  // Of a cut line, this much of each end.
  static constexpr std::size_t kKeptEnd = 512;

  struct Line {
    // Without the line feed. Of a cut line: head and tail. Valid until the
    // next call of append() or next().
    std::string_view text;
    bool cut = false;
    std::size_t bytes = 0;  // of the whole line
  };

  explicit LineSplitter(std::size_t max_line = kMaxLine)
      : max_line_(max_line) {}

  void append(std::string_view bytes);
  std::optional<Line> next();
  // What came after the last line feed.
  std::string_view unfinished() const;

 private:
  void start_cutting();

  std::size_t max_line_;
  std::string buffer_;
  std::size_t start_ = 0;    // first byte not handed out
  std::size_t scanned_ = 0;  // no line feed before here
  bool cutting_ = false;
  std::string ends_;           // of the line that is being cut
  std::size_t discarded_ = 0;  // bytes of it that are gone
};

}  // namespace toolhost::mcp
