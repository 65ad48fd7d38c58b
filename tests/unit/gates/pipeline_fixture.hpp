// PipelineFixture: the whole pipeline with a fake provider, journal and clock.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "gates/pipeline.hpp"
#include "protocol/ids.hpp"
#include "tests/fakes/fake_provider.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_journal.hpp"
#include "tests/fakes/recorded_events.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

class PipelineFixture : public ::testing::Test {
 public:
  PipelineFixture() {
    auto provider = std::make_unique<FakeProvider>();
    fakes = provider.get();
    fakes->add(fake_tool("look", ToolKind::tool_call, ToolPolicy::automatic));
    fakes->add(
        fake_tool("change", ToolKind::file_change, ToolPolicy::on_request));
    fakes->add(
        fake_tool("bash", ToolKind::command_execution, ToolPolicy::on_request));
    EXPECT_TRUE(registry.add(std::move(provider)));
    session = sessions.open(Policy());
    session->from_control = true;
  }

  std::shared_ptr<Call> make_call(const std::string& tool) {
    auto call = std::make_shared<Call>();
    call->id = random_id("call_");
    call->tool_name = tool;
    call->session = session;
    call->requester.connection_id = "conn_agent";
    call->requester.process.pid = 100;
    call->requester.ancestry = {call->requester.process};
    return call;
  }

  // Runs it to its end; nobody answers unless `answer` is set.
  Call& run(std::shared_ptr<Call> call) {
    kept.push_back(call);
    testing::run(loop, pipeline.run(call));
    return *kept.back();
  }
  Call& run(const std::string& tool) { return run(make_call(tool)); }

  // Answers the next question with `option` as soon as it is asked.
  Task<void> answer_when_asked(std::string option, std::string comment = {}) {
    while (approvals.pending().empty()) {
      co_await sleep_for(loop, Milliseconds(1));
    }
    const ApprovalPtr approval = approvals.pending().front();
    Answer answer;
    answer.option_id = option;
    answer.digest = approval->question.digest;
    answer.comment = comment;
    auto settled =
        co_await approvals.answer(approval->id, std::move(answer), person());
    if (!settled) throw std::runtime_error(settled.error().message);
  }

  Call& run_answered(const std::string& tool, const std::string& option,
                     const std::string& comment = {}) {
    TaskGroup group(loop);
    group.spawn(answer_when_asked(option, comment));
    Call& call = run(tool);
    testing::run(loop, group.join());
    return call;
  }

  static Answerer person() {
    Answerer who;
    who.connection_id = "conn_gui";
    who.client_name = "gui";
    who.process.pid = 200;
    who.ancestry = {who.process};
    who.interactive = true;
    return who;
  }

  static std::string kind(const Call& call) {
    return call.output.error ? std::string(info(call.output.error->kind).kind)
                             : "";
  }

  TempDir dir;
  asio::io_context loop{1};
  Clock clock;
  config::ConfigPtr config = std::make_shared<config::Config>();
  MemoryJournal journal;
  RecordedEvents events;
  Registry registry{config};
  Sessions sessions;
  Turns turns{clock};
  RuleStore rules{dir / "rules.jsonc", {}};
  ApprovalQueue approvals{loop,  clock,  journal,
                          rules, events, config->approvals};
  Scheduler scheduler{loop};
  std::unique_ptr<Artifacts> artifacts =
      std::move(Artifacts::open(dir / "artifacts", {}).value());
  BlockingPool blocking{loop};
  TaskGroup workers{loop};
  Parts parts{loop,     clock,     registry,  sessions,     turns,
              rules,    approvals, scheduler, journal,      *artifacts,
              blocking, events,    workers,   {dir / "own"}};
  Pipeline pipeline{parts};
  FakeProvider* fakes = nullptr;
  SessionPtr session;
  std::vector<std::shared_ptr<Call>> kept;
};

}  // namespace toolhost::testing
