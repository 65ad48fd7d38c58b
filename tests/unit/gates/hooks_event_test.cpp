#include "gates/hooks/event.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace toolhost {
namespace {

using config::Hook;
using config::HookPhase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Hook hook(std::string name, HookPhase phase = HookPhase::pre_tool_use) {
  Hook out;
  out.name = std::move(name);
  out.phase = phase;
  out.command = {"true"};
  return out;
}

HookEvent before(std::string tool, std::string surface = "gui") {
  HookEvent out;
  out.tool = std::move(tool);
  out.surface = std::move(surface);
  return out;
}

std::vector<std::string> names(const config::Config& pinned,
                               const config::Config& current,
                               const HookEvent& event) {
  std::vector<std::string> out;
  for (const Hook& each : hooks_for(pinned, current, event)) {
    out.push_back(each.name);
  }
  return out;
}

TEST(HookPattern, MatchesWholeNamesOnly) {
  EXPECT_TRUE(hook_pattern_matches("edit", "edit"));
  EXPECT_FALSE(hook_pattern_matches("edit", "edits"));
  EXPECT_FALSE(hook_pattern_matches("edit", "Edit"));
  EXPECT_FALSE(hook_pattern_matches("dit", "edit"));
}

TEST(HookPattern, AStarIsAnyRun) {
  EXPECT_TRUE(hook_pattern_matches("*", "edit"));
  EXPECT_TRUE(hook_pattern_matches("mcp__*", "mcp__git__push"));
  EXPECT_TRUE(hook_pattern_matches("*push", "mcp__git__push"));
  EXPECT_TRUE(hook_pattern_matches("m*git*h", "mcp__git__push"));
  EXPECT_TRUE(hook_pattern_matches("a**b", "ab"));
  EXPECT_FALSE(hook_pattern_matches("ab*ba", "aba"));
  EXPECT_FALSE(hook_pattern_matches("m*git*x", "mcp__git__push"));
}

TEST(HookPattern, ABarSeparatesTrimmedAlternatives) {
  EXPECT_TRUE(hook_pattern_matches("edit | write", "write"));
  EXPECT_TRUE(hook_pattern_matches("edit|wr*", "write"));
  EXPECT_FALSE(hook_pattern_matches("edit|write", "edit|write"));
}

TEST(HookPattern, OtherCharactersMeanThemselves) {
  EXPECT_FALSE(hook_pattern_matches("e.it", "edit"));
  EXPECT_FALSE(hook_pattern_matches("ed?t", "edit"));
  EXPECT_FALSE(hook_pattern_matches("[e]dit", "edit"));
  EXPECT_FALSE(hook_pattern_matches("edit.*", "edit"));
  EXPECT_TRUE(hook_pattern_matches("a.b(c)", "a.b(c)"));
}

TEST(HookPattern, ThatIsEmptyMatchesNothing) {
  for (const char* pattern : {"", " ", "|", " | | "}) {
    EXPECT_FALSE(hook_pattern_matches(pattern, "edit"));
    EXPECT_FALSE(hook_pattern_matches(pattern, ""));
  }
}

TEST(HookPattern, IsLinearForManyStars) {
  std::string pattern;
  for (int i = 0; i < 2000; ++i) pattern += "*a";
  EXPECT_FALSE(hook_pattern_matches(pattern + "b", std::string(1900, 'a')));
}

TEST(HooksFor, KeepsTheOrderOfTheFile) {
  config::Config config;
  config.hooks = {hook("b"), hook("post", HookPhase::post_tool_use), hook("a")};
  EXPECT_THAT(names(config, config, before("edit")), ElementsAre("b", "a"));
}

TEST(HooksFor, ANameOrThePatternIsEnough) {
  config::Config config;
  config.hooks = {hook("names"), hook("pattern"), hook("both"), hook("other")};
  config.hooks[0].tool_names = {"bash", "edit"};
  config.hooks[1].matcher = "ed*";
  config.hooks[2].tool_names = {"bash"};
  config.hooks[2].matcher = "edit";
  config.hooks[3].tool_names = {"bash"};
  EXPECT_THAT(names(config, config, before("edit")),
              ElementsAre("names", "pattern", "both"));
}

TEST(HooksFor, ASurfaceThatIsNotListedIsSkipped) {
  config::Config config;
  config.hooks = {hook("gui only")};
  config.hooks[0].client_surfaces = {"gui"};
  EXPECT_THAT(names(config, config, before("edit", "gui")),
              ElementsAre("gui only"));
  EXPECT_THAT(names(config, config, before("edit", "agent")), IsEmpty());
  EXPECT_THAT(names(config, config, before("edit", "")), IsEmpty());
}

TEST(HooksFor, ANewGuardCountsAtOnceInARunningTurn) {
  config::Config pinned;
  pinned.hooks = {hook("old")};
  config::Config current;
  current.hooks = {hook("new"), hook("old")};
  EXPECT_THAT(names(pinned, current, before("edit")),
              ElementsAre("old", "new"));
}

TEST(HooksFor, AHookThatWasRemovedStaysForTheTurn) {
  config::Config pinned;
  pinned.hooks = {hook("old")};
  EXPECT_THAT(names(pinned, config::Config(), before("edit")),
              ElementsAre("old"));
}

TEST(HooksFor, ANewObserverWaitsForTheNextTurn) {
  config::Config current;
  current.hooks = {hook("new", HookPhase::turn_end)};
  HookEvent event;
  event.phase = HookPhase::turn_end;
  EXPECT_THAT(names(config::Config(), current, event), IsEmpty());
}

}  // namespace
}  // namespace toolhost
