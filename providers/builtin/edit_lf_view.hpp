// LfView: a text with "\n" for every "\r\n", and the way back to its own
// positions. A lone "\r" is no line end and stays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolhost::builtin {

std::string without_crlf(std::string_view text);
// "\r\n" for every "\n"; for text that has no "\r\n".
std::string with_crlf(std::string_view text);

class LfView {
 public:
  // `original` has to outlive it; nothing is copied when it has no "\r\n".
  explicit LfView(std::string_view original);
  LfView(const LfView&) = delete;

  bool has_crlf() const { return !cut_.empty(); }
  std::string_view text() const { return has_crlf() ? view_ : original_; }
  std::size_t original(std::size_t position) const;
  // Is the "\n" at this position of the view a "\r\n"?
  bool is_crlf(std::size_t newline) const;

 private:
  std::string_view original_;
  std::string view_;
  std::vector<std::size_t> cut_;  // newlines in view_ that lost a "\r"
};

}  // namespace toolhost::builtin
