#include "protocol/json_schema_values.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

namespace toolhost::schema {
namespace {

// Deeper values are not compared: over what a request may nest, and few enough
// stack frames for any thread.
constexpr int kMaxCompareDepth = 128;

bool equal_at(const json::value& a, const json::value& b, Budget& budget,
              int depth);

bool equal_arrays(const json::array& a, const json::array& b, Budget& budget,
                  int depth) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal_at(a[i], b[i], budget, depth)) return false;
  }
  return true;
}

bool equal_objects(const json::object& a, const json::object& b, Budget& budget,
                   int depth) {
  if (a.size() != b.size()) return false;
  for (const auto& member : a) {
    const json::value* other = b.if_contains(member.key());
    if (!other || !equal_at(member.value(), *other, budget, depth)) {
      return false;
    }
  }
  return true;
}

bool equal_at(const json::value& a, const json::value& b, Budget& budget,
              int depth) {
  if (depth > kMaxCompareDepth) budget.exhaust();
  if (!budget.spend()) return false;
  if (a.is_number() && b.is_number()) return number(a) == number(b);
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case json::kind::bool_:
      return a.get_bool() == b.get_bool();
    case json::kind::string:
      return a.get_string() == b.get_string();
    case json::kind::array:
      return equal_arrays(a.get_array(), b.get_array(), budget, depth + 1);
    case json::kind::object:
      return equal_objects(a.get_object(), b.get_object(), budget, depth + 1);
    default:
      return true;  // null; numbers were compared above
  }
}

std::size_t mix(std::size_t hash, std::size_t more) {
  return (hash ^ more) * 0x9E3779B97F4A7C15U + (hash >> 29);
}

// Equal values have equal hashes; nothing else is promised.
std::size_t hash_at(const json::value& value, Budget& budget, int depth) {
  if (depth > kMaxCompareDepth) budget.exhaust();
  if (!budget.spend()) return 0;
  if (value.is_number()) return std::hash<long double>()(number(value));
  const auto kind = static_cast<std::size_t>(value.kind());
  if (value.is_bool()) return mix(kind, value.get_bool() ? 1 : 2);
  if (value.is_string()) {
    return mix(kind, std::hash<std::string_view>()(value.get_string()));
  }
  std::size_t hash = kind;
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) {
      hash = mix(hash, hash_at(item, budget, depth + 1));
    }
  } else if (value.is_object()) {
    for (const auto& member : value.get_object()) {
      // A sum: the order of members does not count.
      hash += mix(std::hash<std::string_view>()(member.key()),
                  hash_at(member.value(), budget, depth + 1));
    }
  }
  return hash;
}

}  // namespace

long double number(const json::value& value) {
  if (value.is_int64()) return static_cast<long double>(value.get_int64());
  if (value.is_uint64()) return static_cast<long double>(value.get_uint64());
  return value.is_double() ? value.get_double() : 0.0L;
}

bool is_integer(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::isfinite(value.get_double()) &&
         std::trunc(value.get_double()) == value.get_double();
}

bool is_multiple(const json::value& value, const json::value& of) {
  const long double a = number(value);
  const long double b = number(of);
  if (std::fmod(a, b) == 0.0L) return true;
  if (is_integer(value) && is_integer(of)) return false;
  const long double quotient = a / b;
  return std::isfinite(quotient) &&
         std::fabs(quotient - std::round(quotient)) <=
             4 * static_cast<long double>(DBL_EPSILON) * std::fabs(quotient);
}

bool equal(const json::value& a, const json::value& b, Budget& budget) {
  return equal_at(a, b, budget, 0);
}

std::optional<std::pair<std::size_t, std::size_t>> find_duplicate(
    const json::array& items, Budget& budget) {
  std::vector<std::pair<std::size_t, std::size_t>> hashes;
  hashes.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    hashes.emplace_back(hash_at(items[i], budget, 0), i);
    if (budget.exhausted()) return std::nullopt;
  }
  std::sort(hashes.begin(), hashes.end());
  std::optional<std::pair<std::size_t, std::size_t>> first;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    for (std::size_t j = i + 1;
         j < hashes.size() && hashes[j].first == hashes[i].first; ++j) {
      const std::pair found(hashes[i].second, hashes[j].second);
      if (first && *first <= found) continue;
      if (equal(items[found.first], items[found.second], budget)) {
        first = found;
      }
      if (budget.exhausted()) return std::nullopt;
    }
  }
  return first;
}

}  // namespace toolhost::schema
