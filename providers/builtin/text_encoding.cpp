#include "providers/builtin/text_encoding.hpp"

#include <algorithm>
#include <array>

#include "protocol/text.hpp"
#include "providers/builtin/byte_scan.hpp"
#include "providers/builtin/text_legacy.hpp"
#include "providers/builtin/text_utf16.hpp"

namespace toolhost::builtin {
namespace {

using namespace std::string_view_literals;

struct Row {
  Encoding encoding;
  std::string_view name;
  std::string_view mark;
};

constexpr std::array kEncodings{
    Row{Encoding::utf8, "utf-8", ""},
    Row{Encoding::utf8_bom, "utf-8-bom", "\xef\xbb\xbf"},
    Row{Encoding::utf16_le, "utf-16le", "\xff\xfe"},
    Row{Encoding::utf16_be, "utf-16be", "\xfe\xff"},
    Row{Encoding::utf16_le_bare, "utf-16le-no-bom", ""},
    Row{Encoding::utf16_be_bare, "utf-16be-no-bom", ""},
    Row{Encoding::gbk, "gbk", ""},
    Row{Encoding::gb18030, "gb18030", ""},
    Row{Encoding::latin1, "iso-8859-1", ""},
    Row{Encoding::windows1252, "windows-1252", ""},
    Row{Encoding::unknown, "unknown", ""},
};

const Row& row_of(Encoding encoding) {
  return *std::find_if(
      kEncodings.begin(), kEncodings.end(),
      [&](const Row& row) { return row.encoding == encoding; });
}

ByteOrder order_of(Encoding encoding) {
  const bool little =
      encoding == Encoding::utf16_le || encoding == Encoding::utf16_le_bare;
  return little ? ByteOrder::little : ByteOrder::big;
}

}  // namespace

std::string_view name(Encoding encoding) { return row_of(encoding).name; }

bool is_utf16(Encoding encoding) {
  return encoding == Encoding::utf16_le || encoding == Encoding::utf16_be ||
         encoding == Encoding::utf16_le_bare ||
         encoding == Encoding::utf16_be_bare;
}

bool is_legacy(Encoding encoding) {
  return encoding == Encoding::gbk || encoding == Encoding::gb18030 ||
         encoding == Encoding::latin1 || encoding == Encoding::windows1252;
}

std::size_t bom_length(Encoding encoding) {
  return row_of(encoding).mark.size();
}

Encoding detect_encoding(std::string_view head) {
  // FF FE 00 00 is UTF-32, which is left to the check for binary files.
  const bool utf32 = head.starts_with("\xff\xfe\0\0"sv);
  for (const Row& row : kEncodings) {
    if (row.mark.empty() || !head.starts_with(row.mark)) continue;
    if (row.encoding != Encoding::utf16_le || !utf32) return row.encoding;
  }
  const auto order = guess_utf16(head);
  if (!order) return Encoding::utf8;
  return *order == ByteOrder::little ? Encoding::utf16_le_bare
                                     : Encoding::utf16_be_bare;
}

Encoding detect_whole(std::string_view file) {
  const Encoding marked = detect_encoding(file);
  if (marked != Encoding::utf8 || !classify(file).non_ascii || is_utf8(file)) {
    return marked;
  }
  return guess_legacy(file);
}

std::string decode(std::string_view file, Encoding encoding,
                   std::size_t* replaced) {
  std::size_t bad = 0;
  file.remove_prefix(std::min(bom_length(encoding), file.size()));
  std::string out;
  if (is_utf16(encoding)) {
    out = decode_utf16(file, order_of(encoding), bad);
  } else if (is_legacy(encoding)) {
    // detect_whole() has seen that it can be decoded.
    out = decode_legacy(file, encoding).value_or(std::string(file));
  } else {
    out = file;
  }
  if (replaced) *replaced = bad;
  return out;
}

std::optional<std::string> encode(std::string_view text, Encoding encoding) {
  if (is_legacy(encoding)) return encode_legacy(text, encoding);
  std::string out(row_of(encoding).mark);
  if (!is_utf16(encoding)) return out + std::string(text);
  const auto units = encode_utf16(text, order_of(encoding));
  if (!units) return std::nullopt;
  return out + *units;
}

}  // namespace toolhost::builtin
