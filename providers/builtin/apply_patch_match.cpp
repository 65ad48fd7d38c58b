#include "providers/builtin/apply_patch_match.hpp"

#include <algorithm>
#include <optional>

#include "providers/builtin/edit_nearest.hpp"

namespace toolhost::builtin {
namespace {

// Where a hunk goes, and the span that it changes.
struct Placed {
  std::size_t hunk = 0;  // index
  std::size_t at = 0;    // line of the file, from 0
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Patcher {
 public:
  Patcher(std::string_view text, const std::vector<PatchHunk>& hunks,
          PatchBudget& budget)
      : file_(text, budget), hunks_(hunks) {}

  PatchedText apply();

 private:
  void place(std::size_t index);
  void find_overlaps();
  void fault(std::size_t index, std::string message,
             std::vector<std::size_t> lines = {});
  void not_found(std::size_t index, const OldLines& old_lines);
  std::string build() const;

  PatchFile file_;
  const std::vector<PatchHunk>& hunks_;
  std::vector<Placed> placed_;
  std::size_t after_ = 0;  // behind the hunk before
  PatchedText out_;
};

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) +
         (count == 1 ? "" : "s");
}

std::string line_list(const std::vector<std::size_t>& places) {
  constexpr std::size_t kShown = 10;
  std::string out = places.size() == 1 ? "line " : "lines ";
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    out += (i == 0 ? "" : ", ") + std::to_string(places[i] + 1);
  }
  return places.size() > kShown ? out + ", …" : out;
}

void Patcher::fault(std::size_t index, std::string message,
                    std::vector<std::size_t> lines) {
  for (std::size_t& line : lines) ++line;
  out_.faults.push_back({index + 1, hunks_[index].patch_line,
                         std::move(message), std::move(lines)});
}

// Stale, mistyped or done already: what is nearest tells which.
void Patcher::not_found(std::size_t index, const OldLines& old_lines) {
  const PatchHunk& hunk = hunks_[index];
  std::string message = "its " + counted(old_lines.size(), "old line") + " " +
                        (old_lines.size() == 1 ? "was" : "were") +
                        " not found" +
                        (hunk.at_end ? " at the end of the file" : "");
  std::vector<std::size_t> lines;
  std::size_t& explained = file_.budget().explained;
  if (explained == 0) return fault(index, std::move(message));
  --explained;
  const auto elsewhere = hunk.at_end ? file_.places(old_lines, false).lines
                                     : std::vector<std::size_t>{};
  std::string wanted;
  for (const std::string_view line : old_lines) {
    wanted += std::string(line) + "\n";
  }
  if (!elsewhere.empty()) {
    message += "; they stand at " + line_list(elsewhere);
    lines = elsewhere;
  } else if (const auto near =
                 find_nearest(file_.text(), wanted, "the patch")) {
    message += "; the nearest text is at lines " +
               std::to_string(near->first_line) + "-" +
               std::to_string(near->last_line) + " and differs in " +
               near->difference + ": " + near->detail;
    lines.push_back(near->first_line - 1);
  }
  const OldLines fresh = new_lines(hunk);
  const bool adds =
      std::any_of(hunk.lines.begin(), hunk.lines.end(),
                  [](const PatchLine& line) { return line.mark == '+'; });
  const auto done =
      adds ? file_.places(fresh, false).lines : std::vector<std::size_t>{};
  if (done.size() == 1) {
    message += "; its new lines are there already, at " + line_list(done);
  }
  fault(index, std::move(message), std::move(lines));
}

void Patcher::place(std::size_t index) {
  const PatchHunk& hunk = hunks_[index];
  const OldLines old_lines = builtin::old_lines(hunk);
  const Choice choice = choose_place(file_, hunk, old_lines, after_);
  if (!choice.place) {
    if (choice.why == Choice::Why::not_found) {
      return not_found(index, old_lines);
    }
    std::string message = choice.message;
    if (!choice.lines.empty()) message += line_list(choice.lines);
    return fault(index, std::move(message), choice.lines);
  }
  if (choice.normalised) ++out_.normalised;
  Placed placed{index, *choice.place, *choice.place, *choice.place};
  std::size_t at = placed.at;
  bool changed = false;
  for (const PatchLine& line : hunk.lines) {
    if (line.mark == ' ') {
      ++at;
      continue;
    }
    if (!changed) placed.begin = at;
    changed = true;
    if (line.mark == '-') ++at;
    placed.end = at;
  }
  after_ = placed.at + old_lines.size();
  placed_.push_back(placed);
}

void Patcher::find_overlaps() {
  std::sort(placed_.begin(), placed_.end(),
            [](const Placed& a, const Placed& b) {
              return std::pair(a.begin, a.hunk) < std::pair(b.begin, b.hunk);
            });
  for (std::size_t i = 1; i < placed_.size(); ++i) {
    const Placed& first = placed_[i - 1];
    const Placed& second = placed_[i];
    if (first.end <= second.begin) continue;
    fault(second.hunk,
          "it changes lines that hunk " + std::to_string(first.hunk + 1) +
              " changes, too, at line " + std::to_string(second.begin + 1),
          {second.begin});
  }
}

// The lines of the result, with pointers into the file and the patch.
struct OutLine {
  std::string_view body;
  std::string_view ending;
  const PatchLine* added = nullptr;
};

std::string Patcher::build() const {
  const std::vector<FileLine>& lines = file_.lines();
  std::vector<OutLine> out;
  out.reserve(lines.size() + 64);
  bool old_end_marked = false;
  std::size_t at = 0;
  const auto keep_to = [&](std::size_t end) {
    for (; at < end; ++at) out.push_back({lines[at].body, lines[at].ending});
  };
  for (const Placed& placed : placed_) {
    std::size_t now = placed.at;
    for (const PatchLine& line : hunks_[placed.hunk].lines) {
      if (line.mark == '+') {
        keep_to(now);
        out.push_back({line.text, file_.ending_near(now), &line});
        continue;
      }
      if (line.mark == '-') {
        keep_to(now);
        at = now + 1;
        old_end_marked = old_end_marked || line.no_newline;
      }
      ++now;
    }
  }
  keep_to(lines.size());

  const bool ended = lines.empty() || !lines.back().ending.empty();
  std::string text;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool last = i + 1 == out.size();
    std::string_view body = out[i].body;
    std::string_view ending = out[i].ending;
    if (!last && ending.empty()) ending = file_.ending_near(lines.size());
    if (last && out[i].added) {
      const bool newline =
          !out[i].added->no_newline && (ended || old_end_marked);
      if (!newline) ending = {};
    }
    // The patch may have carried the "\r" of the file's own ending.
    if (out[i].added && body.ends_with('\r') && ending == "\r\n") {
      body.remove_suffix(1);
    }
    text += body;
    text += ending;
  }
  return text;
}

PatchedText Patcher::apply() {
  for (std::size_t i = 0; i < hunks_.size(); ++i) place(i);
  if (out_.faults.empty()) find_overlaps();
  if (out_.faults.empty()) out_.text = build();
  return std::move(out_);
}

}  // namespace

PatchedText apply_hunks(std::string_view text,
                        const std::vector<PatchHunk>& hunks,
                        PatchBudget& budget) {
  return Patcher(text, hunks, budget).apply();
}

}  // namespace toolhost::builtin
