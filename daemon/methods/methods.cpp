// The protocol on one page: every method, sorted by its name.
#include <array>

#include "daemon/methods/table.hpp"

namespace toolhost {
namespace {

// Pointers: the order in which the files' constants come to life does not
// matter.
constexpr std::array<const MethodDefinition*, 30> kMethods{
    &approve_method,        &attach_session_method,   &cancel_method,
    &close_session_method,  &describe_tool_method,    &doctor_method,
    &execute_method,        &get_approval_method,     &get_call_method,
    &initialize_method,     &list_approvals_method,   &list_calls_method,
    &list_providers_method, &list_rules_method,       &list_sessions_method,
    &list_tools_method,     &open_session_method,     &ping_method,
    &read_audit_method,     &read_output_method,      &reload_config_method,
    &remove_rule_method,    &restart_provider_method, &rpc_discover_method,
    &run_hooks_method,      &shutdown_method,         &status_method,
    &subscribe_method,      &unsubscribe_method,      &update_session_method,
};

}  // namespace

std::span<const MethodDefinition* const> methods() { return kMethods; }

}  // namespace toolhost
