// Which encoding a file's text has, and its text as UTF-8 and back.
//
// A byte order mark decides. Without one, valid UTF-8 is UTF-8; then UTF-16
// without a mark, GBK and western 8-bit text are recognised, each only when
// decoding and encoding give the same bytes back. What is left is passed on
// byte for byte, so that an edit of its ASCII harms nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolhost::builtin {

enum class Encoding {
  utf8,  // or damaged UTF-8: mostly valid
  utf8_bom,
  utf16_le,  // with a mark
  utf16_be,
  utf16_le_bare,  // without
  utf16_be_bare,
  gbk,
  gb18030,  // GBK with characters of four bytes
  latin1,
  windows1252,
  unknown,  // not UTF-8, and none of these
};

// "utf-8", "utf-8-bom", "utf-16le", "utf-16le-no-bom", "gbk", "iso-8859-1", …;
// as results name them.
std::string_view name(Encoding encoding);

// Two bytes a unit: newlines cannot be looked for in the raw bytes.
bool is_utf16(Encoding encoding);
// GBK, Latin-1 and the like: one text differs from its bytes as UTF-8.
bool is_legacy(Encoding encoding);

// Judged by the first bytes: marks and UTF-16; utf8 for everything else.
Encoding detect_encoding(std::string_view head);
// Judged by the whole file.
Encoding detect_whole(std::string_view file);

// Length of the byte order mark that belongs to the encoding.
std::size_t bom_length(Encoding encoding);

// The whole file (with its mark) as UTF-8 without a mark. UTF-8 and unknown
// bytes are passed on as they are, valid or not. For UTF-16, what is not (a
// lone surrogate, an odd byte at the end) becomes U+FFFD and is counted.
std::string decode(std::string_view file, Encoding encoding,
                   std::size_t* replaced = nullptr);

// The other way round, with the mark. nullopt: `text` is not UTF-8, or has a
// character that the encoding lacks.
std::optional<std::string> encode(std::string_view text, Encoding encoding);

}  // namespace toolhost::builtin
