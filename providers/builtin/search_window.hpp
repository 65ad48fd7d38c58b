// Long lines: the part around the match instead of the beginning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "providers/builtin/search_page.hpp"

namespace toolhost::builtin {

// The text of every cut entry becomes "[column N] …text…", read from the file
// around the match: at most `max_bytes` of it, whole characters. Where the
// file does not have what ripgrep saw at this place (it changed, or is not
// UTF-8), the beginning of the line stays. May block.
void show_around_matches(std::vector<SearchEntry>& entries, int folder,
                         std::size_t max_bytes);

}  // namespace toolhost::builtin
