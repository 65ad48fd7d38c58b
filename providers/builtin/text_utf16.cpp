#include "providers/builtin/text_utf16.hpp"

#include <algorithm>
#include <cstdint>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_high(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

char32_t unit_at(std::string_view bytes, std::size_t at, ByteOrder order) {
  const char32_t first = static_cast<unsigned char>(bytes[at]);
  const char32_t second = static_cast<unsigned char>(bytes[at + 1]);
  return order == ByteOrder::little ? (second << 8U | first)
                                    : (first << 8U | second);
}

// What text has no use for; binary numbers are full of it.
bool is_control(char32_t unit) {
  const bool layout =
      unit == '\n' || unit == '\r' || unit == '\t' || unit == '\f';
  return unit < 0x20 && !layout;
}

}  // namespace

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&](char32_t byte) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

char32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  const std::size_t size = sequence.size();
  char32_t code = size == 1 ? first : first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    code = code << 6 | (static_cast<unsigned char>(sequence[i]) & 0x3FU);
  }
  return code;
}

std::string decode_utf16(std::string_view bytes, ByteOrder order,
                         std::size_t& bad) {
  std::string out;
  out.reserve(bytes.size());
  std::size_t at = 0;
  while (at + 1 < bytes.size()) {
    char32_t unit = unit_at(bytes, at, order);
    at += 2;
    if (is_high(unit) && at + 1 < bytes.size() &&
        is_low(unit_at(bytes, at, order))) {
      unit = 0x10000 + ((unit - 0xD800) << 10) +
             (unit_at(bytes, at, order) - 0xDC00);
      at += 2;
    } else if (is_high(unit) || is_low(unit)) {
      unit = 0xFFFD;
      ++bad;
    }
    append_utf8(out, unit);
  }
  if (at < bytes.size()) {
    out += kReplacement;
    ++bad;
  }
  return out;
}

std::optional<std::string> encode_utf16(std::string_view text,
                                        ByteOrder order) {
  std::string out;
  out.reserve(text.size() * 2);
  const auto put = [&](char32_t unit) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8 & 0xFF);
    out += order == ByteOrder::little ? low : high;
    out += order == ByteOrder::little ? high : low;
  };
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) return std::nullopt;
    const char32_t code = code_point(text.substr(0, length));
    text.remove_prefix(length);
    if (code < 0x10000) {
      put(code);
    } else {
      put(0xD800 + ((code - 0x10000) >> 10));
      put(0xDC00 + ((code - 0x10000) & 0x3FF));
    }
  }
  return out;
}

std::optional<ByteOrder> guess_utf16(std::string_view head) {
  constexpr std::size_t kProbe = 8 * 1024;
  constexpr std::size_t kFewestUnits = 4;
  head = head.substr(0, kProbe);
  const std::size_t units = head.size() / 2;
  if (units < kFewestUnits) return std::nullopt;
  // Nearly every text has no zero at all.
  if (head.find('\0') == std::string_view::npos) return std::nullopt;
  std::size_t zeros[2] = {0, 0};
  for (std::size_t at = 0; at < units * 2; ++at) {
    if (head[at] == '\0') ++zeros[at % 2];
  }
  // Nearly half of it ASCII, and not one zero on the other side.
  const bool little = zeros[0] == 0 && zeros[1] * 100 >= units * 45;
  const bool big = zeros[1] == 0 && zeros[0] * 100 >= units * 45;
  if (!little && !big) return std::nullopt;
  const ByteOrder order = little ? ByteOrder::little : ByteOrder::big;
  for (std::size_t at = 0; at < units * 2; at += 2) {
    if (is_control(unit_at(head, at, order))) return std::nullopt;
  }
  return order;
}

}  // namespace toolhost::builtin
