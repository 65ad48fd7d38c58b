// restartProvider: ends what a provider runs and starts it anew; answers when
// it is ready. The other providers and their calls are not touched.
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

std::string known_names(const Registry& registry) {
  std::string out;
  for (const auto& provider : registry.providers()) {
    out += (out.empty() ? "" : ", ") + std::string(provider->name());
  }
  return out;
}

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Fields in(request->params, "params");
  const std::string name = in.required_string("name");
  if (in.error()) {
    request->fail(*in.error());
    co_return;
  }
  // Kept here: a reload may take it out meanwhile.
  const std::shared_ptr<Provider> provider = daemon.registry.find(name);
  if (!provider) {
    request->fail(make_error(
        Code::invalid_params, "There is no provider \"" + name + "\".",
        "There are " + known_names(daemon.registry) + "."));
    co_return;
  }
  const Result<void> restarted = co_await provider->restart();
  if (!restarted) {
    request->fail(restarted.error());
    co_return;
  }
  json::object result;
  result["name"] = name;
  result["state"] = provider->status().state;
  result["tools"] = provider->tools(*daemon.config).size();
  request->reply(result);
}

}  // namespace

const MethodDefinition restart_provider_method{
    .name = "restartProvider", .roles = kAdmin, .later = run};

}  // namespace toolhost
