#include "providers/mcp/line_splitter.hpp"

#include <algorithm>

namespace toolhost::mcp {
namespace {

constexpr std::size_t kKeptCapacity = 1U << 20;

}  // namespace

void LineSplitter::append(std::string_view bytes) {
  // Handed out bytes go when they are most of the buffer: each byte is moved a
  // bounded number of times.
  if (start_ > 0 && start_ >= buffer_.size() - start_) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
    // One long answer is no reason to keep its memory.
    if (buffer_.empty() && buffer_.capacity() > kKeptCapacity) buffer_ = {};
  }
  buffer_ += bytes;
}

void LineSplitter::start_cutting() {
  if (!cutting_) {
    cutting_ = true;
    ends_ = buffer_.substr(start_, kKeptEnd);
    start_ += ends_.size();
    discarded_ = ends_.size();
  }
  // All but the end, which may be the end of the line.
  const std::size_t pending = buffer_.size() - start_;
  const std::size_t gone = pending - std::min(pending, kKeptEnd);
  discarded_ += gone;
  buffer_.erase(0, start_ + gone);
  start_ = 0;
  scanned_ = buffer_.size();
}

std::optional<LineSplitter::Line> LineSplitter::next() {
  const auto end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    if (cutting_ || buffer_.size() - start_ > max_line_) start_cutting();
    return std::nullopt;
  }
  Line line;
  std::string_view text(buffer_.data() + start_, end - start_);
  start_ = end + 1;
  scanned_ = start_;
  line.bytes = discarded_ + text.size();
  line.cut = cutting_ || text.size() > max_line_;
  if (line.cut) {
    if (!cutting_) ends_ = text.substr(0, kKeptEnd);
    const std::size_t tail = std::min(text.size(), kKeptEnd);
    ends_ += text.substr(text.size() - tail);
    line.text = ends_;
    cutting_ = false;
    discarded_ = 0;
    return line;
  }
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  line.text = text;
  return line;
}

std::string_view LineSplitter::unfinished() const {
  return std::string_view(buffer_).substr(start_);
}

}  // namespace toolhost::mcp
