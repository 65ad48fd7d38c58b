// Applying edits to a text: every match is proven, nothing is guessed.
//
// All edits are matched against the original. A text must occur exactly once,
// or at least once with replace_all; what is outside the matches stays as it
// is, byte for byte. "\n" in old_text also matches "\r\n", and inserted lines
// get the ending of the lines that they replace. Only a text that does not
// occur as it stands is looked for apart from Unicode form, typographic
// characters and white space at line ends (edit_normal.hpp). Replacement text
// is never interpreted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::builtin {

struct Edit {
  std::string old_text;
  std::string new_text;
  bool replace_all = false;
};

struct EditedText {
  std::string text;
  std::size_t replacements = 0;
  // Of these, matched only apart from Unicode form, quotes, dashes, odd spaces
  // and white space at line ends.
  std::size_t normalised = 0;
};

// Results are not longer than this, and have no more replacements.
inline constexpr std::size_t kMaxEditedBytes = 16U << 20;
inline constexpr std::size_t kMaxReplacements = 100'000;
// Longer texts are matched exactly only: this runs before anybody is asked.
inline constexpr std::size_t kMaxNormalBytes = 2U << 20;

// `shown` names the file in messages. The errors (toolFailed) say which edit,
// which lines, and what to do.
Outcome<EditedText> apply_edits(std::string_view text,
                                const std::vector<Edit>& edits,
                                const std::string& shown);

}  // namespace toolhost::builtin
