// UTF-8 checks and cuts, and text that is safe to show to a person.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolhost {

// Length (1-4) of the valid UTF-8 sequence at the front, 0 if there is none.
// Overlong forms, surrogates and code points over U+10FFFF are invalid.
std::size_t utf8_sequence_length(std::string_view text);

bool is_utf8(std::string_view text);

// Bad bytes become U+FFFD. `replaced` counts them when given.
std::string to_utf8(std::string_view bytes, std::size_t* replaced = nullptr);

// The longest prefix / suffix of at most `max_bytes` that does not cut a
// character. Invalid bytes count as characters of their own.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);
std::string_view utf8_suffix(std::string_view text, std::size_t max_bytes);

// How many bytes at the end are the beginning of a sequence that may go on in
// the next chunk (0-3): hold them back before decoding.
std::size_t utf8_incomplete_tail(std::string_view text);

// Text for prompts, terminals and logs: every control, format (bidi, zero
// width), line and paragraph separator, private-use, unassigned and non-ASCII
// space character is written as \u{XXXX}; \n and \t stay if `keep_lines`.
// `suspicious` collects one note per class found.
std::string display_text(std::string_view text, bool keep_lines = false,
                         std::vector<std::string>* suspicious = nullptr);

// Names of `candidates` close to `wanted` (edit distance, shared prefix), best
// first, at most `most`.
std::vector<std::string> similar_names(
    std::string_view wanted, const std::vector<std::string>& candidates,
    std::size_t most = 3);

}  // namespace toolhost
