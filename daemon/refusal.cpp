#include "daemon/refusal.hpp"

#include <algorithm>

#include "daemon/methods/table.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

// MCP since 2026-07-28 has no initialize: its version is in every request.
bool speaks_mcp(const Request& request) {
  const json::value* meta = request.params.if_contains("_meta");
  if (!meta || !meta->is_object()) return false;
  const json::object& members = meta->get_object();
  return std::any_of(members.begin(), members.end(), [](const auto& member) {
    return std::string_view(member.key())
        .starts_with("io.modelcontextprotocol/");
  });
}

Error unknown_method(const std::string& name) {
  std::vector<std::string> names;
  for (const auto* method : methods()) names.emplace_back(method->name);
  const auto similar = similar_names(name, names);
  Error error =
      make_error(Code::method_not_found, "There is no method \"" + name + "\".",
                 similar.empty() ? "rpc.discover lists the methods."
                                 : "Did you mean " + similar.front() + "?");
  json::array list;
  for (const auto& one : similar) list.emplace_back(one);
  error.details["similar"] = std::move(list);
  return error;
}

Error forbidden(const Connection& connection, const MethodDefinition& method) {
  const std::string needed = role_names(method.roles);
  const bool by_socket = connection.kind() == SocketKind::caller;
  Error error = make_error(
      Code::forbidden,
      std::string(method.name) + " needs the role " + needed + ".",
      by_socket ? "caller.sock grants only the role caller; a person uses "
                  "the control socket."
                : "Ask for the role in initialize.");
  error.details["role"] = roles_json(method.roles);
  return error;
}

}  // namespace

Error speaks_toolhost(std::string message) {
  Error error = make_error(Code::unsupported_version, std::move(message),
                           "This socket speaks the toolhost protocol; MCP "
                           "clients run `toolhost mcp`.");
  json::array supported;
  supported.emplace_back(kProtocolVersion);
  error.details["supported"] = std::move(supported);
  return error;
}

std::optional<Error> refusal(const Connection& connection,
                             const MethodDefinition* method,
                             const Request& request) {
  const bool frozen_core = method && method->before_initialize;
  if (!connection.initialized && !frozen_core) {
    if (speaks_mcp(request)) {
      return speaks_toolhost("This is a request of MCP.");
    }
    return make_error(Code::not_initialized, "Not initialized.",
                      "Send initialize first.");
  }
  if (!method) return unknown_method(request.method);
  if (method->roles == kAnybody) return std::nullopt;
  unsigned roles = connection.roles;
  if (!connection.initialized) {
    // The frozen core works at any version: what the socket could grant.
    roles =
        connection.kind() == SocketKind::caller ? unsigned{kCaller} : kAllRoles;
  }
  if ((roles & method->roles) != 0) return std::nullopt;
  return forbidden(connection, *method);
}

}  // namespace toolhost
