#include <algorithm>
#include <array>

#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "daemon/refusal.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// What a client may name in `require`; an empty object means "supported".
constexpr std::array<std::string_view, 6> kCapabilities{
    "replay", "detach", "artifacts", "sessions", "rules", "dryRun"};

// A name is shown in prompts and logs, not a place for text.
constexpr std::size_t kMaxNameBytes = 200;

struct Hello {
  std::int64_t version = 0;
  std::int64_t lowest = 0;
  ClientInfo client;
  std::optional<std::vector<std::string>> roles;
  std::vector<std::string> require;
  std::string workspace;
  bool interactive = false;
};

std::string short_text(Fields& in, std::string_view name,
                       std::optional<std::string> value) {
  if (!value) return {};
  if (value->size() > kMaxNameBytes) {
    in.fail(name, "has more than " + std::to_string(kMaxNameBytes) + " bytes");
  }
  return std::move(*value);
}

// An empty object or true: yes.
bool says_yes(const json::object& capabilities, std::string_view name) {
  const json::value* value = capabilities.if_contains(name);
  if (!value) return false;
  return value->is_object() || (value->is_bool() && value->get_bool());
}

Result<ClientInfo> parse_client(const json::object& params) {
  Fields in(params, "params");
  const json::object* info = in.optional_object("clientInfo");
  if (!info && !in.error()) in.fail("clientInfo", "is missing");
  if (in.error()) return *in.error();
  Fields client(*info, "params.clientInfo");
  ClientInfo out;
  out.name = short_text(client, "name", client.required_string("name"));
  out.version =
      short_text(client, "version", client.optional_string("version"));
  out.title = short_text(client, "title", client.optional_string("title"));
  if (client.error()) return *client.error();
  return out;
}

Result<Hello> parse(const json::object& params) {
  constexpr std::int64_t kHighest = 1'000'000;
  const json::value* version = params.if_contains("protocolVersion");
  if (version && version->is_string()) {
    return speaks_toolhost("protocolVersion is a number here, not a string.");
  }
  Fields in(params, "params");
  Hello out;
  out.version = in.optional_int("protocolVersion", 0, kHighest).value_or(-1);
  if (out.version < 0) in.fail("protocolVersion", "is missing");
  out.lowest =
      in.optional_int("minProtocolVersion", 0, kHighest).value_or(out.version);
  out.roles = in.optional_strings("roles");
  out.require =
      in.optional_strings("require").value_or(std::vector<std::string>());
  out.workspace = in.optional_string("workspace").value_or(std::string());
  if (!out.workspace.empty() && out.workspace.front() != '/') {
    in.fail("workspace", "has to be an absolute path");
  }
  if (const auto* capabilities = in.optional_object("capabilities")) {
    out.interactive = says_yes(*capabilities, "interactive");
  }
  if (in.error()) return *in.error();
  auto client = parse_client(params);
  if (!client) return client.error();
  out.client = std::move(*client);
  return out;
}

std::optional<Error> check_version(const Hello& hello) {
  if (hello.lowest <= kProtocolVersion && hello.version >= kProtocolVersion) {
    return std::nullopt;
  }
  Error error = make_error(
      Code::unsupported_version,
      "The daemon speaks version " + std::to_string(kProtocolVersion) +
          " of the protocol, the client " + std::to_string(hello.lowest) +
          " to " + std::to_string(hello.version) + ".",
      "Update the older of the two; ping, status and shutdown work anyway.");
  json::array supported;
  supported.emplace_back(kProtocolVersion);
  error.details["supported"] = std::move(supported);
  return error;
}

std::optional<Error> check_required(const Hello& hello) {
  json::array missing;
  for (const std::string& name : hello.require) {
    if (std::find(kCapabilities.begin(), kCapabilities.end(), name) ==
        kCapabilities.end()) {
      missing.emplace_back(name);
    }
  }
  if (missing.empty()) return std::nullopt;
  Error error = make_error(
      Code::missing_capability,
      "The daemon does not offer " + json_text(json::value(missing)) + ".",
      "Leave it out of require, or update the daemon.");
  error.details["missing"] = std::move(missing);
  json::array offered;
  for (const auto name : kCapabilities) offered.emplace_back(name);
  error.details["offered"] = std::move(offered);
  return error;
}

// What was asked for and the socket can grant; without a wish, all of that.
Result<unsigned> grant_roles(const Hello& hello, SocketKind kind) {
  const unsigned possible =
      kind == SocketKind::caller ? unsigned{kCaller} : kAllRoles;
  if (!hello.roles) return possible;
  unsigned wanted = 0;
  for (const std::string& name : *hello.roles) {
    const auto role = parse_role(name);
    if (!role) {
      Error error = make_error(Code::invalid_params,
                               "params.roles names no role \"" + name + "\".",
                               "The roles are " + role_names(kAllRoles) + ".");
      error.details["path"] = "params.roles";
      return error;
    }
    wanted |= *role;
  }
  if ((wanted & possible) != 0) return wanted & possible;
  Error error = make_error(
      Code::forbidden, "None of the roles asked for can be granted here.",
      kind == SocketKind::caller
          ? "caller.sock grants only the role caller; use the control socket."
          : "Name at least one role, or leave roles out.");
  error.details["role"] = roles_json(wanted);
  return error;
}

json::object limits_json(const config::Config& config) {
  json::object out;
  out["maxFrameBytes"] = config.limits.frame_bytes;
  out["maxInFlight"] = config.limits.requests_in_flight;
  out["maxPendingApprovals"] = config.approvals.max_pending;
  out["ringEvents"] = config.limits.ring_events;
  return out;
}

json::object welcome(const Daemon& daemon, const Connection& connection) {
  json::object out;
  out["protocolVersion"] = kProtocolVersion;
  json::object& server = out["serverInfo"].emplace_object();
  server["name"] = "toolhostd";
  server["version"] = kVersion;
#ifdef TOOLHOST_SANITIZED
  server["build"] = "sanitized";
#else
  server["build"] = "release";
#endif
  out["connectionId"] = connection.id();
  out["roles"] = roles_json(connection.roles);
  out["epoch"] = daemon.events.epoch();
  json::object& capabilities = out["capabilities"].emplace_object();
  for (const auto name : kCapabilities) capabilities[name].emplace_object();
  out["limits"] = limits_json(*daemon.config);
  const auto warnings = daemon.warnings();
  if (!warnings.empty() && connection.kind() == SocketKind::control) {
    json::array& list = out["warnings"].emplace_array();
    for (const auto& warning : warnings) list.emplace_back(warning);
  }
  return out;
}

Result<std::string> initialize(Daemon& daemon, Connection& connection,
                               const json::object& params) {
  if (connection.initialized) {
    return make_error(Code::already_initialized, "Already initialized.",
                      "Open another connection for another client.");
  }
  auto hello = parse(params);
  if (!hello) return hello.error();
  if (auto wrong = check_version(*hello)) return std::move(*wrong);
  if (auto missing = check_required(*hello)) return std::move(*missing);
  const auto roles = grant_roles(*hello, connection.kind());
  if (!roles) return roles.error();

  connection.initialized = true;
  connection.roles = *roles;
  connection.client = std::move(hello->client);
  connection.workspace = std::move(hello->workspace);
  connection.interactive = hello->interactive && connection.has_role(kApprover);
  daemon.server.presence_changed();
  return json_text(welcome(daemon, connection));
}

}  // namespace

const MethodDefinition initialize_method{
    .name = "initialize", .before_initialize = true, .now = initialize};

}  // namespace toolhost
