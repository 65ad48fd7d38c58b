#include "daemon/cli/json_read.hpp"

#include "protocol/json_text.hpp"

namespace toolhost::cli {
namespace {

std::string text_of(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_null()) return {};
  return json_text(value);
}

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(count), ' ');
}

}  // namespace

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value ? text_of(*value) : std::string();
}

std::string text_at(const json::object& object,
                    std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (object.contains(key)) return text_at(object, key);
  }
  return {};
}

std::optional<std::int64_t> int_at(const json::object& object,
                                   std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (!value || !value->is_number()) return std::nullopt;
  boost::system::error_code ec;
  const auto number = value->to_number<std::int64_t>(ec);
  if (ec) return std::nullopt;
  return number;
}

bool bool_at(const json::object& object, std::string_view key, bool otherwise) {
  const json::value* value = object.if_contains(key);
  return value && value->is_bool() ? value->get_bool() : otherwise;
}

const json::object& object_at(const json::object& object,
                              std::string_view key) {
  static const json::object kNone;
  const json::value* value = object.if_contains(key);
  return value && value->is_object() ? value->get_object() : kNone;
}

const json::array& array_at(const json::object& object, std::string_view key) {
  static const json::array kNone;
  const json::value* value = object.if_contains(key);
  return value && value->is_array() ? value->get_array() : kNone;
}

std::string pretty_json(const json::value& value, int indent) {
  constexpr int kStep = 2;
  const bool object = value.is_object() && !value.get_object().empty();
  const bool array = value.is_array() && !value.get_array().empty();
  if (!object && !array) return json_text(value);
  std::string out = object ? "{" : "[";
  bool first = true;
  const auto begin_item = [&] {
    out += first ? "\n" : ",\n";
    first = false;
    out += blanks(indent + kStep);
  };
  if (object) {
    for (const auto& member : value.get_object()) {
      begin_item();
      append_json_string(out, member.key());
      out += ": " + pretty_json(member.value(), indent + kStep);
    }
  } else {
    for (const json::value& item : value.get_array()) {
      begin_item();
      out += pretty_json(item, indent + kStep);
    }
  }
  return out + "\n" + blanks(indent) + (object ? "}" : "]");
}

}  // namespace toolhost::cli
