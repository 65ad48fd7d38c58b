#include "protocol/fields.hpp"

namespace toolhost {

std::string_view type_name(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "a string";
    case json::kind::array:
      return "an array";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

Fields::Fields(const json::object& object, std::string path)
    : object_(object), path_(std::move(path)) {}

const json::value* Fields::find(std::string_view name) const {
  const json::value* value = object_.if_contains(name);
  return value && !value->is_null() ? value : nullptr;
}

void Fields::fail(std::string_view name, std::string what) {
  if (error_) return;
  const std::string at = path_ + "." + std::string(name);
  error_ = make_error(Code::invalid_params, at + " " + std::move(what) + ".");
  error_->details["path"] = at;
}

void Fields::wrong_type(std::string_view name, std::string_view expected,
                        const json::value& got) {
  fail(name, "must be " + std::string(expected) + ", not " +
                 std::string(type_name(got)));
}

std::string Fields::required_string(std::string_view name) {
  const json::value* value = find(name);
  if (!value) {
    fail(name, "is missing");
    return {};
  }
  return optional_string(name).value_or("");
}

std::optional<std::string> Fields::optional_string(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_string()) {
    wrong_type(name, "a string", *value);
    return std::nullopt;
  }
  return std::string(value->get_string());
}

std::optional<bool> Fields::optional_bool(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_bool()) {
    wrong_type(name, "a boolean", *value);
    return std::nullopt;
  }
  return value->get_bool();
}

std::optional<std::int64_t> Fields::optional_int(std::string_view name,
                                                 std::int64_t low,
                                                 std::int64_t high) {
  const json::value* value = find(name);
  if (!value) return std::nullopt;
  boost::system::error_code ec;
  const auto number = value->to_number<std::int64_t>(ec);
  if (ec) {
    wrong_type(name, "a whole number", *value);
    return std::nullopt;
  }
  if (number < low || number > high) {
    fail(name, "must be between " + std::to_string(low) + " and " +
                   std::to_string(high) + ", not " + std::to_string(number));
    return std::nullopt;
  }
  return number;
}

const json::object* Fields::optional_object(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return nullptr;
  if (!value->is_object()) {
    wrong_type(name, "an object", *value);
    return nullptr;
  }
  return &value->get_object();
}

const json::array* Fields::optional_array(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return nullptr;
  if (!value->is_array()) {
    wrong_type(name, "an array", *value);
    return nullptr;
  }
  return &value->get_array();
}

std::optional<std::vector<std::string>> Fields::optional_strings(
    std::string_view name) {
  const json::array* items = optional_array(name);
  if (!items) return std::nullopt;
  std::vector<std::string> out;
  for (const json::value& item : *items) {
    if (!item.is_string()) {
      wrong_type(name, "an array of strings", item);
      return std::nullopt;
    }
    out.emplace_back(item.get_string());
  }
  return out;
}

std::optional<std::string> Fields::optional_choice(
    std::string_view name, std::span<const std::string_view> allowed) {
  auto text = optional_string(name);
  if (!text) return std::nullopt;
  std::string list;
  for (std::string_view choice : allowed) {
    if (*text == choice) return text;
    list += (list.empty() ? "" : ", ") + std::string(choice);
  }
  fail(name, "must be one of " + list + ", not \"" + *text + "\"");
  return std::nullopt;
}

}  // namespace toolhost
