#include "protocol/policy.hpp"

#include <algorithm>
#include <array>

namespace toolhost {
namespace {

constexpr std::array<std::string_view, 4> kSandboxModes{
    "read-only", "workspace-write", "danger-full-access", "external-sandbox"};
constexpr std::array<std::string_view, 6> kApprovalPolicies{
    "always", "on-request", "suggest", "auto", "untrusted", "never"};
constexpr std::array<std::string_view, 5> kToolPolicies{
    "auto", "on-request", "suggest", "untrusted", "never"};
constexpr std::array<std::string_view, 3> kToolKinds{"tool_call", "file_change",
                                                     "command_execution"};
constexpr std::array<std::string_view, 3> kSessionModes{"code", "ask", "plan"};
constexpr std::array<std::string_view, 3> kRuleActions{"allow", "ask", "deny"};
constexpr std::array<std::string_view, 5> kScopes{"call", "turn", "session",
                                                  "workspace", "always"};

template <class Enum, std::size_t N>
std::optional<Enum> parse(const std::array<std::string_view, N>& names,
                          std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

template <std::size_t N, class Enum>
std::string_view at(const std::array<std::string_view, N>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

// Higher is stricter. suggest asks for the same tools as on-request.
int strictness(ApprovalPolicy policy) {
  switch (policy) {
    case ApprovalPolicy::automatic:
      return 0;
    case ApprovalPolicy::suggest:
      return 1;
    case ApprovalPolicy::on_request:
      return 2;
    case ApprovalPolicy::untrusted:
      return 3;
    case ApprovalPolicy::always:
      return 4;
    case ApprovalPolicy::never:
      return 5;
  }
  return 5;
}

}  // namespace

std::string_view name(SandboxMode value) { return at(kSandboxModes, value); }
std::string_view name(ApprovalPolicy value) {
  return at(kApprovalPolicies, value);
}
std::string_view name(ToolPolicy value) { return at(kToolPolicies, value); }
std::string_view name(ToolKind value) { return at(kToolKinds, value); }
std::string_view name(SessionMode value) { return at(kSessionModes, value); }
std::string_view name(RuleAction value) { return at(kRuleActions, value); }
std::string_view name(Scope value) { return at(kScopes, value); }

std::span<const std::string_view> sandbox_mode_names() { return kSandboxModes; }
std::span<const std::string_view> approval_policy_names() {
  return kApprovalPolicies;
}
std::span<const std::string_view> session_mode_names() { return kSessionModes; }

std::optional<SandboxMode> parse_sandbox_mode(std::string_view text) {
  return parse<SandboxMode>(kSandboxModes, text);
}
std::optional<ApprovalPolicy> parse_approval_policy(std::string_view text) {
  return parse<ApprovalPolicy>(kApprovalPolicies, text);
}
std::optional<SessionMode> parse_session_mode(std::string_view text) {
  return parse<SessionMode>(kSessionModes, text);
}
std::optional<RuleAction> parse_rule_action(std::string_view text) {
  return parse<RuleAction>(kRuleActions, text);
}
std::optional<Scope> parse_scope(std::string_view text) {
  return parse<Scope>(kScopes, text);
}

SandboxMode stricter(SandboxMode a, SandboxMode b) {
  if (a == b) return a;
  if (a == SandboxMode::danger_full_access) return b;
  if (b == SandboxMode::danger_full_access) return a;
  // What is left differs and holds at least one of read-only, external.
  return SandboxMode::read_only;
}

ApprovalPolicy stricter(ApprovalPolicy a, ApprovalPolicy b) {
  return strictness(a) >= strictness(b) ? a : b;
}

SessionMode stricter(SessionMode a, SessionMode b) {
  if (a == SessionMode::code) return b;
  if (b == SessionMode::code) return a;
  // ask answers questions, plan may also write the plan: ask is stricter.
  return a == SessionMode::ask ? a : b;
}

}  // namespace toolhost
