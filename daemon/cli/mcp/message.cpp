#include "daemon/cli/mcp/message.hpp"

#include "protocol/json_text.hpp"
#include "protocol/message.hpp"

namespace toolhost::cli::mcp {
namespace {

constexpr std::int64_t kMaxId = 9007199254740992;
// More in one line is no batch but a flood.
constexpr std::size_t kMaxBatch = 100;

std::string id_text(const json::value* id) {
  if (!id) return {};
  if (id->is_string()) return json_text(*id);
  if (id->is_int64() && id->get_int64() >= -kMaxId &&
      id->get_int64() <= kMaxId) {
    return std::to_string(id->get_int64());
  }
  return {};
}

Message bad(int code, std::string message, std::string id = "null") {
  Message out;
  out.id = std::move(id);
  out.fault = make_fault(code, std::move(message));
  return out;
}

Message response_of(json::object& object, std::string id) {
  Message out;
  out.kind = Message::Kind::response;
  out.id = std::move(id);
  json::value* result = object.if_contains("result");
  if (result && result->is_object()) out.result = result->get_object();
  return out;
}

Message message_of(json::value& value) {
  json::object* object = value.if_object();
  if (!object) {
    return bad(kInvalidRequest, "A message has to be one JSON object.");
  }
  const json::value* given = object->if_contains("id");
  std::string id = id_text(given);
  const std::string answer_id = id.empty() ? "null" : id;
  const json::value* version = object->if_contains("jsonrpc");
  if (!version || !version->is_string() || version->get_string() != "2.0") {
    return bad(kInvalidRequest, "\"jsonrpc\":\"2.0\" is missing.", answer_id);
  }
  const json::value* method = object->if_contains("method");
  if (!method && (object->contains("result") || object->contains("error"))) {
    return response_of(*object, answer_id);
  }
  if (given && id.empty()) {
    return bad(kInvalidRequest,
               "The id must be a string or a whole number within 2^53.");
  }
  if (!method || !method->is_string() || method->get_string().empty()) {
    return bad(kInvalidRequest, "The member method is missing.", answer_id);
  }
  Message out;
  out.method = method->get_string();
  if (json::value* params = object->if_contains("params")) {
    if (!params->is_object()) {
      return bad(kInvalidParams, "The params must be an object.", answer_id);
    }
    out.params = std::move(params->get_object());
  }
  out.kind = given ? Message::Kind::request : Message::Kind::notification;
  out.id = answer_id;
  return out;
}

}  // namespace

Fault make_fault(int code, std::string message) {
  Fault out;
  out.code = code;
  out.message = std::move(message);
  return out;
}

Fault fault_of(const Error& error) {
  Fault out;
  switch (error.code) {
    // MCP's word for an unknown tool, and for what is wrong with the params.
    case Code::tool_not_found:
    case Code::invalid_params:
    case Code::artifact_not_found:
      out.code = kInvalidParams;
      break;
    default:
      out.code = kInternalError;
  }
  out.message = error.message;
  if (!error.hint.empty()) out.message += " " + error.hint;
  out.data["kind"] = info(error.code).kind;
  return out;
}

std::vector<Message> parse_line(std::string_view line, bool batches) {
  json::parse_options options;
  // One more for the object of a batch.
  options.max_depth = kMaxDepth + 1;
  boost::system::error_code ec;
  json::value value = json::parse(line, ec, {}, options);
  std::vector<Message> out;
  if (ec) {
    out.push_back(bad(kParseError, "The line is no JSON: " + ec.message() +
                                       ". One message takes one line."));
    return out;
  }
  json::array* batch = value.if_array();
  if (!batch) {
    out.push_back(message_of(value));
    return out;
  }
  if (!batches || batch->empty() || batch->size() > kMaxBatch) {
    out.push_back(bad(kInvalidRequest,
                      batches ? "A batch has 1 to 100 messages."
                              : "This version of the protocol has no batches; "
                                "send one message a line."));
    return out;
  }
  for (json::value& each : *batch) out.push_back(message_of(each));
  return out;
}

std::string result_line(std::string_view id, const json::object& result) {
  return reply_text(id, json_text(result));
}

std::string fault_line(std::string_view id, const Fault& fault) {
  json::object error;
  error["code"] = fault.code;
  error["message"] = fault.message;
  if (!fault.data.empty()) error["data"] = fault.data;
  std::string out = R"({"jsonrpc":"2.0","id":)";
  out += id;
  out += R"(,"error":)";
  append_json(out, error);
  out += '}';
  return out;
}

std::string notification_line(std::string_view method,
                              const json::object& params) {
  return notification_text(method, json_text(params));
}

}  // namespace toolhost::cli::mcp
