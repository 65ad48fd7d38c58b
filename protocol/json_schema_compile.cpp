#include "protocol/json_schema_compile.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "protocol/fields.hpp"
#include "protocol/json_schema.hpp"
#include "protocol/json_schema_keywords.hpp"
#include "protocol/json_schema_refs.hpp"
#include "protocol/json_schema_words.hpp"

namespace toolhost::schema {
namespace {

Error refused(std::string message) {
  return make_error(
      Code::invalid_params,
      "The JSON schema cannot be used: " + std::move(message) + ".",
      "The tool's author has to correct its inputSchema.");
}

// Nesting, measured before anything that recurses (a copy, an error text)
// touches the value.
bool too_deep(const json::value& schema) {
  std::vector<std::pair<const json::value*, int>> left{{&schema, 1}};
  while (!left.empty()) {
    const auto [at, depth] = left.back();
    left.pop_back();
    if (!at->is_structured()) continue;
    if (depth > JsonSchema::kMaxDepth) return true;
    if (at->is_array()) {
      for (const json::value& item : at->get_array()) {
        left.emplace_back(&item, depth + 1);
      }
    } else {
      for (const auto& member : at->get_object()) {
        left.emplace_back(&member.value(), depth + 1);
      }
    }
  }
  return false;
}

}  // namespace

Compiler::Compiler(const json::value& root) : root_(root), references_(root) {}

Result<std::vector<Node>> Compiler::run() {
  schedule(root_, {}, {});
  // `nodes_` grows while it is worked through: no recursion.
  for (NodeId id = 0; id < nodes_.size() && !error_; ++id) {
    current_ = id;
    Node node = std::move(nodes_[id]);
    compile_node(node);
    nodes_[id] = std::move(node);
  }
  if (error_) return *error_;
  if (const auto loop = find_paradox(nodes_)) {
    return refused("at " + where(*loop) +
                   " a choice refers to itself without going into a property "
                   "or an item");
  }
  return std::move(nodes_);
}

NodeId Compiler::schedule(const json::value& schema, std::string_view keyword,
                          std::string_view token) {
  const auto [at, fresh] =
      ids_.emplace(&schema, static_cast<NodeId>(nodes_.size()));
  if (!fresh) return at->second;
  if (nodes_.size() == JsonSchema::kMaxNodes) {
    fail("it has more than " + std::to_string(JsonSchema::kMaxNodes) +
         " subschemas");
    return 0;
  }
  nodes_.emplace_back().source = &schema;
  origins_.push_back({current_, keyword, token});
  return at->second;
}

void Compiler::fail(std::string what) {
  if (!error_) error_ = refused("at " + where(current_) + " " + what);
}

void Compiler::fail(std::string_view keyword, std::string what) {
  fail(literal(keyword) + " " + std::move(what));
}

std::string Compiler::where(NodeId id) const {
  // A few steps tell where to look; keys may be long and many.
  constexpr int kSteps = 12;
  std::string out;
  for (int i = 0; id != 0 && i < kSteps; ++i) {
    const Origin& origin = origins_[id];
    std::string step = "/" + std::string(origin.keyword.substr(0, 60));
    if (!origin.token.empty()) {
      step += "/" + std::string(origin.token.substr(0, 60));
    }
    out = step + out;
    id = origin.parent;
  }
  return id == 0 ? "#" + out : "…" + out;
}

void Compiler::compile_node(Node& node) {
  const json::value& source = *node.source;
  if (source.is_bool()) {
    node.never = !source.get_bool();
    return;
  }
  if (!source.is_object()) {
    return fail("a schema must be an object or a boolean, not " +
                std::string(type_name(source)));
  }
  for (const auto& member : source.get_object()) {
    if (error_) return;
    // Generators write null for "not set"; only const means it.
    if (member.value().is_null() && member.key() != "const") continue;
    if (const Keyword* keyword = find_keyword(member.key())) {
      (this->*keyword->compile)(node, keyword->name, member.value());
    }
  }
  finish(node, source.get_object());
}

// Keywords whose meaning depends on one beside them.
void Compiler::finish(Node& node, const json::object& source) {
  if (node.numbers) {
    const auto strict = [&source](std::string_view name) {
      const json::value* flag = source.if_contains(name);
      return flag && flag->is_bool() && flag->get_bool();
    };
    NumberRules& rules = *node.numbers;
    // Draft 4: a boolean makes the bound beside it exclusive.
    if (strict("exclusiveMinimum")) {
      rules.above = std::exchange(rules.minimum, nullptr);
    }
    if (strict("exclusiveMaximum")) {
      rules.below = std::exchange(rules.maximum, nullptr);
    }
  }
  // additionalItems counts only after the array form of items.
  const json::value* items = source.if_contains("items");
  const json::value* rest = source.if_contains("additionalItems");
  if (items && items->is_array() && rest && !rest->is_null()) {
    arrays(node).rest = schedule(*rest, "additionalItems", {});
  }
}

Result<Program> compile(const json::value& schema) {
  if (too_deep(schema)) {
    return refused("it is nested deeper than " +
                   std::to_string(JsonSchema::kMaxDepth) + " levels");
  }
  Program program;
  program.schema = std::make_unique<const json::value>(schema);
  Compiler compiler(*program.schema);
  auto nodes = compiler.run();
  if (!nodes) return nodes.error();
  program.nodes = std::move(*nodes);
  return program;
}

}  // namespace toolhost::schema
