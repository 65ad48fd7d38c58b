#include "gates/envelope.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "gates/schema_names.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

constexpr int kMaxLayers = 8;
constexpr std::string_view kRaw = "__raw";

constexpr std::array<std::string_view, 6> kWrappers{
    "arguments", "args", "input", "parameters", "params", "payload"};

// What transports put beside a `__raw`, and models beside a wrapper.
constexpr std::array<std::string_view, 10> kRawMetadata{
    "toolName",    "tool_name",    "callId",        "call_id",  "providerId",
    "provider_id", "providerKind", "provider_kind", "toolKind", "tool_kind"};
constexpr std::array<std::string_view, 8> kWrapperMetadata{
    "tool", "toolName", "tool_name", "name", "id", "callId", "call_id", "type"};

std::optional<json::object> parse_object(std::string_view text) {
  json::parse_options options;
  options.max_depth = 64;
  boost::system::error_code failure;
  json::value value = json::parse(text, failure, {}, options);
  if (failure || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

// The first `{…}` whose braces balance outside of strings.
std::string_view first_balanced(std::string_view text) {
  const std::size_t begin = text.find('{');
  if (begin == std::string_view::npos) return {};
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return text.substr(begin, at - begin + 1);
  }
  return {};
}

// The inside of the first fenced code block.
std::string_view fenced(std::string_view text) {
  constexpr std::string_view kFence = "```";
  const std::size_t open = text.find(kFence);
  if (open == std::string_view::npos) return {};
  const std::size_t line = text.find('\n', open);
  if (line == std::string_view::npos) return {};
  const std::size_t close = text.rfind(kFence);
  if (close <= line) return {};
  return text.substr(line + 1, close - line - 1);
}

std::optional<json::object> find_object(std::string_view text) {
  if (text.size() > kMaxEnvelopeBytes) return std::nullopt;
  for (const std::string_view part :
       {text, fenced(text), first_balanced(text)}) {
    if (part.empty()) continue;
    if (auto found = parse_object(part)) return found;
  }
  return std::nullopt;
}

// Nothing beside `key` but metadata that the schema does not speak about.
bool stands_alone(const json::object& object, std::string_view key,
                  std::span<const std::string_view> metadata,
                  const SchemaNames& names) {
  return std::all_of(object.begin(), object.end(), [&](const auto& member) {
    const std::string_view name = member.key();
    if (name == key) return true;
    const bool known =
        std::find(metadata.begin(), metadata.end(), name) != metadata.end();
    return known && !names.has(name);
  });
}

std::optional<json::object> open_raw(const json::object& object,
                                     const SchemaNames& names) {
  const json::value* raw = object.if_contains(kRaw);
  if (!raw || !raw->is_string() || names.has(kRaw)) return std::nullopt;
  if (raw->get_string().size() > kMaxEnvelopeBytes) return std::nullopt;
  if (!stands_alone(object, kRaw, kRawMetadata, names)) return std::nullopt;
  return parse_object(raw->get_string());
}

std::optional<json::object> open_wrapper(const json::object& object,
                                         const SchemaNames& names,
                                         std::string_view& wrapper) {
  // A schema that takes any name may mean this one.
  if (names.open) return std::nullopt;
  for (const std::string_view key : kWrappers) {
    const json::value* inside = object.if_contains(key);
    if (!inside || names.has(key)) continue;
    if (!stands_alone(object, key, kWrapperMetadata, names)) continue;
    wrapper = key;
    if (inside->is_object()) return inside->get_object();
    if (inside->is_string()) return find_object(inside->get_string());
  }
  return std::nullopt;
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

json::object unwrap_arguments(json::object raw, const json::object& schema,
                              std::vector<std::string>& notes) {
  if (raw.empty()) return raw;
  const SchemaNames names = schema_names(schema);
  for (int layer = 0; layer < kMaxLayers; ++layer) {
    std::string_view wrapper = kRaw;
    std::optional<json::object> inside = open_raw(raw, names);
    if (!inside) inside = open_wrapper(raw, names, wrapper);
    if (!inside) break;
    notes.push_back("The arguments were taken out of \"" +
                    std::string(wrapper) + "\".");
    raw = std::move(*inside);
  }
  return raw;
}

std::optional<CallError> cut_arguments(const json::object& arguments,
                                       const json::object& schema) {
  const json::value* raw = arguments.if_contains(kRaw);
  if (!raw || !raw->is_string() || schema_names(schema).has(kRaw)) {
    return std::nullopt;
  }
  const std::size_t characters = character_count(raw->get_string());
  return make_call_error(
      CallErrorKind::invalid_arguments,
      "The arguments were not valid JSON; they were probably cut off by an "
      "output limit. " +
          std::to_string(characters) + " characters were received.",
      "Nothing was run. Send the call again with less in it: write a small "
      "skeleton first, then fill it in with several edits.");
}

}  // namespace toolhost
