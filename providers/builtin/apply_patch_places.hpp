// Where in a file a hunk can go, and which of these places it means.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/builtin/apply_patch_parse.hpp"

namespace toolhost::builtin {

// Without marks; views into the hunk.
using OldLines = std::vector<std::string_view>;
OldLines old_lines(const PatchHunk& hunk);  // kept and removed
OldLines new_lines(const PatchHunk& hunk);  // kept and added

struct FileLine {
  std::string_view body;
  std::string_view ending;  // "\n", "\r\n"; empty only in the last line
};

// What one patch may take: it is worked out on the loop, where a file of
// millions of equal lines must not hold everybody up.
struct PatchBudget {
  std::size_t lines = 50'000'000;  // compared
  std::size_t explained = 8;       // hunks whose nearest region is looked for

  bool spent() const { return lines == 0; }
  // False: there is not so much left.
  bool take(std::size_t count) {
    lines -= std::min(lines, count);
    return lines > 0;
  }
};

class PatchFile {
 public:
  // Both have to outlive it.
  PatchFile(std::string_view text, PatchBudget& budget);

  struct Places {
    std::vector<std::size_t> lines;  // from 0
    bool normalised = false;
  };
  // Every place where `wanted` (not empty) stands, exactly; if there is none,
  // apart from Unicode form and white space at line ends.
  Places places(const OldLines& wanted, bool at_end) const;
  // Lines that a header names: the whole line, or the beginning of it.
  std::vector<std::size_t> headers(std::string_view header) const;
  // Behind the part that the line at `header` begins: where the next line
  // stands that is as deep and begins with the same word ("def", "##").
  std::size_t part_end(std::size_t header) const;
  // The line ending for what is inserted before line `at`.
  std::string_view ending_near(std::size_t at) const;

  std::string_view text() const { return text_; }
  const std::vector<FileLine>& lines() const { return lines_; }
  // Once it is spent, what was found may not be all.
  PatchBudget& budget() const { return budget_; }

 private:
  bool equal_at(std::size_t at, const OldLines& wanted) const;
  const std::vector<std::string>& normal_lines() const;

  std::string_view text_;
  PatchBudget& budget_;
  std::vector<FileLine> lines_;
  // Made when something is not found exactly.
  mutable std::vector<std::string> normal_;
};

struct Choice {
  enum class Why { none, not_found, other };
  std::optional<std::size_t> place;
  bool normalised = false;
  Why why = Why::none;  // there is no place
  // For `other`: a clause that `lines` finish, as "… at " + their numbers.
  std::string message;
  std::vector<std::size_t> lines;  // from 0
};

// `after`: where the hunk before this one ends.
Choice choose_place(const PatchFile& file, const PatchHunk& hunk,
                    const OldLines& wanted, std::size_t after);

}  // namespace toolhost::builtin
