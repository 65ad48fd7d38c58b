// UTF-16 bytes to UTF-8 and back, without byte order marks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolhost::builtin {

enum class ByteOrder { little, big };

// A lone surrogate and an odd last byte become U+FFFD; `bad` counts them.
std::string decode_utf16(std::string_view bytes, ByteOrder order,
                         std::size_t& bad);
// nullopt: `text` is not valid UTF-8.
std::optional<std::string> encode_utf16(std::string_view text, ByteOrder order);

// The order of text without a mark, told by where the zero bytes of its ASCII
// characters stand; nullopt: this is no such text.
std::optional<ByteOrder> guess_utf16(std::string_view head);

// One valid UTF-8 sequence as its code point, and the other way round.
char32_t code_point(std::string_view sequence);
void append_utf8(std::string& out, char32_t code);

}  // namespace toolhost::builtin
