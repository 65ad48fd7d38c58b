// removeRule: forgets a remembered rule.
#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection&,
                        const json::object& params) {
  Fields in(params, "params");
  const std::string id = in.required_string("ruleId");
  if (in.error()) return *in.error();
  auto removed = daemon.rules.remove(id);
  if (!removed) return removed.error();
  if (!removed->session.empty()) daemon.save_sessions();
  daemon.catalogue_watch.check();
  json::object out;
  out["rule"] = to_json(*removed);
  Event event;
  event.topic = Topic::config;
  event.method = "rule/removed";
  event.body = out;
  daemon.events.publish(std::move(event));
  return json_text(out);
}

}  // namespace

const MethodDefinition remove_rule_method{
    .name = "removeRule", .roles = kApprover, .now = run};

}  // namespace toolhost
