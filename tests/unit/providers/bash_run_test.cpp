#include <cstdlib>
#include <filesystem>

#include "protocol/text.hpp"
#include "tests/unit/providers/bash_fixture.hpp"

namespace toolhost {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class BashRun : public testing::BashTest {};

TEST_F(BashRun, ReturnsTheOutputInTheOrderWritten) {
  const ToolOutput out = bash("echo one; echo two >&2; echo three");
  EXPECT_EQ(text(out), "one\ntwo\nthree\n");
  EXPECT_FALSE(out.error);
  EXPECT_EQ(exit_code(out), 0);
  EXPECT_EQ(out.total_bytes, 14U);
  EXPECT_FALSE(out.truncated);
}

TEST_F(BashRun, SaysThatThereWasNoOutput) {
  EXPECT_EQ(text(bash("true")), "(The command wrote no output.)");
}

TEST_F(BashRun, AnExitCodeIsAnErrorThatStillHasTheOutput) {
  const ToolOutput out = bash("echo why; exit 3");
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::tool_failed);
  EXPECT_EQ(out.error->message, "The command exited with code 3.");
  EXPECT_EQ(text(out), "why\n");
  EXPECT_EQ(exit_code(out), 3);
}

TEST_F(BashRun, DeathByASignalIsNoExitCode) {
  const ToolOutput out = bash("kill -SEGV $$");
  ASSERT_TRUE(out.error);
  EXPECT_THAT(out.error->message, HasSubstr("SIGSEGV"));
  EXPECT_EQ(out.structured->at("signal"), "SIGSEGV");
  EXPECT_FALSE(out.structured->contains("exitCode"));
}

TEST_F(BashRun, RunsInTheFolderThatWasGiven) {
  std::filesystem::create_directories(folder_ / "sub");
  json::object arguments;
  arguments["command"] = "pwd -P";
  arguments["cwd"] = "sub";
  EXPECT_EQ(text(call(arguments)), (folder_ / "sub") + "\n");
}

TEST_F(BashRun, AFileAsFolderIsRefusedInWords) {
  testing::write_file(folder_ / "file", "");
  json::object arguments;
  arguments["command"] = "pwd";
  arguments["cwd"] = "file";
  const ToolOutput out = call(arguments);
  ASSERT_TRUE(out.error);
  EXPECT_FALSE(out.error->message.empty());
}

TEST_F(BashRun, ACommandMayBeginWithADash) {
  const ToolOutput out = bash("-x 2>/dev/null || echo not an option");
  EXPECT_EQ(text(out), "not an option\n");
}

TEST_F(BashRun, ReadsNoFileBeforeTheCommand) {
  testing::write_file(folder_ / "rc", "echo from the file\n");
  ::setenv("BASH_ENV", (folder_ / "rc").c_str(), 1);
  const ToolOutput out = bash("echo only this");
  ::unsetenv("BASH_ENV");
  EXPECT_EQ(text(out), "only this\n");
}

TEST_F(BashRun, NoSecretOfTheDaemonReachesTheCommand) {
  ::setenv("X_API_KEY", "CANARY", 1);
  ::setenv("SSH_AUTH_SOCK", "/CANARY", 1);
  const ToolOutput out = bash(
      "env; tr '\\0' '\\n' </proc/self/environ; "
      "tr '\\0' '\\n' </proc/$PPID/environ");
  ::unsetenv("X_API_KEY");
  ::unsetenv("SSH_AUTH_SOCK");
  EXPECT_THAT(text(out), HasSubstr("PATH="));
  EXPECT_THAT(text(out), Not(HasSubstr("CANARY")));
}

TEST_F(BashRun, StandardInputIsAtItsEnd) {
  EXPECT_EQ(text(bash("cat; read x || echo eof")), "eof\n");
}

TEST_F(BashRun, APipelineWhoseReaderLeavesEnds) {
  const ToolOutput out = bash("yes | head -n 2");
  EXPECT_EQ(text(out), "y\ny\n");
  EXPECT_FALSE(out.error);
}

TEST_F(BashRun, ReadingTheTerminalFailsAtOnce) {
  const ToolOutput out = bash("read -p password: x </dev/tty");
  ASSERT_TRUE(out.error);
  EXPECT_THAT(text(out), HasSubstr("/dev/tty"));
}

TEST_F(BashRun, GitNeverWaitsForAPersonOrAPager) {
  const ToolOutput out = bash(
      "git init -q . && git config user.email a@b.c && "
      "git config user.name n && git config core.editor 'sleep 100;' && "
      "git commit --allow-empty -qm first && "
      "git -c core.pager='sleep 100;' -p log --format=%s && "
      "! git commit --allow-empty && ! git rebase -i --root",
      20'000);
  EXPECT_FALSE(out.error) << text(out);
  EXPECT_THAT(text(out), HasSubstr("first"));
  EXPECT_THAT(text(out), HasSubstr("/bin/false"));
}

TEST_F(BashRun, SshDoesNotAsk) {
  // A key with a passphrase, and nobody to type it.
  const ToolOutput out =
      bash("ssh-keygen -q -t ed25519 -N secret -f key && ssh-keygen -y -f key",
           20'000);
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::tool_failed);
}

TEST_F(BashRun, CharactersThatArriveInPiecesStayWhole) {
  const ToolOutput out = bash(
      "printf '\\xf0\\x9f'; sleep 0.02; printf '\\x99\\x82 \\xc3'; "
      "sleep 0.02; printf '\\xa9'");
  EXPECT_EQ(text(out), "🙂 é");
  EXPECT_EQ(out.structured->at("lossy"), false);
}

TEST_F(BashRun, BytesThatAreNoTextAreCountedAndSaid) {
  const ToolOutput out = bash("printf '\\xff\\xfe\\x00\\x80ok\\n'");
  EXPECT_EQ(out.structured->at("lossy"), true);
  EXPECT_EQ(out.structured->at("lossyBytes"), 3);
  EXPECT_THAT(text(out), HasSubstr("3 bytes above were not UTF-8"));
}

TEST_F(BashRun, RandomBytesEndNothing) {
  const ToolOutput out = bash("head -c 200000 /dev/urandom");
  EXPECT_EQ(exit_code(out), 0);
  std::string json;
  append_content(json, out.content);
  boost::system::error_code error;
  json::parse(json, error);
  EXPECT_FALSE(error);
}

TEST_F(BashRun, OutputOverTheWindowIsKeptWholeInAnArtifact) {
  const ToolOutput out = bash("seq 1 100000");
  EXPECT_TRUE(out.truncated);
  EXPECT_EQ(out.total_bytes, 588'895U);
  EXPECT_THAT(text(out), ::testing::StartsWith("1\n2\n"));
  EXPECT_THAT(text(out), EndsWith("\n100000\n"));
  EXPECT_THAT(text(out), HasSubstr(out.artifact));
  const ArtifactWindow window =
      artifacts_->read(out.artifact, 0, 1 << 20).value();
  EXPECT_EQ(window.total, 588'895U);
  EXPECT_TRUE(window.end);
}

// In kilobytes.
long resident_peak() {
  std::string status = testing::read_file("/proc/self/status");
  return std::atol(status.c_str() + status.find("VmHWM:") + 6);
}

TEST_F(BashRun, AFloodOfOutputTakesNoMemory) {
  config_.tools.bash.spill_bytes = 1 << 20;
  bash("yes | head -c 20M");  // what is allocated once
  const long before = resident_peak();
  const ToolOutput out = bash("yes | head -c 300M");
  EXPECT_EQ(out.total_bytes, 300U << 20);
  EXPECT_THAT(text(out), HasSubstr("which holds the first 1048576 bytes"));
  EXPECT_LT(resident_peak() - before, 16 * 1024);
}

TEST_F(BashRun, ProgressTellsEachByteOnceWithItsOffset) {
  std::string told;
  progress_ = [&](Progress progress) {
    EXPECT_EQ(progress.offset, told.size());
    EXPECT_EQ(utf8_incomplete_tail(progress.output), 0U);
    told += progress.output;
  };
  const ToolOutput out = bash(
      "for i in 1 2 3 4; do printf '\\xe2'; sleep 0.1; "
      "printf '\\x82\\xac'; done");
  EXPECT_EQ(told, "€€€€");
  EXPECT_EQ(text(out), told);
}

TEST_F(BashRun, ProgressIsToldWhileTheCommandGoesOn) {
  progress_ = [&](Progress progress) {
    if (progress.output == "first\n") {
      testing::write_file(folder_ / "seen", "");
    }
  };
  const ToolOutput out =
      bash("echo first; until [ -e seen ]; do sleep 0.01; done", 10'000);
  EXPECT_FALSE(out.error);
}

TEST_F(BashRun, ProgressOfAFloodIsSparseAndBounded) {
  std::size_t told = 0;
  std::size_t bytes = 0;
  progress_ = [&](Progress progress) {
    ++told;
    bytes += progress.output.size();
  };
  const ToolOutput out = bash("yes | head -c 50M");
  const auto tenths =
      static_cast<std::size_t>(out.structured->at("durationMs").as_int64()) /
      100;
  EXPECT_LE(told, tenths + 3);
  EXPECT_LE(bytes, told * 32 * 1024);
}

}  // namespace
}  // namespace toolhost
