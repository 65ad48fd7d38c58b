// The table of exit codes and the table of answers, row by row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "gates/hooks/answer.hpp"

namespace toolhost {
namespace {

using config::HookPhase;
using ::testing::HasSubstr;
using Decision = HookAnswer::Decision;

constexpr HookPhase kPre = HookPhase::pre_tool_use;
constexpr HookPhase kPost = HookPhase::post_tool_use;
constexpr HookPhase kPrompt = HookPhase::user_prompt_submit;
constexpr HookPhase kEnd = HookPhase::turn_end;

HookRun exits(int code, std::string_view output = {},
              std::string_view errors = {}, HookPhase phase = kPre) {
  return read_hook_exit(phase, ExitStatus{code, 0}, output, errors);
}

HookRun says(std::string_view text, HookPhase phase = kPre) {
  return read_hook_answer(phase, text);
}

TEST(HookExit, ZeroWithoutAWordIsNoOpinion) {
  for (const char* nothing : {"", "\n", " \r\n\t"}) {
    const HookRun run = exits(0, nothing);
    EXPECT_EQ(run.failure, "");
    EXPECT_EQ(run.answer.decision, Decision::none);
  }
}

TEST(HookExit, TwoIsANoWithStandardErrorAsItsReason) {
  const HookRun run = exits(2, R"({"decision":"allow"})", "not on Friday\n");
  EXPECT_EQ(run.failure, "");
  EXPECT_EQ(run.answer.decision, Decision::deny);
  EXPECT_EQ(run.answer.message, "not on Friday");
  EXPECT_THAT(exits(2).answer.message, HasSubstr("gave no reason"));
}

TEST(HookExit, TwoOfAnObserverIsAWarning) {
  const HookRun run = exits(2, "", "careful", kEnd);
  EXPECT_EQ(run.answer.decision, Decision::none);
  EXPECT_EQ(run.answer.message, "careful");
}

TEST(HookExit, EveryOtherEndIsAFailureThatSaysWhy) {
  EXPECT_EQ(exits(1, R"({"decision":"allow"})", "bad input").failure,
            "exited with 1: bad input");
  EXPECT_EQ(exits(3).failure, "exited with 3");
  EXPECT_THAT(exits(126).failure, HasSubstr("cannot be executed"));
  EXPECT_THAT(exits(127, "", "sh: 1: nope: not found").failure,
              HasSubstr("is missing, or calls what is missing (exit status "
                        "127): sh: 1: nope: not found"));
  EXPECT_EQ(exits(139).failure, "exited with 139");
}

TEST(HookExit, ASignalIsAFailureAndNeverAYes) {
  const HookRun run = read_hook_exit(kPre, ExitStatus{0, SIGKILL},
                                     R"({"decision":"allow"})", "");
  EXPECT_EQ(run.failure, "was ended by signal 9 (Killed)");
  EXPECT_EQ(run.answer.decision, Decision::none);
}

TEST(HookExit, KeepsTheEndOfALongReasonWithoutCuttingACharacter) {
  std::string long_reason;
  for (int i = 0; i < 4000; ++i) long_reason += "ü";
  const std::string message = exits(2, "", long_reason + "END").answer.message;
  EXPECT_LE(message.size(), 4096U);
  EXPECT_TRUE(message.ends_with("END"));
  EXPECT_TRUE(message.starts_with("ü"));
}

TEST(HookAnswer, ReadsOneObject) {
  const HookRun run = says(
      R"({"decision":"allow","message":"fine","arguments":{"text":"x"},
          "additionalContext":"more"})");
  EXPECT_EQ(run.failure, "");
  EXPECT_EQ(run.answer.decision, Decision::allow);
  EXPECT_EQ(run.answer.message, "fine");
  EXPECT_EQ(run.answer.arguments->at("text"), "x");
  EXPECT_EQ(run.answer.context, "more");
}

TEST(HookAnswer, ReadsTheSpellingOfOtherPrograms) {
  const HookRun run = says(
      R"({"continue":true,"suppressOutput":true,"hookSpecificOutput":{
          "hookEventName":"PreToolUse","permissionDecision":"deny",
          "permissionDecisionReason":"no","updatedInput":{"a":1}}})");
  EXPECT_EQ(run.failure, "");
  EXPECT_EQ(run.answer.decision, Decision::deny);
  EXPECT_EQ(run.answer.message, "no");
  EXPECT_TRUE(run.answer.arguments);
  EXPECT_EQ(says(R"({"decision":"block","reason":"r"})").answer.decision,
            Decision::deny);
  EXPECT_EQ(says(R"({"decision":"approve"})").answer.decision, Decision::allow);
  EXPECT_EQ(says(R"({"continue":false,"stopReason":"s"})").answer.decision,
            Decision::deny);
}

TEST(HookAnswer, TheStricterOfTwoDecisionsCounts) {
  EXPECT_EQ(says(R"({"decision":"approve",
      "hookSpecificOutput":{"permissionDecision":"deny"}})")
                .answer.decision,
            Decision::deny);
  EXPECT_EQ(says(R"({"decision":"deny","continue":true})").answer.decision,
            Decision::deny);
}

TEST(HookAnswer, AnythingButOneObjectIsAFailureOfAGuard) {
  for (const char* text :
       {"ready\n{\"decision\":\"deny\"}", R"({"decision":"deny"} trailing)",
        R"({"decision":"deny"}{"decision":"allow"})",
        R"({"decision":"deny","decision":"allow"})", R"({"decision":"de)",
        "\xEF\xBB\xBF{\"decision\":\"allow\"}", "[]", "true", "null", "denied",
        "{'decision':'deny'}", R"({"decision":"allow",})"}) {
    for (const HookPhase phase : {kPre, kPost}) {
      EXPECT_NE(says(text, phase).failure, "") << text;
      EXPECT_EQ(says(text, phase).answer.decision, Decision::none) << text;
    }
  }
}

TEST(HookAnswer, CarriageReturnsAroundTheObjectAreFine) {
  EXPECT_EQ(says("\r\n{\"decision\":\r\n\"deny\"}\r\n").answer.decision,
            Decision::deny);
}

TEST(HookAnswer, AWrongTypeOrAnUnknownWordIsAFailure) {
  for (const char* text :
       {R"({"decision":true})", R"({"decision":"Deny"})",
        R"({"decision":"no"})", R"({"decison":"deny"})", R"({"message":5})",
        R"({"arguments":[]})", R"({"arguments":"{}"})",
        R"({"continue":"false"})", R"({"hookSpecificOutput":[]})",
        R"({"hookSpecificOutput":{"hookSpecificOutput":{}}})",
        R"({"hookSpecificOutput":{"hookEventName":"PostToolUse"}})",
        R"({"output":"x"})", R"({"isError":true})"}) {
    EXPECT_NE(says(text).failure, "") << text;
  }
  EXPECT_THAT(says(R"({"decision":"perhaps"})").failure,
              HasSubstr("unknown decision \"perhaps\""));
}

TEST(HookAnswer, AHookCannotChangeTheTool) {
  for (const char* member : {"tool", "tool_name", "toolName", "name"}) {
    EXPECT_THAT(says("{\"" + std::string(member) + "\":\"bash\"}").failure,
                HasSubstr("tried to change the tool"));
  }
}

TEST(HookAnswer, EachPhaseHasItsOwnMembers) {
  EXPECT_EQ(says(R"({"output":null,"isError":false})", kPost).failure, "");
  EXPECT_TRUE(says(R"({"output":null})", kPost).answer.output);
  EXPECT_NE(says(R"({"arguments":{}})", kPost).failure, "");
  EXPECT_NE(says(R"({"decision":"ask"})", kPost).failure, "");
  EXPECT_NE(says(R"({"arguments":{}})", kPrompt).failure, "");
  EXPECT_EQ(says(R"({"decision":"ask"})", kPre).answer.decision, Decision::ask);
}

TEST(HookAnswer, TextForAPromptIsContextUnlessAVerdictCouldHideInIt) {
  const HookRun plain = says("Today is Monday.\n", kPrompt);
  EXPECT_EQ(plain.failure, "");
  EXPECT_EQ(plain.answer.context, "Today is Monday.");
  EXPECT_NE(says("ready\n{\"decision\":\"deny\"}", kPrompt).failure, "");
}

TEST(HookAnswer, TextOfAnObserverIsAMessageAndItsVerdictsDoNotCount) {
  EXPECT_EQ(says("all done", kEnd).answer.message, "all done");
  EXPECT_EQ(says(R"({"nonsense":1})", kEnd).failure, "");
}

TEST(HookAnswer, SurvivesEveryByteInEveryPlace) {
  const std::string good =
      R"({"decision":"deny","hookSpecificOutput":{"updatedInput":{"a":[1]}}})";
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = good;
      text[at] = static_cast<char>(byte);
      const HookRun run = says(text);
      // Broken or not, it never turns into a yes.
      EXPECT_NE(run.answer.decision, Decision::allow) << text;
    }
  }
}

}  // namespace
}  // namespace toolhost
