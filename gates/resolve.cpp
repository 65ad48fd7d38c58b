// Asks: what would the call touch?
// Refuses: whatever the tool says of its arguments; pathBlocked.
// Adds: workspace (the roots, opened), resolution.
// Why here: the last step without a decision; everything after judges, shows
// and locks exactly what was resolved here. No side effects.
#include "gates/command/risk.hpp"
#include "gates/gates.hpp"

namespace toolhost::gates {

Refusal resolve(Call& call, Parts& parts) {
  if (call.policy.roots.empty() &&
      call.tool->tool.provider_kind == ProviderKind::builtin) {
    return make_call_error(
        CallErrorKind::path_blocked,
        "The session has no workspace, so there are no files to work on.",
        "Pass \"workspace\" (an absolute folder) with initialize or execute.");
  }
  if (!call.policy.roots.empty()) {
    const bool full = call.policy.sandbox == SandboxMode::danger_full_access;
    auto opened = Workspace::open(call.policy.roots, full);
    if (!opened) return opened.error();
    call.workspace = std::move(*opened);
    if (call.cwd.empty()) {
      call.cwd = call.workspace.primary();
    } else {
      auto cwd = call.workspace.resolve(call.cwd);
      if (!cwd) return cwd.error();
      call.cwd = cwd->physical;
    }
  }
  const ToolContext context{call.workspace, call.cwd, call.policy.sandbox,
                            *call.snapshot->config, &parts.confinement};
  auto resolution =
      call.tool->provider->resolve(call.tool_name, call.arguments, context);
  if (!resolution) return resolution.error();
  call.resolution = std::move(*resolution);
  if (call.resolution.title.empty()) {
    call.resolution.title = call.tool->tool.title;
  }
  if (!call.resolution.command.empty()) {
    const auto judged = command::judge(call.resolution.command);
    call.resolution.subject["risk"] = command::risk_of(judged).text;
  }
  return std::nullopt;
}

}  // namespace toolhost::gates
