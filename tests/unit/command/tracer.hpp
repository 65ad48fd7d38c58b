// Tracer: runs command lines in real bash, in a folder of stub programs that
// write down that they ran, and compares with what was judged.
#pragma once

#include <string>
#include <vector>

#include "gates/command/judge.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::command::testing {

struct Trace {
  // Program (a stub's name) and arguments, of everything that ran.
  std::vector<std::vector<std::string>> ran;
  // Files that are there afterwards and were not before.
  std::vector<std::string> files;
};

class Tracer {
 public:
  Tracer();
  // Each line in a folder of its own, at most two seconds.
  std::vector<Trace> run(const std::vector<std::string>& lines);

 private:
  toolhost::testing::TempDir folder_;
};

// Which of `lines` does `bash -n` reject?
std::vector<std::string> rejected_by_bash(
    const std::vector<std::string>& lines);

// Does one of the commands stand for what ran? What is decided when it runs
// may be anything.
bool is_judged(const std::vector<std::string>& ran, const Judgement& judgement);
bool is_judged_file(const std::string& file, const Judgement& judgement);

// Did the judge say that it cannot see all that runs?
bool hides_programs(const Judgement& judgement);

}  // namespace toolhost::command::testing
