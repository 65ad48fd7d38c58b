// Clients that vanish, and daemons that are killed.
#include <gtest/gtest.h>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

json::object write_params(const std::string& key = {}) {
  json::object params{
      {"name", "write"},
      {"arguments", json::object{{"path", "a.txt"}, {"content", "x\n"}}}};
  if (!key.empty()) params["idempotencyKey"] = key;
  return params;
}

std::size_t pending(Client& gui) {
  auto list = gui.call("listApprovals", {});
  return list ? list->at("approvals").as_array().size() : 999;
}

class Disconnect : public ::testing::Test {
 protected:
  Disconnect() {
    (void)gui.call("subscribe",
                   {{"topics", json::array{"approvals", "calls"}}});
    auto opened = gui.call("openSession", {{"workspace", daemon.workspace()}});
    session = text_at(opened.value(), "sessionId");
    token = text_at(opened.value(), "token");
  }
  std::unique_ptr<AgentProcess> attached() {
    auto agent = daemon.agent();
    agent->call("attachSession", {{"sessionId", session}, {"token", token}});
    return agent;
  }
  json::object with_session(json::object params) {
    params["sessionId"] = session;
    return params;
  }

  DaemonProcess daemon;
  Client gui = daemon.control();
  std::string session;
  std::string token;
};

TEST_F(Disconnect, ACallerWithoutAKeyTakesItsQuestionAlong) {
  auto agent = attached();
  ASSERT_TRUE(agent->client().send("execute", write_params()));
  auto asked = gui.next_notification("approval/requested");
  ASSERT_TRUE(asked);
  agent->vanish();
  auto resolved = gui.next_notification("approval/resolved");
  ASSERT_TRUE(resolved);
  EXPECT_EQ(text_at(resolved->params, "approval.state"), "withdrawn");
  EXPECT_EQ(pending(gui), 0u);
  EXPECT_FALSE(std::filesystem::exists(daemon.path("a.txt")));
}

TEST_F(Disconnect, ACallerWithAKeyMayComeBackForTheSameCall) {
  auto agent = attached();
  ASSERT_TRUE(agent->client().send("execute", write_params("k1")));
  auto asked = gui.next_notification("approval/requested");
  ASSERT_TRUE(asked);
  agent->vanish();
  agent = attached();
  auto id = agent->client().send("execute", write_params("k1"));
  ASSERT_TRUE(id);
  // Nobody is asked a second time: the same question gets its answer.
  json::object answer;
  answer["approvalId"] = at(asked->params, "approval.approvalId");
  answer["approvalDigest"] = at(asked->params, "approval.approvalDigest");
  answer["optionId"] = "allow_once";
  ASSERT_TRUE(gui.call("approve", answer));
  auto reply = agent->client().wait(*id);
  ASSERT_TRUE(reply);
  EXPECT_EQ(text_at(*reply, "status"), "completed");
  EXPECT_EQ(pending(gui), 0u);
  EXPECT_EQ(read_file(daemon.path("a.txt")), "x\n");
}

TEST_F(Disconnect, ADetachedCallGoesOnAndItsResultCanBeFetched) {
  auto agent = attached();
  json::object params = write_params();
  params["mode"] = "detach";
  const json::object started = agent->call("execute", params);
  agent->vanish();
  answer_next(gui, "allow_once");
  const json::object done =
      gui.call("getCall",
               {{"callId", at(started, "callId")}, {"waitMs", 10'000}})
          .value();
  EXPECT_EQ(text_at(done, "result.status"), "completed");
}

TEST_F(Disconnect, ARunningCommandEndsWithItsCaller) {
  auto agent = attached();
  json::object params{
      {"name", "bash"},
      {"arguments",
       json::object{{"command", "setsid sleep 1000 & sleep 1000"}}}};
  ASSERT_TRUE(agent->client().send("execute", params));
  answer_next(gui, "allow_once");
  ASSERT_TRUE(gui.next_notification("call/started"));
  ASSERT_TRUE(eventually([&] { return daemon.descendants().size() >= 3; }));
  agent->vanish();
  EXPECT_TRUE(eventually([&] { return daemon.descendants().empty(); }));
}

TEST_F(Disconnect, CancellingTheRequestCancelsTheCall) {
  auto agent = attached();
  auto id = agent->client().send("execute", write_params());
  ASSERT_TRUE(id);
  ASSERT_TRUE(gui.next_notification("approval/requested"));
  ASSERT_TRUE(agent->client().cancel_request(*id));
  auto reply = agent->client().wait(*id);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::request_cancelled);
  auto resolved = gui.next_notification("approval/resolved");
  ASSERT_TRUE(resolved);
  EXPECT_EQ(text_at(resolved->params, "approval.state"), "withdrawn");
}

TEST_F(Disconnect, AResultSurvivesKillMinusNineAndRunsOnce) {
  auto agent = attached();
  auto id = agent->client().send("execute", write_params("k1"));
  answer_next(gui, "allow_once");
  auto first = agent->client().wait(*id);
  ASSERT_TRUE(first);
  daemon.kill_hard();
  write_file(daemon.path("a.txt"), "changed by somebody else\n");
  daemon.start();
  agent = attached();
  const json::object again = agent->call("execute", write_params("k1"));
  EXPECT_EQ(at(again, "replayed"), true);
  EXPECT_EQ(at(again, "callId"), at(*first, "callId"));
  EXPECT_EQ(read_file(daemon.path("a.txt")), "changed by somebody else\n");
}

TEST_F(Disconnect, StoppingWithAPendingQuestionAnswersEverybody) {
  auto agent = attached();
  auto id = agent->client().send("execute", write_params());
  ASSERT_TRUE(gui.next_notification("approval/requested"));
  EXPECT_EQ(daemon.stop(), 0);
  auto reply = agent->client().wait(*id);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(text_at(*reply, "error.kind"), "approvalWithdrawn");
  auto stopping = gui.next_notification("server/stopping");
  EXPECT_TRUE(stopping);
}

TEST_F(Disconnect, AManyTimesVanishingClientHurtsNobody) {
  const pid_t pid = daemon.pid();
  for (int i = 0; i < 200; ++i) {
    const int fd = connect_socket(daemon.caller_socket());
    write_bytes(fd,
                R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)"
                R"({"protocolVersion":1,"clientInfo":{"name":"x","version":)"
                R"("1"}}})"
                "\n"
                R"({"jsonrpc":"2.0","id":2,"method":"execute","params":{"na)");
    close_fd(fd);
  }
  EXPECT_TRUE(gui.call("ping", {}));
  EXPECT_EQ(daemon.pid(), pid);
  EXPECT_TRUE(eventually(
      [&] { return at(gui.call("status", {}).value(), "connections") == 1; }));
}

}  // namespace
}  // namespace toolhost::testing
