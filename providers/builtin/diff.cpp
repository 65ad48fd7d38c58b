#include "providers/builtin/diff.hpp"

#include <algorithm>

#include "providers/builtin/byte_scan.hpp"
#include "providers/builtin/diff_script.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::size_t kContext = 3;

// The differing middle of both texts, whole lines with context around.
struct Middle {
  std::string_view before;
  std::string_view after;
  std::size_t first_line = 1;  // of both, in their texts
};

// Bytes up to the beginning of the line that holds position `at`, and then
// `lines` lines further back.
std::size_t line_start(std::string_view text, std::size_t at,
                       std::size_t lines) {
  for (;; --lines) {
    const std::size_t newline =
        at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    if (newline == std::string_view::npos) return 0;
    if (lines == 0) return newline + 1;
    at = newline;
  }
}

Middle find_middle(std::string_view before, std::string_view after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  const auto differ = std::mismatch(
      before.begin(), before.begin() + static_cast<std::ptrdiff_t>(shorter),
      after.begin());
  auto same = static_cast<std::size_t>(differ.first - before.begin());
  same = line_start(before, same, kContext);
  Middle out;
  out.first_line = count_newlines(before.substr(0, same)) + 1;
  before.remove_prefix(same);
  after.remove_prefix(same);

  std::size_t tail = 0;
  const std::size_t most = std::min(before.size(), after.size());
  while (tail < most &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  // Keep some whole lines of it as context. Where the tail begins in the
  // middle of a line, that line has changed and stays, too.
  const std::string_view common = before.substr(before.size() - tail);
  const std::size_t keep = after_newline(common, kContext + 1);
  const std::size_t drop =
      keep == std::string_view::npos ? 0 : common.size() - keep;
  out.before = before.substr(0, before.size() - drop);
  out.after = after.substr(0, after.size() - drop);
  return out;
}

class Writer {
 public:
  Writer(const Lines& before, const Lines& after, std::string script,
         std::size_t first_line, const DiffOptions& options)
      : before_(before),
        after_(after),
        script_(std::move(script)),
        first_line_(first_line),
        options_(options) {}

  Diff write();

 private:
  struct Position {
    std::size_t step = 0;
    std::size_t old_line = 0;  // indices into before_ and after_
    std::size_t new_line = 0;
  };
  std::size_t hunk_end(std::size_t step) const;
  void advance(Position& at, std::size_t step) const;
  void hunk(const Position& from, std::size_t end);
  void line(char mark, std::string_view text);

  const Lines& before_;
  const Lines& after_;
  std::string script_;
  std::size_t first_line_;
  const DiffOptions& options_;
  Diff out_;
};

// A hunk goes on until more than two contexts of unchanged lines follow.
std::size_t Writer::hunk_end(std::size_t step) const {
  std::size_t end = step;
  while (end < script_.size()) {
    const std::size_t change = script_.find_first_not_of(' ', end);
    if (change == std::string::npos || change - end > 2 * kContext) break;
    end = change + 1;
  }
  return std::min(script_.size(), end + kContext);
}

void Writer::advance(Position& at, std::size_t step) const {
  for (; at.step < step; ++at.step) {
    if (script_[at.step] != '+') ++at.old_line;
    if (script_[at.step] != '-') ++at.new_line;
  }
}

void Writer::line(char mark, std::string_view text) {
  constexpr std::string_view kNoNewline = "\n\\ No newline at end of file\n";
  const std::size_t size = text.size() + 1 + kNoNewline.size();
  if (!out_.complete || out_.text.size() + size > options_.max_bytes) {
    out_.complete = false;
    ++out_.omitted_lines;
    return;
  }
  out_.text += mark;
  out_.text += text;
  if (!text.ends_with('\n')) out_.text += kNoNewline;
}

void Writer::hunk(const Position& from, std::size_t end) {
  Position to = from;
  advance(to, end);
  const auto range = [&](std::size_t begin, std::size_t stop) {
    const std::size_t count = stop - begin;
    // An empty side names the line before it, as diff(1) does.
    const std::size_t line = first_line_ + begin - (count == 0 ? 1 : 0);
    return std::to_string(line) + "," + std::to_string(count);
  };
  if (out_.complete) {
    out_.text += "@@ -" + range(from.old_line, to.old_line) + " +" +
                 range(from.new_line, to.new_line) + " @@\n";
  }
  Position at = from;
  while (at.step < end) {
    const char mark = script_[at.step];
    line(mark, mark == '+' ? after_[at.new_line] : before_[at.old_line]);
    advance(at, at.step + 1);
  }
}

Diff Writer::write() {
  out_.added =
      static_cast<std::size_t>(std::count(script_.begin(), script_.end(), '+'));
  out_.removed =
      static_cast<std::size_t>(std::count(script_.begin(), script_.end(), '-'));
  out_.text =
      (options_.created ? "--- /dev/null\n" : "--- a/" + options_.path + "\n") +
      "+++ b/" + options_.path + "\n";
  Position at;
  for (;;) {
    const std::size_t change = script_.find_first_not_of(' ', at.step);
    if (change == std::string::npos) return std::move(out_);
    if (out_.first_changed_line == 0) {
      Position first = at;
      advance(first, change);
      out_.first_changed_line = first_line_ + first.new_line;
    }
    advance(at, std::max(at.step, change - std::min(change, kContext)));
    const std::size_t end = hunk_end(change);
    hunk(at, end);
    advance(at, end);
  }
}

}  // namespace

Diff unified_diff(std::string_view before, std::string_view after,
                  const DiffOptions& options) {
  if (before == after) return {};
  const Middle middle = find_middle(before, after);
  const Lines old_lines = split_lines(middle.before);
  const Lines new_lines = split_lines(middle.after);
  Writer writer(old_lines, new_lines, edit_script(old_lines, new_lines),
                middle.first_line, options);
  return writer.write();
}

}  // namespace toolhost::builtin
