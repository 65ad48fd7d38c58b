// Compiler: one member function per keyword of JSON Schema.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "protocol/error.hpp"
#include "protocol/json_schema_program.hpp"
#include "protocol/json_schema_refs.hpp"

namespace toolhost::schema {

class Compiler {
 public:
  // `root` has to outlive the nodes. Its nesting was checked.
  explicit Compiler(const json::value& root);

  Result<std::vector<Node>> run();

 private:
  using Name = std::string_view;
  using Method = void (Compiler::*)(Node&, Name, const json::value&);
  struct Keyword {
    Name name;
    Method compile;
  };
  // Where a node stands: its parent, the keyword there, and a name or number.
  struct Origin {
    NodeId parent = 0;
    std::string_view keyword;
    std::string_view token;
  };

  static const std::array<Keyword, 42> kKeywords;
  static const Keyword* find_keyword(std::string_view name);

  // The node of a subschema, compiled later unless it is known already.
  NodeId schedule(const json::value& schema, std::string_view keyword,
                  std::string_view token);
  void compile_node(Node& node);
  void finish(Node& node, const json::object& source);

  // The first fault wins.
  void fail(std::string what);
  void fail(std::string_view keyword, std::string what);
  std::string where(NodeId id) const;
  bool expect(bool fits, Name name, std::string_view expected,
              const json::value& got);

  NumberRules& numbers(Node& node);
  StringRules& strings(Node& node);
  ArrayRules& arrays(Node& node);
  ObjectRules& objects(Node& node);
  Branches& branches(Node& node);

  std::optional<std::size_t> count(Name, const json::value&);
  std::vector<NodeId> schemas(Name, const json::value&);
  std::vector<std::string_view> names(Name, const json::value&);
  std::optional<Pattern> pattern(Name, std::string_view text);

  void type(Node&, Name, const json::value&);
  void choices(Node&, Name, const json::value&);
  void constant(Node&, Name, const json::value&);
  void bound(Node&, Name, const json::value&);
  void multiple_of(Node&, Name, const json::value&);
  void length(Node&, Name, const json::value&);
  void string_pattern(Node&, Name, const json::value&);
  void format(Node&, Name, const json::value&);
  void items(Node&, Name, const json::value&);
  void prefix_items(Node&, Name, const json::value&);
  void array_schema(Node&, Name, const json::value&);
  void array_count(Node&, Name, const json::value&);
  void unique_items(Node&, Name, const json::value&);
  void properties(Node&, Name, const json::value&);
  void required(Node&, Name, const json::value&);
  void object_schema(Node&, Name, const json::value&);
  void object_count(Node&, Name, const json::value&);
  void pattern_properties(Node&, Name, const json::value&);
  void dependencies(Node&, Name, const json::value&);
  void reference(Node&, Name, const json::value&);
  void branch_list(Node&, Name, const json::value&);
  void branch(Node&, Name, const json::value&);

  const json::value& root_;
  References references_;
  std::vector<Node> nodes_;
  std::vector<Origin> origins_;  // beside nodes_
  std::unordered_map<const json::value*, NodeId> ids_;
  NodeId current_ = 0;
  std::size_t patterns_ = 0;
  std::optional<Error> error_;
};

}  // namespace toolhost::schema
