// toolhost status: is it running, and who waits for whom.
#include "daemon/cli/dial.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::cli {
namespace {

// Nested counts become "calls.running".
void add_rows(Table& table, const std::string& prefix,
              const json::object& object) {
  for (const auto& member : object) {
    const std::string name = prefix + std::string(member.key());
    const json::value& value = member.value();
    if (value.is_object()) {
      add_rows(table, name + ".", value.get_object());
    } else if (value.is_array()) {
      for (const json::value& item : value.get_array()) {
        table.rows.push_back({name, item.is_string()
                                        ? std::string(item.get_string())
                                        : json_text(item)});
      }
    } else {
      table.rows.push_back({name, text_at(object, member.key())});
    }
  }
}

int run_status(Invocation& invocation) {
  auto result = request(invocation.globals, "status");
  if (!result) return fail(invocation, result.error());
  Console& console = invocation.console;
  if (invocation.globals.json) {
    console.json(*result);
    return kOk;
  }
  Table table;
  table.head = {"FACT", "VALUE"};
  // Providers are told by `toolhost providers`, one per line.
  json::object facts = *result;
  std::string providers;
  for (const json::value& item : array_at(facts, "providers")) {
    if (!item.is_object()) continue;
    providers += (providers.empty() ? "" : ", ") +
                 text_at(item.get_object(), "name") + " " +
                 text_at(item.get_object(), "state");
  }
  if (!providers.empty()) facts["providers"] = providers;
  add_rows(table, {}, facts);
  console.table(table);
  const auto pending = int_at(*result, "pendingApprovals").value_or(0);
  if (pending > 0 && console.traits().terminal_out) {
    console.note("Run `toolhost inbox` to answer what is pending.");
  }
  return kOk;
}

}  // namespace

extern const Command kStatus;
const Command kStatus{
    .name = "status",
    .summary = "Show whether the daemon runs and what waits",
    .arguments = {},
    .options = {},
    .takes_tool_flags = false,
    .run = run_status,
};

}  // namespace toolhost::cli
