#include "providers/mcp/wire.hpp"

#include <charconv>

#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost::mcp {
namespace {

using std::string_view;

// A message that follows other text on its line begins within this.
constexpr std::size_t kPrefixBytes = 4096;
constexpr int kPrefixTries = 4;

std::optional<json::value> parse(string_view text) {
  json::parse_options options;
  options.max_depth = kMaxNesting + 8;
  std::string shallow;
  if (auto limited = limit_nesting(text, kMaxNesting)) {
    shallow = std::move(*limited);
    text = shallow;
  }
  boost::system::error_code error;
  json::value value = json::parse(text, error, {}, options);
  if (!error) return value;
  if (is_utf8(text)) return std::nullopt;
  const std::string mended = to_utf8(text);
  value = json::parse(mended, error, {}, options);
  if (error) return std::nullopt;
  return value;
}

std::string text_member(const json::object& object, string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_string()) return {};
  return std::string(value->get_string());
}

RpcError read_error(const json::value& value) {
  RpcError out;
  const json::object* object = value.if_object();
  if (!object) {
    out.message = json_text(value);
    return out;
  }
  if (const auto* code = object->if_contains("code")) {
    if (code->is_int64()) out.code = code->get_int64();
  }
  out.message = text_member(*object, "message");
  if (const auto* data = object->if_contains("data")) out.data = *data;
  return out;
}

// False when it is no JSON-RPC message.
bool read_message(json::value& value, std::vector<Message>& out) {
  json::object* object = value.if_object();
  if (!object) return false;
  Message message;
  message.method = text_member(*object, "method");
  const json::value* id = object->if_contains("id");
  if (!message.method.empty()) {
    if (json::value* params = object->if_contains("params")) {
      if (params->is_object()) message.params = std::move(params->get_object());
    }
    if (id && !id->is_null()) {
      message.kind = Message::Kind::request;
      message.request_id = json_text(*id);
    }
    out.push_back(std::move(message));
    return true;
  }
  json::value* result = object->if_contains("result");
  const json::value* error = object->if_contains("error");
  if (!result && !error) return false;
  message.kind = Message::Kind::reply;
  if (id && id->is_int64()) message.reply_id = id->get_int64();
  if (error && !error->is_null()) {
    message.error = read_error(*error);
  } else if (result) {
    message.result = std::move(*result);
  }
  out.push_back(std::move(message));
  return true;
}

bool read_value(json::value& value, std::vector<Message>& out) {
  json::array* batch = value.if_array();
  if (!batch) return read_message(value, out);
  bool all = !batch->empty();
  for (json::value& each : *batch) all = read_message(each, out) && all;
  return all;
}

bool starts_value(string_view text) {
  return !text.empty() && (text.front() == '{' || text.front() == '[');
}

}  // namespace

Parsed parse_line(string_view line) {
  Parsed out;
  constexpr string_view kMark = "\xEF\xBB\xBF";
  if (line.starts_with(kMark)) line.remove_prefix(kMark.size());
  const auto first = line.find_first_not_of(" \t\r");
  if (first == string_view::npos) return out;
  line.remove_prefix(first);
  if (starts_value(line)) {
    if (auto value = parse(line)) {
      if (!read_value(*value, out.messages)) out.noise = line;
      return out;
    }
  }
  // A log line without its line feed, and the message behind it.
  std::size_t at = 0;
  for (int i = 0; i < kPrefixTries; ++i) {
    at = line.find('{', at + 1);
    if (at == string_view::npos || at > kPrefixBytes) break;
    auto value = parse(line.substr(at));
    if (value && read_value(*value, out.messages)) {
      out.noise = line.substr(0, at);
      return out;
    }
  }
  out.noise = line;
  return out;
}

std::optional<std::int64_t> id_of_cut_line(string_view ends) {
  constexpr string_view kId = "\"id\":";
  const auto read = [&](std::size_t at) -> std::optional<std::int64_t> {
    if (at == string_view::npos) return std::nullopt;
    string_view rest = ends.substr(at + kId.size());
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    std::int64_t id = 0;
    const auto end = rest.data() + rest.size();
    const auto [stop, error] = std::from_chars(rest.data(), end, id);
    if (error != std::errc() || stop == rest.data()) return std::nullopt;
    return id;
  };
  // Behind the result, or before it.
  if (auto id = read(ends.rfind(kId))) return id;
  return read(ends.find(kId));
}

std::optional<std::string> limit_nesting(string_view text, std::size_t most) {
  std::size_t depth = 0;
  std::size_t kept_from = 0;  // where the piece begins that is copied next
  bool inside = false;        // a string
  bool any = false;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        inside = false;
      }
    } else if (c == '"') {
      inside = true;
    } else if (c == '{' || c == '[') {
      if (++depth == most + 1) {
        any = true;
        out += text.substr(kept_from, i - kept_from);
        out += "null";
      }
    } else if ((c == '}' || c == ']') && depth > 0) {
      if (depth-- == most + 1) kept_from = i + 1;
    }
  }
  if (!any) return std::nullopt;
  if (depth <= most) out += text.substr(std::min(kept_from, text.size()));
  return out;
}

}  // namespace toolhost::mcp
