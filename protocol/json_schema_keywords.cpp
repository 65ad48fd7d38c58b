#include "protocol/json_schema_keywords.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "protocol/fields.hpp"
#include "protocol/json_schema_values.hpp"
#include "protocol/json_schema_words.hpp"

namespace toolhost::schema {
namespace {

// Compiled patterns of one schema: each takes some microseconds and memory.
constexpr std::size_t kMaxPatterns = 1000;

Types parse_type(const json::value& name) {
  if (!name.is_string()) return 0;
  constexpr std::array<std::pair<std::string_view, Types>, 7> kTypes{{
      {"null", kNull},
      {"boolean", kBoolean},
      {"integer", kInteger},
      {"number", kNumber},
      {"string", kString},
      {"array", kArray},
      {"object", kObject},
  }};
  for (const auto& [text, type] : kTypes) {
    if (name.get_string() == text) return type;
  }
  return 0;
}

template <class Rules>
Rules& made(std::unique_ptr<Rules>& rules) {
  if (!rules) rules = std::make_unique<Rules>();
  return *rules;
}

}  // namespace

using C = Compiler;

constinit const std::array<Compiler::Keyword, 42> Compiler::kKeywords{{
    {"$dynamicRef", &C::reference},
    {"$recursiveRef", &C::reference},
    {"$ref", &C::reference},
    {"additionalProperties", &C::object_schema},
    {"allOf", &C::branch_list},
    {"anyOf", &C::branch_list},
    {"const", &C::constant},
    {"contains", &C::array_schema},
    {"dependencies", &C::dependencies},
    {"dependentRequired", &C::dependencies},
    {"dependentSchemas", &C::dependencies},
    {"else", &C::branch},
    {"enum", &C::choices},
    {"exclusiveMaximum", &C::bound},
    {"exclusiveMinimum", &C::bound},
    {"format", &C::format},
    {"if", &C::branch},
    {"items", &C::items},
    {"maxContains", &C::array_count},
    {"maxItems", &C::array_count},
    {"maxLength", &C::length},
    {"maxProperties", &C::object_count},
    {"maximum", &C::bound},
    {"minContains", &C::array_count},
    {"minItems", &C::array_count},
    {"minLength", &C::length},
    {"minProperties", &C::object_count},
    {"minimum", &C::bound},
    {"multipleOf", &C::multiple_of},
    {"not", &C::branch},
    {"oneOf", &C::branch_list},
    {"pattern", &C::string_pattern},
    {"patternProperties", &C::pattern_properties},
    {"prefixItems", &C::prefix_items},
    {"properties", &C::properties},
    {"propertyNames", &C::object_schema},
    {"required", &C::required},
    {"then", &C::branch},
    {"type", &C::type},
    {"unevaluatedItems", &C::array_schema},
    {"unevaluatedProperties", &C::object_schema},
    {"uniqueItems", &C::unique_items},
}};

const Compiler::Keyword* Compiler::find_keyword(std::string_view name) {
  const auto found = std::find_if(
      kKeywords.begin(), kKeywords.end(),
      [name](const Keyword& keyword) { return keyword.name == name; });
  return found == kKeywords.end() ? nullptr : &*found;
}

NumberRules& Compiler::numbers(Node& node) { return made(node.numbers); }
StringRules& Compiler::strings(Node& node) { return made(node.strings); }
ArrayRules& Compiler::arrays(Node& node) { return made(node.arrays); }
ObjectRules& Compiler::objects(Node& node) { return made(node.objects); }
Branches& Compiler::branches(Node& node) { return made(node.branches); }

bool Compiler::expect(bool fits, Name name, std::string_view expected,
                      const json::value& got) {
  if (!fits) {
    fail(name,
         "must be " + std::string(expected) + ", not " + short_value(got));
  }
  return fits;
}

std::optional<std::size_t> Compiler::count(Name name,
                                           const json::value& value) {
  const bool fits =
      value.is_number() && is_integer(value) && number(value) >= 0;
  if (!expect(fits, name, "a whole number from 0", value)) return std::nullopt;
  // 2.0 is fine, and so is a bound that nothing can reach.
  const long double most = 1e15L;
  return static_cast<std::size_t>(std::min(number(value), most));
}

std::vector<NodeId> Compiler::schemas(Name name, const json::value& value) {
  std::vector<NodeId> out;
  const bool fits = value.is_array() && !value.get_array().empty();
  if (!expect(fits, name, "a list of schemas that is not empty", value)) {
    return out;
  }
  for (const json::value& item : value.get_array()) {
    out.push_back(schedule(item, name, {}));
  }
  return out;
}

std::vector<std::string_view> Compiler::names(Name name,
                                              const json::value& value) {
  std::vector<std::string_view> out;
  if (!expect(value.is_array(), name, "a list of names", value)) return out;
  for (const json::value& item : value.get_array()) {
    if (!expect(item.is_string(), name, "a list of names", item)) break;
    out.push_back(item.get_string());
  }
  return out;
}

std::optional<Pattern> Compiler::pattern(Name name, std::string_view text) {
  if (++patterns_ > kMaxPatterns) {
    fail("it has more than " + std::to_string(kMaxPatterns) + " patterns");
    return std::nullopt;
  }
  auto made_pattern = Pattern::compile(text);
  if (!made_pattern) {
    fail(name, literal(text) + " " + made_pattern.error().message);
    return std::nullopt;
  }
  return std::move(*made_pattern);
}

void Compiler::type(Node& node, Name name, const json::value& value) {
  constexpr std::string_view kExpected =
      "one of null, boolean, integer, number, string, array, object, or a list "
      "of these";
  if (!value.is_array()) {
    node.types = parse_type(value);
    expect(node.types != 0, name, kExpected, value);
    return;
  }
  for (const json::value& item : value.get_array()) {
    const Types one = parse_type(item);
    if (!expect(one != 0, name, kExpected, item)) return;
    node.types = static_cast<Types>(node.types | one);
  }
  expect(node.types != 0, name, kExpected, value);
}

void Compiler::choices(Node& node, Name name, const json::value& value) {
  const bool fits = value.is_array() && !value.get_array().empty();
  if (expect(fits, name, "a list of values that is not empty", value)) {
    node.choices = &value.get_array();
  }
}

void Compiler::constant(Node& node, Name, const json::value& value) {
  node.constant = &value;
}

void Compiler::bound(Node& node, Name name, const json::value& value) {
  NumberRules& rules = numbers(node);
  const bool exclusive = name.starts_with("exclusive");
  // Draft 4's form; finish() knows the bound beside it.
  if (exclusive && value.is_bool()) return;
  if (!expect(value.is_number(), name, "a number", value)) return;
  if (name == "minimum") rules.minimum = &value;
  if (name == "maximum") rules.maximum = &value;
  if (name == "exclusiveMinimum") rules.above = &value;
  if (name == "exclusiveMaximum") rules.below = &value;
}

void Compiler::multiple_of(Node& node, Name name, const json::value& value) {
  const bool fits = value.is_number() && number(value) > 0;
  if (expect(fits, name, "a number over 0", value)) {
    numbers(node).multiple_of = &value;
  }
}

void Compiler::length(Node& node, Name name, const json::value& value) {
  const auto length = count(name, value);
  if (!length) return;
  StringRules& rules = strings(node);
  (name == "minLength" ? rules.min_length : rules.max_length) = *length;
}

void Compiler::string_pattern(Node& node, Name name, const json::value& value) {
  if (!expect(value.is_string(), name, "a string", value)) return;
  auto compiled = pattern(name, value.get_string());
  if (compiled) {
    strings(node).pattern = std::make_unique<Pattern>(std::move(*compiled));
  }
}

void Compiler::format(Node& node, Name name, const json::value& value) {
  if (!expect(value.is_string(), name, "a string", value)) return;
  const Format format = parse_format(value.get_string());
  if (format != Format::none) strings(node).format = format;
}

void Compiler::items(Node& node, Name name, const json::value& value) {
  // An array was the form of prefixItems until draft 2019-09.
  if (value.is_array()) return prefix_items(node, name, value);
  arrays(node).rest = schedule(value, name, {});
}

void Compiler::prefix_items(Node& node, Name name, const json::value& value) {
  const bool empty = value.is_array() && value.get_array().empty();
  if (!empty) arrays(node).prefix = schemas(name, value);
}

void Compiler::array_schema(Node& node, Name name, const json::value& value) {
  const NodeId id = schedule(value, name, {});
  (name == "contains" ? arrays(node).contains : node.unevaluated_items) = id;
}

void Compiler::array_count(Node& node, Name name, const json::value& value) {
  const auto most = count(name, value);
  if (!most) return;
  ArrayRules& rules = arrays(node);
  if (name == "minItems") rules.min_items = *most;
  if (name == "maxItems") rules.max_items = *most;
  if (name == "minContains") rules.min_contains = *most;
  if (name == "maxContains") rules.max_contains = *most;
}

void Compiler::unique_items(Node& node, Name name, const json::value& value) {
  if (expect(value.is_bool(), name, "a boolean", value)) {
    arrays(node).unique = value.get_bool();
  }
}

void Compiler::properties(Node& node, Name name, const json::value& value) {
  if (!expect(value.is_object(), name, "an object", value)) return;
  ObjectRules& rules = objects(node);
  rules.properties = &value.get_object();
  for (const auto& member : value.get_object()) {
    rules.property_nodes.push_back(
        schedule(member.value(), name, member.key()));
  }
}

void Compiler::required(Node& node, Name name, const json::value& value) {
  objects(node).required = names(name, value);
}

void Compiler::object_schema(Node& node, Name name, const json::value& value) {
  const NodeId id = schedule(value, name, {});
  if (name == "additionalProperties") objects(node).additional = id;
  if (name == "propertyNames") objects(node).names = id;
  if (name == "unevaluatedProperties") node.unevaluated_properties = id;
}

void Compiler::object_count(Node& node, Name name, const json::value& value) {
  const auto most = count(name, value);
  if (!most) return;
  ObjectRules& rules = objects(node);
  (name == "minProperties" ? rules.min_properties : rules.max_properties) =
      *most;
}

void Compiler::pattern_properties(Node& node, Name name,
                                  const json::value& value) {
  if (!expect(value.is_object(), name, "an object", value)) return;
  for (const auto& member : value.get_object()) {
    auto compiled = pattern(name, member.key());
    if (!compiled) return;
    const NodeId id = schedule(member.value(), name, member.key());
    objects(node).patterns.push_back({std::move(*compiled), id});
  }
}

// `dependencies` of draft 7 is both of its successors in one.
void Compiler::dependencies(Node& node, Name name, const json::value& value) {
  if (!expect(value.is_object(), name, "an object", value)) return;
  ObjectRules& rules = objects(node);
  for (const auto& member : value.get_object()) {
    const json::value& needs = member.value();
    const bool list = name == "dependentRequired" ||
                      (name == "dependencies" && needs.is_array());
    if (list) {
      rules.dependent_required.emplace_back(member.key(), names(name, needs));
    } else {
      rules.dependent_schemas.emplace_back(member.key(),
                                           schedule(needs, name, member.key()));
    }
  }
}

void Compiler::reference(Node& node, Name name, const json::value& value) {
  if (!expect(value.is_string(), name, "a string", value)) return;
  const auto found = references_.find(value.get_string());
  if (!found) return fail(found.error().message);
  branches(node).refs.push_back(schedule(**found, name, value.get_string()));
}

void Compiler::branch_list(Node& node, Name name, const json::value& value) {
  Branches& lists = branches(node);
  auto& list = name == "allOf"   ? lists.all_of
               : name == "anyOf" ? lists.any_of
                                 : lists.one_of;
  list = schemas(name, value);
}

void Compiler::branch(Node& node, Name name, const json::value& value) {
  Branches& all = branches(node);
  NodeId& one = name == "not"    ? all.negated
                : name == "if"   ? all.condition
                : name == "then" ? all.then
                                 : all.otherwise;
  one = schedule(value, name, {});
}

}  // namespace toolhost::schema
