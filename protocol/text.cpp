#include "protocol/text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace toolhost {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// False if the second byte already rules the sequence out (overlong forms,
// surrogates, over U+10FFFF).
bool may_begin_sequence(std::string_view text) {
  if (text.size() < 2) return true;
  const auto first = static_cast<unsigned char>(text[0]);
  const auto second = static_cast<unsigned char>(text[1]);
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

// What display_text shows instead of the character, or nullptr to show it.
const char* unsafe_class(utf8proc_int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:
      return "control character";
    case UTF8PROC_CATEGORY_CF:
      return "invisible or direction-changing character";
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return "line separator";
    case UTF8PROC_CATEGORY_ZS:
      return code == ' ' ? nullptr : "unusual space";
    case UTF8PROC_CATEGORY_CO:
      return "private-use character";
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CS:
      return "unassigned character";
    default:
      // Variation selectors and fillers are marks or letters by category but
      // draw nothing.
      if ((code >= 0xFE00 && code <= 0xFE0F) ||
          (code >= 0xE0100 && code <= 0xE01EF) || code == 0x034F ||
          code == 0x115F || code == 0x1160 || code == 0x3164 ||
          code == 0xFFA0 || code == 0x17B4 || code == 0x17B5 ||
          (code >= 0x180B && code <= 0x180F) || code == 0x2800) {
        return "invisible or direction-changing character";
      }
      return nullptr;
  }
}

void append_code(std::string& out, utf8proc_int32_t code) {
  std::array<char, 16> buffer;
  const int length = std::snprintf(buffer.data(), buffer.size(), "\\u{%04X}",
                                   static_cast<unsigned>(code));
  out.append(buffer.data(), static_cast<std::size_t>(length));
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t swap = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      row[j] = std::min({above + 1, row[j - 1] + 1, swap});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::size_t utf8_sequence_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto at = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continuation(text[i])) return 0;
  }
  if (first == 0xE0 && at(1) < 0xA0) return 0;
  if (first == 0xED && at(1) > 0x9F) return 0;
  if (first == 0xF0 && at(1) < 0x90) return 0;
  if (first == 0xF4 && at(1) > 0x8F) return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_utf8(std::string_view bytes, std::size_t* replaced) {
  std::string out;
  out.reserve(bytes.size());
  std::size_t bad = 0;
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence_length(bytes);
    if (length == 0) {
      out += kReplacement;
      ++bad;
      bytes.remove_prefix(1);
    } else {
      out.append(bytes.data(), length);
      bytes.remove_prefix(length);
    }
  }
  if (replaced) *replaced = bad;
  return out;
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  for (int back = 0; back < 3 && end > 0 && continuation(text[end]); ++back) {
    --end;
  }
  // Only step back if a real sequence crosses the border.
  if (end < max_bytes &&
      end + utf8_sequence_length(text.substr(end)) <= max_bytes) {
    end = max_bytes;
  }
  return text.substr(0, end);
}

std::string_view utf8_suffix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const std::size_t start = text.size() - max_bytes;
  // A sequence that begins before the border and goes over it is left out.
  const std::size_t most = std::min<std::size_t>(3, start);
  for (std::size_t back = 1; back <= most; ++back) {
    const std::size_t length = utf8_sequence_length(text.substr(start - back));
    if (length > back) return text.substr(start - back + length);
  }
  return text.substr(start);
}

std::size_t utf8_incomplete_tail(std::string_view text) {
  const std::size_t most = std::min<std::size_t>(3, text.size());
  for (std::size_t back = 1; back <= most; ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if (c < 0x80) return 0;
    if (c >= 0xC2 && c <= 0xF4) {
      const std::size_t need = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
      const std::string_view tail = text.substr(text.size() - back);
      return need > back && may_begin_sequence(tail) ? back : 0;
    }
    if (c >= 0xC0) return 0;
  }
  return 0;
}

std::string display_text(std::string_view text, bool keep_lines,
                         std::vector<std::string>* suspicious) {
  std::string out;
  out.reserve(text.size());
  const auto note = [&](const char* what) {
    if (!suspicious) return;
    if (std::find(suspicious->begin(), suspicious->end(), what) ==
        suspicious->end()) {
      suspicious->emplace_back(what);
    }
  };
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) {
      note("bytes that are not UTF-8");
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    utf8proc_int32_t code = 0;
    utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(length), &code);
    const bool line = keep_lines && (code == '\n' || code == '\t');
    const char* unsafe = line ? nullptr : unsafe_class(code);
    if (unsafe) {
      note(unsafe);
      append_code(out, code);
    } else {
      out.append(text.data(), length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::vector<std::string> similar_names(
    std::string_view wanted, const std::vector<std::string>& candidates,
    std::size_t most) {
  // Longer names than this are not typed by hand; the cost is quadratic.
  constexpr std::size_t kLongest = 128;
  std::vector<std::pair<std::size_t, std::string>> scored;
  if (wanted.empty() || wanted.size() > kLongest) return {};
  for (const std::string& name : candidates) {
    if (name.size() > kLongest) continue;
    const std::size_t distance = edit_distance(wanted, name);
    // A part of one or two letters is in every other name.
    const std::size_t shorter = std::min(wanted.size(), name.size());
    const bool contains =
        shorter >= 3 && (name.find(wanted) != std::string::npos ||
                         wanted.find(name) != std::string_view::npos);
    const std::size_t close = std::max<std::size_t>(2, wanted.size() / 3);
    // Nothing in common is no likeness, however short.
    const bool alike = distance <= close && 2 * distance <= wanted.size() + 1 &&
                       distance < std::max(wanted.size(), name.size());
    if (alike || contains) scored.emplace_back(distance, name);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> out;
  for (auto& [distance, name] : scored) {
    if (out.size() == most) break;
    out.push_back(std::move(name));
  }
  return out;
}

}  // namespace toolhost
