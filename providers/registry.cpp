#include "providers/registry.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "providers/support/log.hpp"

namespace toolhost {

bool is_tool_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  if (name.empty() || name.size() > kLongest) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

ProviderStatus status_of(const Provider& provider, const config::Config& now) {
  ProviderStatus status = provider.status();
  const auto& off = now.tools.disabled_providers;
  if (std::find(off.begin(), off.end(), provider.name()) != off.end()) {
    status.enabled = false;
    status.reason =
        "The configuration switches it off "
        "(tools.disabledProviders).";
  }
  return status;
}

const RegisteredTool* Snapshot::find(std::string_view name) const {
  const auto found = tools.find(name);
  return found == tools.end() ? nullptr : &found->second;
}

Registry::Registry(config::ConfigPtr config) {
  auto empty = std::make_shared<Snapshot>();
  empty->config = std::move(config);
  snapshot_ = std::move(empty);
}

Registry::~Registry() {
  for (const auto& provider : providers_) provider->on_change = nullptr;
}

namespace {

// What keeps a tool out of a snapshot.
Error tool_error(const Tool& tool, const Provider& provider, std::string what,
                 std::string hint = {}) {
  return make_error(Code::internal,
                    "The tool \"" + tool.name + "\" of provider \"" +
                        std::string(provider.name()) + "\" " + std::move(what),
                    std::move(hint));
}

Result<RegisteredTool> make_row(Tool tool, const Snapshot& taken,
                                Provider& provider) {
  if (!is_tool_name(tool.name)) {
    return tool_error(tool, provider, "has a name that model APIs refuse.",
                      "Use 1 to 64 of letters, digits, _ and -.");
  }
  if (const RegisteredTool* other = taken.find(tool.name)) {
    return tool_error(
        tool, provider,
        "has the name of a tool of provider \"" + other->tool.provider + "\".");
  }
  auto schema = JsonSchema::compile(tool.input_schema);
  if (!schema) {
    return tool_error(tool, provider,
                      "has a bad schema: " + schema.error().message);
  }
  RegisteredTool row;
  row.provider = &provider;
  row.schema = *schema;
  row.definition_hash = toolhost::definition_hash(tool);
  row.tool = std::move(tool);
  return row;
}

// Its tools come from outside: one bad tool is no reason to lose the others.
bool tolerant(const Provider& provider) {
  return provider.kind() == ProviderKind::mcp;
}

}  // namespace

Result<void> Registry::add(std::shared_ptr<Provider> provider) {
  for (const auto& other : providers_) {
    if (other->name() == provider->name()) {
      return make_error(Code::internal, "There is a provider \"" +
                                            std::string(provider->name()) +
                                            "\" already.");
    }
  }
  providers_.push_back(std::move(provider));
  auto built = build(snapshot_->config);
  if (!built) {
    providers_.pop_back();
    return built.error();
  }
  snapshot_ = *built;
  providers_.back()->on_change = [this] { refresh(); };
  return {};
}

std::shared_ptr<Provider> Registry::find(std::string_view name) const {
  for (const auto& provider : providers_) {
    if (provider->name() == name) return provider;
  }
  return nullptr;
}

std::shared_ptr<Provider> Registry::remove(std::string_view name) {
  const auto provider = find(name);
  if (!provider) return nullptr;
  provider->on_change = nullptr;
  std::erase(providers_, provider);
  refresh();
  return provider;
}

void Registry::refresh() {
  auto built = build(snapshot_->config);
  if (!built) {
    log_error("the tools stay as they were: " + built.error().message);
    return;
  }
  snapshot_ = *built;
  if (on_change) on_change();
}

Result<void> Registry::set_config(config::ConfigPtr config) {
  auto built = build(config);
  if (!built) return built.error();
  snapshot_ = *built;
  return {};
}

Result<SnapshotPtr> Registry::build(const config::ConfigPtr& config) const {
  auto next = std::make_shared<Snapshot>();
  next->generation = snapshot_->generation + 1;
  next->config = config;
  next->owners = providers_;
  for (const auto& provider : providers_) {
    for (Tool& tool : provider->tools(*config)) {
      std::string name = tool.name;
      auto row = make_row(std::move(tool), *next, *provider);
      if (row) {
        next->tools.emplace(std::move(name), std::move(*row));
        continue;
      }
      if (!tolerant(*provider)) return row.error();
      LeftOut left;
      left.provider = provider->name();
      left.tool = std::move(name);
      left.reason = row.error().message;
      next->left_out.push_back(std::move(left));
    }
  }
  return SnapshotPtr(std::move(next));
}

Task<void> Registry::start_all() {
  // A copy: the list may change while one of them starts.
  const auto providers = providers_;
  for (const auto& provider : providers) {
    const Result<void> started = co_await provider->start();
    if (!started) {
      log_error(
          "a provider did not start provider=" + std::string(provider->name()) +
          " error=" + started.error().message);
    }
  }
}

// At the same time: a server that will not end takes seconds, and there may be
// many of them.
Task<void> Registry::stop_all() {
  const auto executor = co_await asio::this_coro::executor;
  const auto all_ended = std::make_shared<asio::steady_timer>(
      executor, asio::steady_timer::time_point::max());
  const auto left = std::make_shared<std::size_t>(providers_.size());
  for (const auto& provider : providers_) {
    const auto ended = [provider, left, all_ended](std::exception_ptr failure) {
      if (failure) {
        log_error("a provider did not stop provider=" +
                  std::string(provider->name()));
      }
      if (--*left == 0) all_ended->cancel();
    };
    asio::co_spawn(executor, provider->stop(), ended);
  }
  while (*left > 0) {
    co_await all_ended->async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

}  // namespace toolhost
