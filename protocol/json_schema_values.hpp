// Numbers and equality as JSON Schema sees them: 1, 1.0 and 1e0 are one value.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <utility>

namespace toolhost::schema {

namespace json = boost::json;

// What one validation may still spend. Once it ran out it stays at nothing, so
// that every loop ends and the caller reports it.
class Budget {
 public:
  explicit Budget(std::size_t units) : left_(units) {}

  bool spend(std::size_t units = 1) {
    if (units > left_) {
      left_ = 0;
      exhausted_ = true;
      return false;
    }
    left_ -= units;
    return true;
  }
  void exhaust() { spend(left_ + 1); }
  bool exhausted() const { return exhausted_; }

 private:
  std::size_t left_;
  bool exhausted_ = false;
};

// Exact for int64, uint64 and double alike: 64 bits of mantissa or more.
long double number(const json::value& value);
bool is_integer(const json::value& value);
// Binary fractions do not hold 0.01: a quotient within rounding of a whole
// number counts.
bool is_multiple(const json::value& value, const json::value& of);

bool equal(const json::value& a, const json::value& b, Budget& budget);

// The first two equal items, by index.
std::optional<std::pair<std::size_t, std::size_t>> find_duplicate(
    const json::array& items, Budget& budget);

}  // namespace toolhost::schema
