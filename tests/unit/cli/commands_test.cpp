#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "daemon/cli/cli.hpp"
#include "daemon/cli/command.hpp"
#include "daemon/cli/completion.hpp"
#include "daemon/cli/parse.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temp_dir.hpp"
#include "protocol/digest.hpp"
#include "tests/unit/cli/fake_daemon.hpp"
#include "tests/unit/cli/samples.hpp"

namespace toolhost::cli {
namespace {

using testing::FakeDaemon;
using ::testing::HasSubstr;
using ::testing::Not;

std::string source_file(const std::string& name) {
  return testing::read_file((testing::source_tree() / name).string());
}

class CommandTest : public ::testing::Test {
 protected:
  int run_words(std::vector<std::string> words) {
    // Before a tool's flags.
    words.insert(std::find(words.begin(), words.end(), "--"),
                 {"--socket", daemon.path()});
    out.str({});
    err.str({});
    Console console(in, out, err, traits);
    return run(std::move(words), console);
  }
  void answer(const std::string& method, const std::string& text) {
    daemon.on(method, [text](const json::object&) -> Result<json::object> {
      return json::parse(text).as_object();
    });
  }
  void pending(const json::array& approvals) {
    daemon.on("listApprovals",
              [approvals](const json::object&) -> Result<json::object> {
                json::object result;
                result["approvals"] = approvals;
                return result;
              });
    daemon.on("approve", [](const json::object&) -> Result<json::object> {
      json::object result;
      result["outcome"] = "resolved";
      return result;
    });
  }

  FakeDaemon daemon;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console::Traits traits;
};

TEST_F(CommandTest, AnUnknownCommandIsAUsageError) {
  EXPECT_EQ(run_words({"frobnicate"}), kUsage);
  EXPECT_EQ(run_words({"approve"}), kUsage);
}

TEST_F(CommandTest, GlobalOptionsMayComeAfterTheCommand) {
  answer("status", R"({"version":"9"})");
  EXPECT_EQ(run_words({"status", "--json"}), kOk);
  EXPECT_EQ(out.str(), "{\"version\":\"9\"}\n");
}

TEST_F(CommandTest, AnUnreachableDaemonIs69AndOneObjectWithJson) {
  Console console(in, out, err, traits);
  EXPECT_EQ(run({"status", "--json", "--socket", "/nonexistent/s"}, console),
            kUnreachable);
  const json::object shown = json::parse(out.str()).as_object();
  EXPECT_EQ(shown.at("exitCode"), 69);
  EXPECT_EQ(shown.at("error").at("data").at("kind"), "unreachable");
  EXPECT_EQ(err.str(), "");
}

TEST_F(CommandTest, CallMakesArgumentsFromTheToolsSchema) {
  answer("describeTool",
         R"({"name":"read","inputSchema":{"properties":)"
         R"({"path":{"type":"string"},"limit":{"type":"integer"}}}})");
  answer("execute", R"({"callId":"call_1","isError":false,)"
                    R"("content":[{"type":"text","text":"hello\n"}]})");
  EXPECT_EQ(run_words({"call", "read", "--", "--path", "x", "--limit", "3"}),
            kOk);
  EXPECT_EQ(out.str(), "hello\n");
  const json::object params = daemon.seen("execute").at(0);
  EXPECT_EQ(params.at("arguments"), json::parse(R"({"path":"x","limit":3})"));
  EXPECT_EQ(std::string(params.at("workspace").as_string()),
            std::filesystem::current_path().string());
}

TEST_F(CommandTest, CallReadsArgumentsFromStandardInput) {
  answer("execute", R"({"isError":false,"content":[]})");
  in.str(R"({"a":1})");
  EXPECT_EQ(run_words({"call", "x", "--arguments", "-"}), kOk);
  EXPECT_EQ(daemon.seen("execute").at(0).at("arguments").at("a"), 1);
}

TEST_F(CommandTest, CallGivesTheExitCodeOfTheError) {
  answer("execute",
         R"({"isError":true,"content":[],"error":{"kind":"approvalDenied",)"
         R"("message":"No.","hint":"Ask."}})");
  EXPECT_EQ(run_words({"call", "x"}), kDenied);
  EXPECT_THAT(err.str(), HasSubstr("No. [approvalDenied]"));
  EXPECT_THAT(err.str(), HasSubstr("Ask."));
}

TEST_F(CommandTest, AMessageThatTheContentSaysIsNotSaidTwice) {
  answer("execute",
         R"({"isError":true,"content":[{"type":"text","text":"No such x."}],)"
         R"("error":{"kind":"toolFailed","message":"No such x."}})");
  EXPECT_EQ(run_words({"call", "x"}), kToolError);
  EXPECT_EQ(out.str(), "No such x.\n");
  EXPECT_EQ(err.str(), "toolhost: toolFailed\n");
}

TEST_F(CommandTest, CallCancelsWhenTheTimeoutPassesAndWaitsForTheEnd) {
  daemon.on("execute", [](const json::object&) -> Result<json::object> {
    return FakeDaemon::silence();
  });
  answer("cancel", R"({"state":"cancelled"})");
  // The reply to execute, the second request of the connection.
  daemon.notify_after("cancel",
                      R"({"id":2,"result":{"isError":true,"content":[],)"
                      R"("error":{"kind":"cancelled","message":"Stopped."}}})");
  EXPECT_EQ(run_words({"call", "x", "--timeout", "10ms"}), kCancelled);
  EXPECT_EQ(daemon.seen("cancel").at(0).at("callId"),
            daemon.seen("execute").at(0).at("callId"));
  EXPECT_THAT(err.str(), HasSubstr("Stopped. [cancelled]"));
}

TEST_F(CommandTest, CallSaysThatItWaitsForAPerson) {
  daemon.on("execute", [](const json::object&) -> Result<json::object> {
    return FakeDaemon::silence();
  });
  answer("getCall", R"({"call":{"state":"waitingForApproval"}})");
  daemon.on("listApprovals",
            [this](const json::object&) -> Result<json::object> {
              json::object approval = samples::command("appr_1", "ls");
              approval["callId"] = daemon.seen("execute").at(0).at("callId");
              json::object result;
              result["approvals"] = json::array{approval};
              return result;
            });
  daemon.notify_after("listApprovals",
                      R"({"id":2,"result":{"isError":false,"content":[]}})");
  EXPECT_EQ(run_words({"call", "x"}), kOk);
  EXPECT_THAT(err.str(), HasSubstr("toolhost approve appr_1"));
}

TEST_F(CommandTest, DryRunPrintsTheGates) {
  answer("execute",
         R"({"isError":false,"gates":[{"gate":"permission","verdict":"ask",)"
         R"("detail":"no rule"}]})");
  EXPECT_EQ(run_words({"call", "x", "--dry-run"}), kOk);
  EXPECT_EQ(out.str(), "permission\task\tno rule\n");
  EXPECT_EQ(daemon.seen("execute").at(0).at("dryRun"), true);
}

TEST_F(CommandTest, ApproveShowsTheWholeAndSendsItsDigest) {
  pending({samples::command("appr_abc", "git push")});
  EXPECT_EQ(run_words({"approve", "abc", "--yes"}), kOk);
  EXPECT_THAT(out.str(), HasSubstr("$ git push"));
  const json::object sent = daemon.seen("approve").at(0);
  EXPECT_EQ(sent.at("approvalDigest"), "sha256:appr_abc");
  EXPECT_EQ(sent.at("optionId"), "once");
}

TEST_F(CommandTest, ApproveWithoutATerminalNeedsYesAndSaysTheCommand) {
  pending({samples::command("appr_abc", "git push")});
  EXPECT_EQ(run_words({"approve", "abc"}), kUsage);
  EXPECT_THAT(err.str(),
              HasSubstr("toolhost approve appr_abc --option once --yes"));
  EXPECT_TRUE(daemon.seen("approve").empty());
}

TEST_F(CommandTest, ApproveAsksOnATerminalAndAnythingButYesIsNo) {
  pending({samples::command("appr_abc", "git push")});
  traits.terminal_in = true;
  in.str("\ny\n");
  EXPECT_EQ(run_words({"approve", "abc"}), kCancelled);
  EXPECT_TRUE(daemon.seen("approve").empty());
  EXPECT_EQ(run_words({"approve", "abc"}), kOk);
  EXPECT_EQ(daemon.seen("approve").size(), 1U);
}

TEST_F(CommandTest, AnAmbiguousIdAnswersNothing) {
  pending(
      {samples::command("appr_abc", "a"), samples::command("appr_abd", "b")});
  EXPECT_EQ(run_words({"approve", "ab", "--yes"}), kUsage);
  EXPECT_THAT(err.str(), HasSubstr("appr_abc, appr_abd"));
  EXPECT_EQ(run_words({"deny", "ab"}), kUsage);
  EXPECT_TRUE(daemon.seen("approve").empty());
}

TEST_F(CommandTest, AnOptionThatDoesNotAllowIsRefusedByApprove) {
  pending({samples::command("appr_abc", "a")});
  EXPECT_EQ(run_words({"approve", "abc", "--yes", "--option", "deny"}), kUsage);
  EXPECT_EQ(run_words({"approve", "abc", "--yes", "--option", "x"}), kUsage);
  EXPECT_TRUE(daemon.seen("approve").empty());
}

TEST_F(CommandTest, AnIncompleteApprovalCannotBeAllowed) {
  json::object raw = samples::command("appr_abc", "a");
  raw["complete"] = false;
  pending({raw});
  EXPECT_EQ(run_words({"approve", "abc", "--yes"}), kForbidden);
  EXPECT_TRUE(daemon.seen("approve").empty());
}

TEST_F(CommandTest, WhatIsTooLargeForTheEventIsFetchedShownAndAllowed) {
  const std::string whole = R"({"command":"echo whole"})";
  json::object raw = samples::command("appr_abc", "a");
  raw["subject"] = json::object{{"type", "tool"}};
  raw["arguments"] = json::object{{"preview", "{\"comm"}};
  raw["complete"] = false;
  raw["argumentsArtifact"] = "art_1";
  raw["argumentsDigest"] = json_digest(json::parse(whole));
  pending({raw});
  // In two pages.
  daemon.on("readOutput",
            [&](const json::object& params) -> Result<json::object> {
              const auto offset =
                  static_cast<std::size_t>(params.at("offset").as_int64());
              return json::object{{"text", whole.substr(offset, 12)},
                                  {"nextOffset", offset + 12},
                                  {"eof", offset + 12 >= whole.size()}};
            });
  answer("approve", R"({"outcome":"resolved"})");
  EXPECT_EQ(run_words({"approve", "abc", "--yes"}), kOk);
  EXPECT_THAT(out.str(), HasSubstr("echo whole"));
  EXPECT_EQ(daemon.seen("approve").size(), 1u);
}

TEST_F(CommandTest, KeptArgumentsThatAreNotWhatIsAskedCannotBeAllowed) {
  json::object raw = samples::command("appr_abc", "a");
  raw["complete"] = false;
  raw["argumentsArtifact"] = "art_1";
  raw["argumentsDigest"] = json_digest(json::parse(R"({"command":"ls"})"));
  pending({raw});
  answer("readOutput", R"({"text":"{\"command\":\"rm\"}","eof":true})");
  EXPECT_NE(run_words({"approve", "abc", "--yes"}), kOk);
  EXPECT_THAT(err.str(), HasSubstr("not what it asks about"));
  EXPECT_TRUE(daemon.seen("approve").empty());
}

TEST_F(CommandTest, DenySendsTheCommentAndNoDigest) {
  pending({samples::command("appr_abc", "a")});
  EXPECT_EQ(run_words({"deny", "abc", "--comment", "use staging"}), kOk);
  const json::object sent = daemon.seen("approve").at(0);
  EXPECT_EQ(sent.at("decision"), "deny");
  EXPECT_EQ(sent.at("comment"), "use staging");
  EXPECT_FALSE(sent.contains("approvalDigest"));
}

TEST_F(CommandTest, TextFromTheDaemonIsSafeOnATerminal) {
  answer("execute",
         R"({"isError":true,"content":[{"type":"text",)"
         R"("text":"a\u001b[2Jb\nc"}],"error":{"message":"\u001b]0;x"}})");
  traits.terminal_out = true;
  run_words({"call", "x"});
  EXPECT_THAT(out.str(), HasSubstr("a\\u{001B}[2Jb\nc\n"));
  EXPECT_THAT(out.str() + err.str(), Not(HasSubstr("\x1b")));
  traits.terminal_out = false;
  run_words({"call", "x"});
  EXPECT_EQ(out.str(), "a\x1b[2Jb\nc");
}

TEST_F(CommandTest, ARowOfAPipedTableIsOneLine) {
  json::object raw = samples::command("appr_abc", "a");
  raw["title"] = "two\nlines\tand a tab";
  pending({raw});
  EXPECT_EQ(run_words({"approvals"}), kOk);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\t'), 5);
}

TEST_F(CommandTest, OutputReadsAllPages) {
  daemon.on("readOutput",
            [](const json::object& params) -> Result<json::object> {
              const bool first = params.at("offset") == 0;
              return json::parse(first ? R"({"text":"one ","nextOffset":4})"
                                       : R"({"base64":"dHdv","nextOffset":7,)"
                                         R"("eof":true})")
                  .as_object();
            });
  EXPECT_EQ(run_words({"output", "art_1"}), kOk);
  EXPECT_EQ(out.str(), "one two");
}

TEST_F(CommandTest, RpcPrintsTheRawResult) {
  answer("anything", R"({"x":[1,2]})");
  EXPECT_EQ(run_words({"rpc", "anything", R"({"a":1})"}), kOk);
  EXPECT_EQ(out.str(), "{\"x\":[1,2]}\n");
  EXPECT_EQ(daemon.seen("anything").at(0).at("a"), 1);
  EXPECT_EQ(run_words({"rpc", "anything", "[1]"}), kUsage);
}

TEST_F(CommandTest, InboxWithoutATerminalSaysWhatToUseInstead) {
  EXPECT_EQ(run_words({"inbox"}), kUsage);
  EXPECT_THAT(err.str(), HasSubstr("toolhost approvals"));
}

TEST_F(CommandTest, RulesAreListedAndRemoved) {
  answer("listRules",
         R"({"rules":[{"id":"rule_a1","action":"allow",)"
         R"("scope":"workspace","hits":3,"text":"bash: git status *"}]})");
  answer("removeRule", "{}");
  EXPECT_EQ(run_words({"rules"}), kOk);
  EXPECT_EQ(out.str(), "rule_a1\tallow\tworkspace\t3\tbash: git status *\n");
  EXPECT_EQ(run_words({"rules", "remove", "a1"}), kOk);
  EXPECT_EQ(daemon.seen("removeRule").at(0).at("ruleId"), "rule_a1");
}

TEST(Commands, AreSortedByName) {
  EXPECT_TRUE(std::is_sorted(
      commands().begin(), commands().end(),
      [](const Command* a, const Command* b) { return a->name < b->name; }));
}

TEST(Commands, EachIsOnTheManPage) {
  const std::string page = source_file("scripts/man/toolhost.1.scd");
  for (const Command* command : commands()) {
    EXPECT_THAT(page, HasSubstr("*" + std::string(command->name) + "*"));
    for (const OptionSpec& option : command->options) {
      EXPECT_THAT(page, HasSubstr("*" + std::string(option.name) + "*"))
          << command->name;
    }
  }
  for (const OptionSpec& option : global_options()) {
    EXPECT_THAT(page, HasSubstr("*" + std::string(option.name) + "*"));
  }
}

TEST(Completion, TheInstalledScriptsAreTheGeneratedOnes) {
  EXPECT_EQ(source_file("scripts/completions/toolhost.bash"),
            completion_script("bash"));
  EXPECT_EQ(source_file("scripts/completions/_toolhost"),
            completion_script("zsh"));
  EXPECT_EQ(source_file("scripts/completions/toolhost.fish"),
            completion_script("fish"));
}

TEST(Completion, EveryShellKnowsEveryCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell).value();
    for (const Command* command : commands()) {
      EXPECT_THAT(script, HasSubstr(std::string(command->name))) << shell;
    }
  }
}

}  // namespace
}  // namespace toolhost::cli
