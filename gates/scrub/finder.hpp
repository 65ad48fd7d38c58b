// What the tables of secrets are made of.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace toolhost::scrubbing {

// A secret: text[begin, end).
struct Found {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view type;
};

// A piece of text that shows where to look closer. At least three bytes: every
// second position is looked at. Rare in ordinary text, because every hit costs.
struct Anchor {
  std::string_view text;
  bool any_case = false;  // then `text` is in lower case
  // Looks around text[at, at + anchor); nullopt: nothing.
  std::optional<Found> (*look)(std::string_view text, std::size_t at) = nullptr;
};

std::span<const Anchor> shape_anchors();
std::span<const Anchor> name_anchors();

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
inline bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_alnum(char c) {
  return is_digit(c) || is_upper(c) || is_lower(c);
}
inline char lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
// Of names, and of base64url.
inline bool is_word(char c) { return is_alnum(c) || c == '_' || c == '-'; }

}  // namespace toolhost::scrubbing
