// The builtin tools as a provider.
#pragma once

#include "providers/provider.hpp"

namespace toolhost::builtin {

class BuiltinProvider : public Provider {
 public:
  std::string_view name() const override { return "builtin"; }
  ProviderKind kind() const override { return ProviderKind::builtin; }
  ProviderStatus status() const override { return status_; }
  Task<Result<void>> start() override;
  Task<void> stop() override;
  std::vector<Tool> tools(const config::Config& config) const override;
  std::string unavailable(std::string_view tool) const override;
  Outcome<Resolution> resolve(std::string_view tool,
                              const json::object& arguments,
                              const ToolContext& context) override;
  Task<ToolOutput> call(std::string tool, json::object arguments,
                        const ExecutionContext& context) override;

 private:
  ProviderStatus status_;
};

}  // namespace toolhost::builtin
