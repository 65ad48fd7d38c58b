// The `format` keyword: a few formats, each checked in one pass.
#pragma once

#include <string_view>

namespace toolhost::schema {

enum class Format {
  none,  // absent or unknown: not checked
  date_time,
  date,
  time,
  email,
  uri,
  ipv4,
  ipv6,
  uuid,
};

Format parse_format(std::string_view name);
bool fits(Format format, std::string_view text);
// "a date-time such as 2026-01-31T23:59:59Z", for messages.
std::string_view describe(Format format);

}  // namespace toolhost::schema
