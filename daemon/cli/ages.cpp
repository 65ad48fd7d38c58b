#include "daemon/cli/ages.hpp"

#include <charconv>
#include <cstdio>
#include <ctime>

namespace toolhost::cli {

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  const std::string copy(text);
  std::tm parts{};
  int millis = 0;
  int used = 0;
  const int read =
      std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n",
                  &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &parts.tm_hour,
                  &parts.tm_min, &parts.tm_sec, &millis, &used);
  if (read != 7 || static_cast<std::size_t>(used) != copy.size()) {
    return std::nullopt;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return std::chrono::system_clock::from_time_t(timegm(&parts)) +
         Milliseconds(millis);
}

std::string short_duration(Milliseconds duration) {
  const auto seconds = std::max<std::int64_t>(0, duration.count() / 1000);
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86'400) + "d";
}

std::optional<Milliseconds> parse_duration(std::string_view text) {
  constexpr std::int64_t kWeek = 7LL * 24 * 3600 * 1000;
  std::int64_t number = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || number <= 0) return std::nullopt;
  const std::string_view unit(parsed.ptr, text.data() + text.size());
  std::int64_t factor = 0;
  if (unit == "ms") factor = 1;
  if (unit.empty() || unit == "s") factor = 1000;
  if (unit == "m") factor = 60'000;
  if (unit == "h") factor = 3'600'000;
  if (factor == 0 || number > kWeek / factor) return std::nullopt;
  return Milliseconds(number * factor);
}

}  // namespace toolhost::cli
