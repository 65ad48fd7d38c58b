// listRules: configured and remembered rules, in the order of judgement.
#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection&, const json::object&) {
  json::array rules;
  for (const Rule& rule : daemon.rules.list()) rules.push_back(to_json(rule));
  json::object out;
  out["rules"] = std::move(rules);
  if (!daemon.rules.trouble().empty()) {
    out["trouble"] = daemon.rules.trouble();
  }
  return json_text(out);
}

}  // namespace

const MethodDefinition list_rules_method{
    .name = "listRules", .roles = kApprover, .now = run};

}  // namespace toolhost
