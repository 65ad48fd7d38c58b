// FakeProvider: tools whose every word and deed a test decides.
#pragma once

#include "providers/provider.hpp"

namespace toolhost::testing {

struct FakeTool {
  Tool tool;
  std::function<Outcome<Resolution>(const json::object&)> resolve;
  std::function<Task<ToolOutput>(json::object, const ExecutionContext&)> run;
  int runs = 0;
};

inline Tool fake_tool(std::string name, ToolKind kind, ToolPolicy policy) {
  Tool tool;
  tool.name = std::move(name);
  tool.provider = "fake";
  tool.provider_kind = ProviderKind::skill;
  tool.title = "Fake";
  tool.description = "Does what the test says.";
  tool.kind = kind;
  tool.policy = policy;
  tool.pure_read = kind == ToolKind::tool_call;
  tool.input_schema =
      json::parse(R"({"type":"object","additionalProperties":false,
        "properties":{"text":{"type":"string"}}})")
          .as_object();
  return tool;
}

class FakeProvider : public Provider {
 public:
  std::map<std::string, FakeTool> fakes;
  ProviderStatus state;

  FakeTool& add(Tool tool) {
    const std::string name = tool.name;
    FakeTool& fake = fakes[name];
    fake.tool = std::move(tool);
    return fake;
  }

  std::string_view name() const override { return "fake"; }
  ProviderKind kind() const override { return ProviderKind::skill; }
  ProviderStatus status() const override { return state; }
  Task<Result<void>> start() override { co_return Result<void>(); }
  Task<void> stop() override { co_return; }
  std::vector<Tool> tools(const config::Config&) const override {
    std::vector<Tool> out;
    for (const auto& [name, fake] : fakes) out.push_back(fake.tool);
    return out;
  }
  std::string unavailable(std::string_view) const override { return {}; }

  Outcome<Resolution> resolve(std::string_view tool, const json::object& args,
                              const ToolContext&) override {
    FakeTool& fake = fakes.at(std::string(tool));
    if (fake.resolve) return fake.resolve(args);
    Resolution out;
    out.accesses.emplace();
    PermissionAsk ask;
    ask.permission =
        fake.tool.kind == ToolKind::file_change ? "edit" : fake.tool.name;
    ask.pattern = "thing";
    ask.remember = "thing";
    out.asks.push_back(std::move(ask));
    out.title = "Do the thing";
    out.subject["type"] = "tool";
    return out;
  }

  Task<ToolOutput> call(std::string tool, json::object arguments,
                        const ExecutionContext& context) override {
    FakeTool& fake = fakes.at(tool);
    ++fake.runs;
    if (fake.run) co_return co_await fake.run(std::move(arguments), context);
    co_return ToolOutput::text("done");
  }
};

}  // namespace toolhost::testing
