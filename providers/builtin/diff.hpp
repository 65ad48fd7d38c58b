// A unified diff of two texts, bounded in size and time.
//
// Lines are compared as bytes. What is alike at both ends is passed over at
// memory speed; the middle goes through Myers' algorithm, and where that would
// take too long, it is shown as replaced as a whole: longer than it might be,
// never wrong.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toolhost::builtin {

struct DiffOptions {
  // Shown behind a/ and b/; `created` makes the old side /dev/null.
  std::string path;
  bool created = false;
  std::size_t max_bytes = 64 * 1024;
};

struct Diff {
  std::string text;  // empty: no difference
  // False: `omitted_lines` changed or context lines are left out at the end.
  bool complete = true;
  std::size_t omitted_lines = 0;
  std::size_t added = 0;
  std::size_t removed = 0;
  std::size_t first_changed_line = 0;  // in the new text, from 1; 0: none
};

Diff unified_diff(std::string_view before, std::string_view after,
                  const DiffOptions& options);

}  // namespace toolhost::builtin
