#include "daemon/cli/keys.hpp"

#include <optional>

#include "protocol/text.hpp"

namespace toolhost::cli {
namespace {

using Kind = Key::Kind;

constexpr std::string_view kPasteStart = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
// No sequence that we know is longer; a longer one is dropped.
constexpr std::size_t kMaxSequence = 32;

struct Sequence {
  std::string_view bytes;
  Kind kind;
};

constexpr Sequence kSequences[] = {
    {"\x1b[A", Kind::up},       {"\x1b[B", Kind::down},
    {"\x1b[F", Kind::end},      {"\x1b[H", Kind::home},
    {"\x1bOA", Kind::up},       {"\x1bOB", Kind::down},
    {"\x1bOF", Kind::end},      {"\x1bOH", Kind::home},
    {"\x1b[1~", Kind::home},    {"\x1b[4~", Kind::end},
    {"\x1b[5~", Kind::page_up}, {"\x1b[6~", Kind::page_down},
    {"\x1b[7~", Kind::home},    {"\x1b[8~", Kind::end},
};

std::optional<Kind> control_key(unsigned char c) {
  switch (c) {
    case 0x03:
      return Kind::interrupt;
    case 0x1a:
      return Kind::suspend;
    case 0x0c:
      return Kind::redraw;
    case 0x08:
    case 0x7f:
      return Kind::backspace;
    case '\r':
    case '\n':
      return Kind::enter;
    default:
      return std::nullopt;
  }
}

// Length of the CSI or SS3 sequence at the front, 0 when it is not complete.
std::size_t sequence_length(std::string_view bytes) {
  if (bytes.size() < 2) return 0;
  if (bytes[1] == 'O') return bytes.size() < 3 ? 0 : 3;
  if (bytes[1] != '[') return 1;  // escape, then another key
  for (std::size_t i = 2; i < bytes.size(); ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    if (c >= 0x40 && c <= 0x7e) return i + 1;
    if (i >= kMaxSequence) return i + 1;
  }
  return 0;
}

}  // namespace

std::vector<Key> KeyDecoder::feed(std::string_view bytes) {
  held_ += bytes;
  std::vector<Key> out;
  while (!held_.empty()) {
    const std::size_t used = decode(out);
    if (used == 0) break;
    held_.erase(0, used);
  }
  return out;
}

std::vector<Key> KeyDecoder::flush() {
  if (held_.empty() || pasting_) return {};
  const bool escape = held_ == "\x1b";
  // Half a sequence or half a character says nothing.
  held_.clear();
  if (!escape) return {};
  return {Key{Kind::escape, {}}};
}

std::size_t KeyDecoder::decode(std::vector<Key>& out) {
  if (pasting_) return decode_paste(out);
  const auto first = static_cast<unsigned char>(held_.front());
  if (first == 0x1b) return decode_escape(out);
  if (const auto control = control_key(first)) {
    out.push_back({*control, {}});
    return 1;
  }
  if (first < 0x20) return 1;
  const std::size_t length = utf8_sequence_length(held_);
  if (length == 0) {
    return utf8_incomplete_tail(held_) == held_.size() ? 0 : 1;
  }
  out.push_back({Kind::text, held_.substr(0, length)});
  return length;
}

std::size_t KeyDecoder::decode_escape(std::vector<Key>& out) {
  const std::size_t length = sequence_length(held_);
  if (length == 0) return 0;
  if (length == 1) {
    out.push_back({Kind::escape, {}});
    return 1;
  }
  const std::string_view bytes = std::string_view(held_).substr(0, length);
  if (bytes == kPasteStart) {
    pasting_ = true;
    return length;
  }
  for (const Sequence& known : kSequences) {
    if (known.bytes == bytes) out.push_back({known.kind, {}});
  }
  return length;
}

std::size_t KeyDecoder::decode_paste(std::vector<Key>& out) {
  const std::size_t end = held_.find(kPasteEnd);
  if (end == std::string::npos) {
    // Keep the beginning, and enough of the end to find the mark.
    if (held_.size() > kMaxPaste + kMaxSequence) {
      held_.erase(kMaxPaste, held_.size() - kMaxPaste - kPasteEnd.size());
    }
    return 0;
  }
  pasting_ = false;
  out.push_back({Kind::paste, held_.substr(0, std::min(end, kMaxPaste))});
  return end + kPasteEnd.size();
}

}  // namespace toolhost::cli
