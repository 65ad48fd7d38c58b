// Which encoding a file's text has, told by its byte order mark, and its text
// as UTF-8 and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolhost::builtin {

enum class Encoding { utf8, utf8_bom, utf16_le, utf16_be };

// "utf-8", "utf-8-bom", "utf-16le", "utf-16be"; as results name them.
std::string_view name(Encoding encoding);

// Judged by the first bytes only.
Encoding detect_encoding(std::string_view head);
// Length of the byte order mark that detect_encoding() saw.
std::size_t bom_length(Encoding encoding);

// The whole file (with its mark) as UTF-8 without a mark. UTF-8 is passed on
// as it is, valid or not. For UTF-16, what is not (a lone surrogate, an odd
// byte at the end) becomes U+FFFD and is counted.
std::string decode(std::string_view file, Encoding encoding,
                   std::size_t* replaced = nullptr);

// The other way round, with the mark. nullopt: `text` is not UTF-8 and cannot
// be written as UTF-16.
std::optional<std::string> encode(std::string_view text, Encoding encoding);

}  // namespace toolhost::builtin
