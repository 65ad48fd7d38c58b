// A confined child keeps the promises of every child, and one more: nothing
// of it survives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "providers/support/process_tree.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/sandbox_world.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using toolhost::testing::run;
using toolhost::testing::SandboxWorld;

Task<std::string> read_until(ChildProcess& child, std::string text) {
  std::string out;
  while (out.find(text) == std::string::npos) {
    if (!co_await child.read_out(out)) break;
  }
  co_return out;
}

bool is_alive(int pid) {
  ProcessFacts facts;
  return read_process(pid, facts) && facts.state != 'Z';
}

class SandboxLife : public ::testing::TestWithParam<SandboxStrength> {
 protected:
  std::unique_ptr<ChildProcess> start(const std::string& script) {
    auto child = ChildProcess::spawn(
        loop, world.spec(script, world.request(GetParam())));
    if (!child) throw std::runtime_error(child.error().message);
    return std::move(*child);
  }

  SandboxWorld world;
  asio::io_context loop;
};

TEST_P(SandboxLife, TellsTheExitCode) {
  const auto child = start("exit 7");
  EXPECT_EQ(run(loop, child->wait()).code, 7);
}

TEST_P(SandboxLife, TellsTheSignalThatEndedIt) {
  const auto child = start("kill -9 $$");
  EXPECT_EQ(run(loop, child->wait()).signal, SIGKILL);
}

TEST_P(SandboxLife, KnowsThePidOfTheCommandOutside) {
  const auto child = start("echo up; sleep 100");
  run(loop, read_until(*child, "up"));
  EXPECT_TRUE(is_alive(child->pid()));
  EXPECT_THAT(child->living(), ::testing::Contains(child->pid()));
}

TEST_P(SandboxLife, LivingIsEmptyWhenTheCommandLeftNothing) {
  const auto child = start("true");
  run(loop, child->wait());
  EXPECT_THAT(child->living(), ::testing::IsEmpty());
}

TEST_P(SandboxLife, LivingFindsWhoDetachedTwice) {
  const auto child =
      start("( setsid sh -c 'echo up; exec sleep 100' & ) ; sleep 100");
  run(loop, read_until(*child, "up"));
  EXPECT_EQ(child->living().size(), 2U);
}

TEST_P(SandboxLife, WhatDetachedTwiceGoesOnUntilTheTreeIsEnded) {
  const auto child =
      start("( setsid sh -c 'trap \"\" TERM HUP; echo up; exec sleep 100' & )");
  run(loop, child->wait());
  run(loop, read_until(*child, "up"));
  const auto living = child->living();
  ASSERT_EQ(living.size(), 1U);
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(20))));
  EXPECT_FALSE(is_alive(living.front()));
}

TEST_P(SandboxLife, EndTreeLetsACommandCleanUp) {
  const auto child = start(
      "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.01; done");
  run(loop, read_until(*child, "up"));
  EXPECT_TRUE(run(loop, child->end_tree(seconds(10))));
  EXPECT_EQ(child->exited()->code, 5);
}

TEST_P(SandboxLife, EndTreeEndsWhatIgnoresSignals) {
  const auto child =
      start("trap '' TERM HUP; echo up; while :; do sleep 0.01; done");
  run(loop, read_until(*child, "up"));
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(20))));
  EXPECT_EQ(child->exited()->signal, SIGKILL);
}

// With a PID namespace its signals do not even reach the supervisor.
TEST_P(SandboxLife, ACommandThatAttacksItsSupervisorIsEndedAllTheSame) {
  const auto child = start(
      "until [ -e go ]; do sleep 0.01; done; kill -9 $PPID; "
      "kill -STOP $PPID; echo up; sleep 100");
  const auto living = child->living();
  toolhost::testing::write_file(world.workspace() + "/go", "");
  run(loop, read_until(*child, "up"));
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(20))));
  for (const int pid : living) EXPECT_FALSE(is_alive(pid));
}

TEST_P(SandboxLife, ASupervisorThatIsKilledTakesEverythingWithIt) {
  const auto child = start("setsid sleep 100 & echo up; sleep 100");
  run(loop, read_until(*child, "up"));
  const auto living = child->living();
  ASSERT_EQ(living.size(), 2U);
  for (const int pid : direct_children(::getpid())) ::kill(pid, SIGKILL);
  EXPECT_EQ(run(loop, child->wait()).signal, SIGKILL);
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(0))));
  for (const int pid : living) EXPECT_FALSE(is_alive(pid));
}

TEST_P(SandboxLife, SaysWhatTheSystemSaidAboutAMissingProgram) {
  ProcessSpec spec = world.spec("", world.request(GetParam()));
  spec.argv = {"/no/such/program"};
  const auto child = ChildProcess::spawn(loop, spec);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().message,
            "Cannot start /no/such/program: No such file or directory");
}

INSTANTIATE_TEST_SUITE_P(Strengths, SandboxLife,
                         ::testing::Values(SandboxStrength::full,
                                           SandboxStrength::landlock_only),
                         [](const auto& row) {
                           return row.param == SandboxStrength::full
                                      ? "Full"
                                      : "LandlockOnly";
                         });

class SandboxCovers : public ::testing::Test {
 protected:
  std::unique_ptr<ChildProcess> start(const std::string& script) {
    auto child = ChildProcess::spawn(
        loop, world.spec(script, world.request(SandboxStrength::full)));
    if (!child) throw std::runtime_error(child.error().message);
    return std::move(*child);
  }
  void end(ChildProcess& child) {
    EXPECT_TRUE(run(loop, child.end_tree(milliseconds(0))));
  }
  // What a protected path that was missing is while a command runs.
  bool covered() const {
    return fs::exists(world.workspace() + "/.claude") &&
           fs::exists(world.workspace() + "/.git/commondir");
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& at : fs::directory_iterator(world.workspace())) {
      out.push_back(at.path().filename().string());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  SandboxWorld world;
  asio::io_context loop;
};

TEST_F(SandboxCovers, LeaveNothingBehind) {
  const auto child = start("echo up; read x");
  run(loop, read_until(*child, "up"));
  end(*child);
  EXPECT_THAT(names(), ::testing::ElementsAre(".git", "file"));
  EXPECT_FALSE(fs::exists(world.workspace() + "/.git/commondir"));
}

TEST_F(SandboxCovers, StayAsLongAsAnyCommandNeedsThem) {
  const auto first = start("echo up; sleep 100");
  run(loop, read_until(*first, "up"));
  const auto second = start(
      "echo up; until [ -e go ]; do sleep 0.01; done; "
      "mkdir .claude || echo stopped");
  run(loop, read_until(*second, "up"));
  end(*first);
  EXPECT_TRUE(covered());
  toolhost::testing::write_file(world.workspace() + "/go", "");
  EXPECT_THAT(run(loop, read_until(*second, "stopped")), HasSubstr("stopped"));
  end(*second);
  EXPECT_FALSE(covered());
}

TEST_F(SandboxCovers, AreRemovedByTheNextCommandWhenTheirSupervisorWasKilled) {
  const auto first = start("echo up; sleep 100");
  run(loop, read_until(*first, "up"));
  for (const int pid : direct_children(::getpid())) ::kill(pid, SIGKILL);
  run(loop, first->wait());
  end(*first);
  ASSERT_TRUE(covered());
  const auto second = start("true");
  run(loop, second->wait());
  end(*second);
  EXPECT_THAT(names(), ::testing::ElementsAre(".git", "file"));
}

TEST_F(SandboxCovers, KeepWhatAPersonPutInTheirPlace) {
  const auto child = start("echo up; sleep 100");
  run(loop, read_until(*child, "up"));
  const std::string path = world.workspace() + "/.claude";
  fs::remove(path);
  toolhost::testing::write_file(path + "/mine", "mine");
  end(*child);
  EXPECT_EQ(toolhost::testing::read_file(path + "/mine"), "mine");
}

TEST_F(SandboxCovers, AreNotSeenByGit) {
  const auto child = start("git add -A; git status --porcelain; echo up");
  EXPECT_EQ(run(loop, read_until(*child, "up")), "up\n");
  end(*child);
}

class SandboxRefusal : public ::testing::Test {
 protected:
  std::string refused(const SandboxRequest& request) {
    const Result<SharedSandbox> profile = profile_for(request);
    if (!profile) return profile.error().message;
    ProcessSpec spec = world.spec("echo ran", world.request(request.strength));
    spec.sandbox = *profile;
    const auto child = ChildProcess::spawn(loop, spec);
    return child ? "it ran" : child.error().message;
  }

  SandboxWorld world;
  asio::io_context loop;
};

TEST_F(SandboxRefusal, NamesTheStepAndThePath) {
  SandboxRequest request = world.request(SandboxStrength::full);
  auto profile = std::make_shared<SandboxProfile>(**profile_for(request));
  profile->writable.push_back(world.base() + "/gone");
  ProcessSpec spec = world.spec("echo ran", request);
  spec.sandbox = profile;
  const auto child = ChildProcess::spawn(loop, spec);
  ASSERT_FALSE(child);
  EXPECT_THAT(
      child.error().message,
      HasSubstr("in its sandbox (to take hold of a path that it may use: " +
                world.base() + "/gone): No such file or directory"));
  EXPECT_THAT(child.error().hint, HasSubstr("Nothing ran."));
}

TEST_F(SandboxRefusal, NeverFollowsALinkThatAppearedOnTheWay) {
  SandboxRequest request = world.request(SandboxStrength::full);
  fs::create_directories(world.workspace() + "/sub/root");
  request.roots = {world.workspace() + "/sub/root"};
  ProcessSpec spec = world.spec("echo ran", request);
  fs::rename(world.workspace() + "/sub", world.workspace() + "/old");
  fs::create_directory_symlink(world.outside(), world.workspace() + "/sub");
  fs::create_directories(world.outside() + "/root");
  const auto child = ChildProcess::spawn(loop, spec);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().message,
              HasSubstr("Too many levels of symbolic links"));
}

TEST_F(SandboxRefusal, ARootMayNotBeALink) {
  fs::create_directory_symlink("/", world.base() + "/link");
  SandboxRequest request = world.request(SandboxStrength::full);
  request.roots = {world.base() + "/link"};
  EXPECT_THAT(refused(request),
              HasSubstr("it is reached through a link, to /"));
}

TEST_F(SandboxRefusal, ARootMayNotBeTheWholeMachine) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.roots = {"/"};
  EXPECT_THAT(refused(request), HasSubstr("it is the whole machine"));
}

TEST_F(SandboxRefusal, ARootMayNotBelongToTheDaemon) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.roots = {world.base() + "/own"};
  EXPECT_THAT(refused(request), HasSubstr("it belongs to the daemon itself"));
}

TEST_F(SandboxRefusal, ARootMayNotLieInWhatIsHidden) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.roots = {world.home() + "/.ssh"};
  EXPECT_THAT(refused(request), HasSubstr("which is hidden"));
}

TEST_F(SandboxRefusal, LandlockAloneNeedsConsentToProtectNothing) {
  SandboxRequest request = world.request(SandboxStrength::landlock_only);
  request.accept_unprotected = false;
  EXPECT_THAT(refused(request), HasSubstr("Landlock alone cannot protect"));
}

TEST_F(SandboxRefusal, LandlockAloneCannotHideInsideOfARoot) {
  SandboxRequest request = world.request(SandboxStrength::landlock_only);
  request.roots = {world.home()};
  EXPECT_THAT(refused(request), HasSubstr("Landlock alone cannot hide"));
}

TEST_F(SandboxRefusal, AnOlderLandlockIsNotEnoughAlone) {
  SandboxRequest request = world.request(SandboxStrength::landlock_only);
  request.landlock_abi = 2;
  EXPECT_THAT(refused(request), HasSubstr("ABI 2"));
}

TEST_F(SandboxRefusal, ANewerLandlockThanTheKernelHasIsAFailure) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.landlock_abi = 99;
  EXPECT_THAT(refused(request), HasSubstr("restrict its files by Landlock"));
}

TEST_F(SandboxRefusal, NoStrengthIsNoProfile) {
  SandboxRequest request = world.request(SandboxStrength::none);
  EXPECT_THAT(refused(request), HasSubstr("cannot confine"));
}

TEST_F(SandboxRefusal, AFailedStartLeavesNothingBehind) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.landlock_abi = 99;
  refused(request);
  EXPECT_FALSE(fs::exists(world.workspace() + "/.claude"));
}

}  // namespace
}  // namespace toolhost
