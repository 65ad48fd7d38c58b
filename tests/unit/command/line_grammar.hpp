// LineGrammar: random command lines of the kind that agents write, and broken
// ones. They name only programs of programs() and hold no slash, so that they
// can be run in a folder of stubs.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace toolhost::command::testing {

class LineGrammar {
 public:
  explicit LineGrammar(std::uint32_t seed) : random_(seed) {}

  std::string line();
  // A line with a few characters dropped, doubled, swapped or put in.
  std::string broken();

  // Stubs; those that begin with "no" fail.
  static const std::vector<std::string>& programs();

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string one_of(const std::vector<std::string>& choices) {
    return choices[below(static_cast<unsigned>(choices.size()))];
  }
  std::string list(unsigned depth);
  std::string chain(unsigned depth);
  std::string pipeline(unsigned depth);
  std::string command(unsigned depth);
  std::string simple(unsigned depth);
  std::string compound(unsigned depth);
  std::string wrapped(unsigned depth);
  std::string word(unsigned depth);
  std::string program();
  std::string redirect(unsigned depth);
  std::string test(unsigned depth);

  std::mt19937 random_;
  // Bodies of here-documents that wait for the end of the line.
  std::string waiting_;
  unsigned documents_ = 0;
};

}  // namespace toolhost::command::testing
