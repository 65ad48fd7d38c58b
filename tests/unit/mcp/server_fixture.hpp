// One server of tests/fakes/mcp_servers as a provider, in this process.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "protocol/json_text.hpp"
#include "providers/mcp/provider.hpp"
#include "providers/support/process_tree.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

// The tree that the test was built in is above its binary.
inline std::string fake_server(const std::string& name) {
  auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string file = "tests/fakes/mcp_servers/" + name;
  while (!std::filesystem::exists(folder / file)) {
    if (folder == folder.root_path()) throw std::runtime_error("no " + file);
    folder = folder.parent_path();
  }
  return (folder / file).string();
}

class McpTest : public ::testing::Test {
 protected:
  McpTest() {
    artifacts_ = Artifacts::open(state_ / "artifacts", {}).value();
    workspace_ = Workspace::open({folder_.path()}, false).value();
    host_.first_backoff = Milliseconds(20);
    host_.lists = mcp::ListCache(state_ / "lists");
    host_.list_delay = Milliseconds(20);
    host_.drain_grace = Milliseconds(5000);
  }
  ~McpTest() override { stop(); }

  void stop() {
    if (!provider_) return;
    run(loop_, provider_->stop());
    provider_ = nullptr;
    // Until every supervisor was reaped.
    loop_.restart();
    loop_.run_for(kTestTimeout);
  }

  // python3 SCRIPT ARGUMENTS…
  config::McpServer server(const std::string& script,
                           std::vector<std::string> arguments = {}) {
    config::McpServer out;
    out.name = "fake";
    out.command = "python3";
    // -B: no compiled files beside the sources.
    out.args = {"-B", fake_server(script)};
    out.args.insert(out.args.end(), arguments.begin(), arguments.end());
    return out;
  }

  // Starts it in the background and returns at once.
  void begin(config::McpServer config) {
    provider_ =
        std::make_shared<mcp::McpProvider>(host_, std::move(config), "fake");
    provider_->on_change = [this] { ++changes_; };
    ASSERT_TRUE(run(loop_, provider_->start()));
  }
  // The same, and waits until it is ready.
  void start(config::McpServer config) {
    begin(std::move(config));
    run_until([&] { return state() == "ready"; });
  }

  // Runs what is ready, changes that were posted included.
  void settle() {
    loop_.restart();
    loop_.poll();
  }
  // Runs the loop until it is true; throws at the time-out.
  void run_until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + kTestTimeout;
    loop_.restart();
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) {
        throw std::runtime_error("it did not happen; the state is " + state() +
                                 ": " + provider_->status().reason);
      }
      loop_.run_one_for(std::chrono::milliseconds(100));
      if (!loop_.stopped()) continue;
      // Out of work: nothing that could still make it true.
      if (condition()) return;
      throw std::runtime_error("it will not happen; the state is " + state() +
                               ": " + provider_->status().reason);
    }
  }

  ToolOutput call(const std::string& tool, json::object arguments = {}) {
    Stop stop;
    return call_with(stop, tool, std::move(arguments));
  }
  ToolOutput call_with(Stop& stop, const std::string& tool,
                       json::object arguments = {}) {
    const ExecutionContext context = make_context(stop);
    return run(loop_, provider_->call("mcp__fake__" + tool,
                                      std::move(arguments), context));
  }

  ToolContext tool_context() const {
    return ToolContext{workspace_, folder_.path(), sandbox_, config_};
  }
  ExecutionContext make_context(Stop& stop) {
    return ExecutionContext{tool_context(), "call_test", "sess_test", stop,
                            loop_,          blocking_,   *artifacts_, {},
                            progress_,      {}};
  }

  std::string state() const { return provider_->status().state; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const Tool& tool : provider_->tools(config_)) {
      out.push_back(tool.name);
    }
    return out;
  }
  Tool tool(const std::string& name) const {
    for (Tool& each : provider_->tools(config_)) {
      if (each.name == "mcp__fake__" + name) return std::move(each);
    }
    throw std::runtime_error("there is no tool " + name);
  }
  std::string details() const { return json_text(provider_->details()); }
  static std::string text(const ToolOutput& output) {
    std::string out;
    for (const Content& block : output.content) out += block.value + "\n";
    if (!out.empty()) out.pop_back();
    return out;
  }
  static std::string_view kind(const ToolOutput& output) {
    return output.error ? info(output.error->kind).kind : "";
  }
  static std::string message(const ToolOutput& output) {
    return output.error ? output.error->message : "";
  }
  static bool is_alive(int pid) {
    ProcessFacts facts;
    return read_process(pid, facts) && facts.state != 'Z';
  }

  TempDir folder_;
  TempDir state_;
  config::Config config_;
  SandboxMode sandbox_ = SandboxMode::workspace_write;
  asio::io_context loop_;
  BlockingPool blocking_{loop_, 1};
  mcp::Host host_{loop_};
  std::unique_ptr<Artifacts> artifacts_;
  Workspace workspace_;
  std::function<void(Progress)> progress_;
  std::shared_ptr<mcp::McpProvider> provider_;
  int changes_ = 0;
};

}  // namespace toolhost::testing
