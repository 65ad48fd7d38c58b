// listProviders: who owns the tools, and in which state they are.
#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// Tools that a provider has and nobody gets, because of their names.
json::array left_out(const Snapshot& snapshot, std::string_view provider) {
  json::array out;
  for (const LeftOut& row : snapshot.left_out) {
    if (row.provider != provider) continue;
    json::object entry;
    entry["name"] = row.tool;
    entry["reason"] = row.reason;
    out.push_back(std::move(entry));
  }
  return out;
}

json::object details_of(const Provider& provider, const Snapshot& snapshot) {
  json::object out = provider.details();
  json::array left = left_out(snapshot, provider.name());
  if (!left.empty()) out["leftOutTools"] = std::move(left);
  return out;
}

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object&) {
  const SnapshotPtr snapshot = daemon.registry.snapshot();
  // What a server wrote is for the person; an agent gets the state.
  const bool all = (connection.roles & ~kCaller) != 0;
  json::array providers;
  for (const auto& provider : daemon.registry.providers()) {
    const ProviderStatus status = status_of(*provider, *daemon.config);
    json::object row;
    row["name"] = provider->name();
    row["kind"] = name(provider->kind());
    row["state"] = status.state;
    row["enabled"] = status.enabled;
    row["available"] = status.available;
    if (!status.reason.empty()) row["reason"] = status.reason;
    row["tools"] = provider->tools(*daemon.config).size();
    row["restarts"] = status.restarts;
    if (all) {
      json::object details = details_of(*provider, *snapshot);
      if (!details.empty()) row["details"] = std::move(details);
    }
    providers.push_back(std::move(row));
  }
  json::object out;
  out["providers"] = std::move(providers);
  return json_text(out);
}

}  // namespace

const MethodDefinition list_providers_method{
    .name = "listProviders", .roles = kCaller | kObserver, .now = run};

}  // namespace toolhost
