#include "providers/mcp/servers.hpp"

#include <algorithm>
#include <map>

#include "providers/mcp/names.hpp"

namespace toolhost::mcp {
namespace {

struct Wanted {
  config::McpServer server;
  std::string part;
};

std::map<std::string, Wanted> wanted_of(const config::Config& config) {
  std::vector<std::string> names;
  for (const auto& server : config.mcp_servers) names.push_back(server.name);
  const auto parts = server_parts(names);
  const auto& off = config.tools.disabled_providers;
  std::map<std::string, Wanted> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = McpProvider::provider_name(names[i]);
    Wanted row;
    row.server = config.mcp_servers[i];
    row.part = parts[i];
    // A provider that is switched off has no process, either.
    if (std::find(off.begin(), off.end(), name) != off.end()) {
      row.server.enabled = false;
    }
    out.emplace(name, std::move(row));
  }
  return out;
}

// Those that stay, by name; the others are taken out.
std::vector<std::string> keep_same(
    Registry& registry, const std::map<std::string, Wanted>& wanted) {
  std::vector<std::string> kept;
  std::vector<std::string> gone;
  for (const auto& provider : registry.providers()) {
    if (provider->kind() != ProviderKind::mcp) continue;
    const std::string name(provider->name());
    const auto row = wanted.find(name);
    const Server& server = static_cast<const McpProvider&>(*provider).server();
    const bool same = row != wanted.end() &&
                      row->second.server == server.config() &&
                      row->second.part == server.part();
    (same ? kept : gone).push_back(name);
  }
  for (const std::string& name : gone) {
    const auto provider = registry.remove(name);
    static_cast<McpProvider&>(*provider).retire();
  }
  return kept;
}

}  // namespace

Result<void> set_servers(Registry& registry, const Host& host,
                         const config::Config& config, bool running) {
  const auto wanted = wanted_of(config);
  const auto kept = keep_same(registry, wanted);
  for (const auto& [name, row] : wanted) {
    if (std::find(kept.begin(), kept.end(), name) != kept.end()) continue;
    auto provider = std::make_shared<McpProvider>(host, row.server, row.part);
    if (auto added = registry.add(provider); !added) return added.error();
    if (running) provider->begin();
  }
  return {};
}

}  // namespace toolhost::mcp
