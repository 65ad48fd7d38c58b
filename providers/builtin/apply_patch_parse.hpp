// The text of a patch as sections of files and hunks of lines.
//
//   *** Begin Patch
//   *** Add File: path            every line of the content begins with +
//   *** Delete File: path
//   *** Update File: path
//   *** Move to: path             optional, right below Update
//   @@ a line above the place     optional, may be repeated to go deeper
//    kept line
//   -removed line
//   +added line
//   *** End of File               the hunk ends where the file ends
//   *** End Patch
//
// What stands before Begin and behind End (a here-document, a code fence) is
// passed over. Every line in between has to be understood: one that is not
// refuses the patch, with its number, so that nothing is lost in silence.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::builtin {

struct PatchLine {
  char mark = ' ';  // ' ' kept, '-' removed, '+' added
  std::string text;
  // "\ No newline at end of file" stands below it.
  bool no_newline = false;
};

struct PatchHunk {
  std::vector<std::string> headers;
  // The first old line as "@@ -12,7 +12,9 @@" tells it; only a hint.
  std::optional<std::size_t> line_hint;
  std::vector<PatchLine> lines;
  bool at_end = false;
  std::size_t patch_line = 0;  // where it begins in the patch, from 1
};

struct PatchSection {
  enum class Kind { add, remove, update };
  Kind kind = Kind::update;
  std::string path;
  std::string move_to;  // empty: stays where it is
  std::string content;  // of an added file
  std::vector<PatchHunk> hunks;
  std::size_t patch_line = 0;
};

inline constexpr std::size_t kMaxPatchSections = 200;
inline constexpr std::size_t kMaxPatchHunks = 2000;

// At least one section. Errors are invalidArguments.
Outcome<std::vector<PatchSection>> parse_patch(std::string_view text);

}  // namespace toolhost::builtin
