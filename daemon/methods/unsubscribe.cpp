#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

Result<std::string> unsubscribe(Daemon& daemon, Connection& connection,
                                const json::object& params) {
  Fields in(params, "params");
  const std::string id = in.required_string("subscriptionId");
  if (in.error()) return *in.error();
  auto ended = daemon.events.unsubscribe(connection, id);
  if (!ended) return ended.error();
  return std::string("{}");
}

}  // namespace

const MethodDefinition unsubscribe_method{.name = "unsubscribe",
                                          .now = unsubscribe};

}  // namespace toolhost
