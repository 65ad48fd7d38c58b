#include "providers/mcp/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace toolhost::mcp {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LaunchTest : public ::testing::Test {
 protected:
  LaunchTest() {
    ::setenv("MCP_TEST_TOKEN", "canary-value", 1);
    ::unsetenv("MCP_TEST_MISSING");
  }
  ~LaunchTest() override { ::unsetenv("MCP_TEST_TOKEN"); }

  std::string expanded(std::string_view text) {
    auto out = expand(text, secrets_);
    return out ? *out : out.error().message;
  }

  Secrets secrets_;
};

TEST_F(LaunchTest, ReplacesVariablesAndDefaults) {
  EXPECT_EQ(expanded("a${MCP_TEST_TOKEN}b"), "acanary-valueb");
  EXPECT_EQ(expanded("${MCP_TEST_MISSING:-else}"), "else");
  EXPECT_EQ(expanded("${MCP_TEST_MISSING:-}"), "");
  EXPECT_EQ(expanded("$HOME ${unfinished"), "$HOME ${unfinished");
}

TEST_F(LaunchTest, NamesAVariableThatIsMissing) {
  EXPECT_THAT(expanded("${MCP_TEST_MISSING}"), HasSubstr("MCP_TEST_MISSING"));
}

TEST_F(LaunchTest, RefusesThePlaceholdersOfEditors) {
  EXPECT_THAT(expanded("${input:key}"), HasSubstr("no variable"));
}

TEST_F(LaunchTest, GivesAServerItsOwnVariablesAndNoTokenOfOurs) {
  config::McpServer server;
  server.command = "server";
  server.env = {{"KEY", "${MCP_TEST_TOKEN}"}, {"PATH", "/opt/bin"}};
  const Launch launch = make_launch(server).value();
  EXPECT_THAT(launch.process.env, Contains("KEY=canary-value"));
  EXPECT_THAT(launch.process.env, Contains("PATH=/opt/bin"));
  EXPECT_THAT(launch.process.env, Not(Contains(StartsWith("MCP_TEST_TOKEN="))));
  int paths = 0;
  for (const auto& entry : launch.process.env) {
    paths += entry.starts_with("PATH=") ? 1 : 0;
  }
  EXPECT_EQ(paths, 1);
}

TEST_F(LaunchTest, BlotsOutEveryValueThatWasFilledIn) {
  config::McpServer server;
  server.command = "server";
  server.args = {"--token=${MCP_TEST_TOKEN}"};
  server.env = {{"KEY", "another-secret"}};
  const Launch launch = make_launch(server).value();
  EXPECT_EQ(launch.secrets.redact("canary-value another-secret x"),
            "[MCP_TEST_TOKEN] [KEY] x");
}

TEST_F(LaunchTest, BlotsOutTheLongerOfTwoValuesFirst) {
  Secrets secrets;
  secrets.add("A", "secret");
  secrets.add("B", "secret-and-more");
  EXPECT_EQ(secrets.redact("secret-and-more secret"), "[B] [A]");
}

TEST_F(LaunchTest, TellsWhichVariableOfTheEntryIsMissingWithoutItsValue) {
  config::McpServer server;
  server.command = "server";
  server.env = {{"KEY", "plain-secret"}, {"OTHER", "x${MCP_TEST_MISSING}"}};
  const auto launch = make_launch(server);
  ASSERT_FALSE(launch);
  EXPECT_THAT(launch.error().message, HasSubstr("env OTHER"));
  EXPECT_THAT(launch.error().message, Not(HasSubstr("plain-secret")));
}

}  // namespace
}  // namespace toolhost::mcp
