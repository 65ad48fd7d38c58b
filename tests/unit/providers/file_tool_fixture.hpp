// A workspace on disk in which the file tools run as the pipeline runs them:
// schema and defaults, resolve, then run with the resolved targets.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "protocol/json_schema.hpp"
#include "providers/builtin/tools.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

class FileToolTest : public ::testing::Test {
 protected:
  explicit FileToolTest(const builtin::ToolDefinition& tool) : tool_(tool) {
    std::filesystem::create_directory(root);
  }

  void add(const std::string& path, std::string_view bytes) {
    write_file(root + "/" + path, bytes);
  }
  std::string on_disk(const std::string& path) const {
    return read_file(root + "/" + path);
  }
  std::size_t entries(const std::string& path = ".") const {
    return static_cast<std::size_t>(std::distance(
        std::filesystem::directory_iterator(root + "/" + path), {}));
  }

  Outcome<Resolution> resolve(json::object arguments) {
    prepare(tool_, arguments);
    return tool_.resolve(arguments, context());
  }

  // `between` is what happens while a person thinks about it.
  ToolOutput call(json::object arguments,
                  const std::function<void()>& between = {}) {
    return call_tool(tool_, std::move(arguments), between);
  }
  ToolOutput call_tool(const builtin::ToolDefinition& tool,
                       json::object arguments,
                       const std::function<void()>& between = {}) {
    prepare(tool, arguments);
    const ToolContext tool_context = context();
    auto resolution = tool.resolve(arguments, tool_context);
    if (!resolution) return ToolOutput::failure(resolution.error());
    if (between) between();
    const ExecutionContext execution{
        tool_context, "call_test", "sess_test", stop_, loop_,
        blocking_,    *artifacts_, {},          {},    resolution->targets};
    return run(loop_, tool.run(arguments, execution));
  }

  static std::string text(const ToolOutput& output) {
    if (output.error) return output.error->message;
    return output.content.empty() ? "" : output.content.front().value;
  }
  static std::string note(const ToolOutput& output) {
    return output.content.size() < 2 ? "" : output.content.back().value;
  }
  static const json::value& fact(const ToolOutput& output,
                                 std::string_view name) {
    static const json::value none;
    const json::value* found =
        output.structured ? output.structured->if_contains(name) : nullptr;
    return found ? *found : none;
  }
  static std::string word(const ToolOutput& output, std::string_view name) {
    const json::value& value = fact(output, name);
    return value.is_string() ? std::string(value.get_string()) : "";
  }
  // -1 when it is null or missing.
  static std::int64_t number(const ToolOutput& output, std::string_view name) {
    const json::value& value = fact(output, name);
    return value.is_number() ? value.to_number<std::int64_t>() : -1;
  }
  static CallErrorKind kind(const ToolOutput& output) {
    EXPECT_TRUE(output.error) << "it did not fail";
    return output.error ? output.error->kind : CallErrorKind::internal;
  }

  TempDir folder;
  std::string root = folder / "work";
  config::Config config_;
  Stop stop_;
  asio::io_context loop_;
  BlockingPool blocking_{loop_};

 private:
  void prepare(const builtin::ToolDefinition& tool, json::object& arguments) {
    const auto schema = JsonSchema::compile(json::parse(tool.schema)).value();
    schema->add_defaults(arguments);
    const auto faults = schema->validate(arguments);
    EXPECT_TRUE(faults.empty()) << faults.front().message;
    if (workspace_.empty()) {
      workspace_ = Workspace::open({root}, false).value();
    }
  }
  ToolContext context() {
    return {workspace_, root, SandboxMode::workspace_write, config_};
  }

  const builtin::ToolDefinition& tool_;
  Workspace workspace_;
  TempDir artifact_folder_;
  std::unique_ptr<Artifacts> artifacts_ =
      Artifacts::open(artifact_folder_ / "a", {}).value();
};

}  // namespace toolhost::testing
