// Runs schemas that are written as JSON text over instances that are, too.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "protocol/json_schema.hpp"

namespace toolhost::testing {

inline json::value parse_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = 20'000;
  return json::parse(text, {}, options);
}

inline std::shared_ptr<const JsonSchema> schema_of(std::string_view text) {
  auto made = JsonSchema::compile(parse_json(text));
  if (!made) {
    ADD_FAILURE() << text << "\n" << made.error().message;
    return JsonSchema::compile(json::value(false)).value();
  }
  return *made;
}

// The message of compile(); empty if the schema is fine.
inline std::string compile_error_of(const json::value& schema) {
  const auto made = JsonSchema::compile(schema);
  return made ? std::string() : made.error().message;
}
inline std::string compile_error(std::string_view text) {
  return compile_error_of(parse_json(text));
}

inline bool fits(std::string_view schema, std::string_view instance) {
  return schema_of(schema)->validate(parse_json(instance)).empty();
}

// "path: message" lines.
inline std::string faults(const JsonSchema& schema,
                          const json::value& instance) {
  std::string out;
  for (const SchemaFault& fault : schema.validate(instance)) {
    if (!out.empty()) out += '\n';
    out += fault.path + ": " + fault.message;
  }
  return out;
}
inline std::string faults(std::string_view schema, std::string_view instance) {
  return faults(*schema_of(schema), parse_json(instance));
}

}  // namespace toolhost::testing
