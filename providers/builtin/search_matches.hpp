// MatchCollector: records of one search into entries of one page.
//
// Judges each path once, counts everything, gives every match the context
// lines around it, and builds entries only for what can be on the page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "providers/builtin/search_glob.hpp"
#include "providers/builtin/search_page.hpp"
#include "providers/builtin/search_records.hpp"

namespace toolhost::builtin {

class MatchCollector {
 public:
  struct Shape {
    // Which files count; null: all of them (a named file).
    const GlobFilter* filter = nullptr;
    // Put in front of a path before it is judged: the part of the root that
    // the search was narrowed to, with its "/".
    std::string folder;
    std::uint64_t context = 0;
    std::size_t max_line_bytes = 1000;
    // What ripgrep was told to print of one file at most.
    std::uint64_t max_lines_per_file = 0;
  };

  MatchCollector(Shape shape, SearchPage& page)
      : shape_(std::move(shape)), page_(page) {}

  void receive(const SearchRecord& record);
  // A name or a count.
  void receive_file(const SearchRecord& record);
  // After the last record.
  void finish();

  // Matching lines (or the sum of counts), and files that have some.
  std::uint64_t matches() const { return matches_; }
  std::uint64_t files() const { return files_; }
  // A file reached max_lines_per_file: it may have more.
  bool capped() const { return capped_; }

 private:
  bool judge(std::string_view path);
  void count(std::uint64_t lines);
  void match(const SearchRecord& record);
  void context(const SearchRecord& record);

  Shape shape_;
  SearchPage& page_;
  std::string path_;
  bool known_ = false;         // path_ was judged
  bool accepted_ = false;      // … and counts
  std::uint64_t in_file_ = 0;  // … and its matches so far
  std::uint64_t last_match_ = 0;
  std::optional<SearchEntry> open_;  // may still get context lines
  std::vector<ContextLine> before_;
  std::uint64_t matches_ = 0;
  std::uint64_t files_ = 0;
  bool capped_ = false;
};

}  // namespace toolhost::builtin
