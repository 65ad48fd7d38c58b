#include "daemon/cli/inbox_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/cli/ages.hpp"
#include "daemon/cli/columns.hpp"
#include "tests/unit/cli/samples.hpp"

namespace toolhost::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Key text(std::string letter) { return {Key::Kind::text, std::move(letter)}; }

class InboxModelTest : public ::testing::Test {
 protected:
  InboxModelTest() {
    model.set_size(80, 24);
    model.set_waiting({});
  }

  void add(const json::object& approval) {
    model.upsert(approval, now);
    now += InboxModel::kSettle;
  }
  std::string screen() {
    std::string out;
    for (const Line& line : model.render(now)) out += line.text + "\n";
    return out;
  }
  InboxStep press(const Key& key) {
    InboxStep step = model.key(key, now);
    model.render(now);
    return step;
  }
  void read_to_the_end() {
    model.render(now);
    for (int i = 0; i < 200 && !model.may_allow(); ++i) press(text(" "));
    ASSERT_TRUE(model.may_allow());
  }
  static std::string long_command() {
    std::string out;
    for (int i = 0; i < 100; ++i) out += "echo " + std::to_string(i) + "\n";
    return out + "rm -rf /";
  }

  InboxModel model;
  WallTime now = *parse_rfc3339("2026-01-01T00:01:00.000Z");
};

TEST_F(InboxModelTest, ListsNewestLastWithAgeAndDeadline) {
  add(samples::command("appr_b", "second", 20));
  add(samples::command("appr_a", "first", 10));
  EXPECT_EQ(model.selected_id(), "appr_b");
  press(text("k"));
  EXPECT_EQ(model.selected_id(), "appr_a");
  EXPECT_THAT(screen(), HasSubstr("2 pending"));
  EXPECT_THAT(screen(), HasSubstr("28m left"));
}

TEST_F(InboxModelTest, AShortOneMayBeAllowedOnceItWasOnTheScreen) {
  add(samples::command("appr_1", "ls"));
  EXPECT_FALSE(model.may_allow());
  model.render(now);
  EXPECT_TRUE(model.may_allow());
  const InboxStep step = press(text("a"));
  ASSERT_TRUE(step.answer);
  EXPECT_EQ(step.answer->option_id, "once");
  EXPECT_EQ(step.answer->digest, "sha256:appr_1");
}

TEST_F(InboxModelTest, ALongOneIsAllowedOnlyAfterItsEndWasShown) {
  add(samples::command("appr_1", long_command()));
  model.render(now);
  EXPECT_FALSE(press(text("a")).answer);
  EXPECT_THAT(screen(), HasSubstr("Read it to the end first"));
  read_to_the_end();
  EXPECT_THAT(screen(), HasSubstr("rm -rf /"));
  EXPECT_TRUE(press(text("a")).answer);
}

TEST_F(InboxModelTest, JumpingToTheEndLeavesAHoleThatWasNotRead) {
  add(samples::command("appr_1", long_command()));
  model.render(now);
  press({Key::Kind::end, {}});
  EXPECT_THAT(screen(), HasSubstr("rm -rf /"));
  EXPECT_FALSE(press(text("a")).answer);
}

TEST_F(InboxModelTest, DenyingNeedsNoReading) {
  add(samples::command("appr_1", long_command()));
  const InboxStep step = press(text("d"));
  ASSERT_TRUE(step.answer);
  EXPECT_EQ(step.answer->option_id, "deny");
}

TEST_F(InboxModelTest, ADigitChoosesARememberedOptionAndIsGuardedAlike) {
  add(samples::command("appr_1", long_command()));
  EXPECT_FALSE(press(text("1")).answer);
  read_to_the_end();
  const InboxStep step = press(text("1"));
  ASSERT_TRUE(step.answer);
  EXPECT_EQ(step.answer->option_id, "remember:0");
}

TEST_F(InboxModelTest, ACommentGoesWithTheDenial) {
  add(samples::command("appr_1", "ls"));
  press(text("c"));
  for (const char* letter : {"n", "q", "a"}) press(text(letter));
  press({Key::Kind::backspace, {}});
  press({Key::Kind::paste, " staging"});
  EXPECT_THAT(screen(), HasSubstr("tell the agent: nq staging_"));
  const InboxStep step = press({Key::Kind::enter, {}});
  ASSERT_TRUE(step.answer);
  EXPECT_EQ(step.answer->decision, "deny");
  EXPECT_EQ(step.answer->comment, "nq staging");
}

TEST_F(InboxModelTest, PastedTextIsNeverACommand) {
  add(samples::command("appr_1", "ls"));
  model.render(now);
  const InboxStep step = press({Key::Kind::paste, "a"});
  EXPECT_FALSE(step.answer);
  EXPECT_FALSE(step.quit);
}

TEST_F(InboxModelTest, AKeyMeantForAnApprovalThatVanishedHitsNoOther) {
  const auto first = samples::command("appr_1", "ls", 1);
  add(first);
  add(samples::command("appr_2", "rm x", 2));
  model.render(now);
  model.remove(samples::resolved(first, "deny", "vscode"), now);
  model.render(now);
  EXPECT_EQ(model.selected_id(), "appr_2");
  EXPECT_FALSE(press(text("a")).answer);
  now += InboxModel::kSettle;
  EXPECT_TRUE(press(text("a")).answer);
}

TEST_F(InboxModelTest, AnAnswerElsewhereVanishesWithALineSayingWho) {
  const auto raw = samples::command("appr_1", "ls");
  add(raw);
  model.remove(samples::resolved(raw, "deny", "vscode"), now);
  EXPECT_EQ(model.pending(), 0U);
  EXPECT_THAT(screen(), HasSubstr("Denied by vscode: Run a command"));
  EXPECT_THAT(screen(), HasSubstr("Nothing waits for you."));
}

TEST_F(InboxModelTest, AChangeUnderTheEyesHasToBeReadAgain) {
  json::object raw = samples::command("appr_1", "ls");
  add(raw);
  model.render(now);
  ASSERT_TRUE(model.may_allow());
  raw["revision"] = 2;
  raw["approvalDigest"] = "sha256:other";
  model.upsert(raw, now);
  EXPECT_FALSE(model.may_allow());
  model.render(now);
  EXPECT_FALSE(press(text("a")).answer);
  now += InboxModel::kSettle;
  EXPECT_EQ(press(text("a")).answer->digest, "sha256:other");
}

TEST_F(InboxModelTest, AMovedDeadlineDisturbsNobody) {
  json::object raw = samples::command("appr_1", "ls");
  add(raw);
  model.render(now);
  raw["expiresAt"] = "2026-01-01T01:30:00.000Z";
  model.upsert(raw, now);
  EXPECT_TRUE(press(text("a")).answer);
}

TEST_F(InboxModelTest, AnOlderRevisionChangesNothing) {
  json::object raw = samples::command("appr_1", "new");
  raw["revision"] = 3;
  add(raw);
  model.upsert(samples::command("appr_1", "old"), now);
  EXPECT_THAT(screen(), HasSubstr("$ new"));
}

TEST_F(InboxModelTest, AnIncompleteOneCannotBeAllowed) {
  json::object raw = samples::command("appr_1", "ls");
  raw["complete"] = false;
  add(raw);
  model.render(now);
  EXPECT_FALSE(press(text("a")).answer);
  EXPECT_TRUE(press(text("d")).answer);
}

TEST_F(InboxModelTest, OneThatWasCompletedStaysSoWhenItsDeadlineMoves) {
  json::object raw = samples::command("appr_1", "ls");
  json::object preview = raw;
  preview["complete"] = false;
  preview["arguments"] = json::object{{"preview", "l"}};
  add(preview);
  model.upsert(raw, now);
  model.upsert(preview, now);
  ASSERT_TRUE(model.selected_approval());
  EXPECT_TRUE(model.selected_approval()->complete);
  EXPECT_EQ(model.selected_approval()->raw.at("arguments"),
            raw.at("arguments"));
}

TEST_F(InboxModelTest, AWindowTooSmallForThePageNeverAllows) {
  model.set_size(80, 4);
  add(samples::command("appr_1", "ls"));
  for (int i = 0; i < 50; ++i) press(text(" "));
  EXPECT_FALSE(model.may_allow());
}

TEST_F(InboxModelTest, NothingIsAnsweredWhileTheDaemonIsAway) {
  add(samples::command("appr_1", "ls"));
  model.render(now);
  model.set_waiting("waiting for the daemon");
  EXPECT_FALSE(press(text("d")).answer);
  EXPECT_THAT(screen(), HasSubstr("waiting for the daemon"));
}

TEST_F(InboxModelTest, AnAnswerLostWithTheConnectionCanBeGivenAgain) {
  add(samples::command("appr_1", "ls"));
  model.render(now);
  ASSERT_TRUE(press(text("a")).answer);
  EXPECT_FALSE(press(text("a")).answer);
  model.set_waiting("waiting for the daemon");
  model.set_waiting({});
  EXPECT_TRUE(press(text("a")).answer);
}

TEST_F(InboxModelTest, ASecondAnswerIsToldWhoWasFirst) {
  const auto raw = samples::command("appr_1", "ls");
  add(raw);
  Error error = make_error(Code::approval_already_resolved, "Too late.");
  error.details["approval"] = samples::resolved(raw, "allow", "vscode");
  model.answered("appr_1", error, now);
  EXPECT_EQ(model.pending(), 0U);
  EXPECT_THAT(model.notice(), HasSubstr("Allowed by vscode"));
}

TEST_F(InboxModelTest, AFailedAnswerLeavesItPendingAndSaysWhy) {
  add(samples::command("appr_1", "ls"));
  model.render(now);
  ASSERT_TRUE(press(text("a")).answer);
  model.answered("appr_1", make_error(Code::approval_forbidden, "Not you."),
                 now);
  EXPECT_EQ(model.notice(), "Not you.");
  EXPECT_TRUE(model.may_allow());
}

TEST_F(InboxModelTest, ANewSnapshotKeepsWhatIsStillPending) {
  add(samples::command("appr_1", "one", 1));
  add(samples::command("appr_2", "two", 2));
  press(text("j"));
  json::array list;
  list.push_back(samples::command("appr_2", "two", 2));
  list.push_back(samples::command("appr_3", "three", 3));
  model.replace_all(list, now);
  EXPECT_EQ(model.pending(), 2U);
  EXPECT_EQ(model.selected_id(), "appr_2");
  EXPECT_THAT(model.notice(), HasSubstr("1 settled while we were away"));
}

TEST_F(InboxModelTest, EveryFrameFitsTheWindowAndHoldsNoControlCharacter) {
  json::object raw = samples::command(
      "appr_1", "x\x1b[2J\r" + std::string(400, 'y') + "\t\xe4\xb8\xad");
  raw["title"] = "\x1b]0;owned\x07 title";
  raw["requester"].as_object()["clientName"] = "\x1b[1m\n";
  add(raw);
  for (const int width : {1, 5, 20, 80, 300}) {
    for (const int height : {1, 2, 5, 24}) {
      model.set_size(width, height);
      const auto lines = model.render(now);
      ASSERT_EQ(lines.size(), static_cast<std::size_t>(height));
      for (const Line& line : lines) {
        EXPECT_LE(columns(line.text), width);
        for (const char c : line.text) {
          EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20) << line.text;
        }
      }
    }
  }
}

TEST_F(InboxModelTest, ResizingKeepsWhatWasRead) {
  add(samples::command("appr_1", long_command()));
  read_to_the_end();
  model.set_size(60, 20);
  model.render(now);
  EXPECT_TRUE(model.may_allow());
}

TEST_F(InboxModelTest, QQuitsButNotInsideAComment) {
  add(samples::command("appr_1", "ls"));
  press(text("c"));
  EXPECT_FALSE(press(text("q")).quit);
  press({Key::Kind::escape, {}});
  EXPECT_TRUE(press(text("q")).quit);
}

}  // namespace
}  // namespace toolhost::cli
