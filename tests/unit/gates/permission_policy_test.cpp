#include "gates/permission_policy.hpp"

#include "gates/catalogue.hpp"
#include "tests/unit/gates/pipeline_fixture.hpp"

namespace toolhost::testing {
namespace {

// The security specification of the policy table, row by row: Y asks.
TEST(PolicyTable, IsTheSpecification) {
  struct Row {
    ToolPolicy tool;
    const char* always_request_suggest_auto_untrusted;
  };
  const Row rows[] = {
      {ToolPolicy::automatic, "YnnnY"},
      {ToolPolicy::on_request, "YYYnY"},
      {ToolPolicy::suggest, "YYYnY"},
      {ToolPolicy::untrusted, "YYYnY"},
  };
  const ApprovalPolicy columns[] = {
      ApprovalPolicy::always, ApprovalPolicy::on_request,
      ApprovalPolicy::suggest, ApprovalPolicy::automatic,
      ApprovalPolicy::untrusted};
  for (const Row& row : rows) {
    for (int i = 0; i < 5; ++i) {
      const bool asks = row.always_request_suggest_auto_untrusted[i] == 'Y';
      EXPECT_EQ(policy_asks(columns[i], row.tool, false), asks)
          << name(row.tool) << " under " << name(columns[i]);
    }
  }
}

TEST(PolicyTable, TheAllowListLiftsOnlyQuietToolsUnderUntrusted) {
  EXPECT_FALSE(
      policy_asks(ApprovalPolicy::untrusted, ToolPolicy::automatic, true));
  EXPECT_TRUE(
      policy_asks(ApprovalPolicy::untrusted, ToolPolicy::on_request, true));
}

// sandbox mode × kind.
TEST(SandboxTable, IsTheSpecification) {
  const auto kind_of = [](std::string tool, ToolKind kind, SandboxMode mode) {
    const auto refused = sandbox_refusal(
        fake_tool(std::move(tool), kind, ToolPolicy::automatic), mode);
    return refused ? std::string(info(refused->kind).kind) : "ok";
  };
  const SandboxMode modes[] = {
      SandboxMode::read_only, SandboxMode::workspace_write,
      SandboxMode::danger_full_access, SandboxMode::external_sandbox};
  const std::map<std::pair<std::string, ToolKind>, std::vector<std::string>>
      table{
          {{"look", ToolKind::tool_call}, {"ok", "ok", "ok", "ok"}},
          {{"edit", ToolKind::file_change},
           {"sandboxReadOnly", "ok", "ok", "sandboxWriteBlocked"}},
          {{"bash", ToolKind::command_execution},
           {"sandboxCommandBlocked", "ok", "ok", "sandboxCommandBlocked"}},
          {{"lsp", ToolKind::command_execution},
           {"sandboxCommandBlocked", "sandboxCommandBlocked", "ok",
            "sandboxCommandBlocked"}},
      };
  for (const auto& [tool, expected] : table) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(kind_of(tool.first, tool.second, modes[i]), expected[i])
          << tool.first << " in " << name(modes[i]);
    }
  }
}

// Every combination through the real pipeline, against a small oracle that is
// written from the two tables above and knows no code of the gates.
class Matrix : public PipelineFixture {
 public:
  std::string expected(const std::string& tool, SandboxMode sandbox,
                       ApprovalPolicy policy, const std::string& rule) const {
    const bool command = tool == "bash";
    const bool change = tool == "change";
    if (sandbox == SandboxMode::read_only && change) return "sandboxReadOnly";
    if (sandbox == SandboxMode::external_sandbox && change) {
      return "sandboxWriteBlocked";
    }
    if (command && (sandbox == SandboxMode::read_only ||
                    sandbox == SandboxMode::external_sandbox)) {
      return "sandboxCommandBlocked";
    }
    if (policy == ApprovalPolicy::never) return "policyBlocked";
    if (rule == "deny") return "permissionDenied";
    if (rule == "ask") return "ask";
    if (rule == "allow") return "run";
    if (policy == ApprovalPolicy::automatic) return "run";
    if (policy == ApprovalPolicy::always) return "ask";
    if (policy == ApprovalPolicy::untrusted) return "ask";
    return command || change ? "ask" : "run";
  }

  std::string got(const std::string& tool, SandboxMode sandbox,
                  ApprovalPolicy policy, const std::string& rule) {
    std::vector<config::Rule> configured;
    if (rule != "none") {
      configured.push_back(
          {tool == "change" ? "edit" : tool, "thi*", *parse_rule_action(rule)});
    }
    rules.set_configured(configured);
    session->policy.sandbox = sandbox;
    session->policy.approvals = policy;
    auto call = make_call(tool);
    call->dry_run = true;
    const Call& dry = run(call);
    if (dry.state == CallState::refused) return kind(dry);
    return dry.because.empty() ? "run" : "ask";
  }
};

TEST_F(Matrix, EveryCombinationHasItsVerdict) {
  int rows = 0;
  for (const std::string tool : {"look", "change", "bash"}) {
    for (int sandbox = 0; sandbox < 4; ++sandbox) {
      for (int policy = 0; policy < 6; ++policy) {
        for (const std::string rule : {"none", "allow", "ask", "deny"}) {
          const auto s = static_cast<SandboxMode>(sandbox);
          const auto p = static_cast<ApprovalPolicy>(policy);
          EXPECT_EQ(got(tool, s, p, rule), expected(tool, s, p, rule))
              << tool << " " << name(s) << " " << name(p) << " " << rule;
          ++rows;
        }
      }
    }
  }
  EXPECT_EQ(rows, 288);
}

TEST_F(Matrix, ADenialNamesTheRules) {
  rules.set_configured(
      {{"look", "*", RuleAction::allow}, {"look", "thing", RuleAction::deny}});
  const Call& call = run("look");
  EXPECT_EQ(kind(call), "permissionDenied");
  EXPECT_EQ(call.output.error->details.at("rules").as_array().size(), 2u);
}

TEST_F(Matrix, NothingIsRememberedOfAnUnskippableReason) {
  fakes->fakes["bash"].resolve = [](const json::object&) {
    Resolution out;
    out.asks = {{"bash", "ls", ""}};
    out.always_ask = "Commands run unconfined.";
    out.subject["type"] = "command";
    return Outcome<Resolution>(out);
  };
  // An allow rule does not lift it either.
  rules.set_configured({{"bash", "*", RuleAction::allow}});
  auto call = make_call("bash");
  call->approval_timeout = Milliseconds(1);
  run(call);
  ASSERT_EQ(approvals.resolved().size(), 1u);
  for (const ApprovalOption& option :
       approvals.resolved().front()->question.options) {
    EXPECT_EQ(option.scope, Scope::call);
    EXPECT_TRUE(option.rules.empty());
  }
}

TEST_F(Matrix, FullAccessAsksNothingButForOurOwnFiles) {
  session->policy.sandbox = SandboxMode::danger_full_access;
  session->policy.approvals = ApprovalPolicy::automatic;
  const auto resolve_to = [this](std::string path) {
    fakes->fakes["change"].resolve = [path](const json::object&) {
      Resolution out;
      WriteTarget target;
      target.path.physical = path;
      out.targets = {target};
      out.subject["type"] = "files";
      return Outcome<Resolution>(out);
    };
    auto call = make_call("change");
    call->dry_run = true;
    return run(call).because.empty();
  };
  EXPECT_TRUE(resolve_to("/etc/hosts"));
  EXPECT_TRUE(resolve_to("/w/.git/hooks/pre-commit"));
  EXPECT_FALSE(resolve_to(dir / "own/rules.jsonc"));
}

TEST_F(Matrix, ACallersNewWorkspaceIsAQuestionOfItsOwn) {
  session->from_control = false;
  session->policy.roots = {dir.path()};
  TaskGroup group(loop);
  group.spawn([](Matrix* self) -> Task<void> {
    co_await self->answer_when_asked("allow_always");
    co_await self->answer_when_asked("allow_once");
  }(this));
  EXPECT_EQ(run("change").state, CallState::completed);
  testing::run(loop, group.join());
  ASSERT_EQ(approvals.resolved().size(), 2u);
  EXPECT_EQ(approvals.resolved()[0]->question.subject.at("type"), "workspace");
  // Remembered: only the change itself asks the next time.
  auto next = make_call("change");
  next->approval_timeout = Milliseconds(1);
  run(next);
  EXPECT_EQ(approvals.resolved().size(), 3u);
  // Reading never needed it.
  EXPECT_EQ(run("look").state, CallState::completed);
}

}  // namespace
}  // namespace toolhost::testing
