#include "daemon/cli/mcp/line_reader.hpp"

namespace toolhost::cli::mcp {
namespace {

// Some programs begin what they write with one.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

void LineReader::append(std::string_view bytes) { buffer_ += bytes; }

std::optional<LineReader::Line> LineReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end == std::string::npos) {
      scanned_ = buffer_.size();
      if (buffer_.size() > longest_) skipping_ = true;
      if (skipping_) {
        buffer_.clear();
        scanned_ = 0;
      }
      return std::nullopt;
    }
    Line line;
    line.too_long = skipping_ || end > longest_;
    if (!line.too_long) line.text = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    scanned_ = 0;
    skipping_ = false;
    if (line.text.starts_with(kByteOrderMark)) {
      line.text.erase(0, kByteOrderMark.size());
    }
    if (line.text.ends_with('\r')) line.text.pop_back();
    if (line.too_long || !blank(line.text)) return line;
  }
}

}  // namespace toolhost::cli::mcp
