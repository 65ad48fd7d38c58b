// Questions of an earlier life: the call is killed while a person is asked, its
// row is read back, and a second pipeline goes on with it.
#include "gates/approval_restore.hpp"

#include "tests/unit/gates/pipeline_fixture.hpp"

namespace toolhost::testing {
namespace {

class RestoreTest : public PipelineFixture {
 public:
  ~RestoreTest() override {
    // The first life ends here, long after its kill.
    approvals.withdraw_all("The test is over.");
    after.withdraw_all("The test is over.");
    testing::run(loop, group.join());
  }

  // Asks and is "killed": what the journal holds then.
  JournalApproval asked(std::shared_ptr<Call> call) {
    kept.push_back(call);
    group.spawn(pipeline.run(call));
    poll();
    EXPECT_EQ(journal.open.size(), 1u);
    JournalApproval row = journal.open.begin()->second;
    journal.open.clear();
    events.events.clear();
    return row;
  }
  JournalApproval asked(const std::string& tool = "change") {
    return asked(make_call(tool));
  }

  // As the daemon does it at its start; the call runs in the background.
  std::shared_ptr<Call> restart(const JournalApproval& row) {
    journal.open[row.approval_id] = row;
    auto restored = restore_call(row, clock);
    EXPECT_TRUE(restored) << restored.error().message;
    std::shared_ptr<Call> call = restored->call;
    call->session = session;
    call->restored->session = session;
    after.restore(call->restored);
    kept.push_back(call);
    group.spawn(second.run(call));
    poll();
    return call;
  }

  JournalApproval decided(JournalApproval row, const std::string& word,
                          const std::string& option,
                          std::chrono::minutes ago = {}) {
    JournalDecision decision;
    decision.approval_id = row.approval_id;
    decision.decision = word;
    decision.option_id = option;
    decision.decided_by = R"({"clientName":"gui"})";
    decision.decided_at = rfc3339(clock.wall() - ago);
    decision.comment = "said before the kill";
    row.decision = decision;
    return row;
  }

  void poll() {
    loop.restart();
    loop.poll();
  }

  std::string answer(const std::string& id, const std::string& option,
                     const std::string& digest) {
    std::string out;
    group.spawn([](RestoreTest* self, std::string approval, Answer given,
                   std::string* to) -> Task<void> {
      auto settled = co_await self->after.answer(std::move(approval),
                                                 std::move(given), person());
      *to = settled ? "ok" : std::string(info(settled.error().code).kind);
    }(this, id, Answer{option, {}, digest, {}, {}}, &out));
    poll();
    poll();
    return out;
  }

  int runs() { return fakes->fakes["change"].runs; }

  TaskGroup group{loop};
  ApprovalQueue after{loop, clock, journal, rules, events, config->approvals};
  Parts later{loop,     clock,  registry,  sessions,     turns,
              rules,    after,  scheduler, journal,      *artifacts,
              blocking, events, workers,   {dir / "own"}};
  toolhost::Pipeline second{later};
};

TEST_F(RestoreTest, AQuestionComesBackUnderItsIdWithItsDigest) {
  const JournalApproval row = asked();
  const ApprovalPtr before = approvals.pending().at(0);
  restart(row);
  ASSERT_EQ(after.pending().size(), 1u);
  const ApprovalPtr now = after.pending().at(0);
  EXPECT_EQ(now->id, before->id);
  EXPECT_EQ(now->created_at, before->created_at);
  json::object was = to_json(*before, clock);
  json::object is = to_json(*now, clock);
  was.erase("expiresAt");
  is.erase("expiresAt");
  EXPECT_EQ(is, was);
  EXPECT_EQ(events.methods(), std::vector<std::string>{"approval/requested"});
}

TEST_F(RestoreTest, AnAnswerAfterwardsRunsTheCallOnce) {
  const JournalApproval row = asked();
  const auto call = restart(row);
  const std::string digest = after.pending().at(0)->question.digest;
  EXPECT_EQ(answer(row.approval_id, "allow_once", digest), "ok");
  EXPECT_EQ(call->state, CallState::completed);
  EXPECT_EQ(runs(), 1);
  EXPECT_EQ(call->approval->approval_id, row.approval_id);
  EXPECT_TRUE(journal.open.empty());
}

TEST_F(RestoreTest, WhatItRemembersCountsAfterwards) {
  const JournalApproval row = asked();
  restart(row);
  const std::string digest = after.pending().at(0)->question.digest;
  EXPECT_EQ(answer(row.approval_id, "allow_session", digest), "ok");
  EXPECT_EQ(run("change").state, CallState::completed);
  EXPECT_EQ(runs(), 2);
}

TEST_F(RestoreTest, ACallThatWouldDoSomethingElseNowIsAskedAnew) {
  const JournalApproval row = asked();
  fakes->fakes["change"].resolve = [](const json::object&) {
    Resolution out;
    out.accesses.emplace();
    out.title = "Do another thing";
    out.subject["type"] = "tool";
    out.subject["thing"] = "another";
    return Outcome<Resolution>(out);
  };
  restart(row);
  testing::run(loop, after.judge_restored());
  ASSERT_EQ(after.pending().size(), 1u);
  EXPECT_NE(after.pending().at(0)->id, row.approval_id);
  EXPECT_EQ(after.pending().at(0)->question.title, "Do another thing");
  EXPECT_EQ(after.find(row.approval_id)->state, "withdrawn");
}

TEST_F(RestoreTest, AnAnswerToWhatIsNoLongerAskedComesTooLate) {
  const JournalApproval row = asked();
  const std::string digest = approvals.pending().at(0)->question.digest;
  fakes->fakes["change"].resolve = [](const json::object&) {
    Resolution out;
    out.subject["type"] = "other";
    return Outcome<Resolution>(out);
  };
  restart(row);
  // Nobody judged it yet: the answer makes that happen first.
  EXPECT_EQ(answer(row.approval_id, "allow_once", digest),
            "approvalAlreadyResolved");
  EXPECT_EQ(runs(), 0);
}

TEST_F(RestoreTest, ACallThatTheGatesRefuseNowIsInterrupted) {
  const JournalApproval row = asked();
  session->policy.mode = SessionMode::plan;
  const auto call = restart(row);
  testing::run(loop, after.judge_restored());
  EXPECT_EQ(kind(*call), "planModeBlocked");
  EXPECT_EQ(after.find(row.approval_id)->state, "interrupted");
  EXPECT_TRUE(after.pending().empty());
  EXPECT_EQ(runs(), 0);
}

TEST_F(RestoreTest, ACallThatARuleAllowsNowNeedsNoAnswer) {
  const JournalApproval row = asked();
  Rule rule;
  rule.permission = "edit";
  rule.pattern = "thing";
  rule.action = RuleAction::allow;
  ASSERT_TRUE(rules.remember(rule));
  const auto call = restart(row);
  testing::run(loop, after.judge_restored());
  EXPECT_TRUE(after.pending().empty());
  poll();
  EXPECT_EQ(call->state, CallState::completed);
  EXPECT_EQ(runs(), 1);
}

TEST_F(RestoreTest, AYesBeforeTheKillIsNotAskedForAgain) {
  const auto call = restart(decided(asked(), "allow", "allow_session"));
  EXPECT_EQ(call->state, CallState::completed);
  EXPECT_EQ(runs(), 1);
  EXPECT_TRUE(events.methods().empty() ||
              events.methods().front() != "approval/requested");
  // Its rule was not written before the kill.
  EXPECT_EQ(run("change").state, CallState::completed);
}

TEST_F(RestoreTest, AYesOfLongAgoIsAskedAnew) {
  const JournalApproval row = asked();
  restart(decided(row, "allow", "allow_once", std::chrono::minutes(6)));
  ASSERT_EQ(after.pending().size(), 1u);
  EXPECT_NE(after.pending().at(0)->id, row.approval_id);
  EXPECT_EQ(runs(), 0);
}

TEST_F(RestoreTest, ANoBeforeTheKillIsTheAnswer) {
  auto asking = make_call("change");
  asking->idempotency_key = "k1";
  const auto call = restart(decided(asked(asking), "deny", "reject_once"));
  EXPECT_EQ(kind(*call), "approvalDenied");
  EXPECT_NE(call->output.error->message.find("said before the kill"),
            std::string::npos);
  EXPECT_TRUE(journal.open.empty());
}

TEST_F(RestoreTest, ARestartGivesPeopleTimeToSeeItAgain) {
  JournalApproval row = asked();
  json::object body = json::parse(row.body).as_object();
  body["askedAtMs"] = 1;  // ages ago
  row.body = json::serialize(body);
  restart(row);
  ASSERT_EQ(after.pending().size(), 1u);
  const SteadyTime soon = clock.steady() + Milliseconds(20'000);
  EXPECT_GT(after.pending().at(0)->deadline, soon);
}

TEST_F(RestoreTest, TheRequestComesBackAsItWas) {
  auto call = make_call("change");
  call->raw_arguments["text"] = "x";
  call->turn_id = "turn";
  call->idempotency_key = "key";
  call->reason = "because";
  call->stays = true;
  call->timeout = Milliseconds(5000);
  call->wish.mode = SessionMode::code;
  call->wish.blocked_tools = Names{"bash"};
  call->requester.client_name = "agent";
  call->requester.ancestry = {{100, 7}, {1, 1}};
  session->callers = {{100, 7}};
  const JournalApproval row = asked(call);
  auto restored = restore_call(row, clock);
  ASSERT_TRUE(restored);
  const Call& back = *restored->call;
  EXPECT_EQ(back.id, call->id);
  EXPECT_EQ(back.raw_arguments, call->raw_arguments);
  EXPECT_EQ(back.turn_id, "turn");
  EXPECT_EQ(back.idempotency_key, "key");
  EXPECT_EQ(back.reason, "because");
  EXPECT_TRUE(back.stays);
  EXPECT_EQ(back.timeout, Milliseconds(5000));
  EXPECT_EQ(back.wish.mode, SessionMode::code);
  EXPECT_EQ(back.wish.blocked_tools, (Names{"bash"}));
  EXPECT_EQ(back.requester.client_name, "agent");
  EXPECT_EQ(back.requester.process.pid, 100);
  EXPECT_EQ(back.requester.ancestry.size(), 2u);
  EXPECT_EQ(restored->callers, session->callers);
}

TEST_F(RestoreTest, AnImplicitSessionComesBackWithItsQuestion) {
  session->implicit = true;
  session->owner = {{100, 7}, false, "/w"};
  session->policy.sandbox = SandboxMode::danger_full_access;
  const JournalApproval row = asked();
  auto restored = restore_call(row, clock);
  ASSERT_TRUE(restored);
  ASSERT_TRUE(restored->session);
  EXPECT_EQ(restored->session->id, session->id);
  EXPECT_EQ(restored->session->token, session->token);
  EXPECT_EQ(restored->session->owner, session->owner);
  EXPECT_EQ(restored->session->policy, session->policy);
}

TEST_F(RestoreTest, ARowThatCannotBeUnderstoodIsAnError) {
  JournalApproval row = asked();
  for (const std::string body :
       {"", "[]", "{}", R"({"call":{},"question":{},"session":{}})"}) {
    row.body = body;
    EXPECT_FALSE(restore_call(row, clock)) << body;
  }
}

TEST_F(RestoreTest, AQuestionThatCannotBeRecordedAsksNobody) {
  journal.asks_broken = true;
  const Call& call = run("change");
  EXPECT_EQ(kind(call), "internal");
  EXPECT_NE(call.output.error->message.find("disk full"), std::string::npos);
  EXPECT_EQ(events.methods(), std::vector<std::string>{"call/completed"});
  EXPECT_EQ(runs(), 0);
}

TEST_F(RestoreTest, ARetryOfADeniedCallAsksNobody) {
  auto first = make_call("change");
  first->idempotency_key = "k1";
  TaskGroup answering(loop);
  answering.spawn(answer_when_asked("reject_once"));
  EXPECT_EQ(kind(run(first)), "approvalDenied");
  testing::run(loop, answering.join());
  auto again = make_call("change");
  again->idempotency_key = "k1";
  const Call& replayed = run(again);
  EXPECT_TRUE(replayed.replayed);
  EXPECT_NE(replayed.result_text->find("approvalDenied"), std::string::npos);
}

TEST_F(RestoreTest, ARetryIsAnsweredAlsoWhereItCouldNotRunAgain) {
  session->policy.approvals = ApprovalPolicy::automatic;
  auto first = make_call("change");
  first->idempotency_key = "k1";
  EXPECT_EQ(run(first).state, CallState::completed);
  // An edit that is done does not find its old text any more.
  fakes->fakes["change"].resolve = [](const json::object&) {
    return Outcome<Resolution>(make_call_error(CallErrorKind::tool_failed,
                                               "The old text is not there."));
  };
  auto again = make_call("change");
  again->idempotency_key = "k1";
  const Call& replayed = run(again);
  EXPECT_TRUE(replayed.replayed);
  EXPECT_EQ(replayed.state, CallState::completed);
  EXPECT_FALSE(replayed.output.error);
  auto other = make_call("change");
  other->idempotency_key = "k2";
  EXPECT_EQ(kind(run(other)), "toolFailed");
  EXPECT_EQ(other->trace.back().gate, "resolve");
}

TEST_F(RestoreTest, EveryDecisionIsInTheAuditTrail) {
  run_answered("change", "allow_session");
  std::vector<std::string> kinds;
  for (const AuditRecord& record : journal.records) {
    kinds.push_back(record.kind);
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"decision", "call"}));
  const json::object body = json::parse(journal.records[0].body).as_object();
  EXPECT_EQ(body.at("decision"), "allow");
  EXPECT_EQ(body.at("decidedBy").at("clientName"), "gui");
  EXPECT_EQ(body.at("requester").at("connectionId"), "conn_agent");
  EXPECT_TRUE(body.contains("waitedMs"));
  EXPECT_TRUE(body.contains("approvalDigest"));
  EXPECT_TRUE(body.contains("remembered"));
  EXPECT_FALSE(body.contains("arguments"));
}

TEST_F(RestoreTest, TheAuditTrailNamesTheRuleThatDecided) {
  run_answered("change", "allow_session");
  journal.records.clear();
  run("change");
  const json::object body = json::parse(journal.records[0].body).as_object();
  ASSERT_EQ(body.at("rules").as_array().size(), 1u);
  EXPECT_EQ(std::string(body.at("rules").at(0).as_string()),
            rules.list().at(0).id);
}

}  // namespace
}  // namespace toolhost::testing
