// The catalogue changes under agents that listed it.
#include <gtest/gtest.h>

#include <fstream>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

class CatalogueChanges : public ::testing::Test {
 protected:
  CatalogueChanges() {
    (void)gui.call("subscribe",
                   {{"topics", json::array{"tools", "providers", "config"}}});
    agent->call("listTools", {});
    agent->call("subscribe", {{"topics", json::array{"tools"}}});
  }
  void reload(const std::string& config) {
    std::ofstream(daemon.config_file()) << config;
    ASSERT_TRUE(gui.call("reloadConfig", {}));
  }

  DaemonProcess daemon;
  Client gui = daemon.control();
  std::unique_ptr<AgentProcess> agent = daemon.agent();
};

TEST_F(CatalogueChanges, AToolThatGoesIsABreakingChangeForWhoSawIt) {
  reload(R"({"tools":{"disabled":["bash"]}})");
  const auto told = agent->client().next_notification("tools/changed");
  ASSERT_TRUE(told);
  EXPECT_EQ(text_at(told->params, "grade"), "breaking");
  EXPECT_EQ(at(told->params, "removed"), json::value(json::array{"bash"}));
  EXPECT_EQ(at(told->params, "added"), json::value(json::array()));
  // The hash is the one of the list that is asked for next.
  const json::object list = agent->call("listTools", {});
  EXPECT_EQ(text_at(told->params, "toolsHash"), text_at(list, "toolsHash"));
}

TEST_F(CatalogueChanges, AToolThatComesIsAnAdditiveChange) {
  reload(R"({"tools":{"disabled":["bash"]}})");
  ASSERT_TRUE(agent->client().next_notification("tools/changed"));
  reload("{}");
  const auto told = agent->client().next_notification("tools/changed");
  ASSERT_TRUE(told);
  EXPECT_EQ(text_at(told->params, "grade"), "additive");
  EXPECT_EQ(at(told->params, "added"), json::value(json::array{"bash"}));
}

TEST_F(CatalogueChanges, ADescriptionWithOtherLimitsIsAChange) {
  reload(R"({"tools":{"bash":{"defaultTimeoutMs":5000}}})");
  const auto told = agent->client().next_notification("tools/changed");
  ASSERT_TRUE(told);
  EXPECT_EQ(text_at(told->params, "grade"), "breaking");
  EXPECT_EQ(at(told->params, "changed"), json::value(json::array{"bash"}));
}

TEST_F(CatalogueChanges, AChangeIsToldOnce) {
  reload(R"({"tools":{"disabled":["bash"]}})");
  ASSERT_TRUE(gui.next_notification("tools/changed"));
  // The second reload changes nothing: its own event is all that follows.
  reload(R"({"tools":{"disabled":["bash"]}})");
  reload(R"({"tools":{"disabled":["bash","write"]}})");
  const auto next = gui.next_notification("tools/changed");
  ASSERT_TRUE(next);
  EXPECT_EQ(at(next->params, "removed"), json::value(json::array{"write"}));
}

TEST_F(CatalogueChanges, WhoNeverListedHearsNothingOfTools) {
  auto quiet = daemon.agent("quiet");
  quiet->call("subscribe", {{"topics", json::array{"tools"}}});
  reload(R"({"tools":{"disabled":["bash"]}})");
  const auto told = gui.next_notification("tools/changed");
  ASSERT_TRUE(told);
  // One session saw the list, so there is one event, and it is the other's.
  reload("{}");
  const auto second = gui.next_notification("tools/changed");
  ASSERT_TRUE(second);
  EXPECT_EQ(text_at(told->params, "sessionId"),
            text_at(second->params, "sessionId"));
  quiet->call("ping", {});
  while (const auto heard = quiet->client().take_notification()) {
    EXPECT_NE(heard->method, "tools/changed") << json_text(heard->params);
  }
}

TEST_F(CatalogueChanges, ASwitchedOffProviderIsToldAndItsToolsAreGone) {
  reload(R"({"tools":{"disabledProviders":["builtin"]}})");
  const auto told = gui.next_notification("provider/changed");
  ASSERT_TRUE(told);
  EXPECT_EQ(text_at(told->params, "name"), "builtin");
  EXPECT_EQ(at(told->params, "enabled"), json::value(false));
  EXPECT_NE(text_at(told->params, "reason").find("disabledProviders"),
            std::string::npos);
  const json::object list = agent->call("listTools", {});
  EXPECT_EQ(at(list, "tools"), json::value(json::array()));
  const json::object refused =
      agent->execute("read", {{"path", daemon.path("a.txt")}});
  EXPECT_EQ(text_at(refused, "error.kind"), "toolDisabled");
}

TEST_F(CatalogueChanges, ARuleThatDeniesAllHidesTheToolAtOnce) {
  reload(R"({"rules":[{"permission":"bash","pattern":"*","action":"deny"}]})");
  const auto told = agent->client().next_notification("tools/changed");
  ASSERT_TRUE(told);
  EXPECT_EQ(at(told->params, "removed"), json::value(json::array{"bash"}));
}

}  // namespace
}  // namespace toolhost::testing
