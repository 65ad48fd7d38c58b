#include "gates/catalogue.hpp"

#include <algorithm>
#include <array>

#include "protocol/digest.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

bool listed(const Names& names, const std::string& name) {
  return names.contains(name);
}

bool plainly_denied(const Tool& tool, const Policy& policy,
                    const RuleStore& rules, const std::string& session) {
  RuleQuestion question;
  const std::string permission = permission_name(tool);
  question.permission = permission;
  // Only a rule for everything matches the star itself.
  question.pattern = "*";
  if (!policy.roots.empty()) question.workspace = policy.roots.front();
  question.session = session;
  const RuleVerdict verdict = rules.judge(question);
  return verdict.action == RuleAction::deny;
}

std::shared_ptr<const std::string> tools_text(
    const std::vector<const RegisteredTool*>& tools) {
  std::string out = R"("tools":[)";
  for (const RegisteredTool* row : tools) {
    if (out.back() != '[') out += ',';
    json::object entry = to_json(row->tool);
    entry["available"] = true;
    append_json(out, entry);
  }
  out += ']';
  return std::make_shared<const std::string>(std::move(out));
}

}  // namespace

std::string permission_name(const Tool& tool) {
  return tool.kind == ToolKind::file_change ? "edit" : tool.name;
}

std::optional<std::string> not_offered(const RegisteredTool& row,
                                       const Policy& policy,
                                       const config::Config& current,
                                       const RuleStore& rules,
                                       const std::string& session) {
  const Tool& tool = row.tool;
  const ProviderStatus status = status_of(*row.provider, current);
  if (!status.enabled) {
    return "Provider " + tool.provider + " is switched off: " + status.reason;
  }
  if (!status.available) {
    return "Provider " + tool.provider + " is unavailable: " + status.reason;
  }
  if (listed(policy.blocked_providers, tool.provider) ||
      (policy.allowed_providers &&
       !listed(*policy.allowed_providers, tool.provider))) {
    return "This session may not use provider " + tool.provider + ".";
  }
  if (listed(policy.blocked_tools, tool.name) ||
      (policy.allowed_tools && !listed(*policy.allowed_tools, tool.name))) {
    return "This session may not use it.";
  }
  const auto& disabled = current.tools.disabled;
  if (std::find(disabled.begin(), disabled.end(), tool.name) !=
      disabled.end()) {
    return "The configuration disables it (tools.disabled).";
  }
  const std::string missing = row.provider->unavailable(tool.name);
  if (!missing.empty()) return missing;
  if (plainly_denied(tool, policy, rules, session)) {
    return "A rule denies " + permission_name(tool) + " altogether.";
  }
  return std::nullopt;
}

std::optional<std::string> mode_refusal(const Tool& tool, SessionMode mode) {
  if (mode == SessionMode::code || tool.pure_read) return std::nullopt;
  return "The session is in " + std::string(name(mode)) +
         " mode, where only tools that read are allowed.";
}

std::optional<CallError> sandbox_refusal(const Tool& tool, SandboxMode mode) {
  const std::string where = "Sandbox mode " + std::string(name(mode)) +
                            " does not let \"" + tool.name + "\" ";
  const bool full = mode == SandboxMode::danger_full_access;
  if (full || tool.kind == ToolKind::tool_call) return std::nullopt;
  if (tool.kind == ToolKind::file_change) {
    if (mode == SandboxMode::workspace_write) return std::nullopt;
    if (mode == SandboxMode::read_only) {
      return make_call_error(CallErrorKind::sandbox_read_only,
                             where + "change files.",
                             "Describe the change instead, or ask the person "
                             "to open the session with workspace-write.");
    }
    return make_call_error(CallErrorKind::sandbox_write_blocked,
                           where + "change files.",
                           "Files are changed inside the external sandbox.");
  }
  const bool shell = tool.name == "bash" || tool.name == "background_shell";
  if (mode == SandboxMode::workspace_write && shell) return std::nullopt;
  return make_call_error(CallErrorKind::sandbox_command_blocked,
                         where + "run commands.",
                         "Use the tools that read and search files instead.");
}

std::string fingerprint(const std::vector<const RegisteredTool*>& tools) {
  std::vector<std::string> lines;
  lines.reserve(tools.size());
  for (const RegisteredTool* row : tools) {
    lines.push_back(row->tool.name + " " + row->definition_hash + "\n");
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line;
  return "sha256:" + sha256_hex(all);
}

Drift grade(const Catalogue& before, const Catalogue& now) {
  if (before.hash == now.hash) return Drift::none;
  std::size_t found = 0;
  for (const RegisteredTool* old : before.tools) {
    for (const RegisteredTool* row : now.tools) {
      if (row->tool.name != old->tool.name) continue;
      if (row->definition_hash != old->definition_hash) {
        return Drift::breaking;
      }
      ++found;
    }
  }
  const bool kept_all = found == before.tools.size();
  return kept_all && now.tools.size() > found ? Drift::additive
                                              : Drift::breaking;
}

std::string_view name(Drift drift) {
  constexpr std::array<std::string_view, 3> kNames{"none", "additive",
                                                   "breaking"};
  return kNames[static_cast<std::size_t>(drift)];
}

std::shared_ptr<const Catalogue> Catalogues::of(const SnapshotPtr& snapshot,
                                                const Policy& policy,
                                                const config::Config& current,
                                                const std::string& session) {
  for (const View& view : views_) {
    if (view.generation == snapshot->generation && view.config == &current &&
        view.session == session && view.policy == policy) {
      return view.catalogue;
    }
  }
  auto made = std::make_shared<Catalogue>();
  made->snapshot = snapshot;
  for (const auto& [name, row] : snapshot->tools) {
    if (row.tool.hidden) continue;
    if (row.tool.policy == ToolPolicy::never) continue;
    if (not_offered(row, policy, current, rules_, session)) continue;
    if (mode_refusal(row.tool, policy.mode)) continue;
    if (sandbox_refusal(row.tool, policy.sandbox)) continue;
    made->tools.push_back(&row);
  }
  made->hash = fingerprint(made->tools);
  made->text = tools_text(made->tools);
  if (views_.size() == kKept) views_.erase(views_.begin());
  View view;
  view.generation = snapshot->generation;
  view.config = &current;
  view.policy = policy;
  view.session = session;
  view.catalogue = made;
  views_.push_back(std::move(view));
  return made;
}

}  // namespace toolhost
