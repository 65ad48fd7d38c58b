// Command hooks as real processes: what they are given, how they may end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include "gates/hooks/command_hook.hpp"
#include "gates/hooks/hooks.hpp"
#include "protocol/json_text.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {
namespace {

using config::HookPhase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Decision = HookAnswer::Decision;

class CommandHook : public ::testing::Test {
 public:
  static config::Hook shell(const std::string& command) {
    config::Hook out;
    out.name = "test";
    out.command = {"/bin/sh", "-c", command};
    return out;
  }

  // Another process makes the file, and tells nobody: it is looked for between
  // turns of the loop. The test fails when it is not there in time.
  Task<void> until_exists(const char* name) {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!std::filesystem::exists(dir / name)) {
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << name << " did not appear";
        co_return;
      }
      co_await sleep_for(loop, Milliseconds(1));
    }
  }

  HookEvent event() const {
    HookEvent out;
    out.workspace = dir.path();
    out.call_id = "call_test";
    out.payload["hook_event_name"] = "PreToolUse";
    out.payload["tool_input"] = json::object{{"path", "a.txt"}};
    return out;
  }

  HookRun run(config::Hook hook) { return run(std::move(hook), event()); }
  HookRun run(config::Hook hook, HookEvent told) {
    return testing::run(
        loop, run_command_hook(loop, std::move(hook), std::move(told), stop));
  }
  HookRun run(const std::string& command) { return run(shell(command)); }

  // Milliseconds until `task` is over.
  std::int64_t timed(const std::function<void()>& task) const {
    const auto begin = std::chrono::steady_clock::now();
    task();
    return std::chrono::duration_cast<Milliseconds>(
               std::chrono::steady_clock::now() - begin)
        .count();
  }

  // Whether the process whose pid a hook wrote to `file` is gone.
  bool gone(const std::string& file) const {
    const int pid = std::stoi(read_file(dir / file));
    return ::kill(pid, 0) != 0 && errno == ESRCH;
  }

  TempDir dir;
  asio::io_context loop{1};
  Clock clock;
  Stop stop;
};

TEST_F(CommandHook, IsToldOneJsonLineAndTheEndOfInput) {
  EXPECT_EQ(run("cat > told").failure, "");
  EXPECT_EQ(
      read_file(dir / "told"),
      "{\"hook_event_name\":\"PreToolUse\",\"tool_input\":{\"path\":\"a.txt\"}}"
      "\n");
}

TEST_F(CommandHook, AnswersOnStandardOutput) {
  const HookRun run_of = run(R"(echo '{"decision":"deny","message":"no"}')");
  EXPECT_EQ(run_of.answer.decision, Decision::deny);
  EXPECT_EQ(run_of.answer.message, "no");
}

TEST_F(CommandHook, BlocksWithExitTwoAndTheReasonOnStandardError) {
  const HookRun run_of = run("echo 'not today' >&2; exit 2");
  EXPECT_EQ(run_of.answer.decision, Decision::deny);
  EXPECT_EQ(run_of.answer.message, "not today");
}

TEST_F(CommandHook, ThatDoesNotReadItsInputIsNotWaitedFor) {
  HookEvent large = event();
  large.payload["tool_input"] = std::string(4 << 20, 'x');
  HookRun run_of;
  EXPECT_LT(timed([&] { run_of = run(shell("exit 0"), large); }), 5000);
  EXPECT_EQ(run_of.failure, "");
}

TEST_F(CommandHook, ReadsALargeInputWhole) {
  HookEvent large = event();
  large.payload["tool_input"] = std::string(4 << 20, 'x');
  EXPECT_EQ(run(shell("wc -c > size"), large).failure, "");
  EXPECT_EQ(std::stoul(read_file(dir / "size")),
            json_text(large.payload).size() + 1);
}

TEST_F(CommandHook, IsEndedAtItsLimitWithEverythingThatItStarted) {
  config::Hook hook =
      shell("sleep 600 & echo $! > child; echo $$ > self; sleep 600");
  hook.timeout = Milliseconds(300);
  HookRun run_of;
  EXPECT_LT(timed([&] { run_of = run(hook); }), 1300);
  EXPECT_TRUE(run_of.timed_out);
  EXPECT_EQ(run_of.failure, "did not end within 300 ms and was ended");
  EXPECT_TRUE(gone("self"));
  EXPECT_TRUE(gone("child"));
}

TEST_F(CommandHook, ThatIgnoresTheTermSignalIsKilled) {
  config::Hook hook = shell("trap '' TERM; while :; do sleep 1; done");
  hook.timeout = Milliseconds(200);
  HookRun run_of;
  EXPECT_LT(timed([&] { run_of = run(hook); }), 1200);
  EXPECT_TRUE(run_of.timed_out);
}

TEST_F(CommandHook, IsEndedAtItsLimitWhileItReadsForever) {
  config::Hook hook = shell("cat > /dev/null; cat /dev/zero > /dev/null");
  hook.timeout = Milliseconds(200);
  HookRun run_of;
  EXPECT_LT(timed([&] { run_of = run(hook); }), 1200);
  EXPECT_TRUE(run_of.timed_out);
}

TEST_F(CommandHook, IsOverWhenItEndsAlthoughAChildHoldsItsOutput) {
  HookRun run_of;
  EXPECT_LT(timed([&] {
              run_of = run(
                  R"(sleep 600 & echo $! > child; echo '{"decision":"deny"}')");
            }),
            2000);
  EXPECT_EQ(run_of.answer.decision, Decision::deny);
  const auto deadline = std::chrono::steady_clock::now() + kTestTimeout;
  while (!gone("child") && std::chrono::steady_clock::now() < deadline) {
    loop.restart();
    loop.run_for(Milliseconds(5));
  }
  EXPECT_TRUE(gone("child"));
}

TEST_F(CommandHook, ThatFloodsItsOutputIsEndedAndHasFailed) {
  HookRun run_of;
  EXPECT_LT(timed([&] { run_of = run("yes"); }), 10'000);
  EXPECT_EQ(run_of.failure, "printed more than 1 MiB and was ended");
}

TEST_F(CommandHook, ThatFloodsStandardErrorIsReadToItsEnd) {
  const HookRun run_of =
      run("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo why >&2; exit 2");
  EXPECT_EQ(run_of.answer.decision, Decision::deny);
  EXPECT_TRUE(run_of.answer.message.ends_with("why"));
}

TEST_F(CommandHook, ThatPrintsHalfItsJsonHasFailed) {
  EXPECT_THAT(run(R"(printf '{"decision":"all')").failure,
              HasSubstr("did not print one JSON object"));
}

TEST_F(CommandHook, ThatIsKilledHasFailed) {
  EXPECT_THAT(run("kill -KILL $$").failure, HasSubstr("was ended by signal 9"));
  EXPECT_THAT(run("kill -SEGV $$").failure,
              HasSubstr("was ended by signal 11"));
}

TEST_F(CommandHook, ThatIsMissingHasFailed) {
  EXPECT_THAT(run("no-such-command-here").failure,
              HasSubstr("calls what is missing"));
  config::Hook hook = shell("");
  hook.command = {"/no/such/hook"};
  EXPECT_THAT(run(hook).failure, HasSubstr("/no/such/hook"));
}

TEST_F(CommandHook, ThatIsNotExecutableHasFailed) {
  write_file(dir / "hook.txt", "#!/bin/sh\nexit 0\n");
  config::Hook hook = shell("");
  hook.command = {dir / "hook.txt"};
  EXPECT_THAT(run(hook).failure, HasSubstr("Permission denied"));
  EXPECT_THAT(run("'" + (dir / "hook.txt") + "'").failure,
              HasSubstr("cannot be executed"));
}

TEST_F(CommandHook, MayHaveSpacesInItsPathAndArguments) {
  write_file(dir / "my hook", "#!/bin/sh\nprintf %s \"$1\" >&2\nexit 2\n");
  ::chmod((dir / "my hook").c_str(), 0755);
  config::Hook hook = shell("");
  hook.command = {dir / "my hook", "two words"};
  EXPECT_EQ(run(hook).answer.message, "two words");
}

TEST_F(CommandHook, WhoseFolderIsGoneHasFailed) {
  config::Hook hook = shell("true");
  hook.cwd = dir / "nowhere";
  EXPECT_NE(run(hook).failure, "");
}

TEST_F(CommandHook, RunsInTheWorkspaceWithACleanEnvironment) {
  ::setenv("X_API_KEY", "CANARY", 1);
  ::setenv("ENV", "/no/profile", 1);
  ::setenv("TOOLHOST_SOCK", "/run/canary", 1);
  EXPECT_EQ(run("env > env; pwd > pwd").failure, "");
  ::unsetenv("X_API_KEY");
  ::unsetenv("ENV");
  ::unsetenv("TOOLHOST_SOCK");
  const std::string environment = read_file(dir / "env");
  EXPECT_THAT(environment, HasSubstr("PATH="));
  EXPECT_THAT(environment, Not(HasSubstr("CANARY")));
  EXPECT_THAT(environment, Not(HasSubstr("canary")));
  EXPECT_THAT(environment, Not(HasSubstr("profile")));
  EXPECT_EQ(read_file(dir / "pwd"), dir.path() + "\n");
}

TEST_F(CommandHook, IsEndedWhenTheCallIsCancelled) {
  TaskGroup group(loop);
  group.spawn([](CommandHook* self) -> Task<void> {
    co_await self->until_exists("self");
    self->stop.request("The caller cancelled the call.");
  }(this));
  const HookRun run_of = run("echo $$ > new; mv new self; sleep 600");
  testing::run(loop, group.join());
  EXPECT_TRUE(run_of.cancelled);
  EXPECT_TRUE(gone("self"));
}

TEST_F(CommandHook, SixteenRunAtATimeAndTheRestWait) {
  Hooks hooks(loop, clock);
  TaskGroup group(loop);
  // Counts how many are inside at a time; each leaves when it has seen enough.
  const std::string command =
      "echo > in.$$; n=$(ls in.* | wc -l); [ $n -le 16 ] || touch too_many; "
      "sleep 0.05; rm in.$$";
  for (int i = 0; i < 40; ++i) {
    group.spawn([](Hooks& all, config::Hook hook, HookEvent told,
                   Stop& end) -> Task<void> {
      const HookRun run_of =
          co_await all.run(std::move(hook), std::move(told), end);
      EXPECT_EQ(run_of.failure, "");
    }(hooks, shell(command), event(), stop));
  }
  testing::run(loop, group.join());
  EXPECT_FALSE(std::filesystem::exists(dir / "too_many"));
}

TEST_F(CommandHook, ThatWaitsForItsTurnIsCancelledAtOnce) {
  Hooks hooks(loop, clock);
  TaskGroup group(loop);
  for (int i = 0; i < 40; ++i) {
    group.spawn([](Hooks& all, config::Hook hook, HookEvent told,
                   Stop& end) -> Task<void> {
      const HookRun run_of =
          co_await all.run(std::move(hook), std::move(told), end);
      EXPECT_TRUE(run_of.cancelled);
    }(hooks, shell("touch started; sleep 600"), event(), stop));
  }
  group.spawn([](CommandHook* self) -> Task<void> {
    co_await self->until_exists("started");
    self->stop.request("The daemon is stopping.");
  }(this));
  EXPECT_LT(timed([&] { testing::run(loop, group.join()); }), 5000);
}

TEST_F(CommandHook, EveryRunIsCounted) {
  Hooks hooks(loop, clock);
  config::Config config;
  config.builtin_hooks.diagnostics = config::BuiltinHooks::Diagnostics::off;
  config.builtin_hooks.secrets = config::BuiltinHooks::Secrets::off;
  config.hooks = {shell("exit 2")};
  (void)testing::run(loop, hooks.run(config.hooks[0], event(), stop));
  config::Hook failing = shell("exit 1");
  failing.name = "removed since";
  (void)testing::run(loop, hooks.run(failing, event(), stop));
  const json::array rows = hooks.statistics(config);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("name"), "test");
  EXPECT_EQ(rows[0].at("form"), "command");
  EXPECT_EQ(rows[0].at("runs").to_number<int>(), 1);
  EXPECT_EQ(rows[0].at("denied").to_number<int>(), 1);
  EXPECT_EQ(rows[1].at("form"), "removed");
  EXPECT_EQ(rows[1].at("failed").to_number<int>(), 1);
  EXPECT_EQ(rows[1].at("lastFailure"), "exited with 1");
}

TEST_F(CommandHook, AnObserverIsEndedWhenTheDaemonStops) {
  Hooks hooks(loop, clock);
  hooks.observe(shell("echo $$ > new; mv new self; sleep 600"), event());
  TaskGroup group(loop);
  group.spawn([](CommandHook* self, Hooks& all) -> Task<void> {
    co_await self->until_exists("self");
    co_await all.stop();
  }(this, hooks));
  testing::run(loop, group.join());
  EXPECT_TRUE(gone("self"));
}

}  // namespace
}  // namespace toolhost::testing
