// Every method of the protocol, one file each; methods.cpp holds the table.
#pragma once

#include "daemon/method.hpp"

namespace toolhost {

// The major version of the protocol; additions are capabilities.
inline constexpr int kProtocolVersion = 1;

extern const MethodDefinition approve_method;
extern const MethodDefinition attach_session_method;
extern const MethodDefinition cancel_method;
extern const MethodDefinition close_session_method;
extern const MethodDefinition describe_tool_method;
extern const MethodDefinition doctor_method;
extern const MethodDefinition execute_method;
extern const MethodDefinition get_approval_method;
extern const MethodDefinition get_call_method;
extern const MethodDefinition initialize_method;
extern const MethodDefinition list_approvals_method;
extern const MethodDefinition list_calls_method;
extern const MethodDefinition list_providers_method;
extern const MethodDefinition list_rules_method;
extern const MethodDefinition list_sessions_method;
extern const MethodDefinition list_tools_method;
extern const MethodDefinition open_session_method;
extern const MethodDefinition ping_method;
extern const MethodDefinition read_audit_method;
extern const MethodDefinition read_output_method;
extern const MethodDefinition reload_config_method;
extern const MethodDefinition remove_rule_method;
extern const MethodDefinition restart_provider_method;
extern const MethodDefinition rpc_discover_method;
extern const MethodDefinition run_hooks_method;
extern const MethodDefinition shutdown_method;
extern const MethodDefinition status_method;
extern const MethodDefinition subscribe_method;
extern const MethodDefinition unsubscribe_method;
extern const MethodDefinition update_session_method;

}  // namespace toolhost
