// What edit says when it does not edit.
#include <algorithm>

#include "protocol/text.hpp"
#include "providers/builtin/edit_matcher.hpp"
#include "providers/builtin/edit_nearest.hpp"

namespace toolhost::builtin {

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
      target.size() < 8 ? kNone : find_text(view_.text(), target, 0);
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

}  // namespace toolhost::builtin
