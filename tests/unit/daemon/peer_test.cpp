#include "daemon/peer.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "providers/support/unique_fd.hpp"

namespace toolhost {
namespace {

// A child that waits until the test is done with it. Its command name holds
// what a careless reader of /proc/PID/stat trips over.
class Child {
 public:
  Child() {
    std::array<int, 2> ready{};
    std::array<int, 2> done{};
    if (pipe(ready.data()) != 0 || pipe(done.data()) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_NAME, "a ) S 1 (b");
      close(done[1]);
      char byte = 'r';
      if (write(ready[1], &byte, 1) != 1) _exit(1);
      if (read(done[0], &byte, 1) < 0) _exit(1);
      _exit(0);
    }
    close(done[0]);
    close(ready[1]);
    char byte = 0;
    if (read(ready[0], &byte, 1) != 1) std::abort();
    close(ready[0]);
    release_ = UniqueFd(done[1]);
  }
  ~Child() { end(); }
  void end() {
    if (pid_ <= 0) return;
    release_.reset();
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  UniqueFd release_;
};

TEST(Peer, OfASocketpairIsThisProcessWithItsAncestry) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd one(pair[0]);
  const UniqueFd two(pair[1]);
  const auto peer = identify_peer(one.get());
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->process.pid, getpid());
  EXPECT_EQ(peer->uid, geteuid());
  EXPECT_NE(peer->process.start_time, 0U);
  EXPECT_FALSE(peer->exe.empty());
  ASSERT_GE(peer->ancestry.size(), 2U);
  EXPECT_EQ(peer->ancestry[0], peer->process);
  EXPECT_EQ(peer->ancestry[1].pid, getppid());
}

TEST(Peer, IdentifiesAChildWhoseNameImitatesFields) {
  const Child child;
  const auto identity = identify_process(child.pid());
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->pid, child.pid());
  EXPECT_GE(identity->start_time, identify_process(getpid())->start_time);
}

TEST(Peer, IsNotIdentifiedOnceItIsGone) {
  Child child;
  const pid_t pid = child.pid();
  child.end();
  EXPECT_FALSE(identify_process(pid));
  EXPECT_FALSE(identify_process(0));
  EXPECT_FALSE(identify_process(-1));
}

TEST(Peer, DescendsFromItsParentButNotFromAnEarlierOwnerOfThePid) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
  const UniqueFd one(pair[0]);
  const UniqueFd two(pair[1]);
  const auto peer = identify_peer(one.get());
  ASSERT_TRUE(peer);
  auto parent = identify_process(getppid());
  ASSERT_TRUE(parent);
  EXPECT_TRUE(descends_from(*peer, *parent));
  parent->start_time += 1;
  EXPECT_FALSE(descends_from(*peer, *parent));
}

TEST(Peer, OfANonSocketIsAnErrorThatSaysSo) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const UniqueFd one(ends[0]);
  const UniqueFd two(ends[1]);
  const auto peer = identify_peer(one.get());
  ASSERT_FALSE(peer);
  EXPECT_NE(peer.error().message.find("credentials"), std::string::npos);
}

TEST(Peer, OfAnotherUserIsRefusedUnlessTheConfigurationNamesIt) {
  Peer peer;
  peer.uid = geteuid();
  EXPECT_FALSE(refuse_user(peer, {}));
  peer.uid = geteuid() + 1;
  const auto refused = refuse_user(peer, {});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, Code::unauthorized);
  EXPECT_EQ(refused->message,
            "User " + std::to_string(peer.uid) + " may not use this daemon.");
  const std::array<std::uint32_t, 2> others{peer.uid + 1, peer.uid + 2};
  EXPECT_TRUE(refuse_user(peer, others));
  const std::array<std::uint32_t, 2> named{peer.uid + 1, peer.uid};
  EXPECT_FALSE(refuse_user(peer, named));
}

}  // namespace
}  // namespace toolhost
