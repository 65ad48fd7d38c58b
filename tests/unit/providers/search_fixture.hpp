// A workspace on disk in which grep and glob run as the pipeline runs them:
// schema, defaults, resolve, then the tool.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/json_schema.hpp"
#include "protocol/json_text.hpp"
#include "providers/builtin/tools.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

class SearchTest : public ::testing::Test {
 protected:
  void add(const std::string& path, std::string_view bytes) {
    write_file(folder_ / path, bytes);
  }

  // `arguments` as JSON text.
  ToolOutput call(const builtin::ToolDefinition& tool,
                  const std::string& arguments) {
    json::object object = json::parse(arguments).as_object();
    const auto schema = JsonSchema::compile(json::parse(tool.schema)).value();
    schema->add_defaults(object);
    const auto faults = schema->validate(object);
    EXPECT_TRUE(faults.empty()) << faults.front().message;
    if (!workspace_) {
      std::vector<std::string> roots{folder_.path()};
      workspace_ = Workspace::open(std::move(roots), false).value();
    }
    const ToolContext tool_context{*workspace_, folder_.path(),
                                   SandboxMode::workspace_write, config_};
    const auto resolution = tool.resolve(object, tool_context);
    if (!resolution) return ToolOutput::failure(resolution.error());
    const ExecutionContext context{
        tool_context, "call_test", "sess_test", stop_, loop_,
        blocking_,    *artifacts_, timeout_,    {},    {}};
    return run(loop_, tool.run(object, context));
  }

  ToolOutput grep(const std::string& arguments) {
    return call(builtin::grep_tool, arguments);
  }
  ToolOutput glob(const std::string& arguments) {
    return call(builtin::glob_tool, arguments);
  }

  static std::string text(const ToolOutput& output) {
    if (output.content.empty()) {
      return output.error ? output.error->message : std::string();
    }
    return output.content.front().value;
  }
  // The results without the notes at the end.
  static std::string results(const ToolOutput& output) {
    const std::string all = text(output);
    const std::size_t notes = all.rfind("\n[");
    return notes == std::string::npos ? "" : all.substr(0, notes);
  }
  static const json::value& fact(const ToolOutput& output,
                                 std::string_view name) {
    static const json::value none;
    const json::value* found =
        output.structured ? output.structured->if_contains(name) : nullptr;
    return found ? *found : none;
  }
  static std::string cursor(const ToolOutput& output) {
    const json::value& value = fact(output, "nextCursor");
    return value.is_string() ? std::string(value.get_string()) : "";
  }

  TempDir folder_;
  config::Config config_;
  Stop stop_;
  std::optional<Milliseconds> timeout_;
  asio::io_context loop_;
  BlockingPool blocking_{loop_};

 private:
  TempDir artifact_folder_;
  std::unique_ptr<Artifacts> artifacts_ =
      Artifacts::open(artifact_folder_ / "a", {}).value();
  std::optional<Workspace> workspace_;
};

}  // namespace toolhost::testing
