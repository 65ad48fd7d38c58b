#include "gates/schema_names.hpp"

namespace toolhost {
namespace {

constexpr int kMaxDepth = 8;  // of nested sub-schemas and references
// In all: references that lead to each other multiply.
constexpr int kMaxSubschemas = 500;

const json::object* follow(const json::object& root, std::string_view target) {
  if (target == "#") return &root;
  if (!target.starts_with("#/")) return nullptr;
  const json::value* found = nullptr;
  const json::object* at = &root;
  target.remove_prefix(2);
  // Names of definitions are plain; one that is escaped leads nowhere here.
  while (at) {
    const std::size_t slash = target.find('/');
    found = at->if_contains(target.substr(0, slash));
    at = found ? found->if_object() : nullptr;
    if (slash == std::string_view::npos) break;
    target.remove_prefix(slash + 1);
  }
  return at;
}

struct Collector {
  const json::object& root;
  SchemaNames names;
  int subschemas = 0;

  void collect(const json::object& schema, int depth);
  void collect_parts(const json::object& schema, int depth);
};

void Collector::collect(const json::object& schema, int depth) {
  if (depth > kMaxDepth || ++subschemas > kMaxSubschemas) {
    names.open = true;
    return;
  }
  const auto open_when_set = [&](const char* key) {
    const json::value* value = schema.if_contains(key);
    if (value && !(value->is_bool() && !value->get_bool())) names.open = true;
  };
  open_when_set("additionalProperties");
  open_when_set("patternProperties");
  if (const json::value* own = schema.if_contains("properties");
      own && own->is_object()) {
    for (const auto& member : own->get_object()) {
      names.declared.emplace(member.key());
    }
  }
  if (const json::value* target = schema.if_contains("$ref")) {
    const json::object* found = nullptr;
    if (target->is_string()) found = follow(root, target->get_string());
    if (found) {
      collect(*found, depth + 1);
    } else {
      names.open = true;
    }
  }
  collect_parts(schema, depth + 1);
}

void Collector::collect_parts(const json::object& schema, int depth) {
  for (const char* key : {"if", "then", "else"}) {
    const json::value* part = schema.if_contains(key);
    if (part && part->is_object()) collect(part->get_object(), depth);
  }
  for (const char* key : {"allOf", "anyOf", "oneOf"}) {
    const json::value* parts = schema.if_contains(key);
    if (!parts || !parts->is_array()) continue;
    for (const json::value& part : parts->get_array()) {
      if (part.is_object()) collect(part.get_object(), depth);
      if (subschemas > kMaxSubschemas) return;
    }
  }
}

}  // namespace

SchemaNames schema_names(const json::object& schema) {
  Collector collector{schema, {}, 0};
  collector.collect(schema, 0);
  SchemaNames names = std::move(collector.names);
  if (names.declared.empty()) names.open = !schema.contains("properties");
  return names;
}

const json::object* property_schema(const json::object& schema,
                                    std::string_view name) {
  const json::value* all = schema.if_contains("properties");
  if (!all || !all->is_object()) return nullptr;
  const json::value* found = all->get_object().if_contains(name);
  return found ? found->if_object() : nullptr;
}

}  // namespace toolhost
