// SearchCursor: where the next page of a search begins.
//
// base64url of JSON, bound to the query by a digest of its parameters: a
// cursor of another query is refused. It holds the sort key of the last entry
// that was shown, so a page never repeats or skips an entry that was there
// both times, whatever changed in between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/error.hpp"

namespace toolhost::builtin {

// The order of results: `rank` first (0 when sorted by path), then the path
// by components, then the line.
struct SearchKey {
  std::int64_t rank = 0;
  std::string path;
  std::uint64_t line = 0;
};

// Folder by folder, as `rg --sort path`: "a/z" comes before "a.b".
int compare_paths(std::string_view a, std::string_view b);
bool operator<(const SearchKey& a, const SearchKey& b);

struct SearchCursor {
  SearchKey after;
  // Entries on the pages before.
  std::uint64_t shown = 0;
};

// The digest of everything that decides which entries there are, and their
// order. `arguments` without `cursor` and `limit`.
std::string query_digest(std::string_view tool, std::string_view root,
                         const json::object& arguments);

std::string encode_cursor(const SearchCursor& cursor,
                          const std::string& digest);
// invalidArguments for garbage and for a cursor of another query.
Outcome<SearchCursor> decode_cursor(std::string_view text,
                                    const std::string& digest);

}  // namespace toolhost::builtin
