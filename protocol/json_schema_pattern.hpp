// Pattern: the regular expressions of a schema, in PCRE2 with JavaScript's
// meaning and with limits on everything a hostile one could eat.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/error.hpp"

namespace toolhost::schema {

// What one validation needs to run patterns; made when the first one runs.
class PatternRun {
 public:
  PatternRun();
  ~PatternRun();
  PatternRun(const PatternRun&) = delete;

 private:
  friend class Pattern;
  struct State;
  std::unique_ptr<State> state_;
};

class Pattern {
 public:
  // A pattern that a person wrote is far below.
  static constexpr std::size_t kMaxBytes = 4096;
  // All pattern time of one validation. A usual match takes a microsecond.
  static constexpr std::chrono::milliseconds kMaxTime{100};

  enum class Match { yes, no, gave_up };

  // The error's message says what PCRE2 said and at which offset.
  static Result<Pattern> compile(std::string_view text);

  // Unanchored, as JSON Schema wants it. Text that is not UTF-8 never matches.
  Match matches(std::string_view subject, PatternRun& run) const;

  const std::string& text() const { return text_; }

 private:
  struct Free {
    void operator()(void* code) const;
  };

  Match search(std::string_view subject, PatternRun& run) const;

  std::string text_;
  std::unique_ptr<void, Free> code_;
  bool anchored_ = false;
};

}  // namespace toolhost::schema
