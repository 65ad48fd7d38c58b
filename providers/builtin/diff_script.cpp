#include "providers/builtin/diff_script.hpp"

#include <algorithm>
#include <unordered_map>

namespace toolhost::builtin {
namespace {

// Bounds of the search: together about 5 ms and 2 MiB at worst.
constexpr std::size_t kMostLines = 20'000;
constexpr int kMostDifferences = 512;
constexpr std::size_t kMostSteps = 2'000'000;

using Numbers = std::vector<int>;

// Equal lines get equal numbers, so that the search compares integers.
void number_lines(const Lines& before, const Lines& after, Numbers& a,
                  Numbers& b) {
  std::unordered_map<std::string_view, int> known;
  known.reserve(before.size() + after.size());
  const auto number = [&](std::string_view line) {
    return known.try_emplace(line, static_cast<int>(known.size()))
        .first->second;
  };
  a.reserve(before.size());
  b.reserve(after.size());
  for (const std::string_view line : before) a.push_back(number(line));
  for (const std::string_view line : after) b.push_back(number(line));
}

// Myers' greedy search. rows_[d] holds, for every diagonal k in -d..d, how far
// into `a` d differences reach.
class Search {
 public:
  Search(const Numbers& a, const Numbers& b) : a_(a), b_(b) {}

  bool find() {
    const int most =
        std::min(kMostDifferences, static_cast<int>(a_.size() + b_.size()));
    for (int d = 0; d <= most; ++d) {
      rows_.emplace_back(static_cast<std::size_t>(2 * d + 1), 0);
      for (int k = -d; k <= d; k += 2) {
        const std::size_t x = extend(start(d, k), k);
        at(d, k) = x;
        if (x >= a_.size() && x - static_cast<std::size_t>(k) >= b_.size()) {
          last_ = d;
          return true;
        }
      }
      if (steps_ > kMostSteps) return false;
    }
    return false;
  }

  std::string script() const {
    std::string out;
    int k = static_cast<int>(a_.size()) - static_cast<int>(b_.size());
    std::size_t x = a_.size();
    for (int d = last_; d > 0; --d) {
      const bool down = goes_down(d, k);
      const int from = down ? k + 1 : k - 1;
      const std::size_t entered = start(d, k);
      out.append(x - entered, ' ');
      out += down ? '+' : '-';
      k = from;
      x = at(d - 1, k);
    }
    out.append(x, ' ');
    std::reverse(out.begin(), out.end());
    return out;
  }

 private:
  std::size_t& at(int d, int k) {
    return rows_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
  }
  std::size_t at(int d, int k) const {
    return rows_[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
  }

  // Does the d-th difference on diagonal k insert (come from k + 1)?
  bool goes_down(int d, int k) const {
    return k == -d || (k != d && at(d - 1, k - 1) < at(d - 1, k + 1));
  }
  std::size_t start(int d, int k) const {
    if (d == 0) return 0;
    return goes_down(d, k) ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1;
  }
  // x and y may lie one outside the lists; such a path just ends there.
  std::size_t extend(std::size_t x, int k) {
    std::size_t y = x - static_cast<std::size_t>(k);
    while (x < a_.size() && y < b_.size() && a_[x] == b_[y]) {
      ++x;
      ++y;
      ++steps_;
    }
    ++steps_;
    return x;
  }

  const Numbers& a_;
  const Numbers& b_;
  std::vector<std::vector<std::size_t>> rows_;
  std::size_t steps_ = 0;
  int last_ = 0;
};

}  // namespace

Lines split_lines(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t size =
        newline == std::string_view::npos ? text.size() : newline + 1;
    out.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

std::string edit_script(const Lines& before, const Lines& after) {
  if (!before.empty() && !after.empty() &&
      before.size() + after.size() <= kMostLines) {
    Numbers a;
    Numbers b;
    number_lines(before, after, a, b);
    Search search(a, b);
    if (search.find()) return search.script();
  }
  return std::string(before.size(), '-') + std::string(after.size(), '+');
}

}  // namespace toolhost::builtin
