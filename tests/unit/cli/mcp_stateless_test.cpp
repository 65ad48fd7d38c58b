// The MCP server against a scripted daemon: the version without initialize.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_daemon.hpp"
#include "tests/unit/cli/mcp_client.hpp"

namespace toolhost::cli::mcp {
namespace {

using testing::FakeDaemon;
using ::testing::HasSubstr;
using testing::McpClient;

std::string line(std::string_view id, std::string_view method,
                 std::string_view more = "",
                 std::string_view version = "2026-07-28") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" +
         std::string(method) +
         R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":")" +
         std::string(version) +
         R"(","io.modelcontextprotocol/clientInfo":)"
         R"({"name":"agent","version":"9"},)"
         R"("io.modelcontextprotocol/clientCapabilities":{}})" +
         std::string(more) + "}}";
}

class McpStateless : public ::testing::Test {
 protected:
  McpStateless() {
    options.socket = daemon.path();
    options.folder = "/home/somebody/folder";
    daemon.on("listTools", [](const json::object&) -> Result<json::object> {
      return json::parse(R"({"ttlMs":1000,"tools":[]})").as_object();
    });
    daemon.on("execute", [](const json::object&) -> Result<json::object> {
      return json::parse(R"({"isError":false,"content":[]})").as_object();
    });
  }
  McpClient& client() {
    if (!client_) client_ = std::make_unique<McpClient>(options);
    return *client_;
  }

  FakeDaemon daemon;
  FrontDoorOptions options;
  std::unique_ptr<McpClient> client_;
};

TEST_F(McpStateless, DiscoverNamesTheVersionAndTheCapabilities) {
  client().send(line("1", "server/discover"));
  const json::object reply = client().next();
  const json::value& result = reply.at("result");
  EXPECT_EQ(result.at("supportedVersions"), json::array{"2026-07-28"});
  EXPECT_EQ(result.at("resultType"), "complete");
  EXPECT_EQ(result.at("cacheScope"), "private");
  EXPECT_EQ(result.at("capabilities").at("tools").at("listChanged"), true);
  EXPECT_EQ(result.at("_meta").at(kServerInfoKey).at("name"), "toolhost");
}

TEST_F(McpStateless, TheFirstRequestMayBeACall) {
  client().send(line("\"a\"", "tools/call", R"(,"name":"read")"));
  const json::object reply = client().next();
  EXPECT_EQ(reply.at("id"), "a");
  EXPECT_EQ(reply.at("result").at("resultType"), "complete");
  EXPECT_EQ(reply.at("result").at("isError"), false);
  EXPECT_EQ(daemon.seen("execute").at(0).at("context").at("agentName"),
            "agent");
  EXPECT_EQ(daemon.seen("initialize").at(0).at("clientInfo").at("version"),
            "9");
}

TEST_F(McpStateless, AnotherVersionIsToldTheOnesThatAreSpoken) {
  client().send(line("1", "tools/list", "", "1900-01-01"));
  const json::object reply = client().next();
  const json::value& error = reply.at("error");
  EXPECT_EQ(error.at("code"), kUnsupportedVersion);
  EXPECT_EQ(error.at("data").at("requested"), "1900-01-01");
  EXPECT_EQ(error.at("data").at("supported").at(0), "2026-07-28");
}

TEST_F(McpStateless, ARequestWithoutCapabilitiesIsMalformed) {
  client().send(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":)"
      R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  const json::object reply = client().next();
  EXPECT_EQ(reply.at("error").at("code"), kInvalidParams);
  EXPECT_THAT(std::string(reply.at("error").at("message").as_string()),
              HasSubstr("clientCapabilities"));
}

TEST_F(McpStateless, WhatTheVersionDoesNotHaveIsNoMethod) {
  client().send(line("1", "ping"));
  EXPECT_EQ(client().next().at("error").at("code"), kMethodNotFound);
}

TEST_F(McpStateless, BothKindsOfClientAreServedByOneProcess) {
  client().initialize("2025-06-18");
  client().send(line("1", "tools/list"));
  EXPECT_EQ(client().next().at("result").at("cacheScope"), "private");
  client().send(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  const json::object reply = client().next();
  EXPECT_FALSE(reply.at("result").as_object().contains("cacheScope"));
}

TEST_F(McpStateless, AListenerHearsOfChangesUntilItCancels) {
  daemon.notify_after("listTools", R"({"method":"tools/changed","params":{}})");
  client().send(line("5", "subscriptions/listen",
                     R"(,"notifications":{"toolsListChanged":true,)"
                     R"("promptsListChanged":true})"));
  const json::object honoured = client().next();
  EXPECT_EQ(honoured.at("method"), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(honoured.at("params").at("notifications"),
            json::parse(R"({"toolsListChanged":true})"));
  EXPECT_EQ(honoured.at("params").at("_meta").at(kSubscriptionKey), 5);
  client().send(line("6", "tools/list"));
  json::object told = client().next();
  if (told.contains("id")) told = client().next();
  EXPECT_EQ(told.at("method"), "notifications/tools/list_changed");
  EXPECT_EQ(told.at("params").at("_meta").at(kSubscriptionKey), 5);
  client().send(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                R"("params":{"requestId":5}})");
  // Its id is free again.
  client().send(line("5", "server/discover"));
  json::object reply = client().next();
  if (reply.contains("id") && reply.at("id") == 6) reply = client().next();
  EXPECT_EQ(reply.at("id"), 5);
  EXPECT_TRUE(reply.contains("result"));
}

TEST_F(McpStateless, AListenerIsToldTheEnd) {
  client().send(line("5", "subscriptions/listen"));
  client().next();
  client().close_input();
  const json::object end = client().next();
  EXPECT_EQ(end.at("id"), 5);
  EXPECT_EQ(end.at("result").at("_meta").at(kSubscriptionKey), 5);
}

}  // namespace
}  // namespace toolhost::cli::mcp
