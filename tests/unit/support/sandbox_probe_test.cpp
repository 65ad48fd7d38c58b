#include "providers/support/sandbox_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/shell.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using toolhost::testing::shell;
using toolhost::testing::TempDir;

// What the probe says where `prepare` has changed the machine, or the part of
// it that a process sees.
template <class Prepare>
std::string probed_after(const Prepare& prepare) {
  TempDir folder;
  const std::string file = folder / "answer";
  const pid_t child = ::fork();
  if (child == 0) {
    if (!prepare()) ::_exit(1);
    const SandboxProbe probe = probe_sandbox();
    std::string said =
        std::string(name_of(probe.strength)) + "\n" + probe.summary + "\n";
    for (const std::string& one : probe.missing) said += one + "\n";
    toolhost::testing::write_file(file, said);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? toolhost::testing::read_file(file) : "it did not end";
}

// A kernel that refuses system calls.
std::string probed_without(const std::vector<long>& calls) {
  return probed_after([&] {
    std::vector<sock_filter> code;
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0));
    for (const long call : calls) {
      code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                              static_cast<unsigned>(call), 0, 1));
      code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
    }
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(code.size()),
                             code.data()};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  });
}

constexpr long kMountSetattr = 442;
constexpr long kLandlockCreateRuleset = 444;

TEST(SandboxProbe, ThisMachineHasEveryLayer) {
  const SandboxProbe probe = probe_sandbox();
  EXPECT_EQ(probe.strength, SandboxStrength::full);
  EXPECT_THAT(probe.missing, IsEmpty());
  EXPECT_THAT(probe.summary, HasSubstr("namespaces, seccomp and Landlock"));
}

TEST(SandboxProbe, IsAskedOnce) {
  EXPECT_EQ(&sandbox_probe(), &sandbox_probe());
}

TEST(SandboxProbe, WithoutMountsItFallsBackToLandlockAndSaysWhy) {
  const std::string said = probed_without({kMountSetattr});
  EXPECT_THAT(said, ::testing::StartsWith("landlock-only\n"));
  EXPECT_THAT(said, HasSubstr("inside a writable folder nothing is protected"));
  EXPECT_THAT(said, HasSubstr("take hold of a path that it may use"));
  EXPECT_THAT(said, HasSubstr("Operation not permitted"));
}

TEST(SandboxProbe, WithoutLandlockNamespacesAreEnoughAndItSaysSo) {
  const std::string said = probed_without({kLandlockCreateRuleset});
  EXPECT_THAT(said, ::testing::StartsWith("full\n"));
  EXPECT_THAT(said, HasSubstr("This kernel has no Landlock"));
}

TEST(SandboxProbe, WithoutBothNothingIsPromised) {
  const std::string said =
      probed_without({kMountSetattr, kLandlockCreateRuleset});
  EXPECT_THAT(said, ::testing::StartsWith("none\n"));
  EXPECT_THAT(said, HasSubstr("cannot be confined on this machine"));
  EXPECT_THAT(said, HasSubstr("Without Landlock: "));
}

TEST(SandboxProbe, WithoutSeccompNothingIsPromised) {
  const std::string said = probed_without({SYS_seccomp});
  EXPECT_THAT(said, ::testing::StartsWith("none\n"));
  EXPECT_THAT(said, HasSubstr("filter its system calls"));
}

// The launcher tries from inside; a sandbox that stops nothing is found out.
TEST(SandboxProbe, UnconfinedItsProofFails) {
  TempDir folder;
  const auto done =
      shell("$(dirname $(readlink -f /proc/" + std::to_string(::getpid()) +
            "/exe))/toolhost-launch --prove " + folder / "file");
  EXPECT_NE(done.status & 7, 0) << done.output;
}

TEST(SandboxProbe, LeavesNothingBehind) {
  const auto count = [] {
    // Ours: other daemons of this machine probe, too.
    return shell("ls -A /var/tmp | grep -c toolhost-probe-" +
                 std::to_string(::getpid()) + "-")
        .output;
  };
  const std::string before = count();
  probe_sandbox();
  EXPECT_EQ(count(), before);
}

// Root of a namespace may lower the limit of it.
TEST(SandboxProbe, FallsBackWhereTheAdministratorForbidsNamespaces) {
  const std::string said = probed_after([] {
    if (::unshare(CLONE_NEWUSER) != 0) return false;
    std::ofstream limit("/proc/sys/user/max_user_namespaces");
    limit << "0" << std::flush;
    return limit.good();
  });
  EXPECT_THAT(said, ::testing::StartsWith("landlock-only\n"));
  EXPECT_THAT(said, HasSubstr("make its namespaces"));
  EXPECT_THAT(said, HasSubstr("user.max_user_namespaces is 0"));
}

// Everything about sandboxes once more, as somebody who is not root; in parts,
// for the time limit of a test.
class SandboxOfAnOrdinaryUser : public ::testing::TestWithParam<const char*> {};

TEST_P(SandboxOfAnOrdinaryUser, HoldsTheSame) {
  if (::geteuid() != 0) {
    EXPECT_NE(::getuid(), 0U);  // then all the other tests were it
    return;
  }
  const auto done =
      shell("TMPDIR=/tmp setpriv --reuid 65534 --regid 65534 --clear-groups '" +
            std::filesystem::read_symlink("/proc/self/exe").string() +
            "' --gtest_filter='" + GetParam() + "' --gtest_brief=1");
  EXPECT_EQ(done.status, 0) << done.output;
  EXPECT_THAT(done.output, HasSubstr("[  PASSED  ]")) << done.output;
  EXPECT_THAT(done.output, ::testing::Not(HasSubstr("] 0 tests")));
}

INSTANTIATE_TEST_SUITE_P(
    Parts, SandboxOfAnOrdinaryUser,
    ::testing::Values("*SandboxEscape.IsStoppedByAllLayers*",
                      "*SandboxEscape.IsKnownWithLandlockAlone*",
                      "*SandboxWork*:*SandboxFolders*", "*SandboxLife*",
                      "*SandboxCovers*:*SandboxRefusal*:SandboxProbe*"));

}  // namespace
}  // namespace toolhost
