// Which properties an object schema speaks about.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace toolhost {

namespace json = boost::json;

struct SchemaNames {
  // Declared in `properties`, in sub-schemas of the same object (allOf, anyOf,
  // oneOf, if, then, else) and behind local references.
  std::set<std::string, std::less<>> declared;
  // Other names are welcome (additionalProperties, patternProperties, a
  // reference that leads nowhere): then nothing may be guessed.
  bool open = false;

  bool has(std::string_view name) const { return declared.contains(name); }
};

SchemaNames schema_names(const json::object& schema);

// The sub-schema of `properties`.`name`, or null.
const json::object* property_schema(const json::object& schema,
                                    std::string_view name);

}  // namespace toolhost
