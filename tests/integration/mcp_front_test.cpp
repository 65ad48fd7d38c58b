// `toolhost mcp` between a real daemon and a client of the official library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "protocol/json_text.hpp"
#include "tests/integration/line_process.hpp"
#include "tests/support/daemon_process.hpp"
#include "tests/support/shell.hpp"

namespace toolhost::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// The command line beside the test.
std::string toolhost_program() {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path() / "toolhost").string();
}

const std::string kSource = TOOLHOST_SOURCE_DIR;

std::vector<std::string> names_in(const json::object& told) {
  std::vector<std::string> out;
  for (const json::value& each : at(told, "tools").as_array()) {
    out.emplace_back(each.as_string());
  }
  return out;
}

class McpFront : public ::testing::Test {
 protected:
  McpFront() {
    (void)gui.call("subscribe", {{"topics", json::array{"approvals"}}});
    configure("{}");
    write_file(daemon.path("notes.txt"), "alpha\nbeta\n");
  }
  // The workspace is trusted: its question has tests of its own.
  void configure(std::string_view config) {
    json::object settings = object(config);
    settings["trustedWorkspaces"] = json::array{daemon.workspace()};
    std::ofstream(daemon.config_file()) << json_text(settings);
    ASSERT_TRUE(gui.call("reloadConfig", {}));
  }
  std::vector<std::string> server(std::vector<std::string> options = {}) {
    std::vector<std::string> out{toolhost_program(), "mcp", "--socket",
                                 daemon.caller_socket()};
    out.insert(out.end(), options.begin(), options.end());
    return out;
  }
  // The official client, with the workspace as its root.
  std::unique_ptr<LineProcess> client(std::vector<std::string> options = {}) {
    std::vector<std::string> argv{
        "node", kSource + "/tests/integration/mcp_sdk_client.cjs",
        kSource + "/build/npm"};
    const auto command = server(std::move(options));
    argv.insert(argv.end(), command.begin(), command.end());
    auto out = std::make_unique<LineProcess>(
        argv, std::vector<std::string>{"MCP_TEST_ROOT=" + daemon.workspace()});
    EXPECT_EQ(text_at(out->next(), "server"), "toolhost");
    return out;
  }
  std::string toolhost(const std::string& words) {
    const ShellResult out = shell(toolhost_program() + " " + words +
                                  " --socket " + daemon.control_socket());
    EXPECT_EQ(out.status, 0) << words << "\n" << out.output;
    return out.output;
  }
  // The id of the question that is asked next.
  std::string asked() {
    auto told = gui.next_notification("approval/requested");
    if (!told) throw std::runtime_error(told.error().message);
    return text_at(told->params, "approval.approvalId");
  }
  // What waits at this moment.
  std::size_t pending() {
    auto control = daemon.control("counter");
    auto list = control.call("listApprovals", {{"state", "pending"}});
    return list ? at(*list, "approvals").as_array().size() : 99;
  }

  static constexpr const char* kWrite =
      R"({"call":"write","as":"w","arguments":)"
      R"({"path":"a.txt","content":"hello\n"}})";

  DaemonProcess daemon;
  Client gui = daemon.control();
};

TEST_F(McpFront, TheOfficialClientListsAndCalls) {
  auto agent = client();
  agent->send(R"({"list":true})");
  EXPECT_THAT(names_in(agent->next_with("tools")), Contains("read"));
  agent->send(R"({"call":"read","as":"r","arguments":{"path":"notes.txt"}})");
  const json::object done = agent->next_with("result");
  EXPECT_EQ(text_at(done, "result.content.0.text"), "alpha\nbeta\n");
  EXPECT_EQ(at(done, "result.isError"), false);
  EXPECT_EQ(at(done, "result.structuredContent.totalLines"), 2);
}

TEST_F(McpFront, FaultsOfACallAreReadByTheModelAnUnknownToolByTheProgram) {
  auto agent = client();
  agent->send(R"({"call":"read","as":"r","arguments":{"pth":"x"}})");
  const json::object faults = agent->next_with("as");
  EXPECT_EQ(at(faults, "result.isError"), true);
  EXPECT_THAT(text_at(faults, "result.content.0.text"), HasSubstr("pth"));
  agent->send(R"({"call":"raed","as":"u"})");
  EXPECT_THAT(text_at(agent->next_with("failed"), "failed"),
              HasSubstr("-32602"));
}

TEST_F(McpFront, ACallWaitsForTheAnswerOfThePersonAndSaysSo) {
  auto agent = client();
  agent->send(kWrite);
  const std::string approval = asked();
  EXPECT_THAT(text_at(agent->next_with("progress"), "progress"),
              HasSubstr("toolhost inbox"));
  toolhost("approve " + approval + " --yes");
  const json::object done = agent->next_with("result");
  EXPECT_EQ(at(done, "result.isError"), false);
  EXPECT_EQ(read_file(daemon.path("a.txt")), "hello\n");
}

TEST_F(McpFront, ADenialReachesTheModelWithItsComment) {
  auto agent = client();
  agent->send(kWrite);
  toolhost("deny " + asked() + " --comment 'use b.txt'");
  const json::object done = agent->next_with("result");
  EXPECT_EQ(at(done, "result.isError"), true);
  EXPECT_THAT(text_at(done, "result.content.0.text"), HasSubstr("use b.txt"));
}

TEST_F(McpFront, ACancelledCallTakesItsQuestionBack) {
  auto agent = client();
  agent->send(kWrite);
  asked();
  agent->send(R"({"cancel":"w"})");
  agent->next_with("failed");
  EXPECT_TRUE(eventually([&] { return pending() == 0; }));
}

TEST_F(McpFront, AClientThatEndsTakesItsQuestionsBack) {
  auto agent = client();
  agent->send(kWrite);
  asked();
  EXPECT_EQ(agent->close(), 0);
  EXPECT_TRUE(eventually([&] { return pending() == 0; }));
}

TEST_F(McpFront, ACallThatWaitsSurvivesAKilledDaemon) {
  auto agent = client();
  agent->send(kWrite);
  asked();
  daemon.kill_hard();
  daemon.start();
  ASSERT_TRUE(eventually([&] { return pending() == 1; }));
  const std::string list = toolhost("approvals");
  toolhost("approve " + list.substr(0, list.find('\t')) + " --yes");
  const json::object done = agent->next_with("result");
  EXPECT_EQ(at(done, "result.isError"), false) << json_text(done);
  EXPECT_EQ(read_file(daemon.path("a.txt")), "hello\n");
  EXPECT_EQ(pending(), 0U);
}

TEST_F(McpFront, ACallThatWaitsSurvivesADaemonThatStops) {
  auto agent = client();
  agent->send(kWrite);
  asked();
  EXPECT_EQ(daemon.stop(), 0);
  daemon.start();
  ASSERT_TRUE(eventually([&] { return pending() == 1; }));
  const std::string list = toolhost("approvals");
  toolhost("approve " + list.substr(0, list.find('\t')) + " --yes");
  const json::object done = agent->next_with("result");
  EXPECT_EQ(at(done, "result.isError"), false) << json_text(done);
}

TEST_F(McpFront, ACallThatRanWhenTheDaemonWasKilledDoesNotRunAgain) {
  auto agent = client();
  agent->send(R"({"call":"bash","as":"b","arguments":)"
              R"({"command":"echo run >> runs.txt; sleep 600"}})");
  toolhost("approve " + asked() + " --yes");
  const std::string runs = daemon.path("runs.txt");
  ASSERT_TRUE(eventually([&] {
    return std::filesystem::exists(runs) && read_file(runs) == "run\n";
  }));
  daemon.kill_hard();
  daemon.start();
  const json::object done = agent->next_with("result");
  EXPECT_EQ(at(done, "result.isError"), true) << json_text(done);
  EXPECT_EQ(text_at(done, "result._meta.toolhost/errorKind"), "outcomeUnknown");
  EXPECT_EQ(read_file(daemon.path("runs.txt")), "run\n");
  EXPECT_EQ(pending(), 0U);
}

TEST_F(McpFront, AClientIsToldThatTheToolsAreOthers) {
  auto agent = client({"--preset", "plan"});
  agent->send(R"({"list":true})");
  const auto before = names_in(agent->next_with("tools"));
  EXPECT_THAT(before, Contains("glob"));
  configure(R"({"tools":{"disabled":["glob"]}})");
  agent->next_with("changed");
  agent->send(R"({"list":true})");
  EXPECT_THAT(names_in(agent->next_with("tools")), Not(Contains("glob")));
}

TEST_F(McpFront, AReadOnlyServerChangesNoFile) {
  auto agent = client({"--read-only"});
  agent->send(kWrite);
  const json::object done = agent->next_with("result");
  EXPECT_EQ(text_at(done, "result._meta.toolhost/errorKind"),
            "sandboxReadOnly");
  EXPECT_FALSE(std::filesystem::exists(daemon.path("a.txt")));
}

TEST_F(McpFront, OutputThatWasCutIsReadAsAResource) {
  std::string lines;
  for (int i = 0; i < 60'000; ++i) lines += "line " + std::to_string(i) + "\n";
  write_file(daemon.path("long.txt"), lines);
  auto agent = client();
  agent->send(R"({"call":"bash","as":"b","arguments":)"
              R"({"command":"cat long.txt"}})");
  toolhost("approve " + asked() + " --yes");
  const json::object done = agent->next_with("result");
  std::string uri;
  for (const json::value& block : at(done, "result.content").as_array()) {
    if (at(block, "type") == "resource_link")
      uri = text_at(block.as_object(), "uri");
  }
  ASSERT_THAT(uri, HasSubstr("toolhost://output/")) << json_text(done);
  agent->send(R"({"read":")" + uri + R"("})");
  EXPECT_THAT(text_at(agent->next_with("contents"), "contents.0.text"),
              HasSubstr("line 59999\n"));
}

TEST_F(McpFront, WithoutADaemonAClientStartsAndIsToldWhatToDo) {
  daemon.stop();
  auto agent = client();
  agent->send(kWrite);
  const json::object done = agent->next_with("result");
  EXPECT_EQ(at(done, "result.isError"), true);
  EXPECT_THAT(text_at(done, "result.content.0.text"), HasSubstr("toolhostd"));
  daemon.start();
  agent->send(R"({"list":true})");
  EXPECT_THAT(names_in(agent->next_with("tools")), Contains("read"));
}

// Every line on standard output is a message; the log goes elsewhere.
TEST_F(McpFront, WhatIsSentAsOneScriptIsAnsweredLineByLine) {
  const std::string script = daemon.path("script");
  write_file(script,
             "no message\n"
             R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)"
             R"({"protocolVersion":"2025-06-18"}})"
             "\n"
             R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":)"
             R"({"name":"read","arguments":{"path":"notes.txt"}}})"
             "\n");
  const ShellResult out = shell(
      toolhost_program() + " mcp --socket " + daemon.caller_socket() +
      " --workspace " + daemon.workspace() + " <" + script + " 2>/dev/null");
  EXPECT_EQ(out.status, 0);
  std::istringstream lines(out.output);
  std::string line;
  std::vector<json::object> messages;
  while (std::getline(lines, line)) messages.push_back(object(line));
  ASSERT_EQ(messages.size(), 3U) << out.output;
  EXPECT_EQ(at(messages[0], "error.code"), -32700);
  EXPECT_EQ(at(messages[1], "result.protocolVersion"), "2025-06-18");
  EXPECT_EQ(text_at(messages[2], "result.content.0.text"), "alpha\nbeta\n");
}

TEST_F(McpFront, ASignalEndsItAndItsCalls) {
  LineProcess front(server({"--workspace", daemon.workspace()}));
  front.send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)"
             R"({"protocolVersion":"2025-06-18"}})");
  front.next();
  front.send(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":)"
             R"({"name":"write","arguments":{"path":"a","content":"b"}}})");
  asked();
  kill(front.pid(), SIGTERM);
  EXPECT_EQ(front.close(), 0);
  EXPECT_TRUE(eventually([&] { return pending() == 0; }));
}

}  // namespace
}  // namespace toolhost::testing
