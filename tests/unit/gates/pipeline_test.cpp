#include "tests/unit/gates/pipeline_fixture.hpp"

namespace toolhost::testing {
namespace {

using Pipeline = PipelineFixture;

std::vector<std::string> names(const std::vector<TraceEntry>& trace) {
  std::vector<std::string> out;
  for (const TraceEntry& entry : trace) out.emplace_back(entry.gate);
  return out;
}

// Moving a line in pipeline.cpp breaks this on purpose.
TEST_F(Pipeline, PassesTheStepsInTheirOrder) {
  const Call& call = run("look");
  const std::vector<std::string> expected{
      "pin",       "cancelled", "tool",       "declaredPolicy", "sandboxMode",
      "preHooks",  "arguments", "planMode",   "readBeforeEdit", "sessionPolicy",
      "resolve",   "replay",    "permission", "approval",       "run",
      "postHooks", "normalise"};
  EXPECT_EQ(names(call.trace), expected);
  EXPECT_EQ(gate_names().size(), 18u);
  EXPECT_EQ(call.state, CallState::completed);
}

TEST_F(Pipeline, RunsAQuietToolWithoutAsking) {
  run("look");
  EXPECT_EQ(fakes->fakes["look"].runs, 1);
  EXPECT_EQ(events.methods(),
            (std::vector<std::string>{"call/started", "call/completed"}));
}

TEST_F(Pipeline, AsksForAChangeAndRunsItOnceAllowed) {
  const Call& call = run_answered("change", "allow_once");
  EXPECT_EQ(call.state, CallState::completed);
  EXPECT_EQ(fakes->fakes["change"].runs, 1);
  EXPECT_EQ(events.methods(),
            (std::vector<std::string>{"approval/requested", "approval/resolved",
                                      "call/started", "call/completed"}));
}

TEST_F(Pipeline, WritesTheDecisionAndTheStartBeforeTheToolRuns) {
  fakes->fakes["change"].run =
      [this](json::object, const ExecutionContext&) -> Task<ToolOutput> {
    journal.order.push_back("tool runs");
    co_return ToolOutput::text("ok");
  };
  run_answered("change", "allow_once");
  EXPECT_EQ(journal.order,
            (std::vector<std::string>{"decide allow", "begin change",
                                      "tool runs", "complete"}));
}

TEST_F(Pipeline, ADenialReachesTheAgentWithItsComment) {
  const Call& call =
      run_answered("change", "reject_once", "use the staging database");
  EXPECT_EQ(kind(call), "approvalDenied");
  EXPECT_EQ(call.state, CallState::denied);
  EXPECT_NE(call.output.error->message.find("use the staging database"),
            std::string::npos);
  EXPECT_EQ(fakes->fakes["change"].runs, 0);
}

TEST_F(Pipeline, ADecisionThatCannotBeRecordedIsANo) {
  journal.broken = true;
  const Call& call = run_answered("change", "allow_once");
  EXPECT_EQ(kind(call), "approvalDenied");
  EXPECT_EQ(fakes->fakes["change"].runs, 0);
}

TEST_F(Pipeline, AnEffectWithoutItsRecordDoesNotHappen) {
  session->policy.approvals = ApprovalPolicy::automatic;
  session->policy.sandbox = SandboxMode::danger_full_access;
  journal.broken = true;
  const Call& call = run("change");
  EXPECT_EQ(call.state, CallState::failed);
  EXPECT_EQ(fakes->fakes["change"].runs, 0);
  EXPECT_NE(call.output.error->message.find("disk full"), std::string::npos);
}

TEST_F(Pipeline, ADryRunTellsTheVerdictAndRunsNothing) {
  auto call = make_call("change");
  call->dry_run = true;
  const Call& dry = run(call);
  EXPECT_EQ(fakes->fakes["change"].runs, 0);
  EXPECT_TRUE(approvals.pending().empty());
  EXPECT_EQ(dry.trace.back().gate, "permission");
  EXPECT_EQ(dry.trace.back().verdict, "ask");
  EXPECT_NE(dry.result_text->find("\"gates\":["), std::string::npos);
  EXPECT_TRUE(events.events.empty());
}

TEST_F(Pipeline, ARetryWithItsKeyGetsTheStoredResultAndAsksNobody) {
  auto first = make_call("change");
  first->idempotency_key = "k1";
  TaskGroup group(loop);
  group.spawn(answer_when_asked("allow_once"));
  run(first);
  testing::run(loop, group.join());
  auto again = make_call("change");
  again->idempotency_key = "k1";
  const Call& replayed = run(again);
  EXPECT_TRUE(replayed.replayed);
  EXPECT_EQ(fakes->fakes["change"].runs, 1);
  EXPECT_EQ(replayed.result_text->find("{\"replayed\":true"), 0u);
}

TEST_F(Pipeline, TheSameKeyWithOtherArgumentsIsAConflict) {
  auto first = make_call("look");
  first->idempotency_key = "k1";
  run(first);
  auto other = make_call("look");
  other->idempotency_key = "k1";
  other->raw_arguments["text"] = "else";
  const Call& call = run(other);
  ASSERT_TRUE(call.request_error);
  EXPECT_EQ(call.request_error->code, Code::idempotency_conflict);
}

TEST_F(Pipeline, AStartWithoutAnEndIsNeverRunAgain) {
  JournalCall known;
  known.call_id = "call_old";
  known.session_id = session->id;
  known.idempotency_key = "k1";
  known.tool = "look";
  known.state = JournalState::unknown;
  auto call = make_call("look");
  call->idempotency_key = "k1";
  // The digest of {} as gate 7 makes it.
  const Call& probe = run("look");
  known.arguments_digest = probe.arguments_digest;
  journal.calls["call_old"] = known;
  const int before = fakes->fakes["look"].runs;
  EXPECT_EQ(kind(run(call)), "outcomeUnknown");
  EXPECT_EQ(fakes->fakes["look"].runs, before);
}

TEST_F(Pipeline, AllFaultsOfTheArgumentsComeAtOnce) {
  auto call = make_call("look");
  call->raw_arguments["text"] = 7;
  call->raw_arguments["txt"] = "x";
  const Call& refused = run(call);
  EXPECT_EQ(kind(refused), "invalidArguments");
  EXPECT_EQ(refused.output.error->details.at("faults").as_array().size(), 2u);
}

TEST_F(Pipeline, PlanModeBlocksWhatChanges) {
  session->policy.mode = SessionMode::plan;
  EXPECT_EQ(kind(run("change")), "planModeBlocked");
  EXPECT_EQ(run("look").state, CallState::completed);
}

TEST_F(Pipeline, PolicyNeverLetsNothingRun) {
  session->policy.approvals = ApprovalPolicy::never;
  EXPECT_EQ(kind(run("look")), "policyBlocked");
}

TEST_F(Pipeline, ARuleThatIsRememberedAnswersTheNextCall) {
  run_answered("change", "allow_session");
  const Call& next = run("change");
  EXPECT_EQ(next.state, CallState::completed);
  EXPECT_EQ(fakes->fakes["change"].runs, 2);
}

TEST_F(Pipeline, ARuleOfASessionDoesNotAnswerInAnother) {
  run_answered("change", "allow_session");
  session = sessions.open(Policy());
  session->from_control = true;
  auto call = make_call("change");
  call->approval_timeout = Milliseconds(1);
  EXPECT_EQ(kind(run(call)), "approvalExpired");
}

TEST_F(Pipeline, AToolThatThrowsFailsItsCallOnly) {
  fakes->fakes["look"].run = [](json::object,
                                const ExecutionContext&) -> Task<ToolOutput> {
    throw std::runtime_error("boom");
    co_return ToolOutput();
  };
  EXPECT_EQ(kind(run("look")), "internal");
  fakes->fakes["look"].run = nullptr;
  EXPECT_EQ(run("look").state, CallState::completed);
}

TEST_F(Pipeline, ALargeOutputIsSpilledAndCanBeReadBack) {
  fakes->fakes["look"].run = [](json::object,
                                const ExecutionContext&) -> Task<ToolOutput> {
    co_return ToolOutput::text(std::string(300'000, 'x'));
  };
  const Call& call = run("look");
  EXPECT_TRUE(call.output.truncated);
  EXPECT_LT(call.output.content.at(0).value.size(), 10'000u);
  const auto window = artifacts->read(call.output.artifact, 299'000, 10'000);
  ASSERT_TRUE(window);
  EXPECT_EQ(window->bytes.size(), 1000u);
}

TEST_F(Pipeline, AnEmptyOutputHasAWordForIt) {
  fakes->fakes["look"].run = [](json::object,
                                const ExecutionContext&) -> Task<ToolOutput> {
    co_return ToolOutput();
  };
  EXPECT_EQ(run("look").output.content.at(0).value, "(The output is empty.)");
}

TEST_F(Pipeline, AToolThatIgnoresTheCancelKeepsItsLock) {
  // The tool goes on until the test lets it end.
  OneShot<bool> release(loop);
  fakes->fakes["change"].resolve = [](const json::object&) {
    Resolution out;
    Access access;
    access.operation = Access::Operation::write;
    access.path = "/w/file";
    out.accesses = {access};
    out.subject["type"] = "tool";
    return Outcome<Resolution>(out);
  };
  fakes->fakes["change"].run =
      [&release](json::object, const ExecutionContext&) -> Task<ToolOutput> {
    co_await release.wait();
    co_return ToolOutput::text("late");
  };
  session->policy.approvals = ApprovalPolicy::automatic;
  auto changed = std::make_shared<config::Config>();
  changed->tools.cancel_grace = Milliseconds(20);
  ASSERT_TRUE(registry.set_config(changed));
  auto call = make_call("change");
  TaskGroup group(loop);
  group.spawn(
      [](std::shared_ptr<Call> target, asio::io_context& io) -> Task<void> {
        while (target->state != CallState::running) {
          co_await sleep_for(io, Milliseconds(1));
        }
        target->stop.request("A person cancelled the call.");
      }(call, loop));
  const Call& cancelled = run(call);
  EXPECT_EQ(kind(cancelled), "cancelled");
  EXPECT_EQ(scheduler.running(), 1u);
  release.set(true);
  testing::run(loop, workers.join());
  testing::run(loop, group.join());
  EXPECT_EQ(scheduler.running(), 0u);
}

TEST_F(Pipeline, ATimeLimitEndsTheRunAndSaysSo) {
  fakes->fakes["look"].run =
      [](json::object, const ExecutionContext& context) -> Task<ToolOutput> {
    OneShot<bool> stopped(context.loop);
    const auto on_stop =
        context.stop.on_request([&stopped] { stopped.set(true); });
    co_await stopped.wait();
    CallError error = make_call_error(CallErrorKind::cancelled, "stopped");
    co_return ToolOutput::failure(std::move(error));
  };
  auto call = make_call("look");
  call->timeout = Milliseconds(10);
  const Call& late = run(call);
  EXPECT_EQ(kind(late), "timedOut");
  EXPECT_EQ(late.state, CallState::timed_out);
}

TEST_F(Pipeline, HumanTimeIsNotRunTime) {
  auto call = make_call("change");
  // Far shorter than the person takes.
  call->timeout = Milliseconds(200);
  TaskGroup group(loop);
  group.spawn([](Pipeline* self) -> Task<void> {
    co_await sleep_for(self->loop, Milliseconds(400));
    co_await self->answer_when_asked("allow_once");
  }(this));
  EXPECT_EQ(run(call).state, CallState::completed);
  testing::run(loop, group.join());
  EXPECT_GE(call->timing.approval_ms, 390);
}

}  // namespace
}  // namespace toolhost::testing
