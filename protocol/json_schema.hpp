// JsonSchema: validation of arguments against a tool's schema, all errors at
// once, worded for a model.
//
// Drafts 7, 2019-09 and 2020-12 as tools use them. Schemas are untrusted data:
// bounded in size and depth, `$ref` is local only (cycles are fine), patterns
// run in PCRE2 with match limits, and no input can make it recurse without
// bound, hang or abort. A schema that cannot be understood is an error of
// compile(), never a pass.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost {

struct SchemaFault {
  std::string path;     // "/edits/0/oldText"; empty for the whole
  std::string message;  // "must be a string, not a number"
};

class JsonSchema {
 public:
  // Limits of a schema: nodes and nesting.
  static constexpr std::size_t kMaxNodes = 20'000;
  static constexpr int kMaxDepth = 100;
  // Work for one validation (schema nodes visited); over it, one fault says so.
  static constexpr std::size_t kMaxSteps = 200'000;
  // Faults reported at most.
  static constexpr std::size_t kMaxFaults = 20;

  static Result<std::shared_ptr<const JsonSchema>> compile(
      const json::value& schema);
  ~JsonSchema();

  std::vector<SchemaFault> validate(const json::value& instance) const;

  // Fills in `default` values of missing top-level properties.
  void add_defaults(json::object& instance) const;

 private:
  struct Compiled;
  explicit JsonSchema(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace toolhost
