// The configured servers in the registry, and what a reload does to them.
#include "providers/mcp/servers.hpp"

#include "tests/unit/mcp/server_fixture.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;

class McpServersTest : public McpTest {
 protected:
  McpServersTest() {
    registry_.on_change = [this] { ++changes_; };
  }
  ~McpServersTest() override {
    run(loop_, registry_.stop_all());
    loop_.restart();
    loop_.run_for(kTestTimeout);
  }

  config::McpServer named(const std::string& name,
                          const std::string& script = "polite.py") {
    config::McpServer out = server(script);
    out.name = name;
    return out;
  }
  void set(std::vector<config::McpServer> servers) {
    config_.mcp_servers = std::move(servers);
    ASSERT_TRUE(mcp::set_servers(registry_, host_, config_, true));
  }
  bool ready(const std::string& name) {
    const auto provider = registry_.find(name);
    return provider && provider->status().state == "ready";
  }
  void until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + kTestTimeout;
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      loop_.run_one_for(std::chrono::milliseconds(100));
      if (loop_.stopped()) loop_.restart();
    }
  }
  bool has(const std::string& tool) {
    return registry_.snapshot()->find(tool) != nullptr;
  }

  Registry registry_{std::make_shared<config::Config>()};
};

TEST_F(McpServersTest, ToolsComeIntoTheSnapshotWhenTheServerIsReady) {
  set({named("one")});
  EXPECT_FALSE(has("mcp__one__echo"));
  until([&] { return has("mcp__one__echo"); });
  EXPECT_GT(changes_, 0);
}

TEST_F(McpServersTest, ServersOfSimilarNamesDoNotShareToolNames) {
  set({named("a b"), named("a_b")});
  until([&] { return ready("mcp:a b") && ready("mcp:a_b"); });
  until([&] { return has("mcp__a_b__echo"); });
  until([&] { return registry_.snapshot()->tools.size() == 14; });
  EXPECT_TRUE(registry_.snapshot()->left_out.empty());
}

TEST_F(McpServersTest, AServerThatDoesNotStartDoesNotHoldUpAnother) {
  config::McpServer slow = named("slow", "slow_start.py");
  slow.args.emplace_back("600");
  set({slow, named("quick")});
  until([&] { return ready("mcp:quick"); });
  EXPECT_EQ(registry_.find("mcp:slow")->status().state, "starting");
}

TEST_F(McpServersTest, AReloadTouchesOnlyWhatChanged) {
  set({named("stays"), named("changes"), named("goes")});
  until([&] {
    return ready("mcp:stays") && ready("mcp:changes") && ready("mcp:goes");
  });
  const auto stays = registry_.find("mcp:stays");
  const auto changes = registry_.find("mcp:changes");
  config::McpServer changed = named("changes");
  changed.disabled_tools = {"echo"};
  set({named("stays"), changed, named("comes")});
  EXPECT_EQ(registry_.find("mcp:stays"), stays);
  EXPECT_TRUE(ready("mcp:stays"));
  EXPECT_NE(registry_.find("mcp:changes"), changes);
  EXPECT_EQ(registry_.find("mcp:goes"), nullptr);
  EXPECT_FALSE(has("mcp__goes__echo"));
  until([&] { return ready("mcp:changes") && ready("mcp:comes"); });
  until([&] { return has("mcp__changes__env"); });
  EXPECT_FALSE(has("mcp__changes__echo"));
}

TEST_F(McpServersTest, ACallInFlightEndsOnTheServerThatAReloadTookOut) {
  config::McpServer goes = named("goes", "silent.py");
  goes.args.emplace_back("none");
  set({goes});
  until([&] { return has("mcp__goes__progress"); });
  const SnapshotPtr pinned = registry_.snapshot();
  Stop stop;
  const ExecutionContext context = make_context(stop);
  std::optional<ToolOutput> output;
  Provider* provider = pinned->find("mcp__goes__wait")->provider;
  asio::co_spawn(
      loop_, provider->call("mcp__goes__wait", {}, context),
      [&](std::exception_ptr, ToolOutput out) { output = std::move(out); });
  asio::post(loop_, [&] { set({}); });
  until([&] { return registry_.find("mcp:goes") == nullptr; });
  EXPECT_FALSE(output);
  stop.request("Enough.");
  until([&] { return output.has_value(); });
  EXPECT_EQ(kind(*output), "cancelled");
}

TEST_F(McpServersTest, ASwitchedOffProviderHasNoProcess) {
  config_.tools.disabled_providers = {"mcp:one"};
  set({named("one")});
  EXPECT_FALSE(registry_.find("mcp:one")->status().enabled);
  EXPECT_EQ(registry_.find("mcp:one")->status().state, "stopped");
}

TEST_F(McpServersTest, AToolWithATakenNameIsLeftOutAndTheReasonIsKept) {
  // "a" + "_b" and "a_" + "b" make one name.
  config::McpServer one = named("a", "underscore.py");
  one.args.emplace_back("_b");
  config::McpServer other = named("a_", "underscore.py");
  other.args.emplace_back("b");
  set({one, other});
  until([&] { return ready("mcp:a") && ready("mcp:a_"); });
  until([&] { return !registry_.snapshot()->left_out.empty(); });
  EXPECT_TRUE(has("mcp__a___b"));
  EXPECT_THAT(registry_.snapshot()->left_out[0].reason,
              HasSubstr("has the name of a tool of provider"));
}

}  // namespace
}  // namespace toolhost::testing
