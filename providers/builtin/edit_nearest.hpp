// What a text that was not found was probably meant to be: for the message,
// never for applying it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolhost::builtin {

struct Nearest {
  std::size_t first_line = 0;  // from 1
  std::size_t last_line = 0;
  // indentation, whitespace, trailing whitespace, letter case, Unicode form
  // or typographic characters, words
  std::string difference;
  // "line 12 is indented with 1 tab, oldText has 4 spaces"
  std::string detail;
};

// Looks at the first kNearestBytes only; nullopt when nothing is similar.
// `called` is what the message calls `wanted`.
inline constexpr std::size_t kNearestBytes = 1U << 20;
std::optional<Nearest> find_nearest(std::string_view text,
                                    std::string_view wanted,
                                    std::string_view called = "oldText");

}  // namespace toolhost::builtin
