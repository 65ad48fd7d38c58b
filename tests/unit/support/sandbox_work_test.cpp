// Ordinary work goes on inside, for root and for an ordinary user.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/shell.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/sandbox_world.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using toolhost::testing::SandboxWorld;

struct Work {
  const char* name;
  const char* script;  // has to succeed, every line of it
  bool with_landlock_alone;
};

constexpr Work kWork[] = {
    {"SeesCommitsAndBranchesOfGit",
     "git status -s; echo x > new; git add -A; git commit -q -m second; "
     "git checkout -q -b side; echo y >> new; git commit -qam third; "
     "git checkout -q master; git merge -q side; git stash list; git gc -q; "
     "test -z \"$(git status -s)\"; test $(git log --oneline | wc -l) = 3",
     true},
    {"RebasesAndStashes",
     "git checkout -q -b side; echo y > y; git add y; git commit -qm y; "
     "git checkout -q master; echo z > z; git add z; git commit -qm z; "
     "git rebase -q side; echo d >> z; git stash -q; git stash pop -q; "
     "git diff --stat | grep -q z",
     true},
    {"CompilesAndRuns",
     "printf 'int main() { return 0; }' > a.cpp; g++ -pipe -o a a.cpp; ./a; "
     "printf 'rule cc\\n command = g++ -o $out $in\\nbuild b: cc a.cpp\\n' > "
     "build.ninja; ninja >/dev/null; ./b",
     true},
    {"WritesTemporaryFiles",
     "f=$(mktemp); echo x > $f; test -s $f; mkdir /tmp/d; mv $f /tmp/d; "
     "rm -r /tmp/d",
     true},
    {"RunsProcessesOfPython",
     "/usr/bin/python3 -c \"import multiprocessing as m\n"
     "if __name__ == '__main__':\n"
     "    l = m.Lock()\n    p = m.Process(target=l.acquire); p.start(); "
     "p.join()\n    assert p.exitcode == 0\"",
     true},
    {"HasATerminalOfItsOwn",
     "/usr/bin/python3 -c \"import pty, os\nr = pty.spawn(['/usr/bin/tty'])\n"
     "assert r == 0\"",
     false},
    {"ServesAndConnectsLocally",
     "/usr/bin/python3 -c \"import socket\ns = "
     "socket.create_server(('127.0.0.1'"
     ", 0))\nc = socket.create_connection(s.getsockname())\n"
     "c.sendall(b'x')\nassert s.accept()[0].recv(1) == b'x'\"",
     false},
    {"ConnectsByPairsOfSockets",
     "/usr/bin/python3 -c \"import socket\na, b = socket.socketpair()\n"
     "a.sendall(b'x')\nassert b.recv(1) == b'x'\"",
     true},
    {"ExecutesFromMemory",
     "/usr/bin/python3 -c \"import os\nf = os.memfd_create('x')\n"
     "os.write(f, open('/bin/true', 'rb').read())\n"
     "os.execv('/proc/self/fd/%d' % f, ['true'])\"",
     true},
    {"MovesLinksAndFifos",
     "mkdir -p a/b c; echo x > a/b/f; mv a/b/f c/g; mv a c; ln c/g h; "
     "ln -s c/g s; mkfifo p; rm -r c h s p",
     true},
    {"ChangesModesAndTimes",
     "chmod +x file; touch -d yesterday file; "
     "test -x file",
     true},
    {"SeesItsProcesses",
     "sleep 100 & kill $!; wait $! || true; "
     "test -n \"$(ps -o pid= -p $$)\"; nproc; "
     "cat /proc/meminfo > /dev/null",
     true},
    {"UsesTheUsualDevices",
     "head -c 4 /dev/urandom | wc -c; echo x > /dev/null; "
     "head -c 4 /dev/zero > z; echo x | tee /dev/stderr > /dev/null",
     true},
    {"KnowsItsUserAndItsName", "id -un; test $(id -u) = $(stat -c %u file)",
     true},
    {"ReadsTheRestOfTheMachine",
     "ls / /usr /etc > /dev/null; test -r "
     "/etc/passwd; cat /sys/kernel/mm/transparent_"
     "hugepage/enabled > /dev/null || true",
     true},
};

class SandboxWork : public ::testing::TestWithParam<Work> {
 protected:
  void expect_success(SandboxStrength strength) {
    const auto outcome =
        world.run(std::string("set -eo pipefail\n") + GetParam().script,
                  world.request(strength));
    EXPECT_EQ(outcome.refused, "");
    EXPECT_EQ(outcome.status.code, 0) << outcome.output;
    EXPECT_EQ(world.escaped(outcome), "");
  }

  SandboxWorld world;
};

TEST_P(SandboxWork, GoesOnInAllLayers) {
  expect_success(SandboxStrength::full);
}

TEST_P(SandboxWork, GoesOnWithLandlockAlone) {
  if (GetParam().with_landlock_alone) {
    return expect_success(SandboxStrength::landlock_only);
  }
  const auto outcome = world.run(std::string("set -e\n") + GetParam().script,
                                 world.request(SandboxStrength::landlock_only));
  EXPECT_NE(outcome.status.code, 0) << "better than the table says";
}

INSTANTIATE_TEST_SUITE_P(Kinds, SandboxWork, ::testing::ValuesIn(kWork),
                         [](const auto& row) {
                           return std::string(row.param.name);
                         });

class SandboxFolders : public ::testing::Test {
 protected:
  SandboxWorld world;
};

// "no COMMAND": it has to fail.
constexpr char kNo[] = "set -e\nno() { ! bash -c \"$1\"; }\n";

TEST_F(SandboxFolders, AWorktreeCommitsIntoItsRepository) {
  const auto made = toolhost::testing::shell("cd " + world.workspace() +
                                             " && git worktree add -q ../tree");
  ASSERT_EQ(made.status, 0) << made.output;
  SandboxRequest request = world.request(SandboxStrength::full);
  request.roots = {world.base() + "/tree"};
  const auto outcome =
      world.run(kNo + std::string("cd ../tree; echo x > n; git add n\n"
                                  "git commit -qm n\n"
                                  "no 'echo x > ../ws/.git/hooks/pre-commit'\n"
                                  "no 'git config a.b c'\n"
                                  "no 'echo x > ../ws/file'\n"
                                  "no 'echo gitdir: /tmp > .git'\n"
                                  "no 'mv ../ws/.git/worktrees/tree x'\n"),
                request);
  EXPECT_EQ(outcome.status.code, 0) << outcome.output;
}

TEST_F(SandboxFolders, TemporaryFilesOfASessionStay) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.tmp_folder = world.outside();
  EXPECT_EQ(world.run("echo x > /tmp/kept", request).status.code, 0);
  const auto outcome = world.run("cat /tmp/kept; echo $TMPDIR", request);
  EXPECT_EQ(outcome.output, "x\n\n");
  EXPECT_EQ(toolhost::testing::read_file(world.outside() + "/kept"), "x\n");
}

TEST_F(SandboxFolders, AWorkspaceInTmpIsTheSameWithATmpOfItsOwn) {
  toolhost::testing::TempDir folder;
  SandboxRequest request = world.request(SandboxStrength::full);
  request.roots.push_back(folder.path());
  const auto outcome = world.run("echo x > " + folder / "made", request);
  EXPECT_EQ(outcome.status.code, 0) << outcome.output;
  EXPECT_EQ(toolhost::testing::read_file(folder / "made"), "x\n");
}

TEST_F(SandboxFolders, OnlyReadingLeavesNothingButTmp) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.kind = SandboxKind::read_only;
  const auto outcome = world.run(
      kNo + std::string("cat file; no 'echo x > y'; echo x > /tmp/y"), request);
  EXPECT_EQ(outcome.status.code, 0) << outcome.output;
}

TEST_F(SandboxFolders, TheNetworkOfTheHostIsGrantedByTheProfile) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.network = SandboxNetwork::host;
  const auto outcome =
      world.run("echo x > /dev/tcp/127.0.0.1/$TCP && echo came", request);
  EXPECT_THAT(outcome.output, HasSubstr("came"));
  EXPECT_EQ(world.escaped(outcome), "TCP");
}

TEST_F(SandboxFolders, UnixSocketsAreGrantedByTheProfileButNotAbstractOnes) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.unix_sockets = true;
  request.network = SandboxNetwork::host;
  const auto outcome = world.run(
      "/usr/bin/python3 -c \"import os, socket\n"
      "s = socket.socket(socket.AF_UNIX)\n"
      "try: s.connect('\\0' + os.environ['ABSTRACT'])\n"
      "except PermissionError: print('kept away')\n"
      "s.connect(os.environ['OUT'] + '/socket')\"",
      request);
  EXPECT_EQ(outcome.output, "kept away\n");
  EXPECT_EQ(world.escaped(outcome), "a socket outside");
}

TEST_F(SandboxFolders, AHiddenFolderShowsOnlyWhatTheProfileReveals) {
  toolhost::testing::write_file(world.outside() + "/a/b/shown", "shown\n");
  toolhost::testing::write_file(world.outside() + "/a/other", "other\n");
  SandboxRequest request = world.request(SandboxStrength::full);
  request.also_hidden = {world.outside()};
  ProcessSpec spec = world.spec("", request);
  auto profile = std::make_shared<SandboxProfile>(*spec.sandbox);
  profile->revealed = {world.outside() + "/a/b/shown",
                       world.outside() + "/a/b/not there"};
  const auto outcome = world.run_in(
      "cat $OUT/a/b/shown; find $OUT -type f | wc -l; "
      "echo x > $OUT/a/b/shown || echo stopped",
      profile);
  EXPECT_THAT(outcome.output, ::testing::StartsWith("shown\n1\n"));
  EXPECT_THAT(outcome.output, ::testing::EndsWith("stopped\n"));
}

TEST_F(SandboxFolders, AFolderOfManyRepositoriesIsProtectedInEach) {
  const auto made = toolhost::testing::shell(
      "cd " + world.workspace() +
      " && for i in 1 2 3 4 5 6 7 8; do git init -q many/$i; done");
  ASSERT_EQ(made.status, 0) << made.output;
  const auto outcome =
      world.run(kNo + std::string("for i in many/*; do\n"
                                  "no \"echo PWNED > $i/.git/hooks/x\"\n"
                                  "no \"mv $i gone\"\n"
                                  "(cd $i; echo x > x; git add x)\ndone"),
                world.request(SandboxStrength::full));
  EXPECT_EQ(outcome.status.code, 0) << outcome.output;
  EXPECT_EQ(world.escaped(outcome), "");
}

TEST_F(SandboxFolders, LimitsHoldInside) {
  SandboxRequest request = world.request(SandboxStrength::full);
  request.limits = {{RLIMIT_FSIZE, 4096}};
  const auto outcome = world.run(
      "ulimit -c; trap '' XFSZ; head -c 9000 /dev/zero > big; stat -c %s big",
      request);
  EXPECT_THAT(outcome.output, ::testing::StartsWith("0\n"));
  EXPECT_THAT(outcome.output, ::testing::EndsWith("4096\n"));
}

}  // namespace
}  // namespace toolhost
