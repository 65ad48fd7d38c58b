// The built-in hooks: secrets in an edit, and what checkers say after it.
#include <gmock/gmock.h>

#include "gates/hooks/checkers.hpp"
#include "gates/hooks/hooks.hpp"
#include "tests/unit/gates/pipeline_fixture.hpp"

namespace toolhost::testing {
namespace {

using config::BuiltinHooks;
using ::testing::HasSubstr;
using ::testing::Not;

// Put together here, so that no scanner takes this file for a leak.
const std::string kToken = std::string("ghp_") + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4";

TEST(Checkers, SayWhichLinesAreNotFormatted) {
  EXPECT_EQ(digest_of_clang_format(
                "/w/a.cpp:1:4: warning: code should be clang-formatted "
                "[-Wclang-format-violations]\nint  x;\n   ^\n"
                "/w/a.cpp:1:9: warning: code should be clang-formatted "
                "[-Wclang-format-violations]\n"
                "/w/a.cpp:7:1: warning: code should be clang-formatted "
                "[-Wclang-format-violations]\n"),
            "Not formatted as .clang-format says: lines 1, 7.");
  EXPECT_EQ(digest_of_clang_format("nothing of the kind\n"), "");
}

TEST(Checkers, KeepTheErrorsOfClangdOnly) {
  EXPECT_EQ(digest_of_clangd("I[16:36:03.773] hello\n"
                             "E[16:36:03.773] [undeclared_var_use] Line 2: use "
                             "of undeclared identifier 'x'\n"),
            "Line 2: use of undeclared identifier 'x'");
}

TEST(Checkers, SayTwentyLinesAtMost) {
  std::string long_text;
  for (int i = 0; i < 100; ++i) long_text += "an error\n";
  EXPECT_EQ(digest_of_lines(long_text).size(), 20 * 9 - 1U);
  EXPECT_EQ(digest_of_lines("a.js:1\n    at wrapSafe (node:1)\nNode.js v20\n"),
            "a.js:1");
}

class BuiltinHooksInAction : public PipelineFixture {
 public:
  BuiltinHooksInAction() {
    parts.hooks = &hooks;
    session->policy.roots = {dir.path()};
    session->policy.approvals = ApprovalPolicy::automatic;
    // "change" writes `text` to the file, as an edit would.
    fakes->fakes["change"].resolve = [this](const json::object&) {
      Resolution out;
      out.accesses.emplace();
      const auto workspace = Workspace::open({dir.path()}, false);
      WriteTarget target;
      target.path = workspace->resolve(file).value();
      target.operation = "modify";
      out.targets.push_back(std::move(target));
      out.subject["type"] = "tool";
      return Outcome<Resolution>(out);
    };
    fakes->fakes["change"].run =
        [this](json::object arguments,
               const ExecutionContext&) -> Task<ToolOutput> {
      write_file(dir / file, arguments.at("text").as_string());
      co_return ToolOutput::text("changed");
    };
  }

  void set(BuiltinHooks::Secrets secrets, BuiltinHooks::Diagnostics what) {
    auto next = std::make_shared<config::Config>();
    next->builtin_hooks.secrets = secrets;
    next->builtin_hooks.diagnostics = what;
    ASSERT_TRUE(registry.set_config(next));
  }

  std::shared_ptr<Call> change(const std::string& text) {
    auto call = make_call("change");
    call->raw_arguments["text"] = text;
    return call;
  }

  // What stands below the output of the change.
  std::string advice(const std::string& name, const std::string& text) {
    file = name;
    write_file(dir / file, "");
    std::string out;
    const Call& call = run(change(text));
    EXPECT_EQ(call.state, CallState::completed);
    for (std::size_t i = 1; i < call.output.content.size(); ++i) {
      out += call.output.content[i].value;
    }
    return out;
  }

  Hooks hooks{loop, clock};
  std::string file = "a.txt";
};

TEST_F(BuiltinHooksInAction, WarnTheAgentOfASecretWithoutRepeatingIt) {
  const std::string said = advice("a.txt", "x\nkey=" + kToken + "xy\n");
  EXPECT_THAT(said, HasSubstr("[hook secrets]"));
  EXPECT_THAT(said, HasSubstr("github-token (line 2 of the new text)"));
  EXPECT_THAT(said, Not(HasSubstr(kToken)));
}

TEST_F(BuiltinHooksInAction, AreSilentAboutASecretThatWasThereBefore) {
  auto schema = fakes->fakes["change"].tool;
  schema.input_schema["properties"].as_object()["oldText"] =
      json::object{{"type", "string"}};
  fakes->fakes["change"].tool = schema;
  set(BuiltinHooks::Secrets::ask, BuiltinHooks::Diagnostics::off);
  auto call = change("a key=" + kToken + "xy\n");
  call->raw_arguments["oldText"] = "key=" + kToken + "xy\n";
  EXPECT_EQ(run(call).state, CallState::completed);
  EXPECT_FALSE(call->approval);
}

TEST_F(BuiltinHooksInAction, AskAPersonAboutASecretWhenTheyAreSetTo) {
  set(BuiltinHooks::Secrets::ask, BuiltinHooks::Diagnostics::off);
  TaskGroup group(loop);
  group.spawn(answer_when_asked("reject_once"));
  const Call& call = run(change("key=" + kToken + "xy\n"));
  testing::run(loop, group.join());
  EXPECT_EQ(kind(call), "approvalDenied");
  EXPECT_THAT(call.because.front().second, HasSubstr("github-token"));
  EXPECT_EQ(run(change("no secret\n")).state, CallState::completed);
}

TEST_F(BuiltinHooksInAction, SayNothingWhenThereIsNothingToSay) {
  EXPECT_EQ(advice("a.txt", "plain\n"), "");
  EXPECT_EQ(advice("a.json", "{\"a\": 1}\n"), "");
  EXPECT_EQ(advice("a.py", "x = 1\n"), "");
  EXPECT_EQ(advice("a.sh", "echo hi\n"), "");
}

TEST_F(BuiltinHooksInAction, SayWhatIsWrongInTheLanguageOfTheFile) {
  EXPECT_THAT(advice("a.json", "{\n  \"a\": \n}\n"), HasSubstr("a.json:3:1"));
  EXPECT_THAT(advice("a.py", "x = 1\ndef f(:\n"), HasSubstr("a.py:2: "));
  EXPECT_THAT(advice("a.sh", "if true; then\n"), HasSubstr("syntax error"));
}

TEST_F(BuiltinHooksInAction, SayWhatClangFormatSaysWhereAStyleIs) {
  EXPECT_EQ(advice("a.cpp", "int  x ;\n"), "");
  write_file(dir / ".clang-format", "BasedOnStyle: Google\n");
  EXPECT_THAT(
      advice("a.cpp", "int x;\nint  y ;\n"),
      HasSubstr("clang-format: Not formatted as .clang-format says: line 2."));
}

TEST_F(BuiltinHooksInAction, RunNoCodeOfTheWorkspace) {
  write_file(dir / "ast.py", "open('ran', 'w')\n");
  write_file(dir / "sitecustomize.py", "open('ran', 'w')\n");
  EXPECT_EQ(advice("a.py", "open('ran', 'w')\n"), "");
  EXPECT_EQ(advice("a.sh", "touch ran\n"), "");
  EXPECT_FALSE(std::filesystem::exists(dir / "ran"));
  EXPECT_FALSE(std::filesystem::exists(dir / "__pycache__"));
}

TEST_F(BuiltinHooksInAction, LeaveLargeFilesAlone) {
  EXPECT_EQ(advice("a.json", "{" + std::string(600 * 1024, ' ')), "");
}

TEST_F(BuiltinHooksInAction, CanBeSwitchedOff) {
  set(BuiltinHooks::Secrets::off, BuiltinHooks::Diagnostics::off);
  EXPECT_EQ(advice("a.json", "{ key=" + kToken), "");
}

TEST_F(BuiltinHooksInAction, AreInTheStatistics) {
  advice("a.txt", "plain\n");
  const json::array rows = hooks.statistics(*registry.snapshot()->config);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("name"), "secrets");
  EXPECT_EQ(rows[0].at("form"), "builtin");
  EXPECT_EQ(rows[0].at("runs").to_number<int>(), 1);
  EXPECT_EQ(rows[1].at("name"), "diagnostics");
}

}  // namespace
}  // namespace toolhost::testing
