// SearchRun: one search, from the plan to the entries of one page.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "providers/builtin/ripgrep.hpp"
#include "providers/builtin/search_glob.hpp"
#include "providers/builtin/search_page.hpp"
#include "providers/builtin/search_target.hpp"
#include "providers/execution.hpp"

namespace toolhost::builtin {

// What grep and glob have in common, as the caller asked for it.
struct SearchPlan {
  RipgrepQuery query;
  GlobFilter filter;
  // "content", "files", "count", "path", "modified": for the result.
  std::string mode;
  std::size_t limit = 250;
  std::size_t max_bytes = 256 * 1024;
  std::optional<SearchCursor> cursor;
  std::string digest;  // of the query
};

struct SearchFound {
  std::vector<SearchEntry> entries;  // sorted
  bool more = false;                 // entries follow these
  std::uint64_t matches = 0;         // in all, matching lines or files
  std::uint64_t files = 0;           // in all
  // The totals are what was counted until a limit was reached.
  bool minimum = false;
  std::uint64_t binary_files = 0;  // left at a NUL byte
  RipgrepEnd end;
  // What the filters left out; `skips_known`: all of it was counted.
  SearchCauses skips;
  bool skips_known = false;

  bool partial() const { return !end.complete(); }
};

// Reads what grep and glob share from `arguments` (which have passed the
// schema), opens nothing. `globs` are already strings.
Outcome<SearchPlan> plan_search(std::string_view tool,
                                const json::object& arguments,
                                const std::vector<std::string>& globs,
                                const config::SearchTool& limits,
                                const SearchTarget& target);

// Completes the ripgrep query from the filter; narrows the target.
void apply_filter(SearchPlan& plan, SearchTarget& target,
                  const Workspace& workspace);

// `plan` and `target` outlive the call.
Task<Outcome<SearchFound>> search(const ExecutionContext& context,
                                  const SearchPlan& plan,
                                  const SearchTarget& target);

}  // namespace toolhost::builtin
