// Questions in the journal: what is still open after a kill.
#include <gtest/gtest.h>

#include "gates/journal.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using toolhost::testing::run;

class JournalApprovalsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Journal> open() {
    auto journal = Journal::open(loop_, directory_ / "journal.db", {});
    EXPECT_TRUE(journal) << journal.error().message;
    return journal ? std::move(*journal) : nullptr;
  }

  static JournalApproval question(const std::string& id,
                                  const std::string& call) {
    JournalApproval out;
    out.approval_id = id;
    out.call_id = call;
    out.session_id = "sess";
    out.asked_at = "2026-01-31T00:00:00.000Z";
    out.body = R"({"question":{}})";
    return out;
  }

  static JournalDecision decision(const std::string& id,
                                  const std::string& word) {
    JournalDecision out;
    out.approval_id = id;
    out.approval_digest = "sha256:shown";
    out.decision = word;
    out.option_id = "allow_once";
    out.decided_by = R"({"clientName":"gui"})";
    return out;
  }

  // What a new life of the daemon finds.
  std::vector<JournalApproval> after_restart() {
    return open()->take_open_approvals();
  }

  testing::TempDir directory_;
  asio::io_context loop_;
};

TEST_F(JournalApprovalsTest, AnOpenQuestionIsFoundAsItWasAsked) {
  {
    const auto journal = open();
    ASSERT_TRUE(run(loop_, journal->ask(question("appr_1", "call_1"))));
  }
  const auto open = after_restart();
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].approval_id, "appr_1");
  EXPECT_EQ(open[0].call_id, "call_1");
  EXPECT_EQ(open[0].asked_at, "2026-01-31T00:00:00.000Z");
  EXPECT_EQ(open[0].body, R"({"question":{}})");
  EXPECT_FALSE(open[0].decision);
}

TEST_F(JournalApprovalsTest, OpenQuestionsAreGivenOnce) {
  const auto journal = open();
  ASSERT_TRUE(run(loop_, journal->ask(question("appr_1", "call_1"))));
  const auto next = [&] { return journal->take_open_approvals().size(); };
  EXPECT_EQ(next(), 0U);  // those of this life are not of an earlier one
}

TEST_F(JournalApprovalsTest, AnAnswerOfAPersonStaysWithItsQuestion) {
  {
    const auto journal = open();
    ASSERT_TRUE(run(loop_, journal->ask(question("appr_1", "call_1"))));
    ASSERT_TRUE(run(loop_, journal->decide(decision("appr_1", "allow"))));
  }
  const auto open = after_restart();
  ASSERT_EQ(open.size(), 1U);
  ASSERT_TRUE(open[0].decision);
  EXPECT_EQ(open[0].decision->decision, "allow");
  EXPECT_EQ(open[0].decision->option_id, "allow_once");
  EXPECT_EQ(open[0].decision->approval_digest, "sha256:shown");
}

TEST_F(JournalApprovalsTest, WhatTheClockOrTheDaemonDecidedIsOver) {
  {
    const auto journal = open();
    ASSERT_TRUE(run(loop_, journal->ask(question("appr_1", "call_1"))));
    ASSERT_TRUE(run(loop_, journal->ask(question("appr_2", "call_2"))));
    ASSERT_TRUE(run(loop_, journal->decide(decision("appr_1", "expired"))));
    ASSERT_TRUE(run(loop_, journal->decide(decision("appr_2", "withdrawn"))));
  }
  EXPECT_TRUE(after_restart().empty());
}

TEST_F(JournalApprovalsTest, ACallThatBeganHasNoOpenQuestion) {
  {
    const auto journal = open();
    ASSERT_TRUE(run(loop_, journal->ask(question("appr_1", "call_1"))));
    ASSERT_TRUE(run(loop_, journal->decide(decision("appr_1", "allow"))));
    JournalCall call;
    call.call_id = "call_1";
    call.session_id = "sess";
    ASSERT_TRUE(run(loop_, journal->begin(call)));
  }
  EXPECT_TRUE(after_restart().empty());
}

TEST_F(JournalApprovalsTest, ACallThatEndedWithoutBeginningIsClosed) {
  {
    const auto journal = open();
    ASSERT_TRUE(run(loop_, journal->ask(question("appr_1", "call_1"))));
    ASSERT_TRUE(run(loop_, journal->ask(question("appr_2", "call_2"))));
    journal->close_approvals("call_1");
    ASSERT_TRUE(run(loop_, journal->flush()));
  }
  const auto open = after_restart();
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(open[0].approval_id, "appr_2");
}

TEST_F(JournalApprovalsTest, ACallIsFoundByItsIdAlone) {
  const auto journal = open();
  JournalCall call;
  call.call_id = "call_1";
  call.session_id = "sess";
  call.tool = "write";
  ASSERT_TRUE(run(loop_, journal->begin(call)));
  journal->complete("call_1", JournalState::completed, "now", "{}");
  ASSERT_TRUE(run(loop_, journal->flush()));
  const auto found = run(loop_, journal->find_call("call_1"));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->tool, "write");
  EXPECT_EQ((*found)->state, JournalState::completed);
  EXPECT_FALSE(*run(loop_, journal->find_call("call_2")));
}

}  // namespace
}  // namespace toolhost
