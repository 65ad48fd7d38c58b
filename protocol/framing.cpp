#include "protocol/framing.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace toolhost {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) {
      return c >= 'A' && c <= 'Z' ? char(c + 32) : c;
    };
    return lower(x) == lower(y);
  });
}

Error bad_header(std::string what) {
  return make_error(Code::parse_error, "Bad frame header: " + what + ".",
                    "Send \"Content-Length: N\\r\\n\\r\\n\" and N bytes of "
                    "JSON, or one JSON object per line.");
}

// The Content-Length of a header block.
Result<std::size_t> content_length(std::string_view block) {
  std::optional<std::size_t> length;
  while (!block.empty()) {
    const std::size_t end = std::min(block.find("\r\n"), block.size());
    const std::string_view line = block.substr(0, end);
    block.remove_prefix(std::min(end + 2, block.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return bad_header("no colon");
    if (!equals_ignoring_case(trim(line.substr(0, colon)), "Content-Length")) {
      continue;
    }
    const std::string_view digits = trim(line.substr(colon + 1));
    std::size_t value = 0;
    const auto parsed =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || parsed.ec != std::errc() ||
        parsed.ptr != digits.data() + digits.size()) {
      return bad_header("Content-Length is not a number");
    }
    if (length && *length != value) {
      return bad_header("two different Content-Length fields");
    }
    length = value;
  }
  if (!length) return bad_header("no Content-Length");
  return *length;
}

}  // namespace

FrameReader::FrameReader(std::size_t max_frame) : max_frame_(max_frame) {}

void FrameReader::append(std::string_view bytes) {
  if (start_ == buffer_.size()) {
    // Nothing is held: reuse the memory, but give a huge frame's back.
    constexpr std::size_t kKeep = 64U << 10;
    buffer_.clear();
    if (buffer_.capacity() > kKeep) buffer_.shrink_to_fit();
    scanned_ = start_ = 0;
  } else if (start_ > 0 && start_ >= buffer_.size() / 2) {
    buffer_.erase(0, start_);
    scanned_ -= std::min(scanned_, start_);
    start_ = 0;
  }
  buffer_.append(bytes);
}

Error FrameReader::too_large() const {
  Error error = make_error(
      Code::frame_too_large,
      "The frame is over the limit of " + std::to_string(max_frame_) +
          " bytes; the connection closes.",
      "Split the work, or pass large content through files.");
  error.details["maxFrameBytes"] = max_frame_;
  return error;
}

Result<std::optional<std::string_view>> FrameReader::next() {
  if (framing_ == Framing::undecided) {
    while (start_ < buffer_.size() &&
           (buffer_[start_] == '\n' || buffer_[start_] == '\r')) {
      ++start_;
    }
    if (start_ == buffer_.size()) return std::optional<std::string_view>();
    scanned_ = std::max(scanned_, start_);
    const char first = buffer_[start_];
    if (first == 'C') {
      framing_ = Framing::headers;
    } else if (first == '{' || first == '[') {
      // '[' is a batch: refused as a request, but the line is a frame.
      framing_ = Framing::lines;
    } else {
      return make_error(
          Code::parse_error,
          "This socket speaks JSON-RPC; a connection starts with '{' or with "
          "\"Content-Length:\".",
          "HTTP and MCP clients cannot connect here; run `toolhost mcp` or "
          "`toolhost rpc`.");
    }
  }
  return framing_ == Framing::lines ? next_line() : next_headed();
}

Result<std::optional<std::string_view>> FrameReader::next_line() {
  for (;;) {
    const void* found = scanned_ < buffer_.size()
                            ? std::memchr(buffer_.data() + scanned_, '\n',
                                          buffer_.size() - scanned_)
                            : nullptr;
    if (!found) {
      scanned_ = buffer_.size();
      // The last byte may be the \r of a line end.
      const std::size_t end_of_line = buffer_.ends_with('\r') ? 1 : 0;
      if (pending() > max_frame_ + end_of_line) return too_large();
      return std::optional<std::string_view>();
    }
    const auto end = static_cast<std::size_t>(static_cast<const char*>(found) -
                                              buffer_.data());
    std::string_view line(buffer_.data() + start_, end - start_);
    start_ = scanned_ = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > max_frame_) return too_large();
    if (!line.empty()) return std::optional(line);
  }
}

Result<std::optional<std::string_view>> FrameReader::next_headed() {
  if (!body_) {
    const std::string_view held(buffer_.data() + start_,
                                buffer_.size() - start_);
    const std::size_t end = held.find("\r\n\r\n");
    if (std::min(end, held.size()) > kMaxHeaderBytes) {
      return bad_header("too long");
    }
    if (end == std::string_view::npos) {
      return std::optional<std::string_view>();
    }
    auto length = content_length(held.substr(0, end));
    if (!length) return length.error();
    if (*length > max_frame_) return too_large();
    body_ = *length;
    start_ += end + 4;
  }
  if (buffer_.size() - start_ < *body_) {
    return std::optional<std::string_view>();
  }
  std::string_view frame(buffer_.data() + start_, *body_);
  start_ += *body_;
  body_.reset();
  return std::optional(frame);
}

std::string frame_header(Framing framing, std::size_t size) {
  if (framing != Framing::headers) return {};
  return "Content-Length: " + std::to_string(size) + "\r\n\r\n";
}

std::string frame_bytes(Framing framing, std::string_view frame) {
  std::string out = frame_header(framing, frame.size());
  out.reserve(out.size() + frame.size() + 1);
  out += frame;
  if (framing != Framing::headers) out += '\n';
  return out;
}

}  // namespace toolhost
