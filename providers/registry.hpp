// Registry: tool name → provider and tool; immutable snapshots of it.
//
// Names are flat and unique: a provider of our own with a name that is taken,
// an illegal name or a schema that does not compile is refused whole. Of a
// provider whose tools are somebody else's (mcp) only that tool is left out,
// and Snapshot::left_out says why. A call pins the snapshot that it was judged
// with.
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
  Provider* provider = nullptr;  // kept alive by the snapshot's owners
  std::shared_ptr<const JsonSchema> schema;
  std::string definition_hash;
};

// A tool that a provider has and nobody gets.
struct LeftOut {
  std::string provider;
  std::string tool;
  std::string reason;
};

struct Snapshot {
  std::uint64_t generation = 0;
  // Sorted by name; hidden ones included.
  std::map<std::string, RegisteredTool, std::less<>> tools;
  config::ConfigPtr config;
  std::vector<LeftOut> left_out;
  std::vector<std::shared_ptr<Provider>> owners;

  const RegisteredTool* find(std::string_view name) const;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

class Registry {
 public:
  explicit Registry(config::ConfigPtr config);
  // Whoever still has a provider is not told of here any more.
  ~Registry();

  // Whole or nothing. The error names the tool and who has its name.
  Result<void> add(std::shared_ptr<Provider> provider);
  // Its tools are in no snapshot from now on; calls in flight keep it alive.
  // nullptr when there is none. Whoever removes a provider stops it.
  std::shared_ptr<Provider> remove(std::string_view name);
  // nullptr when there is none.
  std::shared_ptr<Provider> find(std::string_view name) const;
  // Renders every tool anew for another config (a reload).
  Result<void> set_config(config::ConfigPtr config);
  // After the tools or the state of a provider changed (Provider::on_change
  // calls it): a new snapshot, then `on_change`.
  void refresh();
  // Set by the daemon: the catalogues of sessions are compared again.
  std::function<void()> on_change;

  // shared_ptr: calls and catalogues keep the snapshot they started with.
  SnapshotPtr snapshot() const { return snapshot_; }
  const std::vector<std::shared_ptr<Provider>>& providers() const {
    return providers_;
  }

  Task<void> start_all();
  // All at the same time; returns when the last has ended.
  Task<void> stop_all();

 private:
  Result<SnapshotPtr> build(const config::ConfigPtr& config) const;

  std::vector<std::shared_ptr<Provider>> providers_;
  SnapshotPtr snapshot_;
};

// The provider's own status and the user's switch (tools.disabledProviders).
ProviderStatus status_of(const Provider& provider, const config::Config& now);

// Every LLM API accepts it: 1-64 of [A-Za-z0-9_-].
bool is_tool_name(std::string_view name);

}  // namespace toolhost
