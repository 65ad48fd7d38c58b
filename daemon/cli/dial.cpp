#include "daemon/cli/dial.hpp"

#include <utility>

#include "config/paths.hpp"
#include "daemon/cli/json_read.hpp"

namespace toolhost::cli {

Result<std::string> socket_path(const Globals& globals) {
  auto paths = config::find_paths(globals.socket, {});
  if (!paths) {
    Error error = paths.error();
    error.code = Code::config_invalid;
    return error;
  }
  // A named socket is meant as it is.
  const bool caller = globals.caller && globals.socket.empty();
  return caller ? paths->caller_socket : paths->control_socket;
}

Milliseconds request_limit(const Globals& globals) {
  return globals.timeout.value_or(kRequestLimit);
}

Result<Client> dial(const Globals& globals, const DialOptions& options) {
  auto path = socket_path(globals);
  if (!path) return path.error();
  auto client = Client::connect(*path);
  if (!client) return client.error();
  ClientIdentity identity;
  identity.name = "toolhost";
  identity.version = std::string(kVersion);
  identity.roles = options.roles;
  identity.interactive = options.interactive;
  auto hello = client->initialize(identity, request_limit(globals));
  if (!hello) return hello.error();
  return client;
}

Result<json::object> request(const Globals& globals, std::string_view method,
                             const json::object& params) {
  auto client = dial(globals);
  if (!client) return client.error();
  return client->call(method, params, request_limit(globals));
}

Result<json::array> collect(Client& client, std::string_view method,
                            json::object params, std::string_view member,
                            std::size_t most, Milliseconds limit) {
  json::array items;
  for (;;) {
    auto page = client.call(method, params, limit);
    if (!page) return page.error();
    for (const json::value& item : array_at(*page, member)) {
      if (items.size() == most) return items;
      items.push_back(item);
    }
    std::string cursor = text_at(*page, {"nextCursor", "more"});
    // A cursor that does not move would be asked for ever.
    if (cursor.empty() || cursor == text_at(params, "cursor")) return items;
    params["cursor"] = std::move(cursor);
  }
}

Result<std::string> complete_id(const json::array& items, std::string_view key,
                                const std::string& typed,
                                std::string_view prefix) {
  const std::string start =
      typed.starts_with(prefix) ? typed : std::string(prefix) + typed;
  std::vector<std::string> found;
  for (const json::value& item : items) {
    if (!item.is_object()) continue;
    std::string id = text_at(item.get_object(), key);
    if (id == typed) return id;
    if (id.starts_with(start) && start.size() > prefix.size()) {
      found.push_back(std::move(id));
    }
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) return typed;
  std::string list;
  for (std::size_t i = 0; i < found.size() && i < 5; ++i) {
    list += (i == 0 ? "" : ", ") + found[i];
  }
  return make_error(Code::invalid_params,
                    typed + " is the beginning of " +
                        std::to_string(found.size()) + " ids: " + list + ".",
                    "Type more of it.");
}

}  // namespace toolhost::cli
