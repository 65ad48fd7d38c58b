// A client, the MCP server and a scripted daemon, for tests of the older
// versions of MCP.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/unit/cli/fake_daemon.hpp"
#include "tests/unit/cli/mcp_client.hpp"

namespace toolhost::cli::mcp {

using testing::FakeDaemon;
using testing::McpClient;

inline constexpr std::string_view kDone =
    R"({"isError":false,"content":[{"type":"text","text":"done"}]})";

inline std::string line(std::string_view id, std::string_view method,
                        std::string_view params = "{}") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" +
         std::string(method) + R"(","params":)" + std::string(params) + "}";
}

inline std::string note(std::string_view method,
                        std::string_view params = "{}") {
  return R"({"jsonrpc":"2.0","method":")" + std::string(method) +
         R"(","params":)" + std::string(params) + "}";
}

inline std::string call(std::string_view id, std::string_view meta = "{}") {
  return line(id, "tools/call",
              R"({"name":"read","arguments":{"path":"a"},"_meta":)" +
                  std::string(meta) + "}");
}

inline std::string text_of(const json::object& message) {
  return std::string(
      message.at("result").at("content").at(0).at("text").as_string());
}

class McpFixture : public ::testing::Test {
 protected:
  McpFixture() {
    options.socket = daemon.path();
    options.folder = "/home/somebody/folder";
    options.last_wait = Milliseconds(1);
    answer("listTools", R"({"toolsHash":"h","ttlMs":1000,"tools":[)"
                        R"({"name":"read","inputSchema":{"type":"object"}}]})");
    answer("execute", kDone);
    answer("cancel", R"({"state":"cancelled"})");
  }
  void answer(const std::string& method, std::string_view text) {
    daemon.on(method,
              [text = std::string(text)](
                  const json::object&) -> Result<json::object> {
                return json::parse(text).as_object();
              });
  }
  void be_silent(const std::string& method) {
    daemon.on(method, [](const json::object&) -> Result<json::object> {
      return FakeDaemon::silence();
    });
  }
  // Started with the first use, when the test has set its options.
  McpClient& client() {
    if (!client_) client_ = std::make_unique<McpClient>(options);
    return *client_;
  }
  void begin() {
    client().initialize("2025-11-25");
    client().send(note("notifications/initialized"));
  }
  // Waits until the daemon has seen so many; fewer when none comes in 10 s.
  std::vector<json::object> seen(const std::string& method, std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + Milliseconds(10'000);
    auto out = daemon.seen(method);
    while (out.size() < count && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
      out = daemon.seen(method);
    }
    return out;
  }

  FakeDaemon daemon;
  FrontDoorOptions options;
  std::unique_ptr<McpClient> client_;
};

}  // namespace toolhost::cli::mcp
