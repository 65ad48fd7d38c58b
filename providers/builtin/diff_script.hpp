// Which lines to keep, delete and insert to make one list from another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolhost::builtin {

using Lines = std::vector<std::string_view>;

// Lines with their newline; the last one may have none.
Lines split_lines(std::string_view text);

// One character per step: ' ' keeps a line of both, '-' drops one of `before`,
// '+' takes one of `after`. The shortest one unless that takes too long.
std::string edit_script(const Lines& before, const Lines& after);

}  // namespace toolhost::builtin
