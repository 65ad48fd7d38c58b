#include "protocol/json_schema_format.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <string>

namespace toolhost::schema {
namespace {

struct FormatRow {
  std::string_view name;
  Format format;
  std::string_view example;
};

constexpr std::array<FormatRow, 8> kFormats{{
    {"date-time", Format::date_time,
     "a date-time such as 2026-01-31T23:59:59Z"},
    {"date", Format::date, "a date such as 2026-01-31"},
    {"time", Format::time, "a time such as 23:59:59Z"},
    {"email", Format::email, "an e-mail address such as me@example.org"},
    {"uri", Format::uri, "an absolute URI such as https://example.org/a"},
    {"ipv4", Format::ipv4, "an IPv4 address such as 192.0.2.1"},
    {"ipv6", Format::ipv6, "an IPv6 address such as 2001:db8::1"},
    {"uuid", Format::uuid,
     "a UUID such as 123e4567-e89b-12d3-a456-426614174000"},
}};

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Takes `count` digits off the front; -1 if they are not there.
int take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool take_date(std::string_view& text) {
  constexpr std::array<int, 13> kDays{0,  31, 29, 31, 30, 31, 30,
                                      31, 31, 30, 31, 30, 31};
  const int year = take_digits(text, 4);
  if (year < 0 || !take(text, '-')) return false;
  const int month = take_digits(text, 2);
  if (month < 1 || month > 12 || !take(text, '-')) return false;
  const int day = take_digits(text, 2);
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (month == 2 && day == 29 && !leap) return false;
  return day >= 1 && day <= kDays[static_cast<std::size_t>(month)];
}

bool take_time(std::string_view& text) {
  const int hour = take_digits(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return false;
  const int minute = take_digits(text, 2);
  if (minute < 0 || minute > 59 || !take(text, ':')) return false;
  const int second = take_digits(text, 2);
  // 60 is a leap second.
  if (second < 0 || second > 60) return false;
  if (take(text, '.')) {
    if (take_digits(text, 1) < 0) return false;
    while (!text.empty() && digit(text.front())) text.remove_prefix(1);
  }
  if (take(text, 'Z') || take(text, 'z')) return true;
  if (!take(text, '+') && !take(text, '-')) return false;
  const int hours = take_digits(text, 2);
  if (hours < 0 || hours > 23 || !take(text, ':')) return false;
  const int minutes = take_digits(text, 2);
  return minutes >= 0 && minutes <= 59;
}

bool fits_date_time(std::string_view text) {
  return take_date(text) && (take(text, 'T') || take(text, 't')) &&
         take_time(text) && text.empty();
}

bool fits_domain(std::string_view domain) {
  if (domain.empty() || domain.size() > 253) return false;
  while (true) {
    const std::size_t end = std::min(domain.find('.'), domain.size());
    const std::string_view label = domain.substr(0, end);
    if (label.empty() || label.front() == '-' || label.back() == '-') {
      return false;
    }
    for (const char c : label) {
      // Bytes of international names are let through.
      const bool wide = static_cast<unsigned char>(c) >= 0x80;
      if (!letter(c) && !digit(c) && c != '-' && !wide) return false;
    }
    if (end == domain.size()) return true;
    domain.remove_prefix(end + 1);
  }
}

bool fits_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64) return false;
  const std::string_view local = text.substr(0, at);
  if (local.front() == '.' || local.back() == '.' ||
      local.find("..") != std::string_view::npos) {
    return false;
  }
  const bool plain = std::all_of(local.begin(), local.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != 0x7F && c != '@' &&
           c != '"' && c != ',' && c != ';' && c != ':' && c != '\\' &&
           c != '(' && c != ')' && c != '<' && c != '>' && c != '[' && c != ']';
  });
  return plain && fits_domain(text.substr(at + 1));
}

bool fits_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size() ||
      !letter(text.front())) {
    return false;
  }
  for (const char c : text.substr(0, colon)) {
    if (!letter(c) && !digit(c) && c != '+' && c != '-' && c != '.') {
      return false;
    }
  }
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != 0x7F && c != '"' &&
           c != '<' && c != '>' && c != '\\' && c != '^' && c != '`' &&
           c != '{' && c != '|' && c != '}';
  });
}

bool fits_address(int family, std::string_view text) {
  // A text with a NUL in it would be cut there.
  if (text.size() > 45 || text.find('\0') != std::string_view::npos) {
    return false;
  }
  std::array<unsigned char, sizeof(in6_addr)> address;
  return inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

bool fits_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hex =
        digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

}  // namespace

Format parse_format(std::string_view name) {
  for (const FormatRow& row : kFormats) {
    if (row.name == name) return row.format;
  }
  return Format::none;
}

bool fits(Format format, std::string_view text) {
  switch (format) {
    case Format::none:
      return true;
    case Format::date_time:
      return fits_date_time(text);
    case Format::date:
      return take_date(text) && text.empty();
    case Format::time:
      return take_time(text) && text.empty();
    case Format::email:
      return fits_email(text);
    case Format::uri:
      return fits_uri(text);
    case Format::ipv4:
      return fits_address(AF_INET, text);
    case Format::ipv6:
      return fits_address(AF_INET6, text);
    case Format::uuid:
      return fits_uuid(text);
  }
  return true;
}

std::string_view describe(Format format) {
  for (const FormatRow& row : kFormats) {
    if (row.format == format) return row.example;
  }
  return "anything";
}

}  // namespace toolhost::schema
