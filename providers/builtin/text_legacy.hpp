// 8-bit and double-byte encodings from before UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "providers/builtin/text_encoding.hpp"

namespace toolhost::builtin {

// For a whole text that is not valid UTF-8: utf8 when it is damaged UTF-8,
// a legacy encoding when the text looks like one and survives the way there
// and back, else unknown.
Encoding guess_legacy(std::string_view text);

// nullopt: it has bytes (or a character) that the encoding does not know.
std::optional<std::string> decode_legacy(std::string_view bytes,
                                         Encoding encoding);
std::optional<std::string> encode_legacy(std::string_view text,
                                         Encoding encoding);

}  // namespace toolhost::builtin
