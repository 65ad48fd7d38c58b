// The ways in which one command can be written, as texts that rules are asked
// about. More of them can only deny more; an allow is asked about one only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gates/command/judge.hpp"

namespace toolhost::command {

// The words with one blank between them; a word that holds blanks or nothing
// stands in single quotes, so that it is not read as two. This is the text
// that an allow has to match.
std::string exact_text(const std::vector<Argument>& words);

// Every spelling that a deny or an ask is tried on: as written, by base name
// (/bin/rm), without options before the sub-command (git -C x push), without
// "--", without words that may vanish, and with each option moved to the front
// and clusters of known flags in every order (rm -fr, rm -r -f, rm --force
// --recursive). At most a few hundred; the first is exact_text().
std::vector<std::string> spellings(const std::vector<Argument>& words);

// Every run of words in a text that is not understood, from each word to the
// end of its piece: quotes and backslashes off, cut where a shell could begin
// something new. nullopt: there are too many to be asked about.
constexpr std::size_t kMaxRuns = 16'384;
constexpr std::size_t kMaxRunBytes = 512;  // of one; the rest cannot matter
struct RawRuns {
  std::vector<std::string> runs;
  bool complete = true;
};
RawRuns raw_runs(std::string_view text);

// Can any value of what stands between the pieces make the text match the
// pattern of a rule (rules.hpp)?
bool may_match(std::string_view pattern,
               const std::vector<std::string>& pieces);

// The pieces of exact_text() between what is decided when it runs.
std::vector<std::string> pieces_of(const std::vector<Argument>& words);

}  // namespace toolhost::command
