// The MCP server against a scripted daemon: what it is asked and told.
#include "tests/unit/cli/mcp_fixture.hpp"

namespace toolhost::cli::mcp {
namespace {

using ::testing::HasSubstr;

class McpFrontDoor : public McpFixture {};

TEST_F(McpFrontDoor, InitializeWorksWithoutADaemonAndSaysWhatThereIs) {
  options.socket = "/nonexistent/caller.sock";
  const json::object reply = client().initialize("2025-06-18");
  const json::value& result = reply.at("result");
  EXPECT_EQ(result.at("protocolVersion"), "2025-06-18");
  EXPECT_EQ(result.at("capabilities").at("tools").at("listChanged"), true);
  EXPECT_EQ(result.at("serverInfo").at("name"), "toolhost");
  EXPECT_THAT(std::string(result.at("instructions").as_string()),
              HasSubstr("person"));
}

TEST_F(McpFrontDoor, WithoutADaemonAListIsAnErrorAndACallAResult) {
  options.socket = "/nonexistent/caller.sock";
  begin();
  client().send(line("1", "tools/list"));
  const json::object list = client().next();
  EXPECT_THAT(std::string(list.at("error").at("message").as_string()),
              HasSubstr("/nonexistent/caller.sock"));
  client().send(call("2"));
  const json::object called = client().next();
  EXPECT_EQ(called.at("result").at("isError"), true);
  EXPECT_THAT(text_of(called), HasSubstr("toolhostd"));
}

TEST_F(McpFrontDoor, ABadLineCostsOnlyItself) {
  begin();
  client().send("Server started");
  EXPECT_EQ(client().next().at("error").at("code"), kParseError);
  client().send(line("1", "ping"));
  EXPECT_EQ(client().next().at("result"), json::object());
}

TEST_F(McpFrontDoor, AnUnknownMethodIsToldTheKnownOnes) {
  begin();
  client().send(line("1", "prompts/list"));
  const json::object reply = client().next();
  EXPECT_EQ(reply.at("error").at("code"), kMethodNotFound);
  EXPECT_THAT(std::string(reply.at("error").at("message").as_string()),
              HasSubstr("tools/call"));
}

TEST_F(McpFrontDoor, InitializeComesFirstAndOnce) {
  client().send(line("1", "tools/list"));
  EXPECT_EQ(client().next().at("error").at("code"), kInvalidParams);
  begin();
  client().send(line("2", "initialize"));
  EXPECT_EQ(client().next().at("error").at("code"), kInvalidRequest);
}

TEST_F(McpFrontDoor, ABatchIsAnsweredMessageByMessageInTheVersionThatHasThem) {
  client().initialize("2025-03-26");
  client().send("[" + line("1", "ping") + "," + line("2", "ping") + "]");
  EXPECT_EQ(client().next().at("id"), 1);
  EXPECT_EQ(client().next().at("id"), 2);
}

TEST_F(McpFrontDoor, TheDaemonHearsWhoAsksAndWhere) {
  begin();
  client().send(line("1", "tools/list", R"({"cursor":"c1"})"));
  EXPECT_EQ(client().next().at("result").at("tools").at(0).at("name"), "read");
  const json::object hello = daemon.seen("initialize").at(0);
  EXPECT_EQ(hello.at("clientInfo").at("name"), "editor");
  EXPECT_EQ(hello.at("roles"), json::array{"caller"});
  const json::object listed = daemon.seen("listTools").at(0);
  EXPECT_EQ(listed.at("workspace"), "/home/somebody/folder");
  EXPECT_EQ(listed.at("cursor"), "c1");
  EXPECT_EQ(listed.at("context").at("agentName"), "editor");
}

TEST_F(McpFrontDoor, TheFirstRootOfTheClientIsTheWorkspace) {
  client().initialize("2025-11-25", R"({"roots":{"listChanged":true}})");
  client().send(note("notifications/initialized"));
  client().send(line("1", "tools/list"));
  const json::object asked = client().next();
  EXPECT_EQ(asked.at("method"), "roots/list");
  client().send(R"({"jsonrpc":"2.0","id":")" +
                std::string(asked.at("id").as_string()) +
                R"(","result":{"roots":[{"uri":"file:///srv/my%20app"},)"
                R"({"uri":"file:///other"}]}})");
  EXPECT_EQ(client().next().at("id"), 1);
  EXPECT_EQ(daemon.seen("listTools").at(0).at("workspace"), "/srv/my app");
}

TEST_F(McpFrontDoor, AClientThatDoesNotTellItsRootsIsNotWaitedForLong) {
  options.roots_wait = Milliseconds(10);
  client().initialize("2025-11-25", R"({"roots":{}})");
  client().send(note("notifications/initialized"));
  EXPECT_EQ(client().next().at("method"), "roots/list");
  client().send(line("1", "tools/list"));
  EXPECT_EQ(client().next().at("id"), 1);
  EXPECT_EQ(daemon.seen("listTools").at(0).at("workspace"),
            "/home/somebody/folder");
}

TEST_F(McpFrontDoor, ANamedWorkspaceIsNotAskedFor) {
  options.workspace = "/named";
  client().initialize("2025-11-25", R"({"roots":{}})");
  client().send(note("notifications/initialized"));
  client().send(line("1", "tools/list"));
  EXPECT_EQ(client().next().at("id"), 1);
  EXPECT_EQ(daemon.seen("listTools").at(0).at("workspace"), "/named");
}

TEST_F(McpFrontDoor, APresetGoesWithEveryRequest) {
  options.narrowing["sandboxMode"] = "read-only";
  begin();
  client().send(line("1", "tools/list"));
  client().next();
  client().send(call("2"));
  client().next();
  EXPECT_EQ(daemon.seen("execute").at(0).at("context").at("sandboxMode"),
            "read-only");
  // The list of the whole session is asked for as well: that is the one of
  // which the daemon tells changes.
  const auto listed = seen("listTools", 2);
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].at("context").at("sandboxMode"), "read-only");
  EXPECT_FALSE(listed[1].contains("context"));
  EXPECT_EQ(listed[1].at("workspace"), "/home/somebody/folder");
}

TEST_F(McpFrontDoor, ChangedToolsAreToldTogether) {
  for (int i = 0; i < 50; ++i) {
    daemon.notify_after("listTools",
                        R"({"method":"tools/changed","params":{}})");
  }
  begin();
  client().send(line("1", "tools/list"));
  std::vector<std::string> came;
  for (int i = 0; i < 2; ++i) {
    const json::object message = client().next();
    came.push_back(message.contains("id") ? "list" : "changed");
  }
  EXPECT_THAT(came, ::testing::UnorderedElementsAre("list", "changed"));
  client().send(line("2", "ping"));
  EXPECT_EQ(client().next().at("id"), 2);
}

TEST_F(McpFrontDoor, KeptOutputIsRead) {
  answer("readOutput", R"({"text":"all","nextOffset":3,"eof":true})");
  begin();
  client().send(line("1", "resources/read",
                     R"({"uri":"toolhost://output/art_abcdefghijklmnop"})"));
  EXPECT_EQ(client().next().at("result").at("contents").at(0).at("text"),
            "all");
  EXPECT_EQ(daemon.seen("readOutput").at(0).at("artifactId"),
            "art_abcdefghijklmnop");
  client().send(line("2", "resources/read", R"({"uri":"file:///etc/passwd"})"));
  EXPECT_EQ(client().next().at("error").at("code"), kInvalidParams);
}

}  // namespace
}  // namespace toolhost::cli::mcp
