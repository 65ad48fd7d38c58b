// The machine sleeps: wall time passes, the clock of deadlines stands still.
#include <gtest/gtest.h>

#include <ctime>

#include "gates/approval_queue.hpp"
#include "tests/fakes/memory_journal.hpp"
#include "tests/fakes/recorded_events.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

class SleepingClock : public Clock {
 public:
  WallTime wall() const override { return Clock::wall() + slept_; }
  void sleep(Milliseconds time) { slept_ += time; }

 private:
  Milliseconds slept_{0};
};

constexpr Milliseconds kNight(9 * 3600 * 1000);

class Suspend : public ::testing::Test {
 public:
  Suspend() {
    session = sessions.open(Policy());
    approvals.set_attended(true);
  }

  ~Suspend() override {
    approvals.withdraw_all("The test is over.");
    testing::run(loop, group.join());
  }

  void ask(int n) {
    group.spawn(wait(n));
    poll();
  }
  Task<void> wait(int n) {
    Question question;
    question.call_id = "call_" + std::to_string(n);
    question.session_id = session->id;
    question.digest = "sha256:shown";
    question.requester.process.pid = 1;
    ApprovalOption allow;
    allow.id = allow.kind = "allow_once";
    question.options = {allow};
    auto asked = co_await approvals.ask(std::move(question), session, stop);
    answers.push_back(std::move(asked));
  }
  Task<void> allow(std::string id) {
    Answer answer;
    answer.option_id = "allow_once";
    answer.digest = "sha256:shown";
    Answerer who;
    who.connection_id = "conn_gui";
    who.process.pid = 2;
    auto settled = co_await approvals.answer(std::move(id), std::move(answer),
                                             std::move(who));
    EXPECT_TRUE(settled) << settled.error().message;
  }
  void poll() {
    loop.restart();
    loop.poll();
  }

  testing::TempDir dir;
  asio::io_context loop{1};
  SleepingClock clock;
  testing::MemoryJournal journal;
  testing::RecordedEvents events;
  RuleStore rules{dir / "rules.jsonc", {}};
  Sessions sessions;
  SessionPtr session;
  Stop stop;
  std::vector<Outcome<ApprovalPtr>> answers;
  ApprovalQueue approvals{loop, clock, journal, rules, events, {}};
  TaskGroup group{loop};
};

TEST_F(Suspend, ANightAsleepExpiresNoQuestion) {
  for (int i = 0; i < 20; ++i) ask(i);
  clock.sleep(kNight);
  poll();
  EXPECT_EQ(approvals.pending_count(), 20U);
  EXPECT_TRUE(answers.empty());
}

TEST_F(Suspend, AfterTheNightAQuestionHasTheTimeThatItHadBefore) {
  ask(1);
  const auto shown = [&] {
    const json::object now = to_json(*approvals.pending().front(), clock);
    return std::string(now.at("expiresAt").as_string());
  };
  const std::string before = shown();
  clock.sleep(kNight);
  // Nobody is shown a time that is over: it moves along.
  EXPECT_GT(shown(), rfc3339(clock.wall() + std::chrono::minutes(29)));
  EXPECT_LT(shown(), rfc3339(clock.wall() + std::chrono::minutes(31)));
  EXPECT_LT(before, rfc3339(clock.wall()));
}

TEST_F(Suspend, APersonMayAnswerAfterTheNight) {
  ask(1);
  clock.sleep(kNight);
  testing::run(loop, allow(approvals.pending().front()->id));
  testing::run(loop, group.join());
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_TRUE(answers.front());
  EXPECT_EQ((*answers.front())->decision->kind, Decision::Kind::allow);
}

TEST(SteadyClock, IsTheOneThatStandsStillWhileTheMachineSleeps) {
  const auto monotonic = [] {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return SteadyTime(std::chrono::seconds(now.tv_sec) +
                      std::chrono::nanoseconds(now.tv_nsec));
  };
  const SteadyTime before = monotonic();
  const SteadyTime ours = Clock().steady();
  EXPECT_LE(before, ours);
  EXPECT_LE(ours, monotonic());
}

}  // namespace
}  // namespace toolhost
