#include "providers/registry.hpp"

#include <algorithm>

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

const RegisteredTool* Snapshot::find(std::string_view name) const {
  const auto found = tools.find(name);
  return found == tools.end() ? nullptr : &found->second;
}

Registry::Registry(config::ConfigPtr config) {
  auto empty = std::make_shared<Snapshot>();
  empty->config = std::move(config);
  snapshot_ = std::move(empty);
}

Result<void> Registry::add(std::unique_ptr<Provider> provider) {
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
  return {};
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
  for (const auto& provider : providers_) {
    for (Tool& tool : provider->tools(*config)) {
      const std::string what = "The tool \"" + tool.name + "\" of provider \"" +
                               std::string(provider->name()) + "\" ";
      if (!is_tool_name(tool.name)) {
        return make_error(Code::internal,
                          what + "has a name that model APIs refuse.",
                          "Use 1 to 64 of letters, digits, _ and -.");
      }
      if (const RegisteredTool* other = next->find(tool.name)) {
        return make_error(Code::internal, what +
                                              "has the name of a tool of "
                                              "provider \"" +
                                              other->tool.provider + "\".");
      }
      auto schema = JsonSchema::compile(tool.input_schema);
      if (!schema) {
        return make_error(Code::internal,
                          what + "has a bad schema: " + schema.error().message);
      }
      RegisteredTool row;
      row.provider = provider.get();
      row.schema = *schema;
      row.definition_hash = toolhost::definition_hash(tool);
      row.tool = std::move(tool);
      next->tools.emplace(row.tool.name, std::move(row));
    }
  }
  return SnapshotPtr(std::move(next));
}

Task<void> Registry::start_all() {
  for (const auto& provider : providers_) {
    const Result<void> started = co_await provider->start();
    if (!started) {
      log_error(
          "a provider did not start provider=" + std::string(provider->name()) +
          " error=" + started.error().message);
    }
  }
}

Task<void> Registry::stop_all() {
  for (const auto& provider : providers_) co_await provider->stop();
}

}  // namespace toolhost
