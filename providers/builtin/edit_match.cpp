#include "providers/builtin/edit_matcher.hpp"

#include <algorithm>
#include <cstring>

namespace toolhost::builtin {

std::size_t find_text(std::string_view text, std::string_view wanted,
                      std::size_t from) {
  if (from >= text.size()) return kNone;
  const void* found = memmem(text.data() + from, text.size() - from,
                             wanted.data(), wanted.size());
  if (!found) return kNone;
  return static_cast<std::size_t>(static_cast<const char*>(found) -
                                  text.data());
}

// The ending that lines inserted for [begin, end) of the view shall have.
bool Matcher::region_uses_crlf(std::size_t begin, std::size_t end) const {
  const std::string_view all = view_.text();
  std::size_t newline = all.find('\n', begin);
  if (newline == kNone || newline >= end) {
    const std::size_t next = all.find('\n', end);
    newline = next != kNone ? next : all.substr(0, begin).rfind('\n');
  }
  return newline != kNone && view_.is_crlf(newline);
}

void Matcher::add_raw(std::size_t index, std::size_t at) {
  Region region;
  region.begin = region.splice_begin = at;
  region.end = region.splice_end = at + edits_[index].old_text.size();
  region.edit = index;
  region.text = edits_[index].new_text;
  regions_.push_back(std::move(region));
}

// Lines that both texts begin or end with are not touched, so that they keep
// their own endings in a file that mixes them.
void Matcher::add_in_view(std::size_t index, std::size_t at,
                          std::string_view old_text) {
  const std::string& wanted = edits_[index].new_text;
  const bool explicit_crlf = wanted.find("\r\n") != kNone;
  const bool adapt_down =
      explicit_crlf && edits_[index].old_text.find("\r\n") != kNone;
  const bool crlf = region_uses_crlf(at, at + old_text.size());
  const std::string plain = without_crlf(wanted);

  Region region;
  region.begin = view_.original(at);
  region.end = view_.original(at + old_text.size());
  region.edit = index;
  std::size_t head = 0;
  std::size_t tail = 0;
  if (!explicit_crlf || adapt_down) {
    const std::size_t most = std::min(plain.size(), old_text.size());
    std::size_t same = 0;
    while (same < most && plain[same] == old_text[same]) ++same;
    head = old_text.substr(0, same).rfind('\n') + 1;
    while (tail < most - head && plain[plain.size() - 1 - tail] ==
                                     old_text[old_text.size() - 1 - tail]) {
      ++tail;
    }
    const std::size_t newline = old_text.find('\n', old_text.size() - tail);
    tail = newline == kNone ? 0 : old_text.size() - newline - 1;
  }
  region.splice_begin = view_.original(at + head);
  region.splice_end = view_.original(at + old_text.size() - tail);
  const std::string_view middle =
      std::string_view(plain).substr(head, plain.size() - head - tail);
  if (explicit_crlf && !adapt_down) {
    region.text = wanted;
  } else {
    region.text = crlf ? with_crlf(middle) : std::string(middle);
  }
  regions_.push_back(std::move(region));
}

std::optional<CallError> Matcher::match(std::size_t index) {
  const Edit& edit = edits_[index];
  // As it stands first, unless "\n" in it could also mean "\r\n".
  const bool exact_first =
      !view_.has_crlf() || edit.old_text.find('\r') != kNone;
  bool raw = exact_first;
  std::string_view where = text_;
  std::string wanted = edit.old_text;
  std::size_t at = exact_first ? find_text(where, wanted, 0) : kNone;
  if (at == kNone) {
    raw = false;
    where = view_.text();
    wanted = without_crlf(edit.old_text);
    at = find_text(where, wanted, 0);
  }
  if (at == kNone) return match_normal(index);

  std::vector<std::size_t> lines;
  std::size_t count = 0;
  while (at != kNone) {
    if (++count > kMaxReplacements) {
      return failed(field(index, "oldText") + " occurs more than " +
                        std::to_string(kMaxReplacements) + " times in " +
                        shown_ + "; nothing was changed.",
                    "Use a command for a change of this size.");
    }
    if (edit.replace_all) {
      raw ? add_raw(index, at) : add_in_view(index, at, wanted);
      at = find_text(where, wanted, at + wanted.size());
      continue;
    }
    lines.push_back(line_of(raw ? at : view_.original(at)));
    if (lines.size() > 10) break;  // enough to be told
    if (lines.size() == 1) {
      raw ? add_raw(index, at) : add_in_view(index, at, wanted);
    }
    // Overlapping occurrences are ambiguous, too.
    at = find_text(where, wanted, at + 1);
  }
  if (lines.size() > 1) return ambiguous(index, lines);
  return std::nullopt;
}

Outcome<EditedText> Matcher::apply() {
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    if (auto no = unusable(i)) return *no;
  }
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    if (auto no = match(i)) return *no;
  }
  const auto first = [](const Region& a, const Region& b) {
    return std::pair(a.begin, a.edit) < std::pair(b.begin, b.edit);
  };
  std::sort(regions_.begin(), regions_.end(), first);
  if (auto no = overlap()) return *no;
  if (auto no = too_long()) return *no;
  EditedText out;
  out.replacements = regions_.size();
  out.normalised = normal_matches_;
  std::size_t at = 0;
  for (const Region& region : regions_) {
    out.text += text_.substr(at, region.splice_begin - at);
    out.text += region.text;
    at = region.splice_end;
  }
  out.text += text_.substr(at);
  if (out.text == text_) {
    return failed("The edits leave " + shown_ + " unchanged.",
                  "Give the text as it shall be.");
  }
  return out;
}

Outcome<EditedText> apply_edits(std::string_view text,
                                const std::vector<Edit>& edits,
                                const std::string& shown) {
  return Matcher(text, edits, shown).apply();
}

}  // namespace toolhost::builtin
