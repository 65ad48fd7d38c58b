// Applying the hunks of one file to its text.
//
// A hunk goes where its kept and removed lines stand, exactly or apart from
// Unicode form and white space at line ends, and nowhere else: several places
// that nothing tells apart are an error, never a choice. Headers ("@@ def f")
// choose among places; they do not make one. Kept lines are not rewritten, and
// added lines get the line ending of their neighbours. The file ends with or
// without a newline as before, unless the patch says otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/builtin/apply_patch_parse.hpp"
#include "providers/builtin/apply_patch_places.hpp"

namespace toolhost::builtin {

struct HunkFault {
  std::size_t hunk = 0;  // from 1
  std::size_t patch_line = 0;
  // "its 3 old lines were not found …", without a full stop.
  std::string message;
  // Places in the file that it speaks of, from 1.
  std::vector<std::size_t> lines;
};

struct PatchedText {
  std::string text;
  std::size_t normalised = 0;  // hunks that matched not byte for byte
  // Not empty: `text` is of no use.
  std::vector<HunkFault> faults;
};

PatchedText apply_hunks(std::string_view text,
                        const std::vector<PatchHunk>& hunks,
                        PatchBudget& budget);

}  // namespace toolhost::builtin
