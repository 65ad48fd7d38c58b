#include "providers/builtin/apply_patch_places.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "providers/builtin/edit_match.hpp"
#include "providers/builtin/edit_normal.hpp"

namespace toolhost::builtin {
namespace {

using Lines = std::vector<std::size_t>;

std::string_view trim(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

// A patch may carry the "\r" that belongs to the file's line ending.
bool same_line(const FileLine& there, std::string_view wanted) {
  if (there.body == wanted) return true;
  return there.ending == "\r\n" && wanted.ends_with('\r') &&
         there.body == wanted.substr(0, wanted.size() - 1);
}

std::string_view without_cr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view indentation(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string_view first_word(std::string_view line) {
  line = trim(line);
  return line.substr(0, line.find_first_of(" \t(<:{"));
}

}  // namespace

OldLines old_lines(const PatchHunk& hunk) {
  OldLines out;
  for (const PatchLine& line : hunk.lines) {
    if (line.mark != '+') out.push_back(line.text);
  }
  return out;
}

OldLines new_lines(const PatchHunk& hunk) {
  OldLines out;
  for (const PatchLine& line : hunk.lines) {
    if (line.mark != '-') out.push_back(line.text);
  }
  return out;
}

PatchFile::PatchFile(std::string_view text, PatchBudget& budget)
    : text_(text), budget_(budget) {
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    FileLine line;
    if (newline == std::string_view::npos) {
      line.body = text;
      text = {};
    } else {
      const bool crlf = newline > 0 && text[newline - 1] == '\r';
      line.body = text.substr(0, newline - (crlf ? 1 : 0));
      line.ending = text.substr(line.body.size(), crlf ? 2 : 1);
      text.remove_prefix(newline + 1);
    }
    lines_.push_back(line);
  }
}

bool PatchFile::equal_at(std::size_t at, const OldLines& wanted) const {
  std::size_t same = 0;
  while (same < wanted.size() && same_line(lines_[at + same], wanted[same])) {
    ++same;
  }
  budget_.take(same + 1);
  return same == wanted.size();
}

const std::vector<std::string>& PatchFile::normal_lines() const {
  if (normal_.empty()) {
    normal_.reserve(lines_.size());
    for (const FileLine& line : lines_) {
      normal_.push_back(normal_line(line.body));
    }
  }
  return normal_;
}

PatchFile::Places PatchFile::places(const OldLines& wanted, bool at_end) const {
  Places out;
  if (wanted.empty() || wanted.size() > lines_.size()) return out;
  const std::size_t last = lines_.size() - wanted.size();
  const std::size_t first = at_end ? last : 0;
  for (std::size_t at = first; at <= last && !budget_.spent(); ++at) {
    if (equal_at(at, wanted)) out.lines.push_back(at);
  }
  if (!out.lines.empty() || text_.size() > kMaxNormalBytes) return out;
  std::vector<std::string> keys;
  for (const std::string_view line : wanted) {
    keys.push_back(normal_line(without_cr(line)));
  }
  const std::vector<std::string>& normal = normal_lines();
  for (std::size_t at = first; at <= last && !budget_.spent(); ++at) {
    std::size_t same = 0;
    while (same < keys.size() && normal[at + same] == keys[same]) ++same;
    budget_.take(same + 1);
    if (same == keys.size()) out.lines.push_back(at);
  }
  out.normalised = !out.lines.empty();
  return out;
}

Lines PatchFile::headers(std::string_view header) const {
  Lines whole;
  Lines beginning;
  header = trim(header);
  budget_.take(lines_.size());
  for (std::size_t at = 0; at < lines_.size(); ++at) {
    const std::string_view line = trim(lines_[at].body);
    if (line == header) whole.push_back(at);
    if (line.starts_with(header)) beginning.push_back(at);
  }
  return whole.empty() ? beginning : whole;
}

std::size_t PatchFile::part_end(std::size_t header) const {
  const std::string_view line = lines_[header].body;
  for (std::size_t at = header + 1; at < lines_.size() && budget_.take(1);
       ++at) {
    const std::string_view other = lines_[at].body;
    if (indentation(other) == indentation(line) &&
        first_word(other) == first_word(line)) {
      return at;
    }
  }
  return lines_.size();
}

std::string_view PatchFile::ending_near(std::size_t at) const {
  if (at > 0 && !lines_[at - 1].ending.empty()) return lines_[at - 1].ending;
  if (at < lines_.size() && !lines_[at].ending.empty()) {
    return lines_[at].ending;
  }
  if (at > 1) return lines_[at - 2].ending;
  return "\n";
}

namespace {

Choice no_place(std::string message, Lines lines = {}) {
  Choice out;
  out.why = Choice::Why::other;
  out.message = std::move(message);
  out.lines = std::move(lines);
  return out;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return "\"" + display_text(utf8_prefix(text, kShown)) + "\"";
}

// Where the headers lead, one below the other; `missing` is the one that is
// not there.
Lines follow_headers(const PatchFile& file, const PatchHunk& hunk,
                     std::string_view& missing) {
  Lines out;
  bool first = true;
  for (const std::string& header : hunk.headers) {
    const Lines all = file.headers(header);
    Lines next;
    if (std::exchange(first, false)) next = all;
    for (const std::size_t from : out) {
      const auto below = std::upper_bound(all.begin(), all.end(), from);
      if (below != all.end()) next.push_back(*below);
    }
    next.erase(std::unique(next.begin(), next.end()), next.end());
    if (next.empty()) {
      missing = header;
      return {};
    }
    out = std::move(next);
  }
  return out;
}

// The places that stand in a part which one of the headers begins.
Lines within(const PatchFile& file, const Lines& places, const Lines& heads) {
  Lines out;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!file.budget().take(places.size())) break;
    std::size_t end = file.part_end(heads[i]);
    if (i + 1 < heads.size()) end = std::min(end, heads[i + 1]);
    for (const std::size_t place : places) {
      if (place >= heads[i] && place < end) out.push_back(place);
    }
  }
  return out;
}

// The one place of several that something tells apart: the number of the line,
// or that only one is left behind the hunk before.
std::optional<std::size_t> single(const Lines& places, const PatchHunk& hunk,
                                  std::size_t after) {
  if (places.size() == 1) return places.front();
  Lines later;
  for (const std::size_t place : places) {
    if (place >= after) later.push_back(place);
    if (hunk.line_hint && place + 1 == *hunk.line_hint) return place;
  }
  // Hunks stand in the order of the file.
  if (later.size() == 1 && after > 0) return later.front();
  return std::nullopt;
}

Choice insertion(const PatchFile& file, const PatchHunk& hunk) {
  const bool at_end = hunk.at_end || file.lines().empty() ||
                      (hunk.headers.empty() && !hunk.line_hint);
  if (!at_end) {
    return no_place(
        "it only adds lines, and does not tell where: repeat the line above "
        "the place as a kept line (it begins with a space)");
  }
  Choice out;
  out.place = file.lines().size();
  return out;
}

}  // namespace

Choice choose_place(const PatchFile& file, const PatchHunk& hunk,
                    const OldLines& wanted, std::size_t after) {
  if (wanted.empty()) return insertion(file, hunk);
  std::string_view missing;
  const Lines heads = follow_headers(file, hunk, missing);
  const PatchFile::Places found = file.places(wanted, hunk.at_end);
  Choice out;
  out.normalised = found.normalised;
  if (file.budget().spent()) {
    return no_place(
        "the file has so many lines, and the patch so many hunks, that the "
        "place was not looked for to the end; send fewer hunks at once");
  }
  if (found.lines.empty()) {
    out.why = Choice::Why::not_found;
    return out;
  }
  if (!missing.empty()) {
    return no_place("no line is (or begins with) its header " +
                        in_quotes(missing) + "; its old lines stand at ",
                    found.lines);
  }
  if (hunk.headers.empty()) {
    out.place = single(found.lines, hunk, after);
    if (out.place) return out;
    return no_place("its old lines occur " +
                        std::to_string(found.lines.size()) +
                        " times, so that more kept lines, or a header such as "
                        "\"@@ def name\", have to tell which is meant; they "
                        "stand at ",
                    found.lines);
  }
  if (found.lines.size() == 1) {
    if (found.lines.front() >= heads.front()) {
      out.place = found.lines.front();
      return out;
    }
    return no_place("its old lines stand above its header " +
                        in_quotes(hunk.headers.back()) + ", at ",
                    found.lines);
  }
  const Lines inside = within(file, found.lines, heads);
  if (!file.budget().spent()) out.place = single(inside, hunk, after);
  if (out.place) return out;
  if (inside.empty()) {
    return no_place("its old lines do not stand below its header " +
                        in_quotes(hunk.headers.back()) + ", but at ",
                    found.lines);
  }
  return no_place("its old lines occur " + std::to_string(inside.size()) +
                      " times below its header " +
                      in_quotes(hunk.headers.back()) +
                      ", so that more kept lines have to tell which is meant; "
                      "they stand at ",
                  inside);
}

}  // namespace toolhost::builtin
