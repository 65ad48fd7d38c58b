#include <array>

#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

constexpr std::array<std::string_view, 2> kModes{"drain", "now"};
// Nobody waits longer than an hour for a daemon to go.
constexpr std::int64_t kMaxGraceMs = 3600 * 1000;

Task<void> shut_down(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Fields in(request->params, "params");
  const std::string mode = in.optional_choice("mode", kModes).value_or("drain");
  const auto given = in.optional_int("graceMs", 0, kMaxGraceMs);
  if (in.error()) {
    request->fail(*in.error());
    co_return;
  }
  Milliseconds grace = daemon.config->drain_grace;
  if (given) grace = Milliseconds(*given);
  if (mode == "now") grace = Milliseconds(0);

  json::object result;
  result["stopping"] = true;
  result["mode"] = mode;
  result["graceMs"] = grace.count();
  request->reply(result);
  const Connection& from = *request->connection;
  daemon.stop_grace = grace;
  daemon.stop_requested.set(
      "the method shutdown pid=" + std::to_string(from.peer().process.pid) +
      " name=" + from.client.name);
}

}  // namespace

const MethodDefinition shutdown_method{.name = "shutdown",
                                       .roles = kAdmin,
                                       .before_initialize = true,
                                       .reserved_slot = true,
                                       .later = shut_down};

}  // namespace toolhost
