#include "daemon/cli/mcp/era.hpp"

#include <algorithm>
#include <array>

namespace toolhost::cli::mcp {
namespace {

constexpr std::array kEras{
    Era{"2026-07-28", true, false, true},
    Era{"2025-11-25", false, false, true},
    Era{"2025-06-18", false, false, true},
    Era{"2025-03-26", false, true, false},
    Era{"2024-11-05", false, true, false},
};

}  // namespace

std::span<const Era> eras() { return kEras; }

const Era* find_era(std::string_view version) {
  const auto found = std::find_if(
      kEras.begin(), kEras.end(),
      [version](const Era& era) { return era.version == version; });
  return found == kEras.end() ? nullptr : &*found;
}

const Era& negotiate(std::string_view asked) {
  const Era* era = find_era(asked);
  if (era && !era->stateless) return *era;
  return *std::find_if(kEras.begin(), kEras.end(),
                       [](const Era& each) { return !each.stateless; });
}

}  // namespace toolhost::cli::mcp
