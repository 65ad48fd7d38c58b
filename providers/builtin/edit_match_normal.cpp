#include <algorithm>

#include "providers/builtin/edit_matcher.hpp"

namespace toolhost::builtin {

// Only what is not equal byte for byte comes here, so that an exact match is
// never made ambiguous by another spelling of it.
std::optional<CallError> Matcher::match_normal(std::size_t index) {
  const Edit& edit = edits_[index];
  if (view_.text().size() > kMaxNormalBytes ||
      edit.old_text.size() > kMaxNormalBytes) {
    return not_found(index);
  }
  if (!normal_) normal_.emplace(view_.text());
  const std::string old_text = without_crlf(edit.old_text);
  const NormalText wanted(old_text);
  const std::string_view where = normal_->text();
  const std::size_t size = wanted.text().size();
  std::vector<std::size_t> found;
  std::size_t count = 0;
  std::size_t at = size == 0 ? kNone : find_text(where, wanted.text(), 0);
  while (at != kNone && ++count <= kMaxReplacements) {
    // Whole characters only; spaces at the end of old_text mean a line end.
    const std::size_t end = at + size;
    const bool whole =
        normal_->begin_of(at) && normal_->end_of(end) &&
        (!wanted.trimmed_last() || end == where.size() || where[end] == '\n');
    if (whole) found.push_back(at);
    at = find_text(where, wanted.text(),
                   at + (whole && edit.replace_all ? size : 1));
  }
  if (found.empty()) return not_found(index);
  if (found.size() > 1 && !edit.replace_all) {
    std::vector<std::size_t> lines;
    for (const std::size_t position : found) {
      if (lines.size() > 10) break;
      lines.push_back(line_of(view_.original(*normal_->begin_of(position))));
    }
    return ambiguous(index, lines);
  }
  for (const std::size_t position : found) add_normal(index, position, wanted);
  normal_matches_ += found.size();
  return std::nullopt;
}

// What old_text and new_text begin and end with stays as the file spells it.
void Matcher::add_normal(std::size_t index, std::size_t at,
                         const NormalText& wanted) {
  const std::string old_text = without_crlf(edits_[index].old_text);
  const std::string& given = edits_[index].new_text;
  const std::string plain = without_crlf(given);
  const bool explicit_crlf = given.find("\r\n") != kNone &&
                             edits_[index].old_text.find("\r\n") == kNone;
  const std::size_t end = at + wanted.text().size();
  const std::size_t begin_byte = *normal_->begin_of(at);
  const std::size_t end_byte = *normal_->end_of(end);

  std::size_t head = 0;
  std::size_t tail = 0;
  std::size_t from = begin_byte;
  std::size_t to = end_byte;
  const std::size_t most =
      explicit_crlf ? 0 : std::min(plain.size(), old_text.size());
  while (head < most && plain[head] == old_text[head]) ++head;
  for (; head > 0; --head) {
    const auto position = wanted.position_of(head);
    const auto place = position ? normal_->end_of(at + *position) : position;
    if (!place) continue;
    from = *place;
    break;
  }
  while (tail < most - head && plain[plain.size() - 1 - tail] ==
                                   old_text[old_text.size() - 1 - tail]) {
    ++tail;
  }
  for (; tail > 0; --tail) {
    const auto position = wanted.position_of(old_text.size() - tail);
    const auto place = position && at + *position < end
                           ? normal_->begin_of(at + *position)
                           : std::nullopt;
    if (!place || *place < from) continue;
    to = *place;
    break;
  }
  Region region;
  region.begin = view_.original(begin_byte);
  region.end = view_.original(end_byte);
  region.edit = index;
  region.splice_begin = view_.original(from);
  region.splice_end = view_.original(to);
  const std::string_view middle =
      std::string_view(plain).substr(head, plain.size() - head - tail);
  if (explicit_crlf) {
    region.text = given;
  } else if (region_uses_crlf(begin_byte, end_byte)) {
    region.text = with_crlf(middle);
  } else {
    region.text = middle;
  }
  regions_.push_back(std::move(region));
}

}  // namespace toolhost::builtin
