// A session in which bash runs as the pipeline runs it: schema, defaults,
// resolve, then the tool.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "protocol/json_schema.hpp"
#include "protocol/json_text.hpp"
#include "providers/builtin/bash_background.hpp"
#include "providers/builtin/tools.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

class BashTest : public ::testing::Test {
 protected:
  BashTest() {
    artifacts_ = Artifacts::open(state_ / "artifacts", {}).value();
    workspace_ = Workspace::open({folder_.path()}, false).value();
  }
  ~BashTest() override {
    run(loop_, builtin::end_all_children());
    // Until every supervisor was reaped.
    loop_.restart();
    loop_.run_for(kTestTimeout);
  }

  ToolContext tool_context() const {
    return ToolContext{workspace_, folder_.path(), SandboxMode::workspace_write,
                       config_};
  }

  Outcome<Resolution> resolve(const json::object& arguments) const {
    return builtin::bash_tool.resolve(arguments, tool_context());
  }

  ToolOutput call(const json::object& arguments) {
    const json::value schema = json::parse(builtin::bash_tool.schema);
    const auto faults =
        JsonSchema::compile(schema).value()->validate(arguments);
    EXPECT_TRUE(faults.empty()) << faults.front().message;
    const auto resolution = resolve(arguments);
    if (!resolution) return ToolOutput::failure(resolution.error());
    const ExecutionContext context{
        tool_context(), "call_test", "sess_test", stop_,     loop_,
        blocking_,      *artifacts_, timeout_,    progress_, {}};
    return run(loop_, builtin::bash_tool.run(arguments, context));
  }

  ToolOutput bash(const std::string& command) {
    json::object arguments;
    arguments["command"] = command;
    return call(arguments);
  }
  ToolOutput bash(const std::string& command, int timeout_ms) {
    json::object arguments;
    arguments["command"] = command;
    arguments["timeoutMs"] = timeout_ms;
    return call(arguments);
  }

  static std::string text(const ToolOutput& output) {
    return output.content.empty() ? std::string()
                                  : output.content.front().value;
  }
  static std::int64_t exit_code(const ToolOutput& output) {
    return output.structured->at("exitCode").as_int64();
  }
  static std::size_t living(const ToolOutput& output) {
    return output.structured->at("livingPids").as_array().size();
  }

  TempDir folder_;
  TempDir state_;
  config::Config config_;
  asio::io_context loop_;
  BlockingPool blocking_{loop_, 1};
  Stop stop_;
  std::unique_ptr<Artifacts> artifacts_;
  Workspace workspace_;
  std::optional<Milliseconds> timeout_;
  std::function<void(Progress)> progress_;
};

}  // namespace toolhost::testing
