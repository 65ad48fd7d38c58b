// What a search says beside its results: totals, the next page, what was not
// looked at and why. Nothing is left out without a word.
#pragma once

#include <string>
#include <vector>

#include "protocol/content.hpp"
#include "providers/builtin/search_run.hpp"

namespace toolhost::builtin {

// "matching line", "file": for the sentences.
struct SearchNouns {
  std::string one;
  std::string many;
};

// The arguments that every search has, and their checks.
Resolution resolve_search(std::string_view permission, std::string_view verb,
                          const std::string& pattern,
                          const ResolvedPath& where);

// Joins `body` and the notes; fills in the facts. Stopped searches and those
// that ran out of time with nothing found are errors that keep what they have.
ToolOutput report(const SearchPlan& plan, const SearchFound& found,
                  const ExecutionContext& context, std::string body,
                  const SearchNouns& nouns);

}  // namespace toolhost::builtin
