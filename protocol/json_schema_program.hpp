// Program: the compiled form of a JSON Schema. Nodes point at each other by
// number and into the copy of the schema's own JSON that the program keeps.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/json_schema_format.hpp"
#include "protocol/json_schema_pattern.hpp"

namespace toolhost::schema {

namespace json = boost::json;

using NodeId = std::uint32_t;
inline constexpr NodeId kNone = std::numeric_limits<NodeId>::max();
inline constexpr std::size_t kUnbounded =
    std::numeric_limits<std::size_t>::max();

// A set of JSON types; empty means any.
using Types = std::uint8_t;
inline constexpr Types kNull = 1, kBoolean = 2, kInteger = 4, kNumber = 8,
                       kString = 16, kArray = 32, kObject = 64;

// null pointers: no such bound.
struct NumberRules {
  const json::value* minimum = nullptr;
  const json::value* maximum = nullptr;
  const json::value* above = nullptr;
  const json::value* below = nullptr;
  const json::value* multiple_of = nullptr;
};

struct StringRules {
  std::size_t min_length = 0;
  std::size_t max_length = kUnbounded;
  std::unique_ptr<Pattern> pattern;
  Format format = Format::none;
};

struct ArrayRules {
  std::vector<NodeId> prefix;
  NodeId rest = kNone;  // items after the prefix
  NodeId contains = kNone;
  std::size_t min_contains = 1;
  std::size_t max_contains = kUnbounded;
  std::size_t min_items = 0;
  std::size_t max_items = kUnbounded;
  bool unique = false;
};

struct PatternProperty {
  Pattern pattern;
  NodeId node = kNone;
};

struct ObjectRules {
  const json::object* properties = nullptr;
  std::vector<NodeId> property_nodes;  // in the order of `properties`
  std::vector<std::string_view> required;
  NodeId additional = kNone;
  std::vector<PatternProperty> patterns;
  NodeId names = kNone;
  std::size_t min_properties = 0;
  std::size_t max_properties = kUnbounded;
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>>
      dependent_required;
  std::vector<std::pair<std::string_view, NodeId>> dependent_schemas;

  // The node of a named property; kNone if `properties` does not have it.
  NodeId property(std::string_view name) const {
    if (!properties) return kNone;
    const auto* found = properties->find(name);
    return found == properties->end() ? kNone
                                      : property_nodes[static_cast<std::size_t>(
                                            found - properties->begin())];
  }
};

// Schemas that apply to the same value.
struct Branches {
  std::vector<NodeId> refs;
  std::vector<NodeId> all_of;
  std::vector<NodeId> any_of;
  std::vector<NodeId> one_of;
  NodeId negated = kNone;
  NodeId condition = kNone;
  NodeId then = kNone;
  NodeId otherwise = kNone;
};

struct Node {
  const json::value* source = nullptr;
  bool never = false;  // the schema `false`
  Types types = 0;
  const json::array* choices = nullptr;   // enum
  const json::value* constant = nullptr;  // const
  std::unique_ptr<NumberRules> numbers;
  std::unique_ptr<StringRules> strings;
  std::unique_ptr<ArrayRules> arrays;
  std::unique_ptr<ObjectRules> objects;
  std::unique_ptr<Branches> branches;
  NodeId unevaluated_items = kNone;
  NodeId unevaluated_properties = kNone;

  bool tracks_evaluation() const {
    return unevaluated_items != kNone || unevaluated_properties != kNone;
  }
};

struct Program {
  // On the heap, so that a move of the program keeps every pointer into it.
  std::unique_ptr<const json::value> schema;
  std::vector<Node> nodes;  // 0 is the root
  // Top-level properties with a usable default.
  std::vector<std::pair<std::string_view, const json::value*>> defaults;
};

}  // namespace toolhost::schema
