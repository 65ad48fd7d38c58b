// The daemon is killed while a person is asked, and at every step of a call.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

std::size_t lines_of(const std::string& file) {
  std::ifstream in(file);
  std::size_t lines = 0;
  std::string line;
  while (std::getline(in, line)) ++lines;
  return lines;
}

class Restart : public ::testing::Test {
 protected:
  Restart() { connect(); }

  // A frontend of its own process: it may answer what the agents ask.
  void connect() {
    gui = std::make_unique<Client>(daemon.control());
    (void)gui->call("subscribe",
                    {{"topics", json::array{"approvals", "calls", "config"}}});
    if (!session.empty()) return;
    auto opened = gui->call("openSession", {{"workspace", daemon.workspace()}});
    session = text_at(opened.value(), "sessionId");
    token = text_at(opened.value(), "token");
  }

  void kill_and_start() {
    daemon.kill_hard();
    daemon.start();
    connect();
  }

  // A start that does not survive: before or after its socket could be reached.
  void start_and_lose() {
    try {
      daemon.start();
    } catch (const std::runtime_error&) {
      return;
    }
    EXPECT_EQ(daemon.wait_for_end(), 128 + SIGKILL);
  }

  std::unique_ptr<AgentProcess> attached() {
    auto agent = daemon.agent();
    agent->call("attachSession", {{"sessionId", session}, {"token", token}});
    return agent;
  }

  // Leaves a line behind at each run.
  json::object append(const std::string& key) const {
    return {{"name", "bash"},
            {"arguments", json::object{{"command", "echo ran >> runs.txt"}}},
            {"idempotencyKey", key}};
  }
  static json::object write(const std::string& file) {
    return {{"name", "write"},
            {"arguments", json::object{{"path", file}, {"content", "x\n"}}}};
  }
  std::size_t runs() const { return lines_of(daemon.path("runs.txt")); }

  json::array pending() {
    return gui->call("listApprovals", {}).value().at("approvals").as_array();
  }
  // The one question that waits, when it does.
  json::object only_pending() {
    EXPECT_TRUE(eventually([&] { return pending().size() == 1; }));
    return pending().at(0).as_object();
  }

  Result<json::object> answer(const json::object& approval,
                              const std::string& option) {
    json::object params;
    params["approvalId"] = approval.at("approvalId");
    params["approvalDigest"] = approval.at("approvalDigest");
    params["optionId"] = option;
    return gui->call("approve", params);
  }

  DaemonProcess daemon;
  std::unique_ptr<Client> gui;
  std::string session;
  std::string token;
};

TEST_F(Restart, APendingQuestionIsAnsweredAfterAKillAndRunsOnce) {
  auto agent = attached();
  ASSERT_TRUE(agent->client().send("execute", append("k1")));
  const json::object before = only_pending();
  kill_and_start();
  const json::object after = only_pending();
  for (const char* same : {"approvalId", "callId", "approvalDigest", "subject",
                           "arguments", "title", "options", "createdAt"}) {
    EXPECT_EQ(after.at(same), before.at(same)) << same;
  }
  agent = attached();
  auto again = agent->client().send("execute", append("k1"));
  ASSERT_TRUE(again);
  ASSERT_TRUE(answer(after, "allow_once"));
  auto reply = agent->client().wait(*again);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(text_at(*reply, "status"), "completed");
  EXPECT_EQ(at(*reply, "callId"), before.at("callId"));
  EXPECT_EQ(runs(), 1u);
  EXPECT_TRUE(pending().empty());
}

TEST_F(Restart, TheCallerMayComeBackByItsCallId) {
  json::object params = append("");
  params.erase("idempotencyKey");
  params["callId"] = "call_made_by_the_agent_itself";
  auto agent = attached();
  ASSERT_TRUE(agent->client().send("execute", params));
  const json::object before = only_pending();
  kill_and_start();
  agent = attached();
  auto again = agent->client().send("execute", params);
  ASSERT_TRUE(answer(before, "allow_once"));
  auto reply = agent->client().wait(*again);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(text_at(*reply, "status"), "completed");
  // And after another kill the journal knows how it ended.
  kill_and_start();
  agent = attached();
  const json::object repeated = agent->call("execute", params);
  EXPECT_EQ(at(repeated, "replayed"), true);
  EXPECT_EQ(runs(), 1u);
}

TEST_F(Restart, ADetachedCallGoesOnAndItsResultOutlivesTheNextKill) {
  json::object params = append("");
  params.erase("idempotencyKey");
  params["mode"] = "detach";
  const json::object started = attached()->call("execute", params);
  const json::object before = only_pending();
  kill_and_start();
  ASSERT_TRUE(answer(before, "allow_once"));
  json::object wanted{{"callId", at(started, "callId")}, {"waitMs", 10'000}};
  EXPECT_EQ(text_at(gui->call("getCall", wanted).value(), "result.status"),
            "completed");
  kill_and_start();
  const json::object known = gui->call("getCall", wanted).value();
  EXPECT_EQ(text_at(known, "call.state"), "completed");
  EXPECT_EQ(text_at(known, "result.status"), "completed");
  EXPECT_EQ(runs(), 1u);
}

TEST_F(Restart, ADenialIsToldToTheCallerThatComesBack) {
  auto agent = attached();
  ASSERT_TRUE(agent->client().send("execute", append("k1")));
  const json::object before = only_pending();
  kill_and_start();
  ASSERT_TRUE(answer(before, "reject_once"));
  const json::object reply = attached()->call("execute", append("k1"));
  EXPECT_EQ(text_at(reply, "error.kind"), "approvalDenied");
  EXPECT_TRUE(pending().empty());
  EXPECT_EQ(runs(), 0u);
}

TEST_F(Restart, AFileThatChangedMeanwhileIsAskedAnew) {
  write_file(daemon.path("a.txt"), "before\n");
  auto agent = attached();
  ASSERT_TRUE(agent->client().send("execute", write("a.txt")));
  const json::object before = only_pending();
  daemon.kill_hard();
  write_file(daemon.path("a.txt"), "somebody else's work\n");
  daemon.start();
  connect();
  ASSERT_TRUE(eventually([&] {
    const json::array now = pending();
    return now.size() == 1 &&
           at(now[0], "approvalId") != before.at("approvalId");
  }));
  const json::object old =
      gui->call("getApproval", {{"approvalId", before.at("approvalId")}})
          .value();
  EXPECT_EQ(text_at(old, "state"), "withdrawn");
  EXPECT_EQ(read_file(daemon.path("a.txt")), "somebody else's work\n");
}

TEST_F(Restart, WhoAskedBeforeMayNotAnswerAfterwards) {
  auto opened = gui->call("openSession", {{"workspace", daemon.workspace()}});
  json::object params = append("k1");
  params["sessionId"] = at(*opened, "sessionId");
  // The frontend itself asks.
  ASSERT_TRUE(gui->send("execute", params));
  ASSERT_TRUE(eventually([&] { return pending().size() == 1; }));
  kill_and_start();
  const auto refused = answer(only_pending(), "allow_once");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::approval_forbidden);
}

TEST_F(Restart, WhatIsRememberedForASessionOutlivesAKill) {
  auto agent = attached();
  auto id = agent->client().send("execute", write("a.txt"));
  ASSERT_TRUE(answer(only_pending(), "allow_session"));
  ASSERT_TRUE(agent->client().wait(*id));
  kill_and_start();
  const json::object reply = attached()->call("execute", write("a.txt"));
  EXPECT_EQ(text_at(reply, "status"), "completed");
}

TEST_F(Restart, ADamagedJournalTakesRememberedAllowsWithIt) {
  auto agent = attached();
  auto id = agent->client().send("execute", write("a.txt"));
  ASSERT_TRUE(answer(only_pending(), "allow_always"));
  ASSERT_TRUE(agent->client().wait(*id));
  daemon.kill_hard();
  const std::string file = daemon.state_dir() + "/journal.db";
  std::filesystem::remove(file + "-wal");
  write_file(file, std::string(100'000, 'z'));
  daemon.start();
  connect();
  const json::object status = gui->call("status", {}).value();
  EXPECT_NE(json_text(status.at("warnings")).find("journal.db.corrupt-"),
            std::string::npos);
  agent = attached();
  ASSERT_TRUE(agent->client().send("execute", write("a.txt")));
  EXPECT_EQ(text_at(only_pending(), "tool.name"), "write");
}

TEST_F(Restart, TheAuditTrailHasCallAndDecisionAndNoSecrets) {
  json::object params = append("k1");
  params["arguments"] =
      json::object{{"command", "echo password=hunter2hunter >> runs.txt"}};
  auto agent = attached();
  auto id = agent->client().send("execute", params);
  const json::object asked = only_pending();
  ASSERT_TRUE(answer(asked, "allow_once"));
  ASSERT_TRUE(agent->client().wait(*id));
  kill_and_start();
  const json::object trail =
      gui->call("readAudit", {{"callId", asked.at("callId")}}).value();
  ASSERT_EQ(trail.at("records").as_array().size(), 2u);
  EXPECT_EQ(text_at(trail, "records.0.kind"), "decision");
  EXPECT_EQ(text_at(trail, "records.0.body.decidedBy.clientName"), "gui");
  EXPECT_EQ(text_at(trail, "records.0.body.requester.clientName"), "agent");
  EXPECT_EQ(text_at(trail, "records.1.kind"), "call");
  EXPECT_EQ(json_text(trail).find("hunter2hunter"), std::string::npos);
  EXPECT_EQ(daemon.log().find("hunter2hunter"), std::string::npos);
}

TEST_F(Restart, ManyPendingQuestionsAreAllThereWhenItIsReady) {
  constexpr std::size_t kMany = 300;
  auto agent = attached();
  for (std::size_t i = 0; i < kMany; ++i) {
    json::object params = append("k" + std::to_string(i));
    params["mode"] = "detach";
    agent->call("execute", params);
  }
  const auto count = [&] {
    return at(gui->call("status", {}).value(), "pendingApprovals");
  };
  ASSERT_TRUE(eventually([&] { return count() == kMany; }));
  kill_and_start();
  // The first request after the start sees them all.
  EXPECT_EQ(count(), kMany);
  EXPECT_TRUE(answer(pending().at(0).as_object(), "reject_once"));
  EXPECT_EQ(count(), kMany - 1);
}

// One call, killed at a named place; then everybody comes back.
class KilledAt : public Restart,
                 public ::testing::WithParamInterface<const char*> {};

TEST_P(KilledAt, AskedOncePerDecisionRunOnceAndAnHonestAnswer) {
  daemon.kill_hard();
  daemon.set_environment({std::string("TOOLHOST_FAULT=") + GetParam()});
  daemon.start();
  connect();
  auto agent = attached();
  ASSERT_TRUE(agent->client().send("execute", append("k1")));
  // Answers as soon as it hears of the question, and may never hear back.
  bool decided = false;
  std::set<std::string> asked;
  if (auto question = gui->next_notification("approval/requested")) {
    asked.insert(text_at(question->params, "approval.approvalId"));
    const json::object approval = question->params.at("approval").as_object();
    decided = answer(approval, "allow_once").has_value();
  }
  ASSERT_EQ(daemon.wait_for_end(), 128 + SIGKILL);

  daemon.set_environment({});
  daemon.start();
  connect();
  agent = attached();
  auto again = agent->client().send("execute", append("k1"));
  ASSERT_TRUE(again);
  // Until the call is over, whatever still waits is answered.
  std::size_t answered_after = 0;
  json::object result;
  ASSERT_TRUE(eventually([&] {
    for (const json::value& each : pending()) {
      asked.insert(text_at(each.as_object(), "approvalId"));
      if (answer(each.as_object(), "allow_once")) ++answered_after;
    }
    auto reply = agent->client().wait(*again, Milliseconds(20));
    if (reply) result = *reply;
    return reply.has_value();
  }));

  EXPECT_LE(asked.size(), 1u) << "the same thing was asked twice";
  if (decided) {
    EXPECT_EQ(answered_after, 0u) << "a decision was lost";
  }
  const std::string status = text_at(result, "status");
  if (status == "completed") {
    EXPECT_EQ(runs(), 1u);
  } else {
    EXPECT_EQ(text_at(result, "error.kind"), "outcomeUnknown");
    EXPECT_LE(runs(), 1u);
  }
  // And it stays so.
  const json::object repeated = agent->call("execute", append("k1"));
  EXPECT_EQ(text_at(repeated, "status"), status);
  EXPECT_LE(runs(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    EveryStep, KilledAt,
    ::testing::Values("after:pin", "after:cancelled", "after:tool",
                      "after:declaredPolicy", "after:sandboxMode",
                      "after:preHooks", "after:arguments", "after:planMode",
                      "after:readBeforeEdit", "after:sessionPolicy",
                      "after:resolve", "after:replay", "after:permission",
                      "approval:recorded", "approval:published",
                      "approval:taken", "approval:decided",
                      "approval:remembered", "after:approval", "run:recorded",
                      "run:ended", "after:run", "after:postHooks",
                      "after:normalise"),
    [](const auto& row) {
      std::string name = row.param;
      std::replace(name.begin(), name.end(), ':', '_');
      return name;
    });

TEST_F(Restart, ARuleOfAnAnswerThatWasRecordedIsNotLost) {
  daemon.kill_hard();
  daemon.set_environment({"TOOLHOST_FAULT=approval:decided"});
  daemon.start();
  connect();
  auto agent = attached();
  json::object params = write("a.txt");
  params["idempotencyKey"] = "k1";
  ASSERT_TRUE(agent->client().send("execute", params));
  (void)answer(only_pending(), "allow_always");
  ASSERT_EQ(daemon.wait_for_end(), 128 + SIGKILL);
  daemon.set_environment({});
  daemon.start();
  connect();
  agent = attached();
  EXPECT_EQ(text_at(agent->call("execute", params), "status"), "completed");
  // The next call of its kind finds the rule.
  EXPECT_EQ(text_at(agent->call("execute", write("a.txt")), "status"),
            "completed");
}

TEST_F(Restart, AKillWhileComingBackLosesNothing) {
  auto agent = attached();
  ASSERT_TRUE(agent->client().send("execute", append("k1")));
  const json::object before = only_pending();
  daemon.kill_hard();
  daemon.set_environment({"TOOLHOST_FAULT=restore:published"});
  start_and_lose();
  daemon.set_environment({});
  daemon.start();
  connect();
  const json::object after = only_pending();
  EXPECT_EQ(after.at("approvalId"), before.at("approvalId"));
  agent = attached();
  auto again = agent->client().send("execute", append("k1"));
  ASSERT_TRUE(answer(after, "allow_once"));
  ASSERT_TRUE(agent->client().wait(*again));
  EXPECT_EQ(runs(), 1u);
}

}  // namespace
}  // namespace toolhost::testing
