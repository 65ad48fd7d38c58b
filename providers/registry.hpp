// Registry: tool name → provider and tool; immutable snapshots of it.
//
// Names are flat and unique: a provider with a name that is taken, an illegal
// name or a schema that does not compile is refused whole. A call pins the
// snapshot that it was judged with.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "protocol/json_schema.hpp"
#include "providers/provider.hpp"

namespace toolhost {

struct RegisteredTool {
  Tool tool;
  Provider* provider = nullptr;  // owned by the registry, outlives snapshots
  std::shared_ptr<const JsonSchema> schema;
  std::string definition_hash;
};

struct Snapshot {
  std::uint64_t generation = 0;
  // Sorted by name; hidden ones included.
  std::map<std::string, RegisteredTool, std::less<>> tools;
  config::ConfigPtr config;

  const RegisteredTool* find(std::string_view name) const;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

class Registry {
 public:
  explicit Registry(config::ConfigPtr config);

  // Whole or nothing. The error names the tool and who has its name.
  Result<void> add(std::unique_ptr<Provider> provider);
  // Renders every tool anew for another config (a reload).
  Result<void> set_config(config::ConfigPtr config);

  // shared_ptr: calls and catalogues keep the snapshot they started with.
  SnapshotPtr snapshot() const { return snapshot_; }
  const std::vector<std::unique_ptr<Provider>>& providers() const {
    return providers_;
  }

  Task<void> start_all();
  Task<void> stop_all();

 private:
  Result<SnapshotPtr> build(const config::ConfigPtr& config) const;

  std::vector<std::unique_ptr<Provider>> providers_;
  SnapshotPtr snapshot_;
};

// Every LLM API accepts it: 1-64 of [A-Za-z0-9_-].
bool is_tool_name(std::string_view name);

}  // namespace toolhost
