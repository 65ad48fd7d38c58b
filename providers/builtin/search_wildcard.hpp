// Wildcards of one path component: `*`, `?`, `[a-z]`, `[!a-z]`, `\x`.
//
// Bytes in, no locale: `?` and a class take one UTF-8 character, or one byte
// that is none. Time is at most |pattern| x |name|.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::builtin {

bool component_matches(std::string_view pattern, std::string_view name);

// Has it a character that means something else than itself?
bool has_wildcard(std::string_view pattern);

// Every alternative of `{a,b}`, nested ones included. invalidArguments for an
// open brace or class, or more than kMaxAlternatives.
inline constexpr std::size_t kMaxAlternatives = 128;
Outcome<std::vector<std::string>> expand_braces(const std::string& pattern);

}  // namespace toolhost::builtin
