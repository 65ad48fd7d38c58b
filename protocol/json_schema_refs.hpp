// References inside one schema document, and loops that they make.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "protocol/error.hpp"
#include "protocol/json_schema_program.hpp"

namespace toolhost::schema {

class References {
 public:
  // `root` has to outlive this.
  explicit References(const json::value& root) : root_(root) {}

  // The schema that a $ref names: "#", "#/a/b", "#anchor", or the exact $id of
  // a schema in the document. Nothing is ever fetched.
  Result<const json::value*> find(std::string_view ref);

 private:
  Result<const json::value*> find_pointer(std::string_view ref,
                                          std::string_view pointer) const;
  void collect_names();

  const json::value& root_;
  bool collected_ = false;
  // "#name" and $id texts; null for a name that is used twice.
  std::unordered_map<std::string, const json::value*> names_;
};

// A node whose answer depends on its own answer for the same value through a
// choice (anyOf, oneOf, not, if): such a schema says nothing. Loops of $ref and
// allOf alone only repeat themselves and are fine.
std::optional<NodeId> find_paradox(const std::vector<Node>& nodes);

}  // namespace toolhost::schema
