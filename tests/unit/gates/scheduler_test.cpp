#include "gates/scheduler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <random>

#include "tests/support/loop.hpp"

namespace toolhost {
namespace {

using Operation = Access::Operation;
using Accesses = std::optional<std::vector<Access>>;

Access access(Operation operation, std::string path, bool recursive = false) {
  Access out;
  out.operation = operation;
  out.path = std::move(path);
  out.recursive = recursive;
  return out;
}

Access reads(std::string path) {
  return access(Operation::read, std::move(path));
}
Access writes(std::string path) {
  return access(Operation::write, std::move(path));
}
Access searches(std::string path) {
  return access(Operation::search, std::move(path));
}

Access everything() {
  Access out;
  out.kind = Access::Kind::all;
  return out;
}

Accesses list(std::vector<Access> accesses) { return accesses; }

class SchedulerTest : public ::testing::Test {
 protected:
  struct Call {
    Stop stop;
    std::optional<Outcome<Lease>> outcome;
    std::string name;
  };

  // Asks for the accesses and lets the loop run until nothing moves.
  Call& ask(Accesses accesses, std::string domain = "/p") {
    Call& call = calls_.emplace_back();
    call.name = std::to_string(calls_.size());
    asio::co_spawn(
        loop_,
        scheduler_.acquire(std::move(accesses), std::move(domain), call.stop),
        [this, &call](std::exception_ptr, Outcome<Lease> outcome) {
          if (outcome) order_ += call.name;
          call.outcome.emplace(std::move(outcome));
        });
    settle();
    return call;
  }

  void settle() {
    loop_.restart();
    loop_.poll();
  }

  void end(Call& call) {
    call.outcome->value().release();
    settle();
  }

  static bool runs(const Call& call) {
    return call.outcome && call.outcome->has_value();
  }

  std::deque<Call> calls_;  // outlives what waits on the loop
  asio::io_context loop_;
  Scheduler scheduler_{loop_};
  std::string order_;
};

struct Pair {
  const char* name;
  Accesses first;
  Accesses second;
  bool parallel;
};

TEST_F(SchedulerTest, AnswersTheReferenceVectors) {
  const Pair pairs[] = {
      {"R a, R a", list({reads("/p/a")}), list({reads("/p/a")}), true},
      {"R a, W a", list({reads("/p/a")}), list({writes("/p/a")}), false},
      {"W a, W A", list({writes("/p/a")}), list({writes("/p/A")}), false},
      {"W a, W b", list({writes("/p/a")}), list({writes("/p/b")}), true},
      {"S /p, W /p/x", list({searches("/p")}), list({writes("/p/x")}), false},
      {"S /p, W /pq", list({searches("/p")}), list({writes("/pq")}), true},
      {"S /p, R /p/x", list({searches("/p")}), list({reads("/p/x")}), true},
      {"S /p, S /p", list({searches("/p")}), list({searches("/p")}), true},
      {"S /, W /x", list({searches("/")}), list({writes("/x")}), false},
      {"all, R a", list({everything()}), list({reads("/p/a")}), false},
      {"undeclared, R a", std::nullopt, list({reads("/p/a")}), false},
      {"undeclared twice", std::nullopt, std::nullopt, false},
      {"none, all", list({}), list({everything()}), true},
      {"undeclared, none", std::nullopt, list({}), true},
      {"R /p, W /p/x", list({reads("/p")}), list({writes("/p/x")}), true},
      {"slashes", list({writes("/p//a/")}), list({writes("\\p\\a")}), false},
  };
  for (const Pair& pair : pairs) {
    Call& first = ask(pair.first);
    Call& second = ask(pair.second);
    EXPECT_TRUE(runs(first)) << pair.name;
    EXPECT_EQ(runs(second), pair.parallel) << pair.name;
    end(first);
    ASSERT_TRUE(runs(second)) << pair.name;
    end(second);
  }
}

TEST_F(SchedulerTest, AnIndependentCallOvertakesABlockedOne) {
  ask(list({writes("/p/a")}));
  Call& blocked = ask(list({writes("/p/a")}));
  Call& other = ask(list({reads("/p/b")}));
  EXPECT_FALSE(runs(blocked));
  EXPECT_TRUE(runs(other));
}

TEST_F(SchedulerTest, NobodyOvertakesAQueuedCallThatItConflictsWith) {
  Call& first = ask(list({writes("/p/a")}));
  Call& both = ask(list({writes("/p/a"), writes("/p/b")}));
  Call& reader = ask(list({reads("/p/b")}));
  EXPECT_FALSE(runs(reader));
  end(first);
  EXPECT_TRUE(runs(both));
  EXPECT_FALSE(runs(reader));
  end(both);
  EXPECT_TRUE(runs(reader));
}

TEST_F(SchedulerTest, ConflictingCallsRunInTheOrderOfArrival) {
  Call& first = ask(list({writes("/p/a")}));
  ask(list({reads("/p/a")}));
  ask(list({reads("/p/a")}));
  Call& writer = ask(list({writes("/p/a")}));
  end(first);
  EXPECT_EQ(order_, "123");
  EXPECT_FALSE(runs(writer));
  end(calls_[1]);
  EXPECT_FALSE(runs(writer));
  end(calls_[2]);
  EXPECT_EQ(order_, "1234");
}

TEST_F(SchedulerTest, UndeclaredCallsOfDifferentWorkspacesRunTogether) {
  ask(std::nullopt, "/w/one");
  EXPECT_TRUE(runs(ask(std::nullopt, "/w/two")));
  EXPECT_TRUE(runs(ask(list({writes("/w/two-b/x")}), "/w/two-b")));
  EXPECT_FALSE(runs(ask(std::nullopt, "/w/one/sub")));
  EXPECT_FALSE(runs(ask(std::nullopt, "")));
}

TEST_F(SchedulerTest, AWriteIntoAnotherWorkspaceWaitsForItsCommand) {
  Call& command = ask(std::nullopt, "/w/one");
  Call& writer = ask(list({writes("/w/one/x")}), "/w/two");
  EXPECT_FALSE(runs(writer));
  end(command);
  EXPECT_TRUE(runs(writer));
}

TEST_F(SchedulerTest, TheSameFileConflictsAcrossWorkspaces) {
  ask(list({writes("/shared/x")}), "/w/one");
  EXPECT_FALSE(runs(ask(list({writes("/shared/x")}), "/w/two")));
}

TEST_F(SchedulerTest, AStopWhileQueuedLeavesTheQueueWithItsReason) {
  Call& first = ask(list({writes("/p/a")}));
  Call& stopped = ask(list({writes("/p/a"), writes("/p/b")}));
  Call& behind = ask(list({writes("/p/b")}));
  stopped.stop.request("The caller cancelled the call.");
  settle();
  ASSERT_TRUE(stopped.outcome);
  EXPECT_EQ(stopped.outcome->error().kind, CallErrorKind::cancelled);
  EXPECT_EQ(stopped.outcome->error().message, "The caller cancelled the call.");
  EXPECT_TRUE(runs(behind));
  EXPECT_EQ(scheduler_.running(), 2U);
  EXPECT_EQ(scheduler_.queued(), 0U);
  end(first);
  EXPECT_EQ(scheduler_.running(), 1U);
}

TEST_F(SchedulerTest, AStopBeforeTheQueueStartsNothing) {
  Stop stop;
  stop.request("Gone.");
  const auto outcome = toolhost::testing::run(
      loop_, scheduler_.acquire(std::nullopt, "/p", stop));
  EXPECT_EQ(outcome.error().kind, CallErrorKind::cancelled);
  EXPECT_EQ(scheduler_.running(), 0U);
}

TEST_F(SchedulerTest, ALeaseMayOutliveTheScheduler) {
  Lease kept;
  {
    Scheduler brief(loop_);
    Stop stop;
    auto lease =
        toolhost::testing::run(loop_, brief.acquire(std::nullopt, "/p", stop));
    ASSERT_TRUE(lease);
    kept = std::move(*lease);
  }
  EXPECT_TRUE(kept);
}

TEST_F(SchedulerTest, AMovedLeaseReleasesOnce) {
  Call& first = ask(list({writes("/p/a")}));
  Call& second = ask(list({writes("/p/a")}));
  {
    const Lease moved = std::move(first.outcome->value());
    EXPECT_FALSE(runs(second));
  }
  settle();
  EXPECT_TRUE(runs(second));
  EXPECT_EQ(scheduler_.running(), 1U);
}

TEST_F(SchedulerTest, WaitersDestroyedWithTheLoopLeaveNothing) {
  auto loop = std::make_unique<asio::io_context>();
  Scheduler scheduler(*loop);
  Stop stop;
  auto lease = toolhost::testing::run(
      *loop, scheduler.acquire(std::nullopt, "/p", stop));
  ASSERT_TRUE(lease);
  asio::co_spawn(*loop, scheduler.acquire(std::nullopt, "/p", stop),
                 [](std::exception_ptr, Outcome<Lease>) {});
  loop->restart();
  loop->poll();
  EXPECT_EQ(scheduler.queued(), 1U);
  loop.reset();
  EXPECT_EQ(scheduler.queued(), 0U);
}

TEST_F(SchedulerTest, TheQueueIsBounded) {
  ask(std::nullopt);
  for (std::size_t n = 0; n < Scheduler::kMaxQueued; ++n) {
    Call& call = calls_.emplace_back();
    asio::co_spawn(loop_,
                   scheduler_.acquire(list({reads("/p")}), "/p", call.stop),
                   [](std::exception_ptr, Outcome<Lease>) {});
  }
  settle();
  Call& refused = ask(std::nullopt);
  ASSERT_TRUE(refused.outcome && !refused.outcome->has_value());
  EXPECT_EQ(refused.outcome->error().kind, CallErrorKind::interrupted);
}

TEST_F(SchedulerTest, AThousandQueuedCallsCostNoSquareOfTime) {
  ask(std::nullopt);
  const auto begin = std::chrono::steady_clock::now();
  for (int n = 0; n < 1000; ++n) ask(std::nullopt);
  for (std::size_t n = 0; n < 1000; ++n) end(calls_[n]);
  const auto time = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(runs(calls_[1000]));
  EXPECT_LT(time, std::chrono::seconds(3));
}

// The rule as it is written: no conflict with anything before it.
TEST_F(SchedulerTest, RandomCallsObeyTheRule) {
  std::mt19937 random(11);
  struct Model {
    std::string path;
    bool write = false;
    bool gone = false;
  };
  std::vector<Model> model;
  const auto clash = [](const Model& a, const Model& b) {
    return (a.write || b.write) && a.path == b.path;
  };
  for (int step = 0; step < 600; ++step) {
    if (random() % 3 != 0) {
      Model next;
      next.path = "/p/" + std::to_string(random() % 4);
      next.write = random() % 2 == 0;
      model.push_back(next);
      ask(list({next.write ? writes(next.path) : reads(next.path)}));
    } else if (!model.empty()) {
      const std::size_t at = random() % model.size();
      if (model[at].gone) continue;
      model[at].gone = true;
      if (runs(calls_[at])) {
        end(calls_[at]);
      } else {
        calls_[at].stop.request("Enough.");
        settle();
      }
    }
    for (std::size_t at = 0; at < model.size(); ++at) {
      if (model[at].gone) continue;
      bool free = true;
      for (std::size_t before = 0; before < at; ++before) {
        free = free && (model[before].gone || !clash(model[before], model[at]));
      }
      ASSERT_EQ(runs(calls_[at]), free) << "call " << at << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace toolhost
