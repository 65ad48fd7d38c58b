// The answer to a tool name that is in no registry.
#pragma once

#include "protocol/text.hpp"
#include "providers/registry.hpp"

namespace toolhost {

inline Error tool_not_found(const Snapshot& snapshot,
                            const std::string& wanted) {
  std::vector<std::string> names;
  for (const auto& [name, row] : snapshot.tools) {
    if (!row.tool.hidden) names.push_back(name);
  }
  Error error =
      make_error(Code::tool_not_found, "There is no tool \"" + wanted + "\".",
                 "listTools has the names.");
  json::array similar;
  for (const std::string& name : similar_names(wanted, names)) {
    similar.emplace_back(name);
  }
  if (!similar.empty()) {
    error.hint =
        "Did you mean \"" + std::string(similar.front().get_string()) + "\"?";
  }
  error.details["similar"] = std::move(similar);
  return error;
}

}  // namespace toolhost
