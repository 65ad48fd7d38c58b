// Ripgrep: its command line, and one run of it.
//
// Nothing that a model wrote is ever an option: the pattern follows -e, the
// globs are values, and paths come after "--" with "./" in front. No
// configuration file, no preprocessor, no followed link. The walk is parallel
// and unsorted; what reads the output sorts it.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/builtin/search_causes.hpp"
#include "providers/execution.hpp"
#include "providers/support/child_process.hpp"

namespace toolhost::builtin {

struct RipgrepQuery {
  // lines, names of files with matches, counts per file; all names there are.
  enum class Mode { lines, names, counts, list };
  Mode mode = Mode::lines;
  std::string pattern;
  bool literal = false;
  bool ignore_case = false;
  bool multiline = false;
  bool include_ignored = false;
  bool include_hidden = false;
  std::uint64_t context = 0;
  std::size_t max_line_bytes = 1000;
  std::string type;                     // "cpp"; empty: all
  std::vector<std::string> base_names;  // globs; empty: all
  std::vector<std::string> excludes;    // globs
  std::string file;                     // the only one to search
  // Write a note for everything that the filters leave out.
  bool explain = false;
  bool one_thread = false;
};

// Matching lines of one file at most; bounds what ripgrep holds back while it
// searches a file. A file that reaches it makes the totals lower bounds.
inline constexpr std::uint64_t kMaxLinesPerFile = 200'000;
// Notes read before a search is started again without them: they are slow
// (some 70 us each) and nobody reads thousands.
inline constexpr std::uint64_t kMaxNotes = 2000;
// Output read at most: ten times what a search of a large tree for a common
// word prints.
inline constexpr std::uint64_t kMaxOutputBytes = 256ULL << 20;

std::vector<std::string> ripgrep_arguments(const RipgrepQuery& query);

// Where `name` is in the PATH of `environment`; empty if it is not.
std::string find_program(std::string_view name,
                         const std::vector<std::string>& environment);

struct RipgrepEnd {
  enum class How { finished, timed_out, stopped, too_much, too_many_notes };
  How how = How::finished;
  ExitStatus status;
  SearchCauses causes;

  // The walk is over and nothing was left out because of an error.
  bool complete() const {
    return how == How::finished && status.signal == 0 && status.code < 2;
  }
  // Nothing was searched at all.
  bool refused() const {
    return how == How::finished && status.signal == 0 && status.code >= 2 &&
           causes.failures().empty() && !causes.text().empty();
  }
};

struct RipgrepRun {
  RipgrepQuery query;
  int folder = -1;  // its working directory
  std::chrono::milliseconds budget{20'000};
  // Gets the output in pieces; false ends the run (too_much).
  std::function<bool(std::string_view)> receive;
};

// Fails only if ripgrep cannot be started. Every process of it is gone when
// this returns.
Task<Outcome<RipgrepEnd>> run_ripgrep(const ExecutionContext& context,
                                      RipgrepRun run);

}  // namespace toolhost::builtin
