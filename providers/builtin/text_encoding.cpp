#include "providers/builtin/text_encoding.hpp"

#include <algorithm>
#include <cstdint>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kLittleMark = "\xff\xfe";
constexpr std::string_view kBigMark = "\xfe\xff";
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_high(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) {
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

std::uint32_t unit_at(std::string_view bytes, std::size_t at, bool little) {
  const std::uint32_t first = static_cast<unsigned char>(bytes[at]);
  const std::uint32_t second = static_cast<unsigned char>(bytes[at + 1]);
  return little ? (second << 8U | first) : (first << 8U | second);
}

std::string decode_utf16(std::string_view bytes, bool little,
                         std::size_t& bad) {
  std::string out;
  out.reserve(bytes.size());
  std::size_t at = 0;
  while (at + 1 < bytes.size()) {
    std::uint32_t unit = unit_at(bytes, at, little);
    at += 2;
    if (is_high(unit) && at + 1 < bytes.size() &&
        is_low(unit_at(bytes, at, little))) {
      unit = 0x10000 + ((unit - 0xD800) << 10) +
             (unit_at(bytes, at, little) - 0xDC00);
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

// `sequence` is one valid UTF-8 sequence.
std::uint32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  const std::size_t size = sequence.size();
  std::uint32_t code = size == 1 ? first : first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    code = code << 6 | (static_cast<unsigned char>(sequence[i]) & 0x3FU);
  }
  return code;
}

std::optional<std::string> encode_utf16(std::string_view text, bool little) {
  std::string out(little ? kLittleMark : kBigMark);
  const auto put = [&](std::uint32_t unit) {
    const auto low = static_cast<char>(unit & 0xFF);
    const auto high = static_cast<char>(unit >> 8 & 0xFF);
    out += little ? low : high;
    out += little ? high : low;
  };
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    if (length == 0) return std::nullopt;
    const std::uint32_t code = code_point(text.substr(0, length));
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

}  // namespace

std::string_view name(Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8:
      return "utf-8";
    case Encoding::utf8_bom:
      return "utf-8-bom";
    case Encoding::utf16_le:
      return "utf-16le";
    case Encoding::utf16_be:
      return "utf-16be";
  }
  return "utf-8";
}

Encoding detect_encoding(std::string_view head) {
  if (head.starts_with(kUtf8Mark)) return Encoding::utf8_bom;
  // FF FE 00 00 is UTF-32, which is left to the check for binary files.
  const bool utf32 = head.substr(0, 4) == std::string_view("\xff\xfe\0\0", 4);
  if (head.starts_with(kLittleMark) && !utf32) return Encoding::utf16_le;
  if (head.starts_with(kBigMark)) return Encoding::utf16_be;
  return Encoding::utf8;
}

std::size_t bom_length(Encoding encoding) {
  if (encoding == Encoding::utf8) return 0;
  return encoding == Encoding::utf8_bom ? kUtf8Mark.size() : kLittleMark.size();
}

std::string decode(std::string_view file, Encoding encoding,
                   std::size_t* replaced) {
  std::size_t bad = 0;
  file.remove_prefix(std::min(bom_length(encoding), file.size()));
  const bool wide =
      encoding == Encoding::utf16_le || encoding == Encoding::utf16_be;
  std::string out =
      wide ? decode_utf16(file, encoding == Encoding::utf16_le, bad)
           : std::string(file);
  if (replaced) *replaced = bad;
  return out;
}

std::optional<std::string> encode(std::string_view text, Encoding encoding) {
  switch (encoding) {
    case Encoding::utf8:
      return std::string(text);
    case Encoding::utf8_bom:
      return std::string(kUtf8Mark) + std::string(text);
    case Encoding::utf16_le:
      return encode_utf16(text, true);
    case Encoding::utf16_be:
      return encode_utf16(text, false);
  }
  return std::nullopt;
}

}  // namespace toolhost::builtin
