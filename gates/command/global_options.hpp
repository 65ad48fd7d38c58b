// Options of a program that stand before its sub-command (git -C DIR status).
//
// A remembered rule keeps them as written; a deny is tried without them, so
// that a rule for "git push *" also sees "git -C /elsewhere push".
#pragma once

#include <string_view>
#include <vector>

#include "gates/command/judge.hpp"

namespace toolhost::command {

// The index of the first word behind the program and its known options; the
// number of words if there is none. An unknown option ends the search.
std::size_t first_argument(const std::vector<Argument>& words);

// The program and everything behind its options, whether they are known or
// not: a guess in favour of denying.
std::vector<Argument> without_options(const std::vector<Argument>& words);

}  // namespace toolhost::command
