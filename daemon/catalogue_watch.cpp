#include "daemon/catalogue_watch.hpp"

#include "daemon/daemon.hpp"

namespace toolhost {
namespace {

const RegisteredTool* find(const Catalogue& catalogue,
                           const std::string& name) {
  // Sorted by name.
  const auto found = std::lower_bound(
      catalogue.tools.begin(), catalogue.tools.end(), name,
      [](const auto* row, const auto& key) { return row->tool.name < key; });
  const bool there =
      found != catalogue.tools.end() && (*found)->tool.name == name;
  return there ? *found : nullptr;
}

// Names only: whoever wants the definitions lists again.
void add_names(json::object& body, const Catalogue& before,
               const Catalogue& now) {
  json::array added;
  json::array removed;
  json::array changed;
  for (const RegisteredTool* row : now.tools) {
    const RegisteredTool* old = find(before, row->tool.name);
    if (!old) {
      added.emplace_back(row->tool.name);
    } else if (old->definition_hash != row->definition_hash) {
      changed.emplace_back(row->tool.name);
    }
  }
  for (const RegisteredTool* row : before.tools) {
    if (!find(now, row->tool.name)) removed.emplace_back(row->tool.name);
  }
  body["added"] = std::move(added);
  body["removed"] = std::move(removed);
  body["changed"] = std::move(changed);
}

}  // namespace

void CatalogueWatch::seen(const Session& session,
                          std::shared_ptr<const Catalogue> catalogue) {
  seen_[session.id] = std::move(catalogue);
}

void CatalogueWatch::check() {
  daemon_.catalogues.invalidate();
  check_providers();
  check_tools();
}

void CatalogueWatch::check_tools() {
  const SnapshotPtr snapshot = daemon_.registry.snapshot();
  for (auto row = seen_.begin(); row != seen_.end();) {
    const SessionPtr session = daemon_.sessions.find(row->first);
    if (!session || session->closing) {
      row = seen_.erase(row);
      continue;
    }
    auto now = daemon_.catalogues.of(snapshot, session->policy, *daemon_.config,
                                     session->id);
    const Drift drift = grade(*row->second, *now);
    if (drift != Drift::none) {
      Event event;
      event.topic = Topic::tools;
      event.method = "tools/changed";
      event.session = session->id;
      if (!session->policy.roots.empty()) {
        event.workspace = session->policy.roots.front();
      }
      event.body["sessionId"] = session->id;
      event.body["toolsHash"] = now->hash;
      event.body["grade"] = toolhost::name(drift);
      add_names(event.body, *row->second, *now);
      daemon_.events.publish(std::move(event));
    }
    row->second = std::move(now);
    ++row;
  }
}

void CatalogueWatch::check_providers() {
  for (const auto& provider : daemon_.registry.providers()) {
    const ProviderStatus status = status_of(*provider, *daemon_.config);
    json::object body;
    body["name"] = provider->name();
    body["state"] = status.state;
    body["enabled"] = status.enabled;
    body["available"] = status.available;
    if (!status.reason.empty()) body["reason"] = status.reason;
    const auto [told, first] = told_.try_emplace(std::string(provider->name()));
    if (told->second == body) continue;
    told->second = body;
    // What was so from the start is no change.
    if (first) continue;
    Event event;
    event.topic = Topic::providers;
    event.method = "provider/changed";
    event.body = std::move(body);
    daemon_.events.publish(std::move(event));
  }
}

}  // namespace toolhost
