// Bytes of standard input in, lines out.
//
// MCP on stdio is one message a line, whatever its first byte; a line that is
// no message costs only itself. What is kept is bounded: of a line that is too
// long the rest is thrown away as it comes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace toolhost::cli::mcp {

class LineReader {
 public:
  explicit LineReader(std::size_t longest) : longest_(longest) {}

  struct Line {
    std::string text;
    bool too_long = false;  // `text` is empty
  };

  void append(std::string_view bytes);
  // The next whole line without its end (LF or CRLF); blank lines are skipped.
  std::optional<Line> next();

 private:
  const std::size_t longest_;
  std::string buffer_;
  std::size_t scanned_ = 0;  // no line feed before here
  bool skipping_ = false;    // within a line that is too long
};

}  // namespace toolhost::cli::mcp
