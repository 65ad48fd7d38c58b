#include "protocol/event.hpp"

#include <array>

namespace toolhost {

std::string_view name(Topic topic) {
  constexpr std::array<std::string_view, 7> kNames{
      "approvals", "calls", "output", "tools", "providers", "config", "server"};
  return kNames[static_cast<std::size_t>(topic)];
}

}  // namespace toolhost
