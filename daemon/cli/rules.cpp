// toolhost rules: what was remembered, and forgetting it.
#include "daemon/cli/dial.hpp"

namespace toolhost::cli {
namespace {

constexpr ArgumentSpec kArguments[] = {
    {"ACTION", "remove: forget the rule ID", false},
    {"ID", "The rule, or the beginning of its id", false},
};

std::string rule_text(const json::object& rule) {
  std::string text = text_at(rule, "text");
  if (!text.empty()) return text;
  return text_at(rule, "permission") + " " + text_at(rule, "pattern");
}

int remove(Invocation& invocation, Client& client, const json::array& rules) {
  const std::string typed = invocation.arguments.get("ID");
  if (typed.empty()) {
    return usage(invocation, "Which rule is to be removed?",
                 "`toolhost rules` lists their ids.");
  }
  auto id = complete_id(rules, "id", typed, "rule_");
  if (!id) return fail(invocation, id.error());
  json::object params;
  params["ruleId"] = *id;
  auto result =
      client.call("removeRule", params, request_limit(invocation.globals));
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
  } else {
    invocation.console.line("Removed " + *id);
  }
  return kOk;
}

int run_rules(Invocation& invocation) {
  const std::string action = invocation.arguments.get("ACTION");
  if (!action.empty() && action != "remove" && action != "list") {
    return usage(invocation, "rules takes list or remove, not " + action + ".");
  }
  auto client = dial(invocation.globals);
  if (!client) return fail(invocation, client.error());
  auto listed =
      client->call("listRules", {}, request_limit(invocation.globals));
  if (!listed) return fail(invocation, listed.error());
  const json::array& rules = array_at(*listed, "rules");
  if (action == "remove") return remove(invocation, *client, rules);
  if (invocation.globals.json) {
    invocation.console.json(*listed);
    return kOk;
  }
  // Why remembered rules are not in force.
  const std::string trouble = text_at(*listed, "trouble");
  if (!trouble.empty()) invocation.console.note(trouble);
  Table table;
  table.head = {"RULE", "EFFECT", "SCOPE", "HITS", "TEXT"};
  for (const json::value& item : rules) {
    if (!item.is_object()) continue;
    const json::object& rule = item.get_object();
    table.rows.push_back({text_at(rule, "id"), text_at(rule, "action"),
                          text_at(rule, "scope"), text_at(rule, "hits"),
                          rule_text(rule)});
  }
  invocation.console.table(table);
  return kOk;
}

}  // namespace

extern const Command kRules;
const Command kRules{
    .name = "rules",
    .summary = "List remembered decisions, or remove one",
    .arguments = kArguments,
    .options = {},
    .takes_tool_flags = false,
    .run = run_rules,
};

}  // namespace toolhost::cli
