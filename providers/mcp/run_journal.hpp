// RunJournal: what a server wrote that is no message, for diagnostics.
//
// Bounded: the end of its standard error, the last lines of noise, counts.
// Secrets are blotted out before anything is kept.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "protocol/error.hpp"
#include "providers/mcp/launch.hpp"

namespace toolhost::mcp {

class RunJournal {
 public:
  static constexpr std::size_t kErrorBytes = 8 * 1024;
  static constexpr std::size_t kNotes = 20;
  static constexpr std::size_t kNoteBytes = 300;
  // More noise than this is no accident any more.
  static constexpr std::size_t kMaxNoise = 16U << 20;
  static constexpr std::size_t kMaxNoiseLines = 100'000;

  explicit RunJournal(Secrets secrets) : secrets_(std::move(secrets)) {}

  void error_output(std::string_view bytes);
  // A line on its standard output that is no message.
  void noise(std::string_view line);
  // Something that it did wrong and that was tolerated.
  void note(std::string text);

  bool too_noisy() const {
    return noise_bytes_ > kMaxNoise || noise_lines_ > kMaxNoiseLines;
  }
  // The last lines of its standard error, safe to show; empty: none.
  std::string last_words(std::size_t bytes = 1000) const;
  std::string redact(std::string text) const;
  // {noiseLines?, notes?, stderr?}
  json::object details() const;

 private:
  Secrets secrets_;
  std::string errors_;
  std::size_t noise_lines_ = 0;
  std::size_t noise_bytes_ = 0;
  std::deque<std::string> notes_;
};

}  // namespace toolhost::mcp
