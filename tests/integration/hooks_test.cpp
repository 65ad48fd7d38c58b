// Hooks of a real daemon: configured, run, told in status.
#include <gtest/gtest.h>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

std::string config_with(const std::string& hooks) {
  return "{\"hooks\": [" + hooks + "]}";
}

const json::object* row_of(const json::object& status, std::string_view name) {
  for (const auto& row : status.at("hooks").as_array()) {
    if (row.at("name").as_string() == name) return &row.get_object();
  }
  return nullptr;
}

TEST(HooksOfADaemon, DenyRewriteAndAreCounted) {
  DaemonProcess daemon(config_with(
      R"({"name": "no-etc", "phase": "PreToolUse", "toolNames": ["read"],
          "command": "grep -q forbidden && { echo 'not that one' >&2; exit 2; }; exit 0"},
         {"name": "rename", "phase": "PreToolUse", "matcher": "re*",
          "command": "grep -q alias.txt && echo '{\"arguments\": {\"path\": \"real.txt\"}}'; true"},
         {"name": "note", "phase": "PostToolUse", "toolNames": ["read"],
          "command": "echo '{\"additionalContext\": \"seen\"}'"})"));
  write_file(daemon.path("real.txt"), "the real one\n");
  const auto agent = daemon.agent();
  const json::object denied =
      agent->execute("read", {{"path", "forbidden.txt"}});
  EXPECT_EQ(text_at(denied, "error.kind"), "hookDenied");
  const json::object read = agent->execute("read", {{"path", "alias.txt"}});
  EXPECT_EQ(text_at(read, "content.0.text"), "the real one\n");
  EXPECT_EQ(text_at(read, "content.1.text"), "[hook note] seen");

  Client gui = daemon.control();
  const json::object status = gui.call("status", {}).value();
  const json::object* guard = row_of(status, "no-etc");
  ASSERT_TRUE(guard) << json_text(status);
  EXPECT_EQ(guard->at("runs").to_number<int>(), 2);
  EXPECT_EQ(guard->at("denied").to_number<int>(), 1);
  EXPECT_EQ(row_of(status, "rename")->at("rewrote").to_number<int>(), 1);
  EXPECT_EQ(row_of(status, "note")->at("runs").to_number<int>(), 1);
}

TEST(HooksOfADaemon, NineThatHangAtOnceHarmNobodyElse) {
  DaemonProcess daemon(config_with(
      R"({"name": "hangs", "phase": "PreToolUse", "toolNames": ["glob"],
          "timeoutMs": 1000, "command": "cat > /dev/null; sleep 600"})"));
  write_file(daemon.path("a.txt"), "a\n");
  const auto stuck = daemon.agent("stuck");
  const auto other = daemon.agent("other");
  std::vector<std::string> ids;
  for (int i = 0; i < 9; ++i) {
    const json::object call =
        stuck->call("execute", {{"name", "glob"},
                                {"arguments", {{"pattern", "*"}}},
                                {"mode", "detach"}});
    ids.push_back(text_at(call, "callId"));
  }
  EXPECT_EQ(text_at(other->execute("read", {{"path", "a.txt"}}), "status"),
            "completed");
  for (const std::string& id : ids) {
    json::object call;
    ASSERT_TRUE(eventually([&] {
      call = stuck->call("getCall", {{"callId", id}, {"waitMs", 500}});
      return json_text(call).find("within 1000 ms") != std::string::npos;
    })) << json_text(call);
  }
  EXPECT_TRUE(eventually([&] { return daemon.descendants().empty(); }));
}

TEST(HooksOfADaemon, AReloadAddsAGuardToARunningTurn) {
  DaemonProcess daemon;
  write_file(daemon.path("a.txt"), "a\n");
  const auto agent = daemon.agent();
  const json::object params{{"name", "read"},
                            {"arguments", {{"path", "a.txt"}}},
                            {"context", {{"turnId", "t1"}}}};
  EXPECT_EQ(text_at(agent->call("execute", params), "status"), "completed");
  write_file(daemon.config_file(),
             config_with(R"({"phase": "PreToolUse", "command": "exit 2"})"));
  Client gui = daemon.control();
  ASSERT_TRUE(gui.call("reloadConfig", {}));
  EXPECT_EQ(text_at(agent->call("execute", params), "error.kind"),
            "hookDenied");
}

TEST(HooksOfADaemon, AHookGetsNoWayBackToTheDaemon) {
  DaemonProcess daemon(config_with(
      R"({"phase": "PreToolUse", "toolNames": ["write"], "command":
          "env | grep -c TOOLHOST > env-count; true"})"));
  const auto agent = daemon.agent();
  (void)agent->call("execute",
                    {{"name", "write"},
                     {"arguments", {{"path", "b.txt"}, {"content", "b\n"}}},
                     {"approvalTimeoutMs", 50}});
  EXPECT_EQ(read_file(daemon.path("env-count")), "0\n");
}

TEST(HooksOfADaemon, AnObserverOfATurnGoesOnWhenItsAgentIsGone) {
  DaemonProcess daemon(config_with(
      R"({"phase": "TurnEnd", "command":
          "touch began; while [ ! -e go ]; do sleep 0.01; done; touch ended"})"));
  {
    const auto agent = daemon.agent();
    ASSERT_TRUE(agent->client().send(
        "runHooks", {{"phase", "TurnEnd"}, {"status", "completed"}}));
    ASSERT_TRUE(eventually(
        [&] { return std::filesystem::exists(daemon.path("began")); }));
    agent->vanish();
  }
  write_file(daemon.path("go"), "");
  EXPECT_TRUE(eventually(
      [&] { return std::filesystem::exists(daemon.path("ended")); }));
}

TEST(HooksOfADaemon, AStopEndsWhatObserves) {
  DaemonProcess daemon(config_with(
      R"({"phase": "TurnEnd", "command": "touch began; sleep 600"})"));
  const auto agent = daemon.agent();
  ASSERT_TRUE(agent->client().send(
      "runHooks", {{"phase", "TurnEnd"}, {"status", "completed"}}));
  ASSERT_TRUE(eventually(
      [&] { return std::filesystem::exists(daemon.path("began")); }));
  EXPECT_EQ(daemon.stop(), 0);
}

}  // namespace
}  // namespace toolhost::testing
