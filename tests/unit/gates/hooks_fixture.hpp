// HookSteps: the pipeline with a hook set, and hooks as the file has them.
#pragma once

#include "config/hook_setting.hpp"
#include "gates/hooks/hooks.hpp"
#include "tests/unit/gates/pipeline_fixture.hpp"

namespace toolhost::testing {

class HookSteps : public PipelineFixture {
 public:
  HookSteps() {
    parts.hooks = &hooks;
    session->policy.roots = {dir.path()};
  }
  ~HookSteps() override { testing::run(loop, hooks.stop()); }

  // Each as it would stand in the file.
  void configure(const std::vector<json::object>& entries) {
    auto next = std::make_shared<config::Config>();
    for (const json::object& entry : entries) {
      config::Hook hook;
      const auto fault = config::read_hook(entry, hook);
      ASSERT_FALSE(fault) << fault->what;
      next->hooks.push_back(std::move(hook));
    }
    ASSERT_TRUE(registry.set_config(next));
  }

  static json::object entry(const std::string& phase,
                            const std::string& command,
                            const std::string& name = "h") {
    json::object out;
    out["phase"] = phase;
    out["command"] = command;
    out["name"] = name;
    return out;
  }
  static json::object before(const std::string& command,
                             const std::string& name = "h") {
    return entry("PreToolUse", command, name);
  }
  static json::object after(const std::string& command,
                            const std::string& name = "h") {
    return entry("PostToolUse", command, name);
  }
  static std::string print(const std::string& text) {
    return "cat > /dev/null; printf %s '" + text + "'";
  }

  Call& look(const std::string& text = "given") {
    auto call = make_call("look");
    call->raw_arguments["text"] = text;
    fakes->fakes["look"].run =
        [this](json::object arguments,
               const ExecutionContext&) -> Task<ToolOutput> {
      got = std::move(arguments);
      co_return ToolOutput::text("output");
    };
    return run(call);
  }

  // Every block of content, joined with line feeds.
  static std::string content(const Call& call) {
    std::string out;
    for (const Content& block : call.output.content) {
      out += (out.empty() ? "" : "\n") + block.value;
    }
    return out;
  }

  Hooks hooks{loop, clock};
  json::object got;  // the arguments with which the tool ran
};

}  // namespace toolhost::testing
