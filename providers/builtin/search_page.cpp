#include "providers/builtin/search_page.hpp"

#include <algorithm>
#include <numeric>

namespace toolhost::builtin {
namespace {

// Line number, column, separators, and the path now and then.
constexpr std::size_t kEntryBytes = 24;
// Sorting again and again for a few entries would cost more than keeping them.
constexpr std::size_t kSlackEntries = 1024;
constexpr std::size_t kSlackBytes = 256 * 1024;

std::size_t size_of(const std::vector<ContextLine>& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::size_t{0},
                         [](std::size_t sum, const ContextLine& line) {
                           return sum + line.text.size() + kEntryBytes;
                         });
}

}  // namespace

std::size_t SearchEntry::size() const {
  return key.path.size() + text.size() + kEntryBytes + size_of(before) +
         size_of(after);
}

bool SearchPage::wants(const SearchKey& key) const {
  if (after_ && !(*after_ < key)) return false;
  return !behind_ || key < *behind_;
}

void SearchPage::add(SearchEntry entry) {
  if (!wants(entry.key)) return;
  held_bytes_ += entry.size();
  entries_.push_back(std::move(entry));
  if (entries_.size() > 2 * limit_ + kSlackEntries ||
      held_bytes_ > 2 * max_bytes_ + kSlackBytes) {
    compact();
  }
}

void SearchPage::compact() {
  std::sort(
      entries_.begin(), entries_.end(),
      [](const SearchEntry& a, const SearchEntry& b) { return a.key < b.key; });
  const std::size_t page = fitting();
  if (page >= entries_.size()) return;
  // The first one behind the page stays only as a key.
  behind_ = entries_[page].key;
  for (std::size_t i = page; i < entries_.size(); ++i) {
    held_bytes_ -= entries_[i].size();
  }
  entries_.resize(page);
}

std::size_t SearchPage::fitting() const {
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (const SearchEntry& entry : entries_) {
    bytes += entry.size();
    if (count == limit_ || (count > 0 && bytes > max_bytes_)) break;
    ++count;
  }
  return count;
}

std::vector<SearchEntry> SearchPage::take(bool& more) {
  compact();
  more = behind_.has_value();
  return std::move(entries_);
}

}  // namespace toolhost::builtin
