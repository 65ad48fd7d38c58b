// parse(): the part of bash's language that agents write, as a tree, or "not
// understood" with the place and the reason. Never a guess.
//
// Understood: simple commands, pipelines, && || ; & and new lines, subshells,
// groups, if/while/until/for/case, functions, [[ ]], (( )), every quoting,
// parameter expansion, $( ), ` `, $(( )), <( ), >( ), here-documents,
// here-strings, redirections with descriptors, assignments and arrays, braces,
// globs, tilde, comments, continued lines, `time` and `!`.
// Not understood on purpose: coproc, select, {fd}>, extended globs, $"…", $[…],
// ${x@P}, control characters, blanks that only look like one, and whatever
// bash itself would read in two ways.
//
// Time is linear in the text; the limits below bound memory and stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gates/command/tree.hpp"

namespace toolhost::command {

// The most that one argument of a program can hold on Linux.
constexpr std::size_t kMaxBytes = 128 * 1024;
// Commands and words together.
constexpr std::size_t kMaxNodes = 20'000;
// Lists within lists, of any kind.
constexpr unsigned kMaxDepth = 40;
// Bytes read in all: a ` ` inside a ` ` is read once for each.
constexpr std::size_t kMaxRead = 4 * kMaxBytes;

struct NotUnderstood {
  std::uint32_t offset = 0;  // bytes into the text
  std::string reason;        // a sentence's end: "a quote is not closed"
};

struct Parsed {
  std::optional<Tree> tree;
  NotUnderstood trouble;  // where there is no tree
};

Parsed parse(std::string_view text);

}  // namespace toolhost::command
