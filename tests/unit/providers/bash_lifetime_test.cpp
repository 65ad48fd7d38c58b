// How long a command and what it started may live.
#include <boost/asio/post.hpp>

#include "providers/support/process_tree.hpp"
#include "tests/unit/providers/bash_fixture.hpp"

namespace toolhost {
namespace {

using builtin::background_children;
using ::testing::HasSubstr;
using toolhost::testing::run;

class BashLifetime : public testing::BashTest {
 protected:
  static bool is_alive(int pid) {
    ProcessFacts facts;
    return read_process(pid, facts) && facts.state != 'Z';
  }
  // The pid that the command has written to a file.
  int pid_in(const std::string& name) {
    return std::stoi(testing::read_file(folder_ / name));
  }
  static std::int64_t duration(const ToolOutput& output) {
    return output.structured->at("durationMs").as_int64();
  }
};

TEST_F(BashLifetime, ASilentBackgroundChildDoesNotHoldTheCall) {
  const ToolOutput out = bash("sleep 100 & echo done");
  EXPECT_THAT(text(out), ::testing::StartsWith("done\n"));
  EXPECT_EQ(exit_code(out), 0);
  EXPECT_FALSE(out.error);
  EXPECT_LT(duration(out), 5000);
  EXPECT_EQ(living(out), 1U);
  EXPECT_THAT(text(out), HasSubstr("Still running in the background"));
}

TEST_F(BashLifetime, AChattyBackgroundChildDoesNotHoldTheCall) {
  const ToolOutput out =
      bash("(while :; do echo x; sleep 0.01; done) & echo done");
  EXPECT_EQ(exit_code(out), 0);
  EXPECT_LT(duration(out), 5000);
  EXPECT_GE(living(out), 1U);
}

TEST_F(BashLifetime, AChildThatClosedOnlyItsOutputDoesNotHoldTheCall) {
  const ToolOutput out = bash("(sleep 100 >/dev/null &) ; echo done");
  EXPECT_THAT(text(out), ::testing::StartsWith("done\n"));
  EXPECT_EQ(living(out), 1U);
}

TEST_F(BashLifetime, BackgroundChildrenGoOnUntilTheSessionCloses) {
  bash("sleep 100 & echo $! >pid");
  const int pid = pid_in("pid");
  EXPECT_TRUE(is_alive(pid));
  EXPECT_EQ(background_children("sess_test"), 1U);
  run(loop_, builtin::end_session_children("sess_other"));
  EXPECT_TRUE(is_alive(pid));
  run(loop_, builtin::end_session_children("sess_test"));
  EXPECT_FALSE(is_alive(pid));
  EXPECT_EQ(background_children("sess_test"), 0U);
}

TEST_F(BashLifetime, ABackgroundTreeThatEndsIsForgotten) {
  bash("(until [ -e go ]; do sleep 0.01; done) & exit 0");
  ASSERT_EQ(background_children("sess_test"), 1U);
  testing::write_file(folder_ / "go", "");
  loop_.restart();
  loop_.run_for(testing::kTestTimeout);  // ends when nothing is left to do
  EXPECT_EQ(background_children("sess_test"), 0U);
}

TEST_F(BashLifetime, LaterOutputOfTheBackgroundDoesNotBlockIt) {
  bash(
      "(until [ -e go ]; do sleep 0.01; done; head -c 300000 /dev/zero; "
      "echo done >ended) & exit 0");
  testing::write_file(folder_ / "go", "");
  loop_.restart();
  loop_.run_for(testing::kTestTimeout);
  EXPECT_EQ(testing::read_file(folder_ / "ended"), "done\n");
}

TEST_F(BashLifetime, TooManyBackgroundCommandsAreKilledAndSaid) {
  for (std::size_t i = 0; i < builtin::kMaxBackgroundPerSession; ++i) {
    ASSERT_EQ(living(bash("sleep 100 >/dev/null 2>&1 &")), 1U);
  }
  const ToolOutput out = bash("sleep 100 >/dev/null 2>&1 & echo $! >pid");
  EXPECT_EQ(living(out), 0U);
  EXPECT_THAT(text(out), HasSubstr("were killed"));
  EXPECT_EQ(background_children("sess_test"),
            builtin::kMaxBackgroundPerSession);
}

TEST_F(BashLifetime, TheTimeoutEndsEverythingAndKeepsTheOutput) {
  const ToolOutput out = bash(
      "echo start; setsid sh -c 'echo $$ >one; while :; do echo x; "
      "sleep 0.05; done' & ( ( sh -c 'echo $$ >two; exec sleep 100' & ) & ); "
      "until [ -s one ] && [ -s two ]; do sleep 0.01; done; sleep 100",
      2000);
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::timed_out);
  EXPECT_THAT(out.error->message, HasSubstr("longer than 2 s"));
  EXPECT_THAT(text(out), ::testing::StartsWith("start\n"));
  EXPECT_EQ(out.structured->at("timedOut"), true);
  EXPECT_LT(duration(out), 4000);
  EXPECT_EQ(living(out), 0U);
  EXPECT_FALSE(is_alive(pid_in("one")));
  EXPECT_FALSE(is_alive(pid_in("two")));
}

TEST_F(BashLifetime, WhoIgnoresTheFirstSignalIsKilledAfterTheGrace) {
  const ToolOutput out =
      bash("trap '' TERM; while :; do sleep 0.05; done", 200);
  EXPECT_EQ(out.error->kind, CallErrorKind::timed_out);
  EXPECT_EQ(out.structured->at("signal"), "SIGKILL");
  EXPECT_LT(duration(out), 4000);
}

TEST_F(BashLifetime, TheShorterOfBothLimitsCounts) {
  timeout_ = Milliseconds(100);
  const ToolOutput out = bash("sleep 100", 60'000);
  EXPECT_EQ(out.error->kind, CallErrorKind::timed_out);
  EXPECT_THAT(out.error->message, HasSubstr("0.1 s"));
}

TEST_F(BashLifetime, CancellingEndsEverythingAndKeepsTheOutput) {
  progress_ = [&](Progress) { stop_.request("The caller cancelled."); };
  const ToolOutput out =
      bash("setsid sleep 100 & echo $! >pid; echo up; sleep 100");
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::cancelled);
  EXPECT_EQ(out.error->message, "The caller cancelled.");
  EXPECT_EQ(text(out), "up\n");
  EXPECT_FALSE(is_alive(pid_in("pid")));
  EXPECT_EQ(background_children("sess_test"), 0U);
}

TEST_F(BashLifetime, ACallThatWasCancelledBeforeRunsNothing) {
  stop_.request("Too late.");
  const ToolOutput out = bash("touch ran");
  EXPECT_EQ(out.error->kind, CallErrorKind::cancelled);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
}

TEST_F(BashLifetime, ACommandThatKillsItsSupervisorLeavesNothing) {
  const ToolOutput out = bash(
      "setsid sh -c 'echo $$ >pid; exec sleep 100' & "
      "until [ -s pid ]; do sleep 0.01; done; kill -9 $PPID; sleep 100",
      20'000);
  EXPECT_EQ(out.structured->at("signal"), "SIGKILL");
  run(loop_, builtin::end_all_children());
  loop_.restart();
  loop_.run_for(testing::kTestTimeout);
  EXPECT_FALSE(is_alive(pid_in("pid")));
}

}  // namespace
}  // namespace toolhost
