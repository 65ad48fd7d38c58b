// One server as a provider: "mcp:NAME".
#pragma once

#include "providers/mcp/server.hpp"
#include "providers/provider.hpp"

namespace toolhost::mcp {

class McpProvider : public Provider {
 public:
  // `part` is the server's part of the tools' names.
  McpProvider(Host host, config::McpServer config, std::string part);
  ~McpProvider() override;

  static std::string provider_name(std::string_view server);

  std::string_view name() const override { return name_; }
  ProviderKind kind() const override { return ProviderKind::mcp; }
  ProviderStatus status() const override { return server_->status(); }
  // Returns at once: the server starts in the background.
  Task<Result<void>> start() override;
  Task<void> stop() override;
  Task<Result<void>> restart() override;
  json::object details() const override { return server_->details(); }
  std::vector<Tool> tools(const config::Config& config) const override;
  std::string unavailable(std::string_view tool) const override;
  Outcome<Resolution> resolve(std::string_view tool,
                              const json::object& arguments,
                              const ToolContext& context) override;
  Task<ToolOutput> call(std::string tool, json::object arguments,
                        const ExecutionContext& context) override;

  const Server& server() const { return *server_; }
  // Starts the server in the background.
  void begin() { server_->begin(); }
  // Lets its calls end, then stops it, in the background.
  void retire() { server_->retire(); }

 private:
  const RemoteTool* find(std::string_view tool) const;

  const std::string name_;
  std::shared_ptr<Server> server_;
};

}  // namespace toolhost::mcp
