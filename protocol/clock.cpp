#include "protocol/clock.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace toolhost {

std::string rfc3339(WallTime time) {
  // floor, not a cast: before 1970 the parts count forward, too.
  const auto since = std::chrono::floor<Milliseconds>(time.time_since_epoch());
  const auto whole = std::chrono::floor<std::chrono::seconds>(since);
  const std::time_t seconds = whole.count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> buffer;
  const int length = std::snprintf(
      buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
      parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
      parts.tm_min, parts.tm_sec, static_cast<int>((since - whole).count()));
  return std::string(buffer.data(), static_cast<std::size_t>(length));
}

}  // namespace toolhost
