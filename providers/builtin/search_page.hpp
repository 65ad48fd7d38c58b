// SearchPage: the first entries after a cursor, out of any number that arrive
// in any order.
//
// ripgrep runs unsorted, so a page is only known when the walk is over. What
// can be on it is kept and nothing else: memory is a few pages, and the totals
// are exact however many entries there were.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "providers/builtin/search_cursor.hpp"

namespace toolhost::builtin {

struct ContextLine {
  std::uint64_t line = 0;
  std::string text;
};

struct SearchEntry {
  SearchKey key;
  std::uint64_t column = 0;  // bytes, from 1; 0: none
  std::uint64_t offset = 0;  // of the line in the file
  bool cut = false;          // text is the beginning of a longer line
  std::string text;
  std::vector<ContextLine> before;
  std::vector<ContextLine> after;

  // Bytes that it takes on a page, about.
  std::size_t size() const;
};

class SearchPage {
 public:
  // At most `limit` entries of together `max_bytes`, but at least one.
  SearchPage(std::optional<SearchKey> after, std::size_t limit,
             std::size_t max_bytes)
      : after_(std::move(after)), limit_(limit), max_bytes_(max_bytes) {}

  // False if an entry with this key cannot be on the page: do not build it.
  bool wants(const SearchKey& key) const;
  void add(SearchEntry entry);

  // Sorts; `more` says whether entries follow the page.
  std::vector<SearchEntry> take(bool& more);

 private:
  void compact();
  // How many of the sorted entries are on the page.
  std::size_t fitting() const;

  std::optional<SearchKey> after_;
  std::size_t limit_;
  std::size_t max_bytes_;
  std::size_t held_bytes_ = 0;
  std::vector<SearchEntry> entries_;
  // Entries from here on are behind the page.
  std::optional<SearchKey> behind_;
};

}  // namespace toolhost::builtin
