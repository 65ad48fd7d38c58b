// FrontDoor: one function a method of MCP.
#include "daemon/cli/json_read.hpp"
#include "daemon/cli/mcp/front_door.hpp"
#include "protocol/ids.hpp"
#include "protocol/text.hpp"

namespace toolhost::cli::mcp {
namespace {

constexpr std::size_t kMaxName = 128;
constexpr std::int64_t kWindow = 1024 * 1024;
constexpr std::size_t kMaxListeners = 32;
// What discover says does not change while the process lives.
constexpr std::int64_t kDiscoverTtlMs = 3'600'000;

constexpr std::string_view kInstructions =
    "Tools on this machine, run by a daemon that asks a person where that is "
    "needed. A call may wait for that person: this is no failure, so do not "
    "send it again while it waits. When a call is denied, the person's comment "
    "says what to do instead.";

json::object capabilities() {
  json::object tools;
  tools["listChanged"] = true;
  json::object out;
  out["tools"] = std::move(tools);
  // Output that is too long for a result is a resource.
  out["resources"] = json::object();
  return out;
}

}  // namespace

void FrontDoor::initialize(const Asked& asked) {
  if (era_) {
    return refuse(asked,
                  make_fault(kInvalidRequest, "initialize was sent before."));
  }
  const json::object& params = asked.message.params;
  const json::object& info = object_at(params, "clientInfo");
  era_ = &negotiate(text_at(params, "protocolVersion"));
  const std::string name = text_at(info, "name");
  if (!name.empty()) client_name_ = utf8_prefix(name, kMaxName);
  client_version_ = utf8_prefix(text_at(info, "version"), kMaxName);
  client_has_roots_ = object_at(params, "capabilities").contains("roots");
  if (client_has_roots_ && workspace_.empty()) {
    roots_deadline_ = now_ + options_.roots_wait;
  }
  json::object out;
  out["protocolVersion"] = era_->version;
  out["capabilities"] = capabilities();
  out["serverInfo"] = server_info();
  out["instructions"] = kInstructions;
  answer(asked, out);
}

void FrontDoor::discover(const Asked& asked) {
  // Those that a request of this kind may name.
  json::array versions;
  for (const Era& era : eras()) {
    if (era.stateless) versions.emplace_back(era.version);
  }
  json::object out;
  out["supportedVersions"] = std::move(versions);
  out["capabilities"] = capabilities();
  out["instructions"] = kInstructions;
  answer(asked, finished_list(std::move(out), kDiscoverTtlMs, asked.era));
}

void FrontDoor::ping(const Asked& asked) {
  answer(asked, finished({}, asked.era));
}

json::object FrontDoor::context(const Asked& asked) const {
  json::object out = options_.narrowing;
  out["agentName"] = asked.client_name;
  return out;
}

void FrontDoor::list_tools(const Asked& asked) {
  Pending pending;
  pending.kind = Pending::Kind::list_tools;
  pending.params["context"] = context(asked);
  const std::string cursor = text_at(asked.message.params, "cursor");
  if (!cursor.empty()) pending.params["cursor"] = cursor;
  if (!options_.narrowing.empty()) pending.watched["ifHash"] = "";
  open_request(asked, std::move(pending));
}

void FrontDoor::call_tool(const Asked& asked) {
  const json::object& params = asked.message.params;
  const std::string name = text_at(params, "name");
  const json::value* arguments = params.if_contains("arguments");
  if (name.empty() ||
      (arguments && !arguments->is_object() && !arguments->is_null())) {
    return refuse(asked, make_fault(kInvalidParams,
                                    "tools/call takes the name of a tool and "
                                    "an object of arguments."));
  }
  Pending pending;
  pending.kind = Pending::Kind::call_tool;
  pending.call_id = random_id("call_");
  json::object& out = pending.params;
  out["name"] = name;
  out["arguments"] = object_at(params, "arguments");
  out["callId"] = pending.call_id;
  out["idempotencyKey"] = random_id("mcp_");
  out["mode"] = "wait";
  out["context"] = context(asked);
  out["stream"] = "none";
  const json::object& meta = object_at(params, "_meta");
  const json::value* token = meta.if_contains("progressToken");
  if (token && (token->is_string() || token->is_number())) {
    pending.progress_token = *token;
    out["stream"] = "progress";
  }
  open_request(asked, std::move(pending));
}

// Kept output is found by the link in a result; a list of all would be long
// and of no use.
void FrontDoor::list_resources(const Asked& asked) {
  json::object out;
  out["resources"] = json::array();
  answer(asked, finished_list(std::move(out), kDiscoverTtlMs, asked.era));
}

void FrontDoor::list_templates(const Asked& asked) {
  json::object row;
  row["uriTemplate"] = "toolhost://output/{artifactId}{?offset}";
  row["name"] = "output";
  row["description"] =
      "The whole output of a call, in windows of at most 1 MiB; a result names "
      "it when it was cut.";
  json::object out;
  out["resourceTemplates"] = json::array{std::move(row)};
  answer(asked, finished_list(std::move(out), kDiscoverTtlMs, asked.era));
}

void FrontDoor::read_resource(const Asked& asked) {
  const std::string uri = text_at(asked.message.params, "uri");
  const auto output = parse_output_uri(uri);
  if (!output) {
    return refuse(asked, make_fault(kInvalidParams,
                                    "There is no resource \"" + uri +
                                        "\" here; resources/templates/list "
                                        "has their form."));
  }
  Pending pending;
  pending.kind = Pending::Kind::read_output;
  pending.uri = uri;
  pending.output = *output;
  pending.params["artifactId"] = output->artifact;
  pending.params["offset"] = output->offset;
  pending.params["maxBytes"] = kWindow;
  open_request(asked, std::move(pending));
}

void FrontDoor::listen(const Asked& asked) {
  if (listeners_.size() >= kMaxListeners) {
    return refuse(asked, make_fault(kInternalError,
                                    "32 subscriptions are open already; "
                                    "cancel one first."));
  }
  const json::object& wanted = object_at(asked.message.params, "notifications");
  const bool tools = bool_at(wanted, "toolsListChanged");
  listeners_[asked.message.id] = tools;
  json::object honoured;
  if (tools) honoured["toolsListChanged"] = true;
  json::object meta;
  meta[kSubscriptionKey] = json::parse(asked.message.id);
  json::object params;
  params["_meta"] = std::move(meta);
  params["notifications"] = std::move(honoured);
  say(notification_line("notifications/subscriptions/acknowledged", params));
}

}  // namespace toolhost::cli::mcp
