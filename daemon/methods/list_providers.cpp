// listProviders: who owns the tools, and in which state they are.
#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection&, const json::object&) {
  json::array providers;
  for (const auto& provider : daemon.registry.providers()) {
    const ProviderStatus status = provider->status();
    json::object row;
    row["name"] = provider->name();
    row["kind"] = name(provider->kind());
    row["state"] = status.state;
    row["enabled"] = status.enabled;
    row["available"] = status.available;
    if (!status.reason.empty()) row["reason"] = status.reason;
    row["tools"] = provider->tools(*daemon.config).size();
    row["restarts"] = status.restarts;
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
