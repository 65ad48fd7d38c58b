#include "providers/mcp/handshake.hpp"

#include <algorithm>
#include <array>

#include "protocol/json_text.hpp"
#include "protocol/text.hpp"
#include "protocol/version.hpp"

namespace toolhost::mcp {
namespace {

using std::string_view;

// Newest first. What we use of all of them is the same.
constexpr std::array<string_view, 5> kVersions{
    "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"};
constexpr string_view kStateless = "2026-07-28";
constexpr std::int64_t kMethodNotFound = -32601;
constexpr std::size_t kShownText = 200;

std::string shown(string_view text) {
  return display_text(utf8_prefix(text, kShownText));
}

std::string text_member(const json::object& object, string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_string()) return {};
  return shown(value->get_string());
}

json::object client_info() {
  json::object out;
  out["name"] = "toolhost";
  out["version"] = kVersion;
  return out;
}

json::object stateless_meta() {
  json::object out;
  out["io.modelcontextprotocol/protocolVersion"] = kStateless;
  out["io.modelcontextprotocol/clientInfo"] = client_info();
  out["io.modelcontextprotocol/clientCapabilities"] = json::object();
  return out;
}

Error failed(const std::string& what, const Answer& answer) {
  const std::string why = answer.kind == Answer::Kind::error
                              ? "it answered \"" + shown(answer.error.message) +
                                    "\" (" + std::to_string(answer.error.code) +
                                    ")"
                              : answer.why;
  return make_error(Code::provider_unavailable, what + ": " + why + ".");
}

// Does the refusal mean that only the newer protocol is spoken?
bool wants_stateless(const RpcError& error) {
  if (error.code == kMethodNotFound) return true;
  const json::object* data = error.data.if_object();
  if (!data) return false;
  for (const char* member : {"supported", "supportedVersions"}) {
    const json::value* list = data->if_contains(member);
    if (!list || !list->is_array()) continue;
    for (const json::value& version : list->get_array()) {
      if (version.is_string() && version.get_string() == kStateless) {
        return true;
      }
    }
  }
  return false;
}

void read_facts(const json::object& result, Peer& peer) {
  const json::value* info = result.if_contains("serverInfo");
  if (info && info->is_object()) {
    peer.name = text_member(info->get_object(), "name");
    peer.software_version = text_member(info->get_object(), "version");
  }
  const json::value* capabilities = result.if_contains("capabilities");
  if (!capabilities || !capabilities->is_object()) return;
  const json::value* tools = capabilities->get_object().if_contains("tools");
  if (!tools || !tools->is_object()) return;
  const json::value* told = tools->get_object().if_contains("listChanged");
  peer.tells_list_changes = told && told->is_bool() && told->get_bool();
}

Task<Result<Peer>> discover(std::shared_ptr<Connection> connection,
                            RequestLimits limits) {
  connection->set_meta(stateless_meta());
  Answer answer = co_await Connection::request(connection, "server/discover",
                                               json::object(), limits);
  const json::object* result = answer.result.if_object();
  if (answer.kind != Answer::Kind::result || !result) {
    if (answer.kind == Answer::Kind::result) answer.why = "no object came";
    co_return failed("It knows neither initialize nor server/discover", answer);
  }
  Peer peer;
  peer.version = kStateless;
  read_facts(*result, peer);
  co_return peer;
}

Result<Peer> read_initialized(const json::value& value) {
  const json::object* result = value.if_object();
  if (!result) {
    return make_error(Code::provider_unavailable,
                      "Its answer to initialize is no object.");
  }
  Peer peer;
  peer.version = text_member(*result, "protocolVersion");
  if (std::find(kVersions.begin(), kVersions.end(), peer.version) ==
      kVersions.end()) {
    return make_error(
        Code::provider_unavailable,
        "It speaks version \"" + peer.version +
            "\" of the protocol; known here are 2024-11-05 to 2025-11-25 and "
            "2026-07-28.");
  }
  read_facts(*result, peer);
  return peer;
}

}  // namespace

Task<Result<Peer>> handshake(std::shared_ptr<Connection> connection,
                             RequestLimits limits) {
  json::object params;
  params["protocolVersion"] = kVersions.front();
  params["capabilities"] = json::object();
  params["clientInfo"] = client_info();
  const Answer answer = co_await Connection::request(connection, "initialize",
                                                     std::move(params), limits);
  if (answer.kind == Answer::Kind::error && wants_stateless(answer.error)) {
    co_return co_await discover(connection, limits);
  }
  if (answer.kind != Answer::Kind::result) {
    co_return failed("It could not be greeted", answer);
  }
  const Result<Peer> peer = read_initialized(answer.result);
  if (peer) connection->notify("notifications/initialized", json::object());
  co_return peer;
}

}  // namespace toolhost::mcp
