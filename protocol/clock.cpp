#include "protocol/clock.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace toolhost {

namespace {

// `2026-11-30T17:31:45.`, made once a second: every call tells several times.
std::string_view second_text(std::time_t seconds) {
  thread_local std::time_t made = -1;
  thread_local std::array<char, 64> text;
  thread_local std::size_t length = 0;
  if (seconds != made || length == 0) {
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    length = static_cast<std::size_t>(std::snprintf(
        text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.",
        parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
        parts.tm_min, parts.tm_sec));
    made = seconds;
  }
  return {text.data(), length};
}

}  // namespace

std::string rfc3339(WallTime time) {
  // floor, not a cast: before 1970 the parts count forward, too.
  const auto since = std::chrono::floor<Milliseconds>(time.time_since_epoch());
  const auto whole = std::chrono::floor<std::chrono::seconds>(since);
  const auto milliseconds = static_cast<int>((since - whole).count());
  std::string out(second_text(whole.count()));
  out += static_cast<char>('0' + milliseconds / 100);
  out += static_cast<char>('0' + milliseconds / 10 % 10);
  out += static_cast<char>('0' + milliseconds % 10);
  out += 'Z';
  return out;
}

}  // namespace toolhost
