#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"

namespace toolhost {
namespace {

// Written by hand: it is what clients measure the daemon with.
Result<std::string> ping(Daemon& daemon, Connection&, const json::object&) {
  const auto uptime = std::chrono::duration_cast<Milliseconds>(
      daemon.clock.steady() - daemon.started);
  std::string out;
  out.reserve(64);
  out += R"({"epoch":")";
  out += daemon.events.epoch();
  out += R"(","uptimeMs":)";
  out += std::to_string(uptime.count());
  out += '}';
  return out;
}

}  // namespace

const MethodDefinition ping_method{.name = "ping",
                                   .before_initialize = true,
                                   .reserved_slot = true,
                                   .now = ping};

}  // namespace toolhost
