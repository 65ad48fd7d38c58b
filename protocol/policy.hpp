// The words of policy: what a session may do, what a tool asks for.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace toolhost {

enum class SandboxMode {
  read_only,
  workspace_write,
  danger_full_access,
  external_sandbox,
};

enum class ApprovalPolicy {
  always,
  on_request,
  suggest,
  automatic,
  untrusted,
  never
};

// What a tool asks for by default.
enum class ToolPolicy { automatic, on_request, suggest, untrusted, never };

// What kind of effect a tool has; set by the host, never by a caller.
enum class ToolKind { tool_call, file_change, command_execution };

// The mode of a session. `code` is the default.
enum class SessionMode { code, ask, plan };

enum class RuleAction { allow, ask, deny };

// How long a decision is remembered.
enum class Scope { call, turn, session, workspace, always };

std::string_view name(SandboxMode);
std::string_view name(ApprovalPolicy);
std::string_view name(ToolPolicy);
std::string_view name(ToolKind);
std::string_view name(SessionMode);
std::string_view name(RuleAction);
std::string_view name(Scope);

// All spellings, in the order of the enumerators.
std::span<const std::string_view> sandbox_mode_names();
std::span<const std::string_view> approval_policy_names();
std::span<const std::string_view> session_mode_names();

std::optional<SandboxMode> parse_sandbox_mode(std::string_view);
std::optional<ApprovalPolicy> parse_approval_policy(std::string_view);
std::optional<SessionMode> parse_session_mode(std::string_view);
std::optional<RuleAction> parse_rule_action(std::string_view);
std::optional<Scope> parse_scope(std::string_view);

// The stricter of two: a caller can only narrow. external-sandbox is entered
// only from danger-full-access; against the other modes the result is
// read-only, because nothing of it can be granted under them.
SandboxMode stricter(SandboxMode a, SandboxMode b);
ApprovalPolicy stricter(ApprovalPolicy a, ApprovalPolicy b);
SessionMode stricter(SessionMode a, SessionMode b);

}  // namespace toolhost
