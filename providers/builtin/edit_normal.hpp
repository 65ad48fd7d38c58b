// NormalText: a text in the form in which two spellings of it are equal, and
// the way back to its own bytes.
//
// Only what no reader sees is evened out: Unicode forms (NFKC), typographic
// quotes and dashes, odd spaces, white space at line ends. Indentation, case
// and words stay. Bytes that are not UTF-8 stay, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolhost::builtin {

class NormalText {
 public:
  // `original` has "\n" line ends, and has to outlive this. Spaces behind the
  // last line go only if `trim_last`.
  explicit NormalText(std::string_view original, bool trim_last = true);

  const std::string& text() const { return text_; }
  // Spaces behind the last line were dropped.
  bool trimmed_last() const { return trimmed_last_; }

  // Where the original character of this position begins; nullopt inside of
  // what was one character ("fi" for a ligature).
  std::optional<std::size_t> begin_of(std::size_t position) const;
  // The end of the original character that ends at this position.
  std::optional<std::size_t> end_of(std::size_t position) const;

  // The position behind the first `original` bytes of the original; nullopt
  // inside of a character, and inside of spaces that were dropped.
  std::optional<std::size_t> position_of(std::size_t original) const;

 private:
  // A stretch of both texts. Plain: byte for byte the same.
  struct Piece {
    std::size_t position = 0;  // in text_
    std::size_t size = 0;
    std::size_t original = 0;
    std::size_t original_size = 0;
    bool plain = true;
  };
  void add(std::string_view piece, std::string_view source,
           std::size_t original);
  void trim_line();

  std::string text_;
  std::vector<Piece> pieces_;
  std::size_t line_start_ = 0;
  bool trimmed_last_ = false;
};

// One line without its newline, for comparing line by line.
std::string normal_line(std::string_view line);

}  // namespace toolhost::builtin
