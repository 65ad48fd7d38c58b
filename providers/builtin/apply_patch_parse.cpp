#include "providers/builtin/apply_patch_parse.hpp"

#include <algorithm>
#include <charconv>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kBegin = "*** Begin Patch";
constexpr std::string_view kEnd = "*** End Patch";
constexpr std::string_view kAdd = "*** Add File:";
constexpr std::string_view kDelete = "*** Delete File:";
constexpr std::string_view kUpdate = "*** Update File:";
constexpr std::string_view kMove = "*** Move to:";
constexpr std::string_view kEndOfFile = "*** End of File";
constexpr std::string_view kNoNewline = "\\ No newline at end of file";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim_end(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view trim(std::string_view text) {
  text = trim_end(text);
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    out.push_back(text.substr(0, newline));
    if (newline == std::string_view::npos) break;
    text.remove_prefix(newline + 1);
  }
  return out;
}

CallError bad_patch(std::string message, std::string hint) {
  return make_call_error(CallErrorKind::invalid_arguments,
                         std::move(message) + " Nothing was changed.",
                         std::move(hint));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(lines_of(text)) {}

  Outcome<std::vector<PatchSection>> parse();

 private:
  std::optional<CallError> find_frame();
  std::optional<CallError> section_header(std::string_view line);
  std::optional<CallError> content_line(std::string_view line);
  std::optional<CallError> update_line(std::string_view line);
  void hunk_header(std::string_view line);
  PatchHunk& hunk();
  std::optional<CallError> close_section();
  void close_hunk();
  CallError not_understood(std::string_view line, std::string why) const;

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;   // the line that is looked at
  std::size_t end_ = 0;  // of the patch
  std::vector<PatchSection> out_;
  std::size_t hunks_ = 0;
  bool hunk_open_ = false;
  bool may_move_ = false;
  // Unmarked empty lines, which count only when something follows them.
  std::size_t empty_lines_ = 0;
};

CallError Parser::not_understood(std::string_view line, std::string why) const {
  constexpr std::size_t kShown = 100;
  return bad_patch("Line " + std::to_string(at_ + 1) + " of the patch, \"" +
                       display_text(utf8_prefix(line, kShown)) + "\", " +
                       std::move(why) + ".",
                   "Correct that line and send the whole patch again.");
}

std::optional<CallError> Parser::find_frame() {
  std::size_t begin = 0;
  while (begin < lines_.size() && trim_end(lines_[begin]) != kBegin) ++begin;
  if (begin == lines_.size()) {
    return bad_patch("The patch has no line \"*** Begin Patch\".",
                     "Put the sections of the files between \"*** Begin "
                     "Patch\" and \"*** End Patch\".");
  }
  // All lines came with "\r\n" when this one did.
  if (lines_[begin].ends_with('\r')) {
    for (std::string_view& line : lines_) {
      if (line.ends_with('\r')) line.remove_suffix(1);
    }
  }
  end_ = begin + 1;
  while (end_ < lines_.size() && trim_end(lines_[end_]) != kEnd) ++end_;
  if (end_ == lines_.size()) {
    return bad_patch(
        "The patch has no line \"*** End Patch\" behind \"*** Begin Patch\"; "
        "it was probably cut off by an output limit.",
        "Send the change in smaller patches.");
  }
  for (std::size_t i = end_; i < lines_.size(); ++i) {
    if (trim_end(lines_[i]) == kBegin) {
      return bad_patch("There are two patches; the second begins at line " +
                           std::to_string(i + 1) + ".",
                       "Put all files between one \"*** Begin Patch\" and one "
                       "\"*** End Patch\".");
    }
  }
  at_ = begin + 1;
  return std::nullopt;
}

void Parser::close_hunk() {
  hunk_open_ = false;
  empty_lines_ = 0;
}

std::optional<CallError> Parser::close_section() {
  close_hunk();
  if (out_.empty()) return std::nullopt;
  const PatchSection& last = out_.back();
  for (const PatchHunk& one : last.hunks) {
    if (!one.lines.empty()) continue;
    return bad_patch("The hunk at line " + std::to_string(one.patch_line) +
                         " of the patch has no lines.",
                     "Give the kept, removed and added lines below \"@@\".");
  }
  const bool nothing = last.kind == PatchSection::Kind::update &&
                       last.hunks.empty() && last.move_to.empty();
  if (!nothing) return std::nullopt;
  return bad_patch("The section of " + display_text(last.path) + " at line " +
                       std::to_string(last.patch_line) +
                       " of the patch changes nothing.",
                   "Give it hunks or a \"*** Move to:\", or leave it out.");
}

std::optional<CallError> Parser::section_header(std::string_view line) {
  struct Header {
    std::string_view prefix;
    PatchSection::Kind kind;
  };
  constexpr Header kHeaders[] = {{kAdd, PatchSection::Kind::add},
                                 {kDelete, PatchSection::Kind::remove},
                                 {kUpdate, PatchSection::Kind::update}};
  for (const Header& header : kHeaders) {
    if (!line.starts_with(header.prefix)) continue;
    if (auto no = close_section()) return no;
    PatchSection section;
    section.kind = header.kind;
    section.path = trim(line.substr(header.prefix.size()));
    section.patch_line = at_ + 1;
    if (section.path.empty()) return not_understood(line, "names no file");
    if (out_.size() == kMaxPatchSections) {
      return bad_patch("The patch has more than " +
                           std::to_string(kMaxPatchSections) + " files.",
                       "Send it in several patches.");
    }
    may_move_ = section.kind == PatchSection::Kind::update;
    out_.push_back(std::move(section));
    return std::nullopt;
  }
  return not_understood(
      line,
      "is no header of a patch; there are \"*** Add File: \", \"*** Delete "
      "File: \", \"*** Update File: \" and, right below Update, \"*** Move "
      "to: \"");
}

std::optional<CallError> Parser::content_line(std::string_view line) {
  PatchSection& section = out_.back();
  if (trim_end(line) == kEndOfFile) return std::nullopt;  // it is, anyway
  if (line == kNoNewline && section.content.ends_with('\n')) {
    section.content.pop_back();
    return std::nullopt;
  }
  if (trim(line).empty()) {
    ++empty_lines_;
    return std::nullopt;
  }
  if (!line.starts_with('+')) {
    return not_understood(line,
                          "belongs to an added file, so that it has to "
                          "begin with +");
  }
  section.content.append(empty_lines_, '\n');
  empty_lines_ = 0;
  section.content += line.substr(1);
  section.content += '\n';
  return std::nullopt;
}

PatchHunk& Parser::hunk() {
  auto& hunks = out_.back().hunks;
  if (!hunk_open_) {
    hunks.emplace_back().patch_line = at_ + 1;
    ++hunks_;
    hunk_open_ = true;
    empty_lines_ = 0;
  }
  return hunks.back();
}

// "-12,7 +12,9 @@ text": the number of the first old line.
std::optional<std::size_t> old_line_number(std::string_view header) {
  const std::size_t close = header.find("@@");
  if (!header.starts_with('-') || close == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view numbers = header.substr(1, close - 1);
  const bool only_numbers =
      numbers.find_first_not_of("0123456789,-+ ") == std::string_view::npos;
  std::size_t line = 0;
  const auto parsed =
      std::from_chars(numbers.data(), numbers.data() + numbers.size(), line);
  if (!only_numbers || parsed.ec != std::errc{}) return std::nullopt;
  return line;
}

void Parser::hunk_header(std::string_view line) {
  auto& hunks = out_.back().hunks;
  // Headers below each other lead to one place, step by step.
  const bool goes_on =
      hunk_open_ && hunks.back().lines.empty() && !hunks.back().headers.empty();
  if (!goes_on) close_hunk();
  PatchHunk& now = hunk();
  std::string_view header = trim(line.substr(2));
  if (const auto number = old_line_number(header)) {
    now.line_hint = *number;
    return;
  }
  // Some close it as a unified diff closes its numbers.
  if (header.ends_with("@@"))
    header = trim(header.substr(0, header.size() - 2));
  if (!header.empty()) {
    now.headers.emplace_back(header);
  }
}

std::optional<CallError> Parser::update_line(std::string_view line) {
  if (may_move_ && line.starts_with(kMove)) {
    may_move_ = false;
    out_.back().move_to = trim(line.substr(kMove.size()));
    if (out_.back().move_to.empty()) {
      return not_understood(line, "names no file");
    }
    return std::nullopt;
  }
  if (line.starts_with("@@")) {
    may_move_ = false;
    hunk_header(line);
    return std::nullopt;
  }
  if (trim_end(line) == kEndOfFile) {
    hunk().at_end = true;
    close_hunk();
    return std::nullopt;
  }
  if (line.empty()) {
    ++empty_lines_;
    return std::nullopt;
  }
  if (line == kNoNewline && hunk_open_ && !hunk().lines.empty()) {
    hunk().lines.back().no_newline = true;
    return std::nullopt;
  }
  const char mark = line.front();
  if (mark != ' ' && mark != '+' && mark != '-') {
    return not_understood(line,
                          "begins with none of space (kept), - (removed), + "
                          "(added) and @@");
  }
  may_move_ = false;
  const std::size_t empty = hunk_open_ ? empty_lines_ : 0;
  PatchHunk& now = hunk();
  // A kept empty line often loses its space.
  now.lines.insert(now.lines.end(), empty, PatchLine{});
  empty_lines_ = 0;
  now.lines.push_back({mark, std::string(line.substr(1)), false});
  if (hunks_ <= kMaxPatchHunks) return std::nullopt;
  return bad_patch(
      "The patch has more than " + std::to_string(kMaxPatchHunks) + " hunks.",
      "Send it in several patches.");
}

Outcome<std::vector<PatchSection>> Parser::parse() {
  if (auto no = find_frame()) return *no;
  for (; at_ < end_; ++at_) {
    const std::string_view line = lines_[at_];
    std::optional<CallError> no;
    const auto is = [&](PatchSection::Kind kind) {
      return !out_.empty() && out_.back().kind == kind;
    };
    const bool inside = !line.starts_with("***") ||
                        trim_end(line) == kEndOfFile ||
                        (may_move_ && line.starts_with(kMove));
    if (!inside) {
      no = section_header(line);
    } else if (is(PatchSection::Kind::update)) {
      no = update_line(line);
    } else if (is(PatchSection::Kind::add)) {
      no = content_line(line);
    } else if (!trim(line).empty()) {
      no = not_understood(line, "belongs to no section of a file");
    }
    if (no) return *no;
  }
  if (auto no = close_section()) return *no;
  if (out_.empty()) {
    return bad_patch("The patch is empty.",
                     "Give at least one section, such as \"*** Update File: "
                     "path\".");
  }
  return std::move(out_);
}

}  // namespace

Outcome<std::vector<PatchSection>> parse_patch(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace toolhost::builtin
