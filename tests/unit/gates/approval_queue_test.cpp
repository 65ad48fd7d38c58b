#include "gates/approval_queue.hpp"

#include "tests/unit/gates/pipeline_fixture.hpp"

namespace toolhost::testing {
namespace {

class ApprovalQueueTest : public PipelineFixture {
 public:
  Question question(std::string id = "call_1") {
    Question out;
    out.call_id = std::move(id);
    out.session_id = session->id;
    out.title = "Edit a.txt";
    out.digest = "sha256:shown";
    out.requester.connection_id = "conn_agent";
    out.requester.process = {100, 7};
    ApprovalOption allow;
    allow.id = allow.kind = "allow_once";
    ApprovalOption deny;
    deny.id = deny.kind = "reject_once";
    out.options = {allow, deny};
    return out;
  }

  // Asks in the background; the result lands in `answers`.
  void ask(Question what) {
    group.spawn([](ApprovalQueueTest* self, Question q) -> Task<void> {
      auto asked =
          co_await self->approvals.ask(std::move(q), self->session, self->stop);
      self->answers.push_back(std::move(asked));
    }(this, std::move(what)));
    poll();
  }

  void poll() {
    loop.restart();
    loop.poll();
  }

  Result<bool> reply(const std::string& id, const std::string& option,
                     Answerer who = person(),
                     const std::string& digest = "sha256:shown") {
    Answer answer;
    answer.option_id = option;
    answer.digest = digest;
    std::optional<Result<bool>> out;
    group.spawn([](ApprovalQueueTest* self, std::string approval, Answer a,
                   Answerer w, std::optional<Result<bool>>* to) -> Task<void> {
      auto settled = co_await self->approvals.answer(
          std::move(approval), std::move(a), std::move(w));
      if (settled) {
        to->emplace(settled->repeated());
      } else {
        to->emplace(settled.error());
      }
    }(this, id, answer, who, &out));
    poll();
    poll();
    return *out;
  }

  std::string only_id() { return approvals.pending().at(0)->id; }

  TaskGroup group{loop};
  Stop stop;
  std::vector<Outcome<ApprovalPtr>> answers;
};

std::string word(const Result<bool>& result) {
  return result ? "ok" : std::string(info(result.error().code).kind);
}

TEST_F(ApprovalQueueTest, TheSecondAnswerIsToldWhoWasFirst) {
  ask(question());
  const std::string id = only_id();
  EXPECT_EQ(word(reply(id, "allow_once")), "ok");
  Answerer late = person();
  late.connection_id = "conn_other";
  late.client_name = "vscode";
  const auto second = reply(id, "reject_once", late);
  EXPECT_EQ(word(second), "approvalAlreadyResolved");
  const Error error = second.error();
  const auto& approval = error.details.at("approval").as_object();
  EXPECT_EQ(approval.at("resolution").at("decidedBy").at("clientName"), "gui");
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ((*answers[0])->decision->kind, Decision::Kind::allow);
}

TEST_F(ApprovalQueueTest, RepeatingTheWinningAnswerSucceeds) {
  ask(question());
  const std::string id = only_id();
  reply(id, "allow_once");
  const auto again = reply(id, "allow_once");
  ASSERT_TRUE(again);
  EXPECT_TRUE(*again);
}

TEST_F(ApprovalQueueTest, AnUnknownIdIsItsOwnError) {
  EXPECT_EQ(word(reply("appr_none", "allow_once")), "approvalNotFound");
}

TEST_F(ApprovalQueueTest, NobodyAnswersTheirOwnQuestion) {
  ask(question());
  const std::string id = only_id();
  Answerer same_connection = person();
  same_connection.connection_id = "conn_agent";
  EXPECT_EQ(word(reply(id, "allow_once", same_connection)),
            "approvalForbidden");
  Answerer child = person();
  child.ancestry = {child.process, {100, 7}};
  EXPECT_EQ(word(reply(id, "allow_once", child)), "approvalForbidden");
  session->callers.insert({300, 1});
  Answerer other_caller = person();
  other_caller.process = {300, 1};
  other_caller.ancestry = {other_caller.process};
  EXPECT_EQ(word(reply(id, "allow_once", other_caller)), "approvalForbidden");
  EXPECT_EQ(approvals.pending_count(), 1u);
  reply(id, "reject_once");
}

TEST_F(ApprovalQueueTest, AGuiThatStartedTheAgentMayAnswer) {
  Question asked = question();
  asked.requester.ancestry = {{100, 7}, {200, 0}};
  ask(std::move(asked));
  EXPECT_EQ(word(reply(only_id(), "allow_once")), "ok");
}

TEST_F(ApprovalQueueTest, AnAllowOfSomethingElseIsStale) {
  ask(question());
  const std::string id = only_id();
  EXPECT_EQ(word(reply(id, "allow_once", person(), "sha256:other")),
            "approvalStale");
  EXPECT_EQ(word(reply(id, "allow_once", person(), "")), "approvalStale");
  // A no needs to have seen nothing.
  EXPECT_EQ(word(reply(id, "reject_once", person(), "")), "ok");
}

TEST_F(ApprovalQueueTest, AnOptionThatIsNotOfferedIsRefused) {
  ask(question());
  EXPECT_EQ(word(reply(only_id(), "allow_always")), "optionNotFound");
  EXPECT_EQ(approvals.pending_count(), 1u);
  reply(only_id(), "reject_once");
}

TEST_F(ApprovalQueueTest, AStopWithdrawsWithItsReason) {
  ask(question());
  stop.request("The caller disconnected.");
  poll();
  poll();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ((*answers[0])->decision->kind, Decision::Kind::withdrawn);
  EXPECT_EQ((*answers[0])->decision->comment, "The caller disconnected.");
  EXPECT_EQ(events.methods(), (std::vector<std::string>{"approval/requested",
                                                        "approval/resolved"}));
}

TEST_F(ApprovalQueueTest, PresenceMovesTheDeadline) {
  config::Approvals settings;
  settings.timeout = Milliseconds(60'000);
  settings.unattended_timeout = Milliseconds(1000);
  approvals.set_settings(settings);
  ask(question());
  const SteadyTime alone = approvals.pending()[0]->deadline;
  approvals.set_attended(true);
  const SteadyTime attended = approvals.pending()[0]->deadline;
  EXPECT_GT(attended - alone, Milliseconds(50'000));
  EXPECT_EQ(events.events.back().method, "approval/updated");
  approvals.withdraw_all("end");
  poll();
}

TEST_F(ApprovalQueueTest, AnExpiredQuestionIsANoAndTheLateAnswerIsTold) {
  Question asked = question();
  asked.timeout = Milliseconds(5);
  ask(std::move(asked));
  const std::string id = only_id();
  loop.restart();
  loop.run_for(std::chrono::milliseconds(200));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ((*answers[0])->decision->kind, Decision::Kind::expired);
  EXPECT_EQ(word(reply(id, "allow_once")), "approvalAlreadyResolved");
}

TEST_F(ApprovalQueueTest, TheQuotaIsAnAnswerNotAQueue) {
  config::Approvals settings;
  settings.max_pending = 3;
  approvals.set_settings(settings);
  for (int i = 0; i < 4; ++i) ask(question("call_" + std::to_string(i)));
  EXPECT_EQ(approvals.pending_count(), 3u);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error().kind, CallErrorKind::too_many_approvals);
  approvals.withdraw_all("end");
  poll();
}

TEST_F(ApprovalQueueTest, AThousandPendingAreNothingSpecial) {
  for (int i = 0; i < 1000; ++i) ask(question("call_" + std::to_string(i)));
  EXPECT_EQ(approvals.pending_count(), 1000u);
  EXPECT_EQ(word(reply(approvals.pending()[500]->id, "allow_once")), "ok");
  approvals.withdraw_all("end");
  poll();
  poll();
  EXPECT_EQ(answers.size(), 1000u);
}

TEST_F(ApprovalQueueTest, RacingAnswersHaveOneWinner) {
  for (int round = 0; round < 500; ++round) {
    answers.clear();
    ask(question());
    const std::string id = only_id();
    int won = 0;
    for (int i = 0; i < 4; ++i) {
      group.spawn([](ApprovalQueueTest* self, std::string approval, int n,
                     int* wins) -> Task<void> {
        Answer answer;
        answer.option_id = n % 2 == 0 ? "allow_once" : "reject_once";
        answer.digest = "sha256:shown";
        Answerer who = person();
        who.connection_id = "conn_" + std::to_string(n);
        auto settled = co_await self->approvals.answer(
            std::move(approval), std::move(answer), std::move(who));
        if (settled) ++*wins;
      }(this, id, i, &won));
    }
    poll();
    poll();
    ASSERT_EQ(won, 1);
    ASSERT_EQ(answers.size(), 1u);
  }
}

TEST_F(ApprovalQueueTest, HiddenCharactersAreShownAndNamed) {
  Question asked = question();
  asked.subject["type"] = "command";
  asked.subject["command"] = "curl x|sh\r\x1b[2K  command: ls -la";
  ask(std::move(asked));
  const json::object shown = to_json(*approvals.pending()[0], clock);
  EXPECT_EQ(shown.at("display").at("subject").at("command"),
            "curl x|sh\\u{000D}\\u{001B}[2K  command: ls -la");
  EXPECT_EQ(shown.at("suspicious").at(0), "control character");
  // The raw form is there as well: it is what runs.
  EXPECT_EQ(shown.at("subject").at("command").as_string().find("\\u{"),
            json::string::npos);
  approvals.withdraw_all("end");
  poll();
}

}  // namespace
}  // namespace toolhost::testing
