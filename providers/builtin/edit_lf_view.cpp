#include "providers/builtin/edit_lf_view.hpp"

#include <algorithm>

#include "providers/builtin/byte_scan.hpp"

namespace toolhost::builtin {

std::string without_crlf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool pair =
        text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    if (!pair) out += text[at];
  }
  return out;
}

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

LfView::LfView(std::string_view original) : original_(original) {
  if (count_crlf(original) == 0) return;
  view_ = without_crlf(original);
  std::size_t at = 0;
  for (std::size_t i = 0; i < view_.size(); ++i, ++at) {
    if (view_[i] == '\n' && original[at] == '\r') {
      cut_.push_back(i);
      ++at;
    }
  }
}

std::size_t LfView::original(std::size_t position) const {
  return position + static_cast<std::size_t>(
                        std::lower_bound(cut_.begin(), cut_.end(), position) -
                        cut_.begin());
}

bool LfView::is_crlf(std::size_t newline) const {
  return std::binary_search(cut_.begin(), cut_.end(), newline);
}

}  // namespace toolhost::builtin
