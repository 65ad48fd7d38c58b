// What survives a SIGKILL: a child process writes, is killed, we look.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gates/journal.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using toolhost::testing::run;

constexpr int kRecords = 50;

JournalCall call(int n) {
  JournalCall out;
  out.call_id = "call_" + std::to_string(n);
  out.session_id = "sess";
  out.idempotency_key = "key_" + std::to_string(n);
  out.started_at = "2026-01-31T00:00:00.000Z";
  return out;
}

// Runs `work` in a child that kills itself right after it.
template <class Work>
void run_and_kill(Work work) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work();
    kill(getpid(), SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
}

class JournalCrashTest : public ::testing::Test {
 protected:
  std::string file() const { return directory_ / "journal.db"; }
  testing::TempDir directory_;
};

TEST_F(JournalCrashTest, WhatBeganIsThereAfterAKill) {
  run_and_kill([this] {
    asio::io_context loop;
    auto journal = Journal::open(loop, file(), {});
    if (!journal) _exit(2);
    for (int n = 0; n < kRecords; ++n) {
      if (!run(loop, (*journal)->begin(call(n)))) _exit(3);
    }
    // No destructor runs: the kill comes now.
    kill(getpid(), SIGKILL);
  });
  asio::io_context loop;
  auto journal = Journal::open(loop, file(), {});
  ASSERT_TRUE(journal);
  EXPECT_EQ((*journal)->set_aside(), "");
  for (int n = 0; n < kRecords; ++n) {
    const auto found =
        run(loop, (*journal)->find("sess", "key_" + std::to_string(n)));
    ASSERT_TRUE(found && *found) << n;
    EXPECT_EQ((*found)->state, JournalState::unknown) << n;
  }
}

TEST_F(JournalCrashTest, WhatWasDecidedAndFlushedIsThereAfterAKill) {
  run_and_kill([this] {
    asio::io_context loop;
    auto journal = Journal::open(loop, file(), {});
    if (!journal) _exit(2);
    AuditRecord record;
    record.kind = "decision";
    record.body = "{}";
    (*journal)->audit(record);
    (*journal)->begin_soon(call(1));
    (*journal)->complete("call_1", JournalState::completed,
                         "2026-01-31T00:00:01.000Z", "{\"ok\":true}");
    JournalDecision decision;
    decision.approval_id = "appr_1";
    // Records keep their order: what came before it is on disk with it.
    if (!run(loop, (*journal)->decide(decision))) _exit(3);
    kill(getpid(), SIGKILL);
  });
  asio::io_context loop;
  auto journal = Journal::open(loop, file(), {});
  ASSERT_TRUE(journal);
  const auto found = run(loop, (*journal)->find("sess", "key_1"));
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->state, JournalState::completed);
  EXPECT_EQ((*found)->result, "{\"ok\":true}");
  EXPECT_EQ(run(loop, (*journal)->read_audit(0, "", "", 10))->size(), 1U);
}

}  // namespace
}  // namespace toolhost
