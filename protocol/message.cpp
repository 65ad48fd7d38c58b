#include "protocol/message.hpp"

#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// Doubles and JavaScript clients hold whole numbers exactly up to here.
constexpr std::int64_t kMaxId = 9007199254740992;

BadFrame bad(Code code, std::string message, std::string hint,
             std::string id = "null") {
  BadFrame out;
  out.error = make_error(code, std::move(message), std::move(hint));
  out.id = std::move(id);
  return out;
}

// JSON text of a legal id, empty if the value is none.
std::string id_text(const json::value& id) {
  if (id.is_string()) return json_text(id);
  if (id.is_int64() && id.get_int64() >= -kMaxId && id.get_int64() <= kMaxId) {
    return std::to_string(id.get_int64());
  }
  return {};
}

// The members of a request, in any order; the id is looked at first because
// every refusal carries it.
boost::system::result<Request, BadFrame> understood(json::object& object) {
  std::string id;
  if (const json::value* given = object.if_contains("id")) {
    id = id_text(*given);
    if (id.empty()) {
      return bad(Code::invalid_request,
                 "The id must be a string or a whole number within 2^53.",
                 "null and fractional ids are refused; leave id out only for "
                 "notifications.");
    }
  }
  const std::string reply_id = id.empty() ? "null" : id;
  const json::value* version = object.if_contains("jsonrpc");
  if (!version || !version->is_string() || version->get_string() != "2.0") {
    return bad(Code::invalid_request, "\"jsonrpc\":\"2.0\" is missing.",
               "Every request carries \"jsonrpc\":\"2.0\".", reply_id);
  }
  const json::value* method = object.if_contains("method");
  if (!method) {
    return bad(Code::invalid_request, "The member method is missing.",
               "The daemon sends no requests, so it takes no replies.",
               reply_id);
  }
  if (!method->is_string() || method->get_string().empty()) {
    return bad(Code::invalid_request,
               "The member method must be the name of a method, not " +
                   std::string(method->is_string() ? "an empty string"
                                                   : type_name(*method)) +
                   ".",
               "rpc.discover lists the methods.", reply_id);
  }
  json::value* params = object.if_contains("params");
  if (params && !params->is_object()) {
    return bad(Code::invalid_params,
               "params must be an object, not " +
                   std::string(type_name(*params)) + ".",
               "Name the parameters: {\"params\":{…}}.", reply_id);
  }
  // Constructed, not assigned: an assignment between two storages copies.
  return Request{
      std::move(id), std::string(method->get_string()),
      params ? json::object(std::move(params->get_object())) : json::object()};
}

json::parse_options parse_options() {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  return options;
}

// Where the parser gave up; bytes count from 1, as in editors.
std::string place_of_fault(std::string_view frame) {
  json::parser parser(json::storage_ptr(), parse_options());
  boost::system::error_code ec;
  const std::size_t good = parser.write_some(frame.data(), frame.size(), ec);
  if (good == frame.size()) {
    return " after " + std::to_string(good) + " bytes";
  }
  return " at byte " + std::to_string(good + 1);
}

}  // namespace

boost::system::result<Request, BadFrame> parse_request(
    std::string_view frame, json::storage_ptr storage) {
  boost::system::error_code ec;
  json::value value =
      json::parse(frame, ec, std::move(storage), parse_options());
  if (ec) {
    if (ec == json::error::too_deep) {
      return bad(Code::parse_error,
                 "The JSON is nested deeper than " + std::to_string(kMaxDepth) +
                     " levels.",
                 "Flatten the arguments or pass them as a string.");
    }
    return bad(Code::parse_error,
               "The frame is not valid JSON: " + ec.message() +
                   place_of_fault(frame) + ".",
               "Send one UTF-8 JSON object per line; a line break ends it.");
  }
  if (value.is_array()) {
    return bad(Code::invalid_request, "Batches are not supported.",
               "Send one request per line; replies may come in any order.");
  }
  if (!value.is_object()) {
    return bad(
        Code::invalid_request,
        "A request is an object, not " + std::string(type_name(value)) + ".",
        "Send {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}.");
  }
  return understood(value.get_object());
}

std::string reply_text(std::string_view id, std::string_view result) {
  std::string out;
  out.reserve(result.size() + id.size() + 40);
  out += R"({"jsonrpc":"2.0","id":)";
  out += id;
  out += R"(,"result":)";
  out += result;
  out += '}';
  return out;
}

std::string error_text(std::string_view id, const Error& error) {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  out += id;
  out += R"(,"error":)";
  append_json(out, to_json(error));
  out += '}';
  return out;
}

std::string notification_text(std::string_view method,
                              std::string_view params) {
  std::string out = R"({"jsonrpc":"2.0","method":")";
  out += method;
  out += R"(","params":)";
  out += params;
  out += '}';
  return out;
}

std::string request_text(std::string_view id, std::string_view method,
                         const json::object& params) {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  out += id;
  out += R"(,"method":)";
  append_json_string(out, method);
  out += R"(,"params":)";
  append_json(out, params);
  out += '}';
  return out;
}

}  // namespace toolhost
