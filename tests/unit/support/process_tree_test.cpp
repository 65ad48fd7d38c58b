#include "providers/support/process_tree.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace toolhost {
namespace {

TEST(ProcessTree, ReadsTheParentOfAProcess) {
  ProcessFacts facts;
  ASSERT_TRUE(read_process(::getpid(), facts));
  EXPECT_EQ(facts.parent, ::getppid());
  EXPECT_GT(facts.start_time, 0U);
}

TEST(ProcessTree, AProcessThatDoesNotExistHasNoFacts) {
  ProcessFacts facts;
  EXPECT_FALSE(read_process(1 << 30, facts));
}

TEST(ProcessTree, AZombieIsAChildButNoLivingDescendant) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  siginfo_t ended = {};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT),
            0);
  EXPECT_EQ(direct_children(::getpid()), std::vector<pid_t>{pid});
  EXPECT_TRUE(descendants(::getpid()).empty());
  ::waitpid(pid, nullptr, 0);
}

TEST(ProcessTree, SignalsReachEveryDescendant) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const pid_t grandchild = ::fork();
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
    ::_exit(grandchild == 0 ? 0 : 1);
  }
  char bytes[2];
  for (ssize_t got = 0; got < 2;) got += ::read(ready[0], bytes, 1);
  EXPECT_EQ(signal_descendants(::getpid(), SIGKILL), 2U);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  ::close(ready[1]);
  EXPECT_EQ(::read(ready[0], bytes, 1), 0);  // the grandchild has gone, too
  ::close(ready[0]);
}

}  // namespace
}  // namespace toolhost
