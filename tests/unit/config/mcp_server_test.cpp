// Entries of mcpServers, as other clients write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/diff.hpp"
#include "config/load.hpp"

namespace toolhost::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

std::string fault(std::string_view entry) {
  auto parsed = parse_config(
      R"({"mcpServers":{"s":)" + std::string(entry) + "}}", "/c.jsonc");
  return parsed ? "it was accepted" : parsed.error().message;
}

McpServer server(std::string_view entry) {
  return parse_config(R"({"mcpServers":{"s":)" + std::string(entry) + "}}", "f")
      .value()
      .mcp_servers.at(0);
}

TEST(McpServers, AreReadAsOtherClientsWriteThem) {
  const McpServer read = server(R"({
    "type": "stdio", "command": "npx", "args": ["-y", "x", ""],
    "env": {"A": "b", "N": 1}, "cwd": "/srv", "disabled": false,
    "autoApprove": ["all"], "description": "a server"})");
  EXPECT_EQ(read.name, "s");
  EXPECT_EQ(read.command, "npx");
  EXPECT_THAT(read.args, ElementsAre("-y", "x", ""));
  EXPECT_THAT(read.env, ElementsAre(Pair("A", "b"), Pair("N", "1")));
  EXPECT_EQ(read.cwd, "/srv");
  EXPECT_TRUE(read.enabled);
  EXPECT_FALSE(read.trust_annotations);
}

TEST(McpServers, KeepTheOrderOfTheFile) {
  const Config config = parse_config(
                            R"({"mcpServers":{"b":{"command":"x"},
                               "a":{"url":"https://example.com/mcp"}}})",
                            "f")
                            .value();
  ASSERT_EQ(config.mcp_servers.size(), 2U);
  EXPECT_EQ(config.mcp_servers[0].name, "b");
  EXPECT_EQ(config.mcp_servers[1].url, "https://example.com/mcp");
}

TEST(McpServers, AreOffWhenEitherWordSaysSo) {
  EXPECT_FALSE(server(R"({"command":"x","disabled":true})").enabled);
  EXPECT_FALSE(server(R"({"command":"x","enabled":false})").enabled);
}

TEST(McpServers, TakeASmallTimeoutAsSeconds) {
  EXPECT_EQ(server(R"({"command":"x","timeout":60})").call_timeout,
            Milliseconds(60'000));
  EXPECT_EQ(server(R"({"command":"x","timeout":5000})").call_timeout,
            Milliseconds(5000));
  EXPECT_EQ(server(R"({"command":"x","timeoutMs":200})").call_timeout,
            Milliseconds(200));
}

TEST(McpServers, NeedACommandOrAUrlAndNotBoth) {
  EXPECT_THAT(fault("{}"), HasSubstr("either \"command\" or \"url\""));
  EXPECT_THAT(fault(R"({"command":"x","url":"http://y"})"),
              HasSubstr("either \"command\" or \"url\""));
}

TEST(McpServers, SuggestTheMemberThatWasMeant) {
  EXPECT_THAT(fault(R"({"comand":"x"})"), HasSubstr("\"command\""));
  EXPECT_THAT(fault(R"({"command":"x","arg":[]})"), HasSubstr("\"args\""));
}

TEST(McpServers, NameThePlaceOfAFault) {
  EXPECT_THAT(fault(R"({"command":"x","args":["a",2]})"),
              HasSubstr("mcpServers.s.args[1] must be a string"));
  EXPECT_THAT(fault(R"({"command":"x","cwd":"relative"})"),
              HasSubstr("mcpServers.s.cwd must be an absolute path"));
  EXPECT_THAT(fault(R"({"command":"x","startup":"soon"})"),
              HasSubstr("mcpServers.s.startup"));
}

TEST(McpServers, RepeatNoValueOfTheirEnvironmentInAFault) {
  const std::string said =
      fault(R"({"command":"x","env":{"TOKEN":["canary-secret"]}})");
  EXPECT_THAT(said, HasSubstr("mcpServers.s.env.TOKEN"));
  EXPECT_THAT(said, Not(HasSubstr("canary")));
}

TEST(McpServers, ThatChangedOnlyInAValueAreAChange) {
  const auto with = [](std::string_view value) {
    return parse_config(R"({"mcpServers":{"s":{"command":"x","env":{"A":")" +
                            std::string(value) + "\"}}}}",
                        "f")
        .value();
  };
  EXPECT_THAT(changed_keys(with("1"), with("2")), ElementsAre("mcpServers"));
  EXPECT_THAT(changed_keys(with("1"), with("1")), IsEmpty());
}

TEST(McpServers, CanBeSwitchedOffByTheNameOfTheirProvider) {
  const Config config =
      parse_config(R"({"tools":{"disabledProviders":["mcp:my server"]}})", "f")
          .value();
  EXPECT_THAT(config.tools.disabled_providers, ElementsAre("mcp:my server"));
}

}  // namespace
}  // namespace toolhost::config
