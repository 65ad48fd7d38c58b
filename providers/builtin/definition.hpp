// ToolDefinition: what one builtin tool file has to define.
//
// A plain table row of string_views, flags and function pointers: nothing runs
// before main, and builtin/tools.cpp lists the rows by name.
#pragma once

#include <string>
#include <string_view>

#include "protocol/tool.hpp"
#include "providers/execution.hpp"

namespace toolhost::builtin {

struct ToolDefinition {
  std::string_view name;
  std::string_view title;
  // The text for the model, with the limits of this config filled in. Ends
  // with a full stop.
  std::string (*description)(const config::Config& config);
  // JSON Schema of the arguments, an object with additionalProperties false.
  std::string_view schema;
  // Arguments that validate, for tests and help.
  std::string_view example;
  Annotations annotations;
  ToolPolicy policy = ToolPolicy::on_request;
  ToolKind kind = ToolKind::tool_call;
  bool hidden = false;
  bool pure_read = false;

  // Without side effects: what would this call touch, ask for, show? The
  // arguments have passed the schema and have their defaults.
  Outcome<Resolution> (*resolve)(const json::object& arguments,
                                 const ToolContext& context);
  // `arguments` are what was resolved and approved. A failure is a ToolOutput
  // with an error; an exception becomes `internal`.
  Task<ToolOutput> (*run)(json::object arguments,
                          const ExecutionContext& context);
};

}  // namespace toolhost::builtin
