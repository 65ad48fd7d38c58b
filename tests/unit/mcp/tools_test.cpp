// What of a server's list becomes a tool, and what is said of it.
#include "providers/mcp/provider.hpp"

#include "providers/mcp/names.hpp"
#include "providers/registry.hpp"
#include "tests/unit/mcp/server_fixture.hpp"

namespace toolhost::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST_F(McpTest, PagesAreReadToTheLast) {
  start(server("pages.py", {"good"}));
  EXPECT_THAT(names(),
              ElementsAre("mcp__fake__a", "mcp__fake__b", "mcp__fake__c"));
}

TEST_F(McpTest, ACursorThatComesAgainEndsTheListWithANote) {
  start(server("pages.py", {"same"}));
  EXPECT_THAT(names(), ElementsAre("mcp__fake__tNone", "mcp__fake__tagain"));
  EXPECT_THAT(details(), HasSubstr("same cursor again"));
}

TEST_F(McpTest, PagesWithoutEndAreCutWithANote) {
  start(server("pages.py", {"endless"}));
  EXPECT_EQ(names().size(), mcp::kMaxPages);
  EXPECT_THAT(details(), HasSubstr("cut at 100 pages"));
}

TEST_F(McpTest, ABadSchemaCostsItsOwnToolOnly) {
  start(server("strange_tools.py"));
  EXPECT_THAT(names(),
              IsSupersetOf({"mcp__fake__good", "mcp__fake__cyclic",
                            "mcp__fake__root_cycle", "mcp__fake__no_type",
                            "mcp__fake__no_schema", "mcp__fake__bad_output",
                            "mcp__fake__last"}));
  for (const char* bad : {"dangling", "remote", "boolean", "list", "absurd"}) {
    EXPECT_THAT(names(), Not(Contains("mcp__fake__" + std::string(bad))));
    EXPECT_THAT(details(), HasSubstr("\"name\":\"" + std::string(bad) + "\""));
  }
}

TEST_F(McpTest, ToolsWithOneNameAllStayAndTheNoteSaysHowTheyAreCalled) {
  start(server("strange_tools.py"));
  const std::string plain = "mcp__fake__a_b";
  EXPECT_THAT(names(), IsSupersetOf({plain, plain + "_" + mcp::name_hash("a.b"),
                                     plain + "_" + mcp::name_hash("a b")}));
  EXPECT_THAT(details(), HasSubstr("would have the name of another one"));
  EXPECT_THAT(details(), HasSubstr("the list has this name already"));
}

TEST_F(McpTest, WordsOfAServerCarryNoControlCharacters) {
  start(server("strange_tools.py"));
  const Tool hidden = tool("hidden_txt");
  EXPECT_EQ(hidden.title, "T\\u{202E}T");
  EXPECT_EQ(hidden.description, "Line\nwith \\u{200B} marks\\u{001B}[31m");
}

TEST_F(McpTest, AnEndlessDescriptionIsCutAndSaysSo) {
  start(server("strange_tools.py"));
  const Tool wordy = tool("long");
  EXPECT_LT(wordy.description.size(), mcp::kMaxDescription + 100);
  EXPECT_THAT(wordy.description, HasSubstr("it was cut here"));
}

TEST_F(McpTest, EveryToolOfAStrangeListIsLegalForTheRegistry) {
  start(server("strange_tools.py"));
  Registry registry(std::make_shared<config::Config>());
  ASSERT_TRUE(registry.add(provider_));
  EXPECT_EQ(registry.snapshot()->tools.size(), names().size());
  EXPECT_TRUE(registry.snapshot()->left_out.empty());
}

TEST_F(McpTest, TheUsersListsDecideWhichToolsThereAre) {
  config::McpServer config = server("polite.py");
  config.enabled_tools = {"echo", "env"};
  config.disabled_tools = {"env"};
  start(std::move(config));
  EXPECT_THAT(names(), ElementsAre("mcp__fake__echo"));
  EXPECT_THAT(details(), HasSubstr("disabledTools"));
}

TEST_F(McpTest, WithoutTrustEveryToolAsksWhateverItSaysOfItself) {
  start(server("polite.py"));
  const Tool echo = tool("echo");
  EXPECT_TRUE(echo.annotations.read_only);
  EXPECT_EQ(echo.policy, ToolPolicy::on_request);
  EXPECT_FALSE(echo.pure_read);
}

TEST_F(McpTest, WithTrustAToolThatOnlyReadsRunsWithoutAQuestion) {
  config::McpServer config = server("polite.py");
  config.trust_annotations = true;
  start(std::move(config));
  EXPECT_EQ(tool("echo").policy, ToolPolicy::automatic);
  EXPECT_TRUE(tool("echo").pure_read);
  EXPECT_EQ(tool("env").policy, ToolPolicy::on_request);
}

TEST_F(McpTest, AReadOnlySessionMayNotCallWhatMayWrite) {
  start(server("polite.py"));
  sandbox_ = SandboxMode::read_only;
  const auto refused =
      provider_->resolve("mcp__fake__echo", {}, tool_context());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, CallErrorKind::sandbox_read_only);
}

TEST_F(McpTest, APermissionIsBoundToTheDefinitionThatWasShown) {
  start(server("changing.py"));
  const auto pattern = [&] {
    return provider_->resolve("mcp__fake__victim", {}, tool_context())
        .value()
        .asks.at(0)
        .remember;
  };
  const std::string before = pattern();
  call("change");
  run_until([&] { return pattern() != before; });
  EXPECT_NE(pattern(), before);
}

TEST_F(McpTest, APermissionIsBoundToTheCommandLine) {
  start(server("polite.py"));
  const auto pattern = [&] {
    return provider_->resolve("mcp__fake__echo", {}, tool_context())
        .value()
        .asks.at(0)
        .remember;
  };
  const std::string before = pattern();
  stop();
  config::McpServer changed = server("polite.py");
  changed.args.emplace_back("--and-more");
  start(std::move(changed));
  EXPECT_NE(pattern(), before);
}

TEST_F(McpTest, AddedToolsAppearAndTheChangeIsToldOnce) {
  start(server("changing.py"));
  settle();
  changes_ = 0;
  call("add");
  run_until([&] { return names().size() == 7; });
  run_until([&] { return changes_ > 0; });
  EXPECT_EQ(changes_, 1);
}

TEST_F(McpTest, AStormOfNoticesIsAFewListsAndOneChange) {
  start(server("changing.py"));
  settle();
  changes_ = 0;
  call("storm");
  run_until([&] { return changes_ > 0; });
  EXPECT_EQ(changes_, 1);
  EXPECT_LE(std::stoi(text(call("lists"))), 6);
}

TEST_F(McpTest, ACallToAToolThatVanishedIsRefusedBeforeItIsSent) {
  start(server("changing.py"));
  call("remove");
  run_until([&] { return names().size() == 5; });
  const ToolOutput output = call("victim");
  EXPECT_EQ(kind(output), "toolDisabled");
}

}  // namespace
}  // namespace toolhost::testing
