// toolhost doctor: what is wrong here, with the daemon up or down.
#include <algorithm>

#include "config/load.hpp"
#include "config/paths.hpp"
#include "daemon/cli/dial.hpp"
#include "daemon/doctor/check.hpp"

namespace toolhost::cli {
namespace {

constexpr ArgumentSpec kArguments[] = {
    {"CHECK", "Only these checks", false, true},
};

using doctor::Finding;

Result<std::vector<Finding>> local_findings(
    const Globals& globals, const std::vector<std::string>& names) {
  auto paths = config::find_paths(globals.socket, {});
  if (!paths) return paths.error();
  doctor::CheckInput input;
  input.paths = *paths;
  auto config = config::load_config(*paths);
  if (config) {
    input.config = std::make_shared<const config::Config>(std::move(*config));
  } else {
    input.config_error = config.error().message;
  }
  return doctor::run_checks(input, names);
}

// What the daemon finds: its PATH, limits and user may differ from ours.
Finding ask_daemon(const Globals& globals,
                   const std::vector<std::string>& names,
                   std::vector<Finding>& out) {
  Finding reach;
  reach.name = "daemon";
  json::object params;
  if (!names.empty()) {
    params["checks"] = json::array(names.begin(), names.end());
  }
  auto result = request(globals, "doctor", params);
  if (!result) {
    const bool down = client_fault(result.error()) == ClientFault::unreachable;
    reach.state = down ? "warn" : "fail";
    reach.detail = result.error().message;
    reach.hint = result.error().hint;
    return reach;
  }
  for (const json::value& item : array_at(*result, "checks")) {
    if (!item.is_object()) continue;
    const json::object& check = item.get_object();
    out.push_back({text_at(check, "name"), text_at(check, "state"),
                   text_at(check, "detail"), text_at(check, "hint")});
  }
  reach.state = "ok";
  reach.detail = "The daemon answers.";
  return reach;
}

bool same(const Finding& a, const Finding& b) {
  if (a.name != b.name || a.state != b.state) return false;
  // What is fine on both sides needs no second look (clocks differ anyhow).
  return a.state == "ok" || a.detail == b.detail;
}

json::array to_array(const std::vector<Finding>& findings) {
  json::array out;
  for (const Finding& finding : findings) {
    out.push_back(doctor::to_json(finding));
  }
  return out;
}

void print_findings(Console& console, const std::vector<Finding>& findings,
                    std::string_view where) {
  if (!console.traits().terminal_out) {
    Table table;
    for (const Finding& finding : findings) {
      table.rows.push_back({finding.state, std::string(where), finding.name,
                            finding.detail, finding.hint});
    }
    return console.table(table);
  }
  for (const Finding& finding : findings) {
    std::string head = finding.state;
    head.resize(std::max<std::size_t>(6, head.size()), ' ');
    console.line(head + finding.name + ": " + finding.detail +
                 (where == "daemon" ? " (says the daemon)" : ""));
    if (!finding.hint.empty()) console.line("      -> " + finding.hint);
  }
}

int run_doctor(Invocation& invocation) {
  const std::vector<std::string> names = invocation.arguments.all("CHECK");
  auto local = local_findings(invocation.globals, names);
  if (!local) return fail(invocation, local.error());
  std::vector<Finding> remote;
  local->push_back(ask_daemon(invocation.globals, names, remote));
  const auto failed = [](const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.state == "fail"; });
  };
  const int code = failed(*local) || failed(remote) ? kToolError : kOk;
  if (invocation.globals.json) {
    json::object out;
    out["checks"] = to_array(*local);
    out["daemonChecks"] = to_array(remote);
    invocation.console.json(out);
    return code;
  }
  // What both sides see alike is said once.
  std::erase_if(remote, [&](const Finding& theirs) {
    return std::any_of(local->begin(), local->end(),
                       [&](const Finding& ours) { return same(ours, theirs); });
  });
  print_findings(invocation.console, *local, "here");
  print_findings(invocation.console, remote, "daemon");
  return code;
}

}  // namespace

extern const Command kDoctor;
const Command kDoctor{
    .name = "doctor",
    .summary = "Check this machine, with the daemon up or down",
    .arguments = kArguments,
    .options = {},
    .takes_tool_flags = false,
    .run = run_doctor,
};

}  // namespace toolhost::cli
