#include "providers/builtin/edit_match.hpp"

#include <algorithm>
#include <cstring>

#include "protocol/text.hpp"
#include "providers/builtin/byte_scan.hpp"
#include "providers/builtin/edit_nearest.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::string without_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool pair =
        text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    if (!pair) out += text[at];
  }
  return out;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

// The text with "\n" for every "\r\n", and the way back to its positions.
class LfView {
 public:
  explicit LfView(std::string_view original) : original_(original) {
    if (count_crlf(original) == 0) return;
    view_ = without_crlf(original);
    std::size_t at = 0;
    for (std::size_t i = 0; i < view_.size(); ++i, ++at) {
      if (view_[i] == '\n' && original[at] == '\r') {
        cut_.push_back(i);
        ++at;
      }
    }
  }

  bool has_crlf() const { return !cut_.empty(); }
  std::string_view text() const { return has_crlf() ? view_ : original_; }
  std::size_t original(std::size_t position) const {
    return position + static_cast<std::size_t>(
                          std::lower_bound(cut_.begin(), cut_.end(), position) -
                          cut_.begin());
  }
  bool is_crlf(std::size_t newline) const {
    return std::binary_search(cut_.begin(), cut_.end(), newline);
  }

 private:
  std::string_view original_;
  std::string view_;
  std::vector<std::size_t> cut_;  // newlines in view_ that lost a "\r"
};

std::size_t find(std::string_view text, std::string_view wanted,
                 std::size_t from) {
  if (from >= text.size()) return kNone;
  const void* found = memmem(text.data() + from, text.size() - from,
                             wanted.data(), wanted.size());
  if (!found) return kNone;
  return static_cast<std::size_t>(static_cast<const char*>(found) -
                                  text.data());
}

// One replacement: what was matched (for overlaps), and what is spliced.
struct Region {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t edit = 0;
  std::size_t splice_begin = 0;
  std::size_t splice_end = 0;
  std::string text;
};

class Matcher {
 public:
  Matcher(std::string_view text, const std::vector<Edit>& edits,
          const std::string& shown)
      : text_(text), view_(text), edits_(edits), shown_(shown) {}

  Outcome<EditedText> apply();

 private:
  std::optional<CallError> unusable(std::size_t index) const;
  std::optional<CallError> match(std::size_t index);
  std::optional<CallError> overlap() const;
  std::optional<CallError> too_long() const;
  void add_raw(std::size_t index, std::size_t at);
  void add_in_view(std::size_t index, std::size_t at,
                   std::string_view old_text);
  bool region_uses_crlf(std::size_t begin, std::size_t end) const;

  std::size_t line_of(std::size_t position) const {
    return count_newlines(text_.substr(0, position)) + 1;
  }
  // "oldText", or "edits[2].oldText" when there are several.
  std::string field(std::size_t index, std::string_view name) const {
    if (edits_.size() == 1) return std::string(name);
    return "edits[" + std::to_string(index) + "]." + std::string(name);
  }
  CallError failed(std::string message, std::string hint) const {
    return make_call_error(CallErrorKind::tool_failed, std::move(message),
                           std::move(hint));
  }
  CallError not_found(std::size_t index) const;
  CallError ambiguous(std::size_t index,
                      const std::vector<std::size_t>& lines) const;

  std::string_view text_;
  LfView view_;
  const std::vector<Edit>& edits_;
  const std::string& shown_;
  std::vector<Region> regions_;
};

std::optional<CallError> Matcher::unusable(std::size_t index) const {
  const Edit& edit = edits_[index];
  if (edit.old_text.empty()) {
    return failed(
        field(index, "oldText") + " is empty; " + shown_ + " was not changed.",
        "Use write to replace or create a whole file; to insert, "
        "give a line beside the place and repeat it in newText.");
  }
  if (edit.old_text == edit.new_text) {
    return failed(field(index, "newText") + " is the same as " +
                      field(index, "oldText") + "; " + shown_ +
                      " is unchanged.",
                  "Give the text as it shall be.");
  }
  return std::nullopt;
}

CallError Matcher::not_found(std::size_t index) const {
  const Edit& edit = edits_[index];
  const std::string wanted = without_crlf(edit.old_text);
  CallError error =
      failed(field(index, "oldText") + " was not found in " + shown_ + ".",
             "Read the file again and copy the text exactly.");
  if (const auto near = find_nearest(view_.text(), wanted)) {
    error.message += " The nearest text is at lines " +
                     std::to_string(near->first_line) + "-" +
                     std::to_string(near->last_line) + "; it differs in " +
                     near->difference + ": " + near->detail + ".";
    json::object details;
    details["startLine"] = near->first_line;
    details["endLine"] = near->last_line;
    details["difference"] = near->difference;
    error.details["nearest"] = std::move(details);
  }
  const std::string target = without_crlf(edit.new_text);
  const std::size_t there =
      target.size() < 8 ? kNone : find(view_.text(), target, 0);
  if (there != kNone) {
    error.message += " newText is there already, at line " +
                     std::to_string(line_of(view_.original(there))) + ".";
  }
  return error;
}

CallError Matcher::ambiguous(std::size_t index,
                             const std::vector<std::size_t>& lines) const {
  constexpr std::size_t kShown = 10;
  std::string list;
  json::array numbers;
  for (std::size_t i = 0; i < std::min(lines.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + std::to_string(lines[i]);
    numbers.push_back(lines[i]);
  }
  if (lines.size() > kShown) list += ", …";
  CallError error = failed(
      field(index, "oldText") + " occurs " + std::to_string(lines.size()) +
          (lines.size() > kShown ? " or more" : "") + " times in " + shown_ +
          ", at lines " + list + "; nothing was changed.",
      "Add lines around it until it is unique, or set replaceAll.");
  error.details["lines"] = std::move(numbers);
  return error;
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
  std::size_t at = exact_first ? find(where, wanted, 0) : kNone;
  if (at == kNone) {
    raw = false;
    where = view_.text();
    wanted = without_crlf(edit.old_text);
    at = find(where, wanted, 0);
  }
  if (at == kNone) return not_found(index);

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
      at = find(where, wanted, at + wanted.size());
      continue;
    }
    lines.push_back(line_of(raw ? at : view_.original(at)));
    if (lines.size() > 10) break;  // enough to be told
    if (lines.size() == 1) {
      raw ? add_raw(index, at) : add_in_view(index, at, wanted);
    }
    // Overlapping occurrences are ambiguous, too.
    at = find(where, wanted, at + 1);
  }
  if (lines.size() > 1) return ambiguous(index, lines);
  return std::nullopt;
}

std::optional<CallError> Matcher::overlap() const {
  for (std::size_t i = 1; i < regions_.size(); ++i) {
    const Region& first = regions_[i - 1];
    const Region& second = regions_[i];
    if (first.end <= second.begin) continue;
    return failed("edits[" + std::to_string(first.edit) + "] and edits[" +
                      std::to_string(second.edit) + "] overlap in " + shown_ +
                      " at line " + std::to_string(line_of(second.begin)) +
                      "; nothing was changed.",
                  "Make one edit of the two.");
  }
  return std::nullopt;
}

std::optional<CallError> Matcher::too_long() const {
  std::size_t size = text_.size();
  for (const Region& region : regions_) {
    size += region.text.size();
    size -= region.splice_end - region.splice_begin;
    if (size > text_.size() && size > kMaxEditedBytes + (16U << 20)) break;
  }
  if (size <= kMaxEditedBytes) return std::nullopt;
  return failed(shown_ + " would become larger than " +
                    std::to_string(kMaxEditedBytes) +
                    " bytes; nothing was changed.",
                "Use a command for files of this size.");
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

}  // namespace

Outcome<EditedText> apply_edits(std::string_view text,
                                const std::vector<Edit>& edits,
                                const std::string& shown) {
  return Matcher(text, edits, shown).apply();
}

}  // namespace toolhost::builtin
