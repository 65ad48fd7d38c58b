// Step 16: what the verdicts of hooks mean after a tool ran.
#include <gmock/gmock.h>

#include "tests/unit/gates/hooks_fixture.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(HookSteps, AfterTheToolAHookReplacesTheOutput) {
  configure({after(print(R"({"output":"clean"})"), "one"),
             after(R"(grep -q '"text":"clean"' || exit 1)", "two")});
  const Call& call = look();
  EXPECT_EQ(call.state, CallState::completed);
  EXPECT_EQ(content(call), "clean");
}

TEST_F(HookSteps, AfterTheToolNullIsNoOutput) {
  configure({after(print(R"({"output":null})"))});
  EXPECT_EQ(content(look()), "(The output is empty.)");
}

TEST_F(HookSteps, AfterTheToolTextStandsBelowTheOutput) {
  configure({after(print(R"({"additionalContext":"mind the gap"})"), "tube")});
  EXPECT_EQ(content(look()), "output\n[hook tube] mind the gap");
}

TEST_F(HookSteps, AfterTheToolANoRejectsTheResultAndKeepsIt) {
  configure({after("echo 'lint: line 3' >&2; exit 2", "lint")});
  const Call& call = look();
  EXPECT_EQ(kind(call), "hookDenied");
  EXPECT_EQ(call.state, CallState::failed);
  EXPECT_THAT(call.output.error->message, HasSubstr("The tool has run"));
  EXPECT_EQ(content(call), "output\n[hook lint] lint: line 3");
}

TEST_F(HookSteps, AfterTheToolAFailureWithholdsTheOutput) {
  configure({after("exit 1"), after("touch second")});
  const Call& call = look();
  EXPECT_EQ(kind(call), "hookFailed");
  EXPECT_THAT(call.output.error->message, HasSubstr("is withheld"));
  EXPECT_EQ(call.result_text->find("\"text\":\"output\""), std::string::npos);
  EXPECT_FALSE(info(CallErrorKind::hook_failed).retryable);
  EXPECT_FALSE(std::filesystem::exists(dir / "second"));
}

TEST_F(HookSteps, TheJournalKeepsThatTheToolCompleted) {
  configure({after("exit 1")});
  auto call = make_call("look");
  call->idempotency_key = "k1";
  const std::string id = call->id;
  EXPECT_EQ(kind(run(call)), "hookFailed");
  EXPECT_EQ(journal.calls.at(id).state, JournalState::completed);
  auto again = make_call("look");
  again->idempotency_key = "k1";
  EXPECT_TRUE(run(again).replayed);
  EXPECT_EQ(fakes->fakes["look"].runs, 1);
}

TEST_F(HookSteps, AfterTheToolAnErrorIsSetAndCleared) {
  configure({after(print(R"({"isError":true,"message":"bad"})"))});
  EXPECT_EQ(kind(look()), "toolFailed");
  configure({after(print(R"({"isError":true})")),
             after(print(R"({"isError":false})"))});
  EXPECT_EQ(look().state, CallState::completed);
}

TEST_F(HookSteps, WhatAHookRejectedNoLaterOneClears) {
  configure({after("exit 2"), after(print(R"({"isError":false})"))});
  EXPECT_EQ(kind(look()), "hookDenied");
}

TEST_F(HookSteps, AfterAToolThatFailedTheHooksRunToo) {
  configure({after("cat > told")});
  fakes->fakes["look"].run = [](json::object,
                                const ExecutionContext&) -> Task<ToolOutput> {
    co_return ToolOutput::failure(
        make_call_error(CallErrorKind::tool_failed, "it broke"));
  };
  EXPECT_EQ(kind(run("look")), "toolFailed");
  const json::object told = json::parse(read_file(dir / "told")).as_object();
  EXPECT_TRUE(told.at("tool_output").at("isError").as_bool());
  EXPECT_EQ(told.at("tool_output").at("error").at("message"), "it broke");
}

TEST_F(HookSteps, AfterAToolThatThrewNoHookRuns) {
  configure({after("touch ran")});
  fakes->fakes["look"].run = [](json::object,
                                const ExecutionContext&) -> Task<ToolOutput> {
    throw std::runtime_error("boom");
    co_return ToolOutput();
  };
  EXPECT_EQ(kind(run("look")), "internal");
  EXPECT_FALSE(std::filesystem::exists(dir / "ran"));
}

}  // namespace
}  // namespace toolhost::testing
