#include "providers/builtin/edit_normal.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

// What a keyboard has for it; zero: the character itself.
char keyboard_character(utf8proc_int32_t code) {
  if (code >= 0x2018 && code <= 0x201B) return '\'';
  if (code >= 0x201C && code <= 0x201F) return '"';
  if ((code >= 0x2010 && code <= 0x2015) || code == 0x2212) return '-';
  const bool space = code == 0xA0 || (code >= 0x2000 && code <= 0x200A) ||
                     code == 0x202F || code == 0x205F || code == 0x3000;
  return space ? ' ' : '\0';
}

std::string_view bytes_of(utf8proc_int32_t code,
                          std::array<utf8proc_uint8_t, 4>& buffer) {
  const auto size = utf8proc_encode_char(code, buffer.data());
  return {reinterpret_cast<const char*>(buffer.data()),
          static_cast<std::size_t>(size)};
}

// One character with its marks.
std::string normal_character(std::string_view character) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(character.data()),
                   static_cast<utf8proc_ssize_t>(character.size()), &mapped,
                   static_cast<utf8proc_option_t>(
                       UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_STABLE));
  if (size < 0) return std::string(character);
  std::string out;
  std::array<utf8proc_uint8_t, 4> buffer;
  for (utf8proc_ssize_t at = 0; at < size;) {
    utf8proc_int32_t code = 0;
    at += utf8proc_iterate(mapped + at, size - at, &code);
    const char plain = keyboard_character(code);
    out += plain != '\0' ? std::string_view(&plain, 1) : bytes_of(code, buffer);
  }
  std::free(mapped);
  return out;
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// Length of the user-perceived character at the front: normalisation never
// works across its ends.
std::size_t character_length(std::string_view text) {
  const std::size_t first = utf8_sequence_length(text);
  if (first == 0) return 1;
  utf8proc_int32_t state = 0;
  utf8proc_int32_t before = 0;
  const auto decode = [&](std::size_t at) {
    utf8proc_int32_t code = 0;
    utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
        static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    return code;
  };
  before = decode(0);
  std::size_t end = first;
  // Longer heaps of marks are no text; the bound keeps this linear.
  constexpr std::size_t kLongest = 256;
  while (end < text.size() && end < kLongest) {
    if (is_ascii(text[end])) break;
    const std::size_t next = utf8_sequence_length(text.substr(end));
    if (next == 0) break;
    const utf8proc_int32_t code = decode(end);
    if (utf8proc_grapheme_break_stateful(before, code, &state)) break;
    before = code;
    end += next;
  }
  return end;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

NormalText::NormalText(std::string_view original, bool trim_last) {
  text_.reserve(original.size());
  std::size_t at = 0;
  while (at < original.size()) {
    // Most of most texts: ASCII up to the end of a line.
    std::size_t end = at;
    while (end < original.size() && is_ascii(original[end]) &&
           original[end] != '\n') {
      ++end;
    }
    // An ASCII letter may have a mark behind it.
    const bool marks = end < original.size() && !is_ascii(original[end]);
    if (marks && end > at) --end;
    const std::string_view run = original.substr(at, end - at);
    if (!run.empty()) add(run, run, at);
    at = end;
    if (at == original.size()) break;
    if (original[at] == '\n') {
      trim_line();
      add("\n", "\n", at);
      line_start_ = text_.size();
      ++at;
      continue;
    }
    const std::size_t length = character_length(original.substr(at));
    const std::string_view character = original.substr(at, length);
    if (length == 1) {
      add(character, character, at);
    } else {
      add(normal_character(character), character, at);
    }
    at += length;
  }
  if (!trim_last) return;
  const std::size_t before = text_.size();
  trim_line();
  trimmed_last_ = text_.size() < before;
}

void NormalText::add(std::string_view piece, std::string_view source,
                     std::size_t original) {
  const bool plain = piece == source;
  Piece* last = pieces_.empty() ? nullptr : &pieces_.back();
  const bool joins = plain && last && last->plain &&
                     last->original + last->original_size == original &&
                     last->position + last->size == text_.size();
  if (joins) {
    last->size += piece.size();
    last->original_size += source.size();
  } else {
    pieces_.push_back(
        {text_.size(), piece.size(), original, source.size(), plain});
  }
  text_ += piece;
}

void NormalText::trim_line() {
  std::size_t end = text_.size();
  while (end > line_start_ && is_blank(text_[end - 1])) --end;
  text_.resize(end);
  while (!pieces_.empty() && pieces_.back().position >= end &&
         pieces_.back().size > 0) {
    pieces_.pop_back();
  }
  if (pieces_.empty()) return;
  Piece& last = pieces_.back();
  if (last.position + last.size <= end) return;
  last.size = end - last.position;
  if (last.plain) last.original_size = last.size;
}

std::optional<std::size_t> NormalText::begin_of(std::size_t position) const {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), position,
                                [](std::size_t wanted, const Piece& one) {
                                  return wanted < one.position;
                                });
  if (piece == pieces_.begin()) return std::nullopt;
  --piece;
  const std::size_t inside = position - piece->position;
  if (inside >= piece->size) return std::nullopt;
  if (inside == 0 || piece->plain) return piece->original + inside;
  return std::nullopt;
}

std::optional<std::size_t> NormalText::end_of(std::size_t position) const {
  auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), position,
                                [](const Piece& one, std::size_t wanted) {
                                  return one.position < wanted;
                                });
  if (piece == pieces_.begin()) return std::nullopt;
  --piece;
  const std::size_t inside = position - piece->position;
  if (inside == piece->size) return piece->original + piece->original_size;
  if (inside < piece->size && piece->plain) return piece->original + inside;
  return std::nullopt;
}

std::optional<std::size_t> NormalText::position_of(std::size_t original) const {
  if (original == 0) return 0;
  auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), original,
                                [](const Piece& one, std::size_t wanted) {
                                  return one.original < wanted;
                                });
  if (piece == pieces_.begin()) return std::nullopt;
  --piece;
  const std::size_t inside = original - piece->original;
  if (inside == piece->original_size) return piece->position + piece->size;
  if (inside < piece->original_size && piece->plain) {
    return piece->position + inside;
  }
  return std::nullopt;
}

std::string normal_line(std::string_view line) {
  const bool clean = std::all_of(line.begin(), line.end(), is_ascii) &&
                     (line.empty() || !is_blank(line.back()));
  return clean ? std::string(line) : NormalText(line).text();
}

}  // namespace toolhost::builtin
