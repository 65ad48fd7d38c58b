// The phases around the calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/hooks/lifecycle.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {
namespace {

using config::HookPhase;
using ::testing::HasSubstr;

class Lifecycle : public ::testing::Test {
 public:
  LifecycleResult run(HookPhase phase,
                      const std::vector<std::string>& commands) {
    std::vector<config::Hook> list;
    for (const std::string& command : commands) {
      config::Hook hook;
      hook.name = "h" + std::to_string(list.size());
      hook.phase = phase;
      hook.command = {"/bin/sh", "-c", command};
      hook.fail_closed = is_guard(phase);
      hook.timeout = Milliseconds(2000);
      list.push_back(std::move(hook));
    }
    HookEvent event;
    event.phase = phase;
    event.workspace = dir.path();
    return testing::run(
        loop, run_lifecycle(hooks, std::move(list), std::move(event), stop));
  }

  TempDir dir;
  asio::io_context loop{1};
  Clock clock;
  Hooks hooks{loop, clock};
  Stop stop;
};

constexpr HookPhase kPrompt = HookPhase::user_prompt_submit;

TEST_F(Lifecycle, APromptCollectsContextInOrder) {
  const LifecycleResult result =
      run(kPrompt, {"echo one", R"(echo '{"additionalContext":"two"}')",
                    R"(echo '{"message":"look out"}')"});
  EXPECT_FALSE(result.denied);
  EXPECT_EQ(result.hooks, 3U);
  ASSERT_EQ(result.context.size(), 2U);
  EXPECT_EQ(result.context[0].text, "one");
  EXPECT_EQ(result.context[1].text, "two");
  EXPECT_EQ(result.context[1].hook, "h1");
  EXPECT_EQ(result.warnings.at(0).text, "look out");
}

TEST_F(Lifecycle, ANoToAPromptEndsTheChain) {
  const LifecycleResult result =
      run(kPrompt, {"echo 'not now' >&2; exit 2", "touch second"});
  EXPECT_TRUE(result.denied);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.denied_by, "h0");
  EXPECT_EQ(result.reason, "not now");
  EXPECT_FALSE(std::filesystem::exists(dir / "second"));
}

TEST_F(Lifecycle, AGuardOfPromptsThatFailsIsANo) {
  const LifecycleResult result = run(kPrompt, {"exit 1"});
  EXPECT_TRUE(result.denied);
  EXPECT_TRUE(result.failed);
  EXPECT_THAT(result.reason, HasSubstr("exited with 1"));
}

TEST_F(Lifecycle, ObserversRunSideBySideAndOnlyWarn) {
  // Each waits for the other: one after the other they would never end.
  const LifecycleResult result =
      run(HookPhase::turn_end,
          {"touch a; while [ ! -e b ]; do sleep 0.01; done; exit 2",
           "touch b; while [ ! -e a ]; do sleep 0.01; done; exit 1",
           R"(echo '{"decision":"deny"}')"});
  EXPECT_FALSE(result.denied);
  EXPECT_EQ(result.hooks, 3U);
  EXPECT_EQ(result.warnings.size(), 2U);
}

TEST_F(Lifecycle, NothingConfiguredIsAYes) {
  const LifecycleResult result = run(kPrompt, {});
  EXPECT_FALSE(result.denied);
  EXPECT_EQ(result.hooks, 0U);
}

}  // namespace
}  // namespace toolhost::testing
