#include "providers/support/child_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cstdlib>
#include <filesystem>

#include "providers/support/child_program.hpp"
#include "providers/support/child_spawn.hpp"
#include "providers/support/process_tree.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using toolhost::testing::run;
using toolhost::testing::TempDir;
using toolhost::testing::write_file;

ProcessSpec shell(const std::string& script) {
  ProcessSpec spec;
  spec.argv = {"/bin/bash", "-c", script};
  spec.env = child_environment();
  spec.cwd = "/";
  return spec;
}

// Everything until the end of file.
Task<std::string> read_all(ChildProcess& child) {
  std::string out;
  while (co_await child.read_out(out)) {
  }
  co_return out;
}

// Until `text` has come.
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

class ChildProcessTest : public ::testing::Test {
 protected:
  std::unique_ptr<ChildProcess> start(const ProcessSpec& spec) {
    auto child = ChildProcess::spawn(loop, spec);
    if (!child) throw std::runtime_error(child.error().message);
    return std::move(*child);
  }

  asio::io_context loop;
};

TEST_F(ChildProcessTest, TellsTheExitCode) {
  const auto child = start(shell("exit 7"));
  const ExitStatus status = run(loop, child->wait());
  EXPECT_EQ(status.code, 7);
  EXPECT_EQ(status.signal, 0);
  EXPECT_FALSE(status.success());
}

TEST_F(ChildProcessTest, TellsASignalFromAnExitCode) {
  const auto child = start(shell("kill -9 $$"));
  const ExitStatus status = run(loop, child->wait());
  EXPECT_EQ(status.signal, SIGKILL);
  EXPECT_EQ(status.code, 0);
}

TEST_F(ChildProcessTest, ReadsTheOutputToItsEnd) {
  const auto child = start(shell("printf 'one\\ntwo\\n'"));
  EXPECT_EQ(run(loop, read_all(*child)), "one\ntwo\n");
}

TEST_F(ChildProcessTest, KeepsTheOrderOfBothStreamsWhenTheyAreMerged) {
  ProcessSpec spec = shell("for i in 1 2 3; do echo o$i; echo e$i >&2; done");
  spec.merge_stderr = true;
  const auto child = start(spec);
  EXPECT_EQ(run(loop, read_all(*child)), "o1\ne1\no2\ne2\no3\ne3\n");
}

TEST_F(ChildProcessTest, KeepsTheStreamsApartOtherwise) {
  const auto child = start(shell("echo out; echo err >&2"));
  std::string err;
  EXPECT_EQ(run(loop, read_all(*child)), "out\n");
  while (run(loop, child->read_err(err))) {
  }
  EXPECT_EQ(err, "err\n");
}

TEST_F(ChildProcessTest, FindsAProgramInThePathOfTheEnvironment) {
  ProcessSpec spec = shell("");
  spec.argv = {"echo", "found"};
  const auto child = start(spec);
  EXPECT_EQ(run(loop, read_all(*child)), "found\n");
}

TEST_F(ChildProcessTest, IgnoresRelativeEntriesOfThePath) {
  TempDir folder;
  write_file(folder / "tool", "#!/bin/sh\necho wrong\n");
  std::filesystem::permissions(folder / "tool",
                               std::filesystem::perms::owner_all);
  ProcessSpec spec = shell("");
  spec.argv = {"tool"};
  spec.cwd = folder.path();
  spec.env = {"PATH=.::/bin"};
  const auto child = ChildProcess::spawn(loop, spec);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().message, HasSubstr("it is in no folder of PATH"));
}

TEST_F(ChildProcessTest, SaysWhatTheSystemSaidAboutAMissingProgram) {
  ProcessSpec spec = shell("");
  spec.argv = {"/no/such/program"};
  const auto child = ChildProcess::spawn(loop, spec);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().message,
              HasSubstr("/no/such/program: No such file or directory"));
}

TEST_F(ChildProcessTest, SaysThatTheFolderCannotBeEntered) {
  ProcessSpec spec = shell("true");
  spec.cwd = "/no/such/folder";
  const auto child = ChildProcess::spawn(loop, spec);
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().message, HasSubstr("/no/such/folder"));
  EXPECT_THAT(child.error().message, HasSubstr("No such file"));
}

TEST_F(ChildProcessTest, StartsInTheFolderOfTheDescriptor) {
  TempDir folder;
  const UniqueFd fd(::open(folder.path().c_str(), O_PATH | O_DIRECTORY));
  ProcessSpec spec = shell("pwd -P");
  spec.cwd_fd = fd.get();
  const auto child = start(spec);
  EXPECT_EQ(run(loop, read_all(*child)), folder.path() + "\n");
}

TEST_F(ChildProcessTest, TheChildHasOnlyItsThreeDescriptors) {
  const UniqueFd leaky(::dup(2));  // without close-on-exec
  ASSERT_TRUE(leaky);
  const auto child = start(
      shell("for fd in {0..200}; do [ -e /proc/$$/fd/$fd ] && echo $fd; done"));
  EXPECT_EQ(run(loop, read_all(*child)), "0\n1\n2\n");
}

TEST_F(ChildProcessTest, TheChildHasDefaultSignalsAndAnEmptyMask) {
  const auto child =
      start(shell("exec grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  EXPECT_EQ(run(loop, read_all(*child)),
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(ChildProcessTest, TheChildHasASessionOfItsOwnWithoutATerminal) {
  const auto child = start(shell("cut -d' ' -f1,6,7 /proc/$$/stat"));
  const std::string pid = std::to_string(child->pid());
  EXPECT_EQ(run(loop, read_all(*child)), pid + " " + pid + " 0\n");
}

TEST_F(ChildProcessTest, ReadingTheTerminalFailsAtOnce) {
  const auto child = start(shell("read x </dev/tty; echo after"));
  EXPECT_EQ(run(loop, read_all(*child)), "after\n");
  EXPECT_EQ(run(loop, child->wait()).code, 0);
}

TEST_F(ChildProcessTest, StandardInputIsEmptyWithoutAPipe) {
  const auto child = start(shell("cat; echo end"));
  EXPECT_EQ(run(loop, read_all(*child)), "end\n");
}

TEST_F(ChildProcessTest, WritesToTheChildAndClosesItsInput) {
  ProcessSpec spec = shell("cat");
  spec.stdin_pipe = true;
  const auto child = start(spec);
  ASSERT_TRUE(run(loop, child->write_in("some input")));
  child->close_in();
  EXPECT_EQ(run(loop, read_all(*child)), "some input");
}

TEST_F(ChildProcessTest, AChildThatClosedItsInputIsAnErrorNotASignalForUs) {
  ProcessSpec spec = shell("exec <&-; echo closed; sleep 100");
  spec.stdin_pipe = true;
  const auto child = start(spec);
  run(loop, read_until(*child, "closed"));
  // The supervisor lets go of its own end at about the same moment.
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  Result<void> written = run(loop, child->write_in("x"));
  while (written && std::chrono::steady_clock::now() < end) {
    written = run(loop, child->write_in("x"));
  }
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("Broken pipe"));
}

TEST_F(ChildProcessTest, APipelineEndsBySigpipeAsInAShell) {
  const auto child = start(shell("yes | head -n 1; echo ${PIPESTATUS[0]}"));
  EXPECT_EQ(run(loop, read_all(*child)), "y\n141\n");
}

TEST_F(ChildProcessTest, WaitReturnsAtTheEndOfTheCommandNotOfItsOutput) {
  const auto child = start(shell("sleep 100 & exit 3"));
  EXPECT_EQ(run(loop, child->wait()).code, 3);
  EXPECT_EQ(child->living().size(), 1U);
}

TEST_F(ChildProcessTest, AReaderIsInterruptedWithoutOutput) {
  const auto child = start(shell("sleep 100"));
  // The second turn comes when the reader waits.
  asio::post(loop,
             [&] { asio::post(loop, [&] { child->interrupt_reads(); }); });
  std::string out;
  EXPECT_TRUE(run(loop, child->read_out(out)));
  EXPECT_EQ(out, "");
}

TEST_F(ChildProcessTest, LivingFindsWhoDetachedTwice) {
  const auto child =
      start(shell("( setsid sh -c 'echo $$; exec sleep 100' & ) ; sleep 100"));
  const int pid = std::stoi(run(loop, read_until(*child, "\n")));
  EXPECT_THAT(child->living(), ::testing::Contains(pid));
}

TEST_F(ChildProcessTest, EndTreeEndsWhoDetachedAndIgnoresSignals) {
  const auto child =
      start(shell("( setsid sh -c 'trap \"\" TERM HUP; echo $$; "
                  "while :; do sleep 1; done' & ) ; sleep 100"));
  const int pid = std::stoi(run(loop, read_until(*child, "\n")));
  ASSERT_TRUE(is_alive(pid));
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(50))));
  EXPECT_FALSE(is_alive(pid));
  EXPECT_EQ(child->exited()->signal, SIGTERM);
  EXPECT_TRUE(child->living().empty());
}

TEST_F(ChildProcessTest, EndTreeLetsACommandCleanUp) {
  const auto child = start(
      shell("trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.01; "
            "done"));
  run(loop, read_until(*child, "up"));
  EXPECT_TRUE(run(loop, child->end_tree(seconds(10))));
  EXPECT_EQ(child->exited()->code, 5);
  EXPECT_EQ(run(loop, read_all(*child)), "bye\n");
}

TEST_F(ChildProcessTest, EndTreeEndsAStoppedCommand) {
  const auto child = start(shell("kill -STOP $$"));
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(50))));
}

TEST_F(ChildProcessTest, EndTreeEndsAForkStorm) {
  // 64 processes that keep forking for ever.
  const auto child = start(
      shell("f() { [ $1 = 0 ] && { while :; do (:); done; }; f $(($1-1)) & "
            "f $(($1-1)); }; echo up; f 6"));
  run(loop, read_until(*child, "up"));
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(20))));
  EXPECT_TRUE(child->living().empty());
}

TEST_F(ChildProcessTest, ACommandThatKillsItsSupervisorTakesEverythingDown) {
  const auto child = start(
      shell("setsid sh -c 'echo $$; exec sleep 100' & read -t 0.2 </dev/zero; "
            "sleep 0.1; kill -9 $PPID; sleep 100"));
  const int pid = std::stoi(run(loop, read_until(*child, "\n")));
  EXPECT_EQ(run(loop, child->wait()).signal, SIGKILL);
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(0))));
  EXPECT_FALSE(is_alive(pid));
}

TEST_F(ChildProcessTest, ACommandThatStopsItsSupervisorIsEndedAnyway) {
  const auto child = start(shell("kill -STOP $PPID; sleep 100"));
  EXPECT_TRUE(run(loop, child->end_tree(milliseconds(50))));
  EXPECT_TRUE(child->living().empty());
}

TEST_F(ChildProcessTest, TheDestructorEndsTheTree) {
  auto child = start(shell("setsid sleep 100 & echo $!; sleep 100"));
  const int pid = std::stoi(run(loop, read_until(*child, "\n")));
  child.reset();
  loop.restart();
  loop.run();  // until the supervisor was reaped
  EXPECT_FALSE(is_alive(pid));
}

TEST_F(ChildProcessTest, ReleasedTreesNeverBlockAndTellTheirEnd) {
  const auto child =
      start(shell("( head -c 200000 /dev/zero; sleep 0 ) & exit 0"));
  run(loop, child->wait());
  bool gone = false;
  child->release([&] { gone = true; });
  loop.restart();
  loop.run();
  EXPECT_TRUE(gone);
}

TEST_F(ChildProcessTest, ManyStartsLeaveNoDescriptorBehind) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  run(loop, start(shell("true"))->wait());  // what is made once
  loop.restart();
  loop.run();
  const auto before = count();
  for (int i = 0; i < 30; ++i) {
    const auto child = start(shell("true"));
    run(loop, child->wait());
  }
  loop.restart();
  loop.run();
  EXPECT_EQ(count(), before);
}

// A daemon of its own, which is killed without a chance to clean up.
TEST_F(ChildProcessTest, TheDeathOfTheDaemonEndsTheTree) {
  run(loop, start(shell("true"))->wait());  // makes us a subreaper
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    asio::io_context own;
    auto child = ChildProcess::spawn(
        own, shell("setsid sleep 100 & echo $!; sleep 100"));
    const std::string pid = run(own, read_until(**child, "\n"));
    if (::write(ends[1], pid.data(), pid.size()) < 0) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  ::close(ends[1]);
  const UniqueFd in(ends[0]);
  char text[32] = {};
  ASSERT_GT(::read(in.get(), text, sizeof text - 1), 0);
  const int pid = std::atoi(text);
  ASSERT_EQ(::waitpid(daemon, nullptr, 0), daemon);
  // The supervisor became ours (we are a subreaper); its end is the proof.
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  EXPECT_FALSE(is_alive(pid));
}

class FindLauncher : public ::testing::Test {
 protected:
  ~FindLauncher() override { ::unsetenv("TOOLHOST_LAUNCH"); }
};

TEST_F(FindLauncher, FindsTheProgramBesideUs) {
  const auto found = find_launcher();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(*found, ::testing::EndsWith("/toolhost-launch"));
}

TEST_F(FindLauncher, SaysThatItIsNotExecutable) {
  TempDir folder;
  write_file(folder / "launch", "");
  ::setenv("TOOLHOST_LAUNCH", (folder / "launch").c_str(), 1);
  asio::io_context loop;
  const auto child = ChildProcess::spawn(loop, shell("true"));
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().message,
              HasSubstr("which is not an executable file"));
}

TEST_F(FindLauncher, SaysThatTheSupervisorDied) {
  ::setenv("TOOLHOST_LAUNCH", "/bin/false", 1);
  asio::io_context loop;
  const auto child = ChildProcess::spawn(loop, shell("true"));
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().message, HasSubstr("died"));
}

}  // namespace
}  // namespace toolhost
