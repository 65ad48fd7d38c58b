// Step 6: what the verdicts of hooks mean before a tool runs.
#include <gmock/gmock.h>

#include "tests/unit/gates/hooks_fixture.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(HookSteps, AHookThatSaysNoStopsTheCall) {
  configure({before("echo 'not on Friday' >&2; exit 2")});
  const Call& call = look();
  EXPECT_EQ(kind(call), "hookDenied");
  EXPECT_EQ(call.state, CallState::refused);
  EXPECT_THAT(call.output.error->message, HasSubstr("not on Friday"));
  EXPECT_EQ(call.output.error->details.at("hook"), "h");
  EXPECT_EQ(fakes->fakes["look"].runs, 0);
}

TEST_F(HookSteps, AGuardThatFailsIsANo) {
  for (const char* command :
       {"exit 1", "exit 127", "kill -9 $$", "echo ready", "printf '{\"dec'",
        "echo '{\"decision\":\"yes\"}'", "no-such-command",
        "echo '{\"tool_name\":\"bash\"}'"}) {
    configure({before(command)});
    const Call& call = look();
    EXPECT_EQ(kind(call), "hookFailed") << command;
    EXPECT_THAT(call.output.error->message, HasSubstr("Nothing was run"));
    EXPECT_EQ(fakes->fakes["look"].runs, 0) << command;
  }
}

TEST_F(HookSteps, AGuardThatHangsIsANoAtItsLimit) {
  json::object slow = before("sleep 600");
  slow["timeoutMs"] = 100;
  configure({slow});
  const Call& call = look();
  EXPECT_EQ(kind(call), "hookFailed");
  EXPECT_THAT(call.output.error->message, HasSubstr("within 100 ms"));
}

TEST_F(HookSteps, AHookThatMayFailIsPassedOver) {
  json::object lenient = before("exit 1");
  lenient["onFailure"] = "warn";
  configure({lenient});
  EXPECT_EQ(look().state, CallState::completed);
}

TEST_F(HookSteps, RewritesAreChainedAndTheLastOneRuns) {
  configure({
      before(print(R"({"arguments":{"text":"first"}})"), "one"),
      before(R"(grep -q '"text":"first"' || exit 1;)"
             R"(printf %s '{"arguments":{"text":"second"}}')",
             "two"),
  });
  const Call& call = look();
  EXPECT_EQ(call.state, CallState::completed);
  EXPECT_EQ(got.at("text"), "second");
  EXPECT_EQ(call.raw_arguments.at("text"), "given");
}

TEST_F(HookSteps, ARewriteIsWhatThePersonIsShown) {
  configure({before(print(R"({"arguments":{"text":"rewritten"}})"))});
  auto call = make_call("change");
  call->raw_arguments["text"] = "given";
  std::string shown;
  TaskGroup group(loop);
  group.spawn([](HookSteps* self, std::string& out) -> Task<void> {
    while (self->approvals.pending().empty()) {
      co_await sleep_for(self->loop, Milliseconds(1));
    }
    const auto& arguments =
        self->approvals.pending().front()->question.arguments;
    out = std::string(arguments.at("text").as_string());
    co_await self->answer_when_asked("allow_once");
  }(this, shown));
  EXPECT_EQ(run(call).state, CallState::completed);
  testing::run(loop, group.join());
  EXPECT_EQ(shown, "rewritten");
}

TEST_F(HookSteps, ARewriteThatDoesNotFitIsTheFaultOfTheHook) {
  for (const char* arguments : {R"({"text":7})", R"({"text":"x","other":1})"}) {
    configure(
        {before(print("{\"arguments\":" + std::string(arguments) + "}"))});
    const Call& call = look();
    EXPECT_EQ(kind(call), "hookFailed") << arguments;
    EXPECT_THAT(call.output.error->message, HasSubstr("does not fit the tool"));
    const json::array rows = hooks.statistics(*registry.snapshot()->config);
    EXPECT_GT(rows.back().at("failed").to_number<int>(), 0);
    EXPECT_EQ(fakes->fakes["look"].runs, 0);
  }
}

TEST_F(HookSteps, AGuardSeesPlainArgumentsHoweverTheyWereWrapped) {
  configure(
      {before(R"(grep -q '"tool_input":{"text":"rm"}' && exit 2; exit 0)")});
  auto call = make_call("look");
  call->raw_arguments["__raw"] = R"({"text":"rm"})";
  EXPECT_EQ(kind(run(call)), "hookDenied");
}

TEST_F(HookSteps, AHookIsToldWhoAndWhat) {
  configure({before("cat > told")});
  const Call& call = look();
  EXPECT_EQ(call.state, CallState::completed);
  const json::object told = json::parse(read_file(dir / "told")).as_object();
  EXPECT_EQ(told.at("hook_event_name"), "PreToolUse");
  EXPECT_EQ(told.at("session_id"), json::value(session->id));
  EXPECT_EQ(told.at("call_id"), json::value(call.id));
  EXPECT_EQ(told.at("tool_name"), "look");
  EXPECT_EQ(told.at("tool_kind"), "tool_call");
  EXPECT_EQ(told.at("workspace"), json::value(dir.path()));
  EXPECT_EQ(told.at("tool_input").at("text"), "given");
  EXPECT_FALSE(told.contains("tool_output"));
  EXPECT_THAT(read_file(dir / "told"), Not(HasSubstr(session->token)));
}

TEST_F(HookSteps, AnAllowLiftsTheQuestionOfThePolicyTable) {
  configure({before(print(R"({"decision":"allow"})"))});
  const Call& call = run("change");
  EXPECT_EQ(call.state, CallState::completed);
  EXPECT_FALSE(call.approval);
}

TEST_F(HookSteps, AnAllowLiftsNoRuleThatAsksOrDenies) {
  configure({before(print(R"({"decision":"allow"})"))});
  rules.set_configured({{"edit", "thing", RuleAction::deny}});
  EXPECT_EQ(kind(run("change")), "permissionDenied");
  rules.set_configured({{"edit", "*", RuleAction::ask}});
  EXPECT_TRUE(run_answered("change", "allow_once").approval);
}

TEST_F(HookSteps, AnAllowLiftsNothingThatAlwaysAsks) {
  configure({before(print(R"({"decision":"allow"})"))});
  fakes->fakes["bash"].resolve = [](const json::object&) {
    Resolution out;
    out.accesses.emplace();
    out.always_ask = "Commands run unconfined.";
    out.subject["type"] = "tool";
    return Outcome<Resolution>(out);
  };
  session->policy.sandbox = SandboxMode::danger_full_access;
  EXPECT_TRUE(run_answered("bash", "allow_once").approval);
}

TEST_F(HookSteps, AnAllowDoesNotOpenPlanModeOrPolicyNever) {
  configure({before(print(R"({"decision":"allow"})"))});
  session->policy.approvals = ApprovalPolicy::never;
  EXPECT_EQ(kind(run("look")), "policyBlocked");
  session->policy.approvals = ApprovalPolicy::on_request;
  session->policy.mode = SessionMode::plan;
  EXPECT_EQ(kind(run("change")), "planModeBlocked");
}

TEST_F(HookSteps, ALaterNoBeatsAnEarlierAllow) {
  configure({before(print(R"({"decision":"allow"})")), before("exit 2")});
  EXPECT_EQ(kind(run("change")), "hookDenied");
}

TEST_F(HookSteps, ANoEndsTheChain) {
  configure({before("exit 2"), before("touch second")});
  EXPECT_EQ(kind(look()), "hookDenied");
  EXPECT_FALSE(std::filesystem::exists(dir / "second"));
}

TEST_F(HookSteps, AnAllowForOtherArgumentsDoesNotCount) {
  configure({before(print(R"({"decision":"allow"})")),
             before(print(R"({"arguments":{"text":"else"}})"))});
  EXPECT_TRUE(run_answered("change", "allow_once").approval);
}

TEST_F(HookSteps, AHookCanAskForAPersonAlsoUnderFullAccess) {
  configure({before(print(R"({"decision":"ask","message":"is it Friday?"})"))});
  session->policy.approvals = ApprovalPolicy::automatic;
  session->policy.sandbox = SandboxMode::danger_full_access;
  const Call& call = run_answered("change", "allow_once");
  EXPECT_TRUE(call.approval);
  EXPECT_EQ(call.because.front().first, "hook");
  EXPECT_THAT(call.because.front().second, HasSubstr("is it Friday?"));
  EXPECT_FALSE(call.may_remember);
}

TEST_F(HookSteps, ToChangeWhatAHookRunsAlwaysAsks) {
  write_file(dir / "check.sh", "exit 0\n");
  configure({before("sh ./check.sh")});
  session->policy.approvals = ApprovalPolicy::automatic;
  session->policy.sandbox = SandboxMode::danger_full_access;
  std::string name = "check.sh";
  fakes->fakes["change"].resolve = [this, &name](const json::object&) {
    Resolution out;
    out.accesses.emplace();
    WriteTarget target;
    target.path = Workspace::open({dir.path()}, false)->resolve(name).value();
    target.operation = "modify";
    out.targets.push_back(std::move(target));
    out.subject["type"] = "tool";
    return Outcome<Resolution>(out);
  };
  const Call& asked = run_answered("change", "allow_once");
  ASSERT_TRUE(asked.approval);
  EXPECT_EQ(asked.because.front().second, "The hook \"h\" runs this file.");
  name = "other.sh";
  EXPECT_FALSE(run("change").approval);
}

TEST_F(HookSteps, ADryRunStartsNoHook) {
  configure({before("touch ran"), after("touch ran")});
  auto call = make_call("look");
  call->dry_run = true;
  const Call& dry = run(call);
  EXPECT_EQ(dry.trace.at(5).verdict, "skip");
  EXPECT_FALSE(std::filesystem::exists(dir / "ran"));
}

TEST_F(HookSteps, WhatIsRefusedAnywayStartsNoHook) {
  configure({before("touch ran")});
  session->policy.sandbox = SandboxMode::read_only;
  EXPECT_EQ(kind(run("change")), "sandboxReadOnly");
  EXPECT_FALSE(std::filesystem::exists(dir / "ran"));
}

TEST_F(HookSteps, ACancelEndsTheHookAndTheCall) {
  configure({before("touch started; sleep 600")});
  auto call = make_call("look");
  TaskGroup group(loop);
  group.spawn([](HookSteps* self, std::shared_ptr<Call> target) -> Task<void> {
    while (!std::filesystem::exists(self->dir / "started")) {
      co_await sleep_for(self->loop, Milliseconds(1));
    }
    target->stop.request("A person cancelled the call.");
  }(this, call));
  EXPECT_EQ(kind(run(call)), "cancelled");
  testing::run(loop, group.join());
  EXPECT_EQ(fakes->fakes["look"].runs, 0);
}

TEST_F(HookSteps, ATurnKeepsItsHooksAndGetsNewGuardsAtOnce) {
  configure({before("echo old >> log")});
  auto first = make_call("look");
  first->turn_id = "t1";
  EXPECT_EQ(run(first).state, CallState::completed);
  configure({before("echo new >> log; exit 2", "new")});
  auto second = make_call("look");
  second->turn_id = "t1";
  EXPECT_EQ(kind(run(second)), "hookDenied");
  EXPECT_EQ(read_file(dir / "log"), "old\nold\nnew\n");
}

TEST_F(HookSteps, AWorkflowThatObservesDelaysNothing) {
  json::object watching;
  watching["phase"] = "PreToolUse";
  watching["workflow"] = "w";
  watching["baseUrl"] = "unix:" + (dir / "nobody");
  configure({watching});
  EXPECT_EQ(look().state, CallState::completed);
  testing::run(loop, hooks.stop());
  const json::array rows = hooks.statistics(*registry.snapshot()->config);
  EXPECT_EQ(rows.back().at("failed").to_number<int>(), 1);
}

TEST_F(HookSteps, WithoutHooksACallPassesAsBefore) {
  EXPECT_EQ(look().state, CallState::completed);
  EXPECT_EQ(got.at("text"), "given");
}

}  // namespace
}  // namespace toolhost::testing
