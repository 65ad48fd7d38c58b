#include "providers/support/sandbox_denied.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace toolhost {
namespace {

using ::testing::HasSubstr;

SandboxProfile profile(SandboxNetwork network = SandboxNetwork::loopback) {
  SandboxProfile out;
  out.network = network;
  out.writable = {"/home/u/ws"};
  out.protected_paths = {{"/home/u/ws/.git/hooks", {}},
                         {"/home/u/ws/.git/config", {}},
                         {"/home/u/ws/.claude", WhenMissing::socket}};
  out.hidden = {"/home/u/.ssh", "/run"};
  return out;
}

struct Row {
  const char* name;
  const char* output;
  const char* layer;  // null: not ours
  const char* path;
};

class SandboxDenied : public ::testing::TestWithParam<Row> {};

TEST_P(SandboxDenied, IsJudgedByTheLastThingsSaid) {
  const Row& row = GetParam();
  const auto found = sandbox_denied(ExitStatus{1, 0}, row.output, profile());
  ASSERT_EQ(found.has_value(), row.layer != nullptr)
      << (found ? found->because : "");
  if (!found) return;
  EXPECT_EQ(name_of(found->layer), row.layer);
  EXPECT_EQ(found->path, row.path);
  EXPECT_NE(found->because, "");
}

constexpr Row kRows[] = {
    {"ReadOnlyWithAPath",
     "touch: cannot touch '/etc/x': Read-only file system\n", "files",
     "/etc/x"},
    {"ReadOnlyFromTheShell",
     "/bin/bash: line 1: /etc/x: Read-only file system\n", "files", "/etc/x"},
    {"ReadOnlyWithTypographicQuotes",
     "mkdir: cannot create directory \xe2\x80\x98/usr/x\xe2\x80\x99: "
     "Read-only file system\n",
     "files", "/usr/x"},
    {"ReadOnlyInNode",
     "Error: EROFS: read-only file system, open '/home/u/.cache/x'\n", "files",
     "/home/u/.cache/x"},
    {"ReadOnlyWithARelativePath",
     "touch: cannot touch '../x': Read-only file system\n", "files", ""},
    {"ReadOnlyOnARealMountInsideTheWorkspace",
     "touch: cannot touch '/home/u/ws/iso/x': Read-only file system\n", nullptr,
     ""},
    {"HooksByARelativePath",
     "bash: line 1: .git/hooks/pre-commit: Read-only file system\n", "files",
     "/home/u/ws/.git/hooks"},
    {"TheConfigurationOfGit",
     "error: could not write config file .git/config: Device or resource "
     "busy\n",
     "files", "/home/u/ws/.git/config"},
    {"WhatIsKeptFromBeing",
     "mkdir: cannot create directory '.claude': File exists\n", "files",
     "/home/u/ws/.claude"},
    {"BusyElsewhere", "rm: cannot remove 'x': Device or resource busy\n",
     nullptr, ""},
    {"AKeyThatIsHidden", "cat: /home/u/.ssh/id: No such file or directory\n",
     "files", "/home/u/.ssh/id"},
    {"TheSocketOfDocker",
     "docker: error: dial unix /run/docker.sock: connect: no such file\n"
     "stat /run/docker.sock: No such file or directory\n",
     "files", "/run/docker.sock"},
    {"AFileThatIsJustMissing", "cat: /home/u/ws/x: No such file or directory\n",
     nullptr, ""},
    {"PermissionsOfTheUser", "cat: /etc/shadow: Permission denied\n", nullptr,
     ""},
    {"NoNetwork", "curl: (6) Could not resolve host: example.org\n", "network",
     ""},
    {"NoNetworkInNode",
     "npm ERR! errno EAI_AGAIN request to https://registry failed\n", "network",
     ""},
    {"NoNetworkFromTheShell",
     "/bin/bash: connect: Network is unreachable\n/bin/bash: line 1: "
     "/dev/tcp/1.1.1.1/80: Network is unreachable\n",
     "network", ""},
    {"ARefusedConnectionIsNotOurs",
     "curl: (7) Failed to connect to 127.0.0.1 port 1: Connection refused\n",
     nullptr, ""},
    {"AUnixSocket", "psql: error: could not create socket: Permission denied\n",
     "sockets", ""},
    {"ASystemCall", "strace: ptrace(PTRACE_TRACEME): Operation not permitted\n",
     "system-calls", ""},
    {"ANamespace", "unshare: unshare failed: Operation not permitted\n",
     "system-calls", ""},
    {"AnOwner", "chown: changing ownership of 'x': Operation not permitted\n",
     nullptr, ""},
    {"AFailingTest", "FAILED: 3 of 10 tests\n", nullptr, ""},
    {"NothingSaid", "", nullptr, ""},
    {"AWordInsideAnother", "amount: Operation not permitted in state x\n",
     nullptr, ""},
    {"AnEarlierLine",
     "touch: cannot touch '/etc/x': Read-only file system\nmake: *** "
     "[Makefile:2: all] Error 1\n",
     "files", "/etc/x"},
};

INSTANTIATE_TEST_SUITE_P(Rows, SandboxDenied, ::testing::ValuesIn(kRows),
                         [](const auto& row) {
                           return std::string(row.param.name);
                         });

constexpr char kReadOnly[] = "touch: '/etc/x': Read-only file system\n";

TEST(SandboxJudgement, IsNotSaidOfACommandThatSucceeded) {
  EXPECT_FALSE(sandbox_denied(ExitStatus{0, 0}, kReadOnly, profile()));
}

TEST(SandboxJudgement, IsNotSaidOfACommandThatWasEndedByASignal) {
  EXPECT_FALSE(sandbox_denied(ExitStatus{0, 9}, kReadOnly, profile()));
}

TEST(SandboxJudgement, DoesNotSpeakOfTheNetworkOfTheHost) {
  EXPECT_FALSE(sandbox_denied(ExitStatus{6, 0},
                              "curl: (6) Could not resolve host: x\n",
                              profile(SandboxNetwork::host)));
}

TEST(SandboxJudgement, LandlockSaysPermissionDeniedOutsideOfTheRoots) {
  SandboxProfile only = profile();
  only.strength = SandboxStrength::landlock_only;
  const auto found =
      sandbox_denied(ExitStatus{1, 0},
                     "touch: cannot touch '/etc/x': Permission denied\n", only);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, "/etc/x");
  EXPECT_FALSE(sandbox_denied(
      ExitStatus{1, 0}, "bash: line 1: /home/u/ws/run.sh: Permission denied\n",
      only));
}

TEST(SandboxJudgement, LooksOnlyAtTheEndOfALongOutput) {
  const std::string output = kReadOnly + std::string(100'000, 'x') + "\n";
  EXPECT_FALSE(sandbox_denied(ExitStatus{1, 0}, output, profile()));
  const auto found =
      sandbox_denied(ExitStatus{1, 0},
                     std::string(100'000, 'x') + "\n" + kReadOnly, profile());
  ASSERT_TRUE(found);
  EXPECT_THAT(found->line, HasSubstr("/etc/x"));
}

}  // namespace
}  // namespace toolhost
