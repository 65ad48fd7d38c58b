// What a command line may do to the world, in words for a person. For display
// only: nothing is decided by it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "gates/command/judge.hpp"

namespace toolhost::command {

enum class RiskLevel : std::uint8_t { medium, high, critical };

struct Risk {
  RiskLevel level = RiskLevel::high;  // running a command is high
  // Sorted: "destructive", "network", "outOfSight", "pipedInstaller",
  // "privileged", "publishes", "system", "writes".
  std::set<std::string, std::less<>> categories;
  // "destructive, network", or "runs a command" for none.
  std::string text;
};

std::string_view name(RiskLevel level);

// A trouble of the parser is "outOfSight".
Risk risk_of(const Judgement& judgement);

}  // namespace toolhost::command
