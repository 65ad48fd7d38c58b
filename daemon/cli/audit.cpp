// toolhost audit: who asked, what ran, who decided.
#include <cstdlib>

#include "daemon/cli/dial.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::cli {
namespace {

constexpr OptionSpec kOptions[] = {
    {"--call", "ID", "Only this call", Completes::call},
    {"--limit", "N", "At most this many (default 100)"},
    {"--since", "TIME", "From this time on (RFC 3339)"},
};

// One record as a line: its fields in the daemon's order.
std::string record_text(const json::object& record) {
  std::string out;
  for (const auto& member : record) {
    if (member.key() == "time" || member.key() == "kind" ||
        member.key() == "sequence") {
      continue;
    }
    if (member.key() == "body" && member.value().is_object()) {
      out += " " + record_text(member.value().get_object());
      continue;
    }
    out += (out.empty() ? "" : " ") + std::string(member.key()) + "=" +
           json_text(member.value());
  }
  return out;
}

int run_audit(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  json::object params;
  params["limit"] = 100;
  if (arguments.has("--call")) params["callId"] = arguments.get("--call");
  if (arguments.has("--since")) params["sinceTime"] = arguments.get("--since");
  if (arguments.has("--limit")) {
    const int limit = std::atoi(arguments.get("--limit").c_str());
    if (limit <= 0) return usage(invocation, "--limit takes a number over 0.");
    params["limit"] = limit;
  }
  auto result = request(invocation.globals, "readAudit", params);
  if (!result) return fail(invocation, result.error());
  if (invocation.globals.json) {
    invocation.console.json(*result);
    return kOk;
  }
  Table table;
  table.head = {"TIME", "KIND", "RECORD"};
  for (const json::value& item : array_at(*result, "records")) {
    if (!item.is_object()) continue;
    const json::object& record = item.get_object();
    table.rows.push_back({text_at(record, "time"), text_at(record, "kind"),
                          record_text(record)});
  }
  invocation.console.table(table);
  return kOk;
}

}  // namespace

extern const Command kAudit;
const Command kAudit{
    .name = "audit",
    .summary = "Print the record of decisions",
    .arguments = {},
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_audit,
};

}  // namespace toolhost::cli
