// The wildcard of rules: segments between stars are looked for from left to
// right, leftmost first, so nothing is ever tried twice.
#include <cstring>

#include "gates/rules.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kLongestCharacter = 4;  // bytes of UTF-8

// Backslashes count as slashes. `copy` holds the text if there were any.
std::string_view unify_slashes(std::string_view text, std::string& copy) {
  if (text.find('\\') == kNone) return text;
  copy = text;
  for (char& c : copy) {
    if (c == '\\') c = '/';
  }
  return copy;
}

bool starts_character(std::string_view text, std::size_t at) {
  return at >= text.size() ||
         (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

// Where a match of the segment that begins at `at` ends.
std::size_t match_at(std::string_view segment, std::string_view text,
                     std::size_t at) {
  for (const char c : segment) {
    if (at >= text.size()) return kNone;
    if (c != '?') {
      if (text[at] != c) return kNone;
      ++at;
    } else {
      const std::size_t length = utf8_sequence_length(text.substr(at));
      at += length == 0 ? 1 : length;
    }
  }
  return at;
}

// The end of the leftmost match at or after `from`. Without `?` this is
// memmem, which is linear for any needle.
std::size_t find_segment(std::string_view segment, std::string_view text,
                         std::size_t from) {
  if (segment.find('?') == kNone) {
    const char* const begin = text.data() + from;
    const void* const found =
        memmem(begin, text.size() - from, segment.data(), segment.size());
    if (!found) return kNone;
    const auto skipped = static_cast<const char*>(found) - begin;
    return from + static_cast<std::size_t>(skipped) + segment.size();
  }
  for (std::size_t at = from; at < text.size(); ++at) {
    if (!starts_character(text, at)) continue;
    const std::size_t end = match_at(segment, text, at);
    if (end != kNone) return end;
  }
  return kNone;
}

// Does the segment match at the end of the text, not before `from`?
bool matches_tail(std::string_view segment, std::string_view text,
                  std::size_t from) {
  std::size_t marks = 0;
  for (const char c : segment) marks += c == '?';
  const std::size_t least = segment.size();
  const std::size_t most = least + marks * (kLongestCharacter - 1);
  for (std::size_t length = least; length <= most; ++length) {
    if (length > text.size() - from) return false;
    const std::size_t at = text.size() - length;
    if (!starts_character(text, at)) continue;
    if (match_at(segment, text, at) == text.size()) return true;
  }
  return false;
}

bool match_whole(std::string_view pattern, std::string_view text) {
  std::size_t star = pattern.find('*');
  if (star == kNone) return match_at(pattern, text, 0) == text.size();
  std::size_t at = match_at(pattern.substr(0, star), text, 0);
  if (at == kNone) return false;
  for (;;) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    if (star == kNone) return matches_tail(pattern, text, at);
    const std::string_view segment = pattern.substr(0, star);
    if (segment.empty()) continue;
    at = find_segment(segment, text, at);
    if (at == kNone) return false;
  }
}

}  // namespace

bool wildcard_match(std::string_view pattern, std::string_view text) {
  std::string pattern_copy;
  std::string text_copy;
  pattern = unify_slashes(pattern, pattern_copy);
  text = unify_slashes(text, text_copy);
  if (match_whole(pattern, text)) return true;
  constexpr std::string_view kTail = " *";
  return pattern.ends_with(kTail) &&
         match_whole(pattern.substr(0, pattern.size() - kTail.size()), text);
}

}  // namespace toolhost
