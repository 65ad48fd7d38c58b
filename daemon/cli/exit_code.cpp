#include "daemon/cli/exit_code.hpp"

#include "daemon/cli/json_read.hpp"
#include "protocol/client.hpp"

namespace toolhost::cli {
namespace {

// No default: a new row of the registry has to be placed here.
ExitCode exit_code_of(Code code) {
  switch (code) {
    case Code::invalid_params:
    case Code::tool_not_found:
    case Code::call_not_found:
    case Code::artifact_not_found:
    case Code::approval_not_found:
    case Code::option_not_found:
    case Code::rule_not_found:
    case Code::session_not_found:
    case Code::subscription_not_found:
    case Code::idempotency_conflict:
      return kUsage;
    case Code::approval_already_resolved:
    case Code::approval_stale:
      return kToolError;
    case Code::request_cancelled:
      return kCancelled;
    case Code::internal:
      return kInternal;
    case Code::overloaded:
    case Code::shutting_down:
    case Code::quota_exceeded:
    case Code::provider_unavailable:
      return kOverloaded;
    case Code::parse_error:
    case Code::invalid_request:
    case Code::method_not_found:
    case Code::not_initialized:
    case Code::already_initialized:
    case Code::unsupported_version:
    case Code::missing_capability:
    case Code::frame_too_large:
      return kProtocol;
    case Code::unauthorized:
    case Code::forbidden:
    case Code::session_required:
    case Code::approval_forbidden:
      return kForbidden;
    case Code::config_invalid:
      return kConfig;
  }
  return kInternal;
}

ExitCode exit_code_of(CallErrorKind kind) {
  switch (kind) {
    case CallErrorKind::invalid_arguments:
      return kUsage;
    case CallErrorKind::tool_disabled:
    case CallErrorKind::sandbox_read_only:
    case CallErrorKind::sandbox_command_blocked:
    case CallErrorKind::sandbox_write_blocked:
    case CallErrorKind::sandbox_denied:
    case CallErrorKind::hook_denied:
    case CallErrorKind::plan_mode_blocked:
    case CallErrorKind::policy_blocked:
    case CallErrorKind::path_blocked:
    case CallErrorKind::permission_denied:
    case CallErrorKind::approval_denied:
    case CallErrorKind::approval_expired:
    case CallErrorKind::approval_withdrawn:
      return kDenied;
    case CallErrorKind::timed_out:
    case CallErrorKind::cancelled:
      return kCancelled;
    case CallErrorKind::too_many_approvals:
    case CallErrorKind::rate_limited:
    case CallErrorKind::invocation_in_progress:
      return kOverloaded;
    case CallErrorKind::internal:
      return kInternal;
    case CallErrorKind::hook_failed:
    case CallErrorKind::read_before_edit:
    case CallErrorKind::outcome_unknown:
    case CallErrorKind::interrupted:
    case CallErrorKind::tool_failed:
    case CallErrorKind::provider_died:
      return kToolError;
  }
  return kToolError;
}

}  // namespace

ExitCode exit_code(const Error& error) {
  switch (client_fault(error)) {
    case ClientFault::none:
      return exit_code_of(error.code);
    case ClientFault::unreachable:
    case ClientFault::closed:
      return kUnreachable;
    case ClientFault::timed_out:
    case ClientFault::interrupted:
      return kCancelled;
    case ClientFault::garbled:
      return kProtocol;
  }
  return kInternal;
}

ExitCode exit_code_of_result(const json::object& result) {
  if (!bool_at(result, "isError")) return kOk;
  const std::string kind = text_at(object_at(result, "error"), "kind");
  for (const CallErrorInfo& row : call_error_registry()) {
    if (row.kind == kind) return exit_code_of(row.code);
  }
  // A newer daemon's kind: a failure whatever it is.
  return kToolError;
}

}  // namespace toolhost::cli
