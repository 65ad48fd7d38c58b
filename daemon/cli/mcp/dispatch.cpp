// FrontDoor: which method a message means, and in which version of MCP.
#include <algorithm>
#include <array>

#include "daemon/cli/json_read.hpp"
#include "daemon/cli/mcp/front_door.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost::cli::mcp {
namespace {

constexpr std::size_t kMaxName = 128;

Fault unsupported(const std::string& asked) {
  Fault out = make_fault(kUnsupportedVersion,
                         "Version " + asked + " of MCP is not spoken here.");
  json::array supported;
  for (const Era& era : eras()) supported.emplace_back(era.version);
  out.data["supported"] = std::move(supported);
  out.data["requested"] = asked;
  return out;
}

std::string known_methods(bool stateless,
                          std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view each : names) {
    out += (out.empty() ? "" : ", ") + std::string(each);
  }
  return "The methods of " +
         std::string(stateless ? "this version" : "this session") + " are " +
         out + ".";
}

}  // namespace

std::span<const FrontDoor::Method> FrontDoor::methods() {
  static constexpr std::array kMethods{
      Method{"initialize", &FrontDoor::initialize, true, false},
      Method{"ping", &FrontDoor::ping, true, false},
      Method{"resources/list", &FrontDoor::list_resources, true, true},
      Method{"resources/read", &FrontDoor::read_resource, true, true},
      Method{"resources/templates/list", &FrontDoor::list_templates, true,
             true},
      Method{"server/discover", &FrontDoor::discover, false, true},
      Method{"subscriptions/listen", &FrontDoor::listen, false, true},
      Method{"tools/call", &FrontDoor::call_tool, true, true},
      Method{"tools/list", &FrontDoor::list_tools, true, true},
  };
  return kMethods;
}

void FrontDoor::take(const Message& message) {
  switch (message.kind) {
    case Message::Kind::request:
      return take_request(message);
    case Message::Kind::notification:
      return take_notification(message);
    case Message::Kind::response:
      return take_response(message);
    case Message::Kind::bad:
      options_.log("a line of the client was refused: " +
                   message.fault.message);
      return say(fault_line(message.id, message.fault));
  }
}

const Era* FrontDoor::era_of(const Message& message, const json::object& meta) {
  const std::string version = text_at(meta, kVersionKey);
  // initialize begins the older way, whatever else it carries.
  if (!version.empty() && message.method != "initialize") {
    const Era* era = find_era(version);
    if (!era || !era->stateless) {
      say(fault_line(message.id, unsupported(version)));
      return nullptr;
    }
    if (!meta.contains(kCapabilitiesKey)) {
      say(fault_line(
          message.id,
          make_fault(kInvalidParams, "params._meta has no " +
                                         std::string(kCapabilitiesKey) + ".")));
      return nullptr;
    }
    return era;
  }
  if (era_) return era_;
  if (message.method == "initialize" || message.method == "ping") {
    return &negotiate({});
  }
  say(fault_line(message.id,
                 make_fault(kInvalidParams,
                            "Send initialize first, or name a version in "
                            "params._meta[\"" +
                                std::string(kVersionKey) + "\"].")));
  return nullptr;
}

void FrontDoor::take_request(const Message& message) {
  const json::object& meta = object_at(message.params, "_meta");
  const Era* era = era_of(message, meta);
  if (!era) return;
  const std::string given = text_at(object_at(meta, kClientInfoKey), "name");
  Asked asked{message, *era, given.empty() ? client_name_ : given};
  asked.client_name = utf8_prefix(asked.client_name, kMaxName);
  if (requests_.has(message.id) || listeners_.contains(message.id)) {
    return refuse(asked, make_fault(kInvalidRequest,
                                    "A request with this id is still open."));
  }
  // A stateless client says who it is with its first request.
  if (era->stateless && !era_ && !given.empty()) {
    client_name_ = asked.client_name;
    client_version_ = text_at(object_at(meta, kClientInfoKey), "version");
  }
  run_method(asked);
}

void FrontDoor::run_method(const Asked& asked) {
  std::vector<std::string_view> names;
  for (const Method& method : methods()) {
    const bool here = asked.era.stateless ? method.stateless : method.legacy;
    if (here && method.name == asked.message.method) {
      return (this->*method.run)(asked);
    }
    if (here) names.push_back(method.name);
  }
  refuse(asked,
         make_fault(kMethodNotFound,
                    "There is no method \"" + asked.message.method + "\". " +
                        known_methods(asked.era.stateless, names)));
}

void FrontDoor::take_notification(const Message& message) {
  if (message.method == "notifications/initialized") {
    client_ready_ = true;
    ask_for_roots(now_);
  } else if (message.method == "notifications/roots/list_changed") {
    ask_for_roots(now_);
  } else if (message.method == "notifications/cancelled") {
    const json::value* id = message.params.if_contains("requestId");
    if (!id) return;
    const std::string text = json_text(*id);
    const std::string reason = text_at(message.params, "reason");
    if (listeners_.erase(text) > 0 || requests_.cancel(text, reason)) return;
    std::erase_if(held_,
                  [&text](const Pending& each) { return each.id == text; });
  }
}

void FrontDoor::answer(const Asked& asked, const json::object& result) {
  say(result_line(asked.message.id, result));
}

void FrontDoor::refuse(const Asked& asked, const Fault& fault) {
  say(fault_line(asked.message.id, fault));
}

}  // namespace toolhost::cli::mcp
