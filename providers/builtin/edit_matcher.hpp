// Matcher: how apply_edits() works; edit_match.hpp is what others see.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "providers/builtin/byte_scan.hpp"
#include "providers/builtin/edit_lf_view.hpp"
#include "providers/builtin/edit_match.hpp"
#include "providers/builtin/edit_normal.hpp"

namespace toolhost::builtin {

inline constexpr std::size_t kNone = std::string_view::npos;

// The first occurrence at or behind `from`, at memory speed.
std::size_t find_text(std::string_view text, std::string_view wanted,
                      std::size_t from);

// One replacement: what was matched (for overlaps), and what is spliced.
struct Region {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t edit = 0;
  std::size_t splice_begin = 0;
  std::size_t splice_end = 0;
  std::string text;
};

class Matcher {
 public:
  Matcher(std::string_view text, const std::vector<Edit>& edits,
          const std::string& shown)
      : text_(text), view_(text), edits_(edits), shown_(shown) {}

  Outcome<EditedText> apply();

 private:
  std::optional<CallError> unusable(std::size_t index) const;
  std::optional<CallError> match(std::size_t index);
  std::optional<CallError> match_normal(std::size_t index);
  std::optional<CallError> overlap() const;
  std::optional<CallError> too_long() const;
  void add_raw(std::size_t index, std::size_t at);
  void add_in_view(std::size_t index, std::size_t at,
                   std::string_view old_text);
  void add_normal(std::size_t index, std::size_t at, const NormalText& wanted);
  bool region_uses_crlf(std::size_t begin, std::size_t end) const;

  std::size_t line_of(std::size_t position) const {
    return count_newlines(text_.substr(0, position)) + 1;
  }
  // "oldText", or "edits[2].oldText" when there are several.
  std::string field(std::size_t index, std::string_view name) const {
    if (edits_.size() == 1) return std::string(name);
    return "edits[" + std::to_string(index) + "]." + std::string(name);
  }
  CallError failed(std::string message, std::string hint) const {
    return make_call_error(CallErrorKind::tool_failed, std::move(message),
                           std::move(hint));
  }
  CallError not_found(std::size_t index) const;
  CallError ambiguous(std::size_t index,
                      const std::vector<std::size_t>& lines) const;

  std::string_view text_;
  LfView view_;
  const std::vector<Edit>& edits_;
  const std::string& shown_;
  std::vector<Region> regions_;
  std::optional<NormalText> normal_;  // of the view; made when it is needed
  std::size_t normal_matches_ = 0;
};

}  // namespace toolhost::builtin
