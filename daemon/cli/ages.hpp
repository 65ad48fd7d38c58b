// Times of the wire, for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "protocol/clock.hpp"

namespace toolhost::cli {

// 2026-01-31T23:59:59.999Z; other forms are nullopt.
std::optional<WallTime> parse_rfc3339(std::string_view text);

// "8s", "3m", "2h", "4d".
std::string short_duration(Milliseconds duration);

// "500ms", "30s", "5m", "2h", a bare number is seconds. Positive, at most a
// week.
std::optional<Milliseconds> parse_duration(std::string_view text);

}  // namespace toolhost::cli
