// toolhost audit: who asked, what ran, who decided, and under which rule.
#include <algorithm>
#include <cstdlib>

#include "daemon/cli/dial.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::cli {
namespace {

constexpr std::size_t kLimit = 100;
constexpr std::int64_t kPage = 500;

constexpr OptionSpec kOptions[] = {
    {"--call", "ID", "Only this call", Completes::call},
    {"--jsonl", "", "All records, one JSON object a line, for an export"},
    {"--limit", "N", "At most this many (default 100; --jsonl: all)"},
    {"--since", "TIME", "From this time on (RFC 3339)"},
};

// Who answered: a client, a rule, the clock, a restart.
std::string decided_by(const json::object& body) {
  const json::object& approval = object_at(body, "approval");
  const json::object& by =
      object_at(approval.empty() ? body : approval, "decidedBy");
  const std::string client = text_at(by, "clientName");
  if (!client.empty()) return client;
  for (const auto& member : by) return member.key();
  const json::array& rules = array_at(body, "rules");
  if (rules.empty() || !rules.back().is_string()) return {};
  return std::string(rules.back().get_string());
}

// A call's own time; how long a decision was waited for.
std::string took(const json::object& body) {
  if (const auto waited = int_at(body, "waitedMs")) {
    return std::to_string(*waited) + " ms";
  }
  const auto run = int_at(object_at(body, "timing"), "runMs");
  return run ? std::to_string(*run) + " ms" : "";
}

std::vector<std::string> row_of(const json::object& record) {
  const json::object& body = object_at(record, "body");
  std::string title = text_at(body, "title");
  if (title.empty() && text_at(body, "tool").empty()) title = json_text(body);
  return {text_at(record, "time"),
          text_at(record, "kind"),
          text_at(body, {"decision", "state"}),
          text_at(body, "tool"),
          text_at(object_at(body, "requester"), "clientName"),
          decided_by(body),
          took(body),
          text_at(record, "callId"),
          title};
}

void print_table(Console& console, const json::array& records) {
  Table table;
  table.head = {"TIME", "KIND", "HOW",  "TOOL", "ASKED BY",
                "BY",   "TOOK", "CALL", "WHAT"};
  for (const json::value& item : records) {
    if (item.is_object()) table.rows.push_back(row_of(item.get_object()));
  }
  console.table(table);
}

// Page by page: the whole trail does not have to fit into memory.
int export_lines(Invocation& invocation, Client& client, json::object params,
                 std::size_t most) {
  while (most > 0) {
    auto page =
        client.call("readAudit", params, request_limit(invocation.globals));
    if (!page) return fail(invocation, page.error());
    std::string lines;
    for (const json::value& record : array_at(*page, "records")) {
      if (most == 0) break;
      append_json(lines, record);
      lines += '\n';
      --most;
    }
    invocation.console.bytes(lines);
    const std::string next = text_at(*page, "nextCursor");
    if (next.empty()) break;
    params["cursor"] = next;
  }
  return kOk;
}

int run_audit(Invocation& invocation) {
  const Arguments& arguments = invocation.arguments;
  const bool lines = arguments.has("--jsonl");
  json::object params;
  if (arguments.has("--call")) params["callId"] = arguments.get("--call");
  if (arguments.has("--since")) params["sinceTime"] = arguments.get("--since");
  std::size_t most = lines ? SIZE_MAX : kLimit;
  if (arguments.has("--limit")) {
    const int limit = std::atoi(arguments.get("--limit").c_str());
    if (limit <= 0) return usage(invocation, "--limit takes a number over 0.");
    most = static_cast<std::size_t>(limit);
  }
  params["limit"] = std::min(most, static_cast<std::size_t>(kPage));
  auto client = dial(invocation.globals);
  if (!client) return fail(invocation, client.error());
  if (lines) return export_lines(invocation, *client, params, most);
  auto records = collect(*client, "readAudit", params, "records", most,
                         request_limit(invocation.globals));
  if (!records) return fail(invocation, records.error());
  if (invocation.globals.json) {
    json::object out;
    out["records"] = std::move(*records);
    invocation.console.json(out);
    return kOk;
  }
  print_table(invocation.console, *records);
  return kOk;
}

}  // namespace

extern const Command kAudit;
const Command kAudit{
    .name = "audit",
    .summary = "Print or export who asked, what ran and who decided",
    .arguments = {},
    .options = kOptions,
    .takes_tool_flags = false,
    .run = run_audit,
};

}  // namespace toolhost::cli
