// LineWindow: some whole lines of a stream, picked in one pass with bounded
// memory.
//
// Lines end with "\n"; what follows the last one is a line only if it is not
// empty. A line over kMaxLineBytes (or the whole budget) is cut, and a marker
// says so. Feed it everything in order, then finish().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolhost::builtin {

class LineWindow {
 public:
  // Longer than any line that a person wrote; a minified file is cut.
  static constexpr std::size_t kMaxLineBytes = 64 * 1024;

  struct Limits {
    std::uint64_t first_line = 1;
    std::uint64_t lines = 0;  // at least 1
    std::size_t bytes = 0;    // at least 2
  };
  enum class End { file, lines, bytes };
  struct Cut {
    std::uint64_t line = 0;
    std::uint64_t bytes = 0;  // of the whole line; so far if scanning stopped
    std::size_t shown = 0;
  };

  // `expected`: bytes that it will probably show; room is made for them.
  LineWindow(Limits limits, std::size_t expected);

  void feed(std::string_view bytes);
  // `whole`: the end of the file was seen.
  void finish(bool whole);

  // Nothing of what follows is shown; feeding on only counts lines.
  bool full() const { return phase_ == Phase::counting; }
  // The rest of a line that is too long is being passed over.
  bool cutting() const { return cutting_; }

  std::string& text() { return text_; }
  std::uint64_t lines() const { return lines_; }
  std::uint64_t next_line() const { return limits_.first_line + lines_; }
  std::optional<std::uint64_t> total_lines() const { return total_; }
  // Something follows the window.
  bool more() const { return more_; }
  End end() const { return end_; }
  const std::vector<Cut>& cuts() const { return cuts_; }

 private:
  enum class Phase { skipping, collecting, counting };

  std::string_view skip(std::string_view bytes);
  std::string_view collect(std::string_view bytes);
  std::string_view pass_over(std::string_view bytes);
  std::string_view take(std::string_view chunk, std::string_view rest);
  void append(std::string_view lines, std::size_t newlines);
  void stop(End end);
  void close_cut(bool newline);

  Limits limits_;
  std::size_t line_limit_;
  Phase phase_;
  End end_ = End::file;
  std::string text_;
  std::size_t line_start_ = 0;  // in text_
  std::uint64_t lines_ = 0;     // whole lines in text_
  std::uint64_t line_ = 1;      // number of the line that is being read
  bool in_line_ = false;        // and whether any byte of it was seen
  bool cutting_ = false;
  bool more_ = false;
  std::vector<Cut> cuts_;
  std::optional<std::uint64_t> total_;
};

}  // namespace toolhost::builtin
