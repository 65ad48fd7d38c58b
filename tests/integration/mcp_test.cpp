// Servers of others behind a real daemon: those from npm that people use
// (build/npm, installed by `scripts/setup test`), and fakes where one has to
// misbehave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;

json::object npm_server(const std::string& program,
                        std::vector<std::string> arguments = {}) {
  const std::string path =
      TOOLHOST_SOURCE_DIR "/build/npm/node_modules/.bin/" + program;
  if (!std::filesystem::exists(path)) {
    throw std::runtime_error(path + " is missing; run: scripts/setup test");
  }
  json::object out;
  out["command"] = path;
  out["args"] = json::value_from(arguments);
  return out;
}

json::object fake_server(const std::string& script,
                         std::vector<std::string> arguments = {}) {
  json::object out;
  out["command"] = "python3";
  arguments.insert(
      arguments.begin(),
      {"-B", TOOLHOST_SOURCE_DIR "/tests/fakes/mcp_servers/" + script});
  out["args"] = json::value_from(arguments);
  return out;
}

// `allowed`: no call of a server asks.
std::string config_of(const json::object& servers, bool allowed) {
  json::object out;
  out["mcpServers"] = servers;
  if (allowed) {
    json::object rule;
    rule["permission"] = "mcp__*";
    rule["action"] = "allow";
    json::array rules;
    rules.push_back(rule);
    out["rules"] = std::move(rules);
  }
  return json_text(out);
}

class Mcp : public ::testing::Test {
 protected:
  // Starts the daemon with these servers and waits until all are ready.
  void start(const json::object& servers, bool allowed = true) {
    launch(servers, allowed);
    for (const auto& server : servers) {
      const std::string name = "mcp:" + std::string(server.key());
      ASSERT_TRUE(becomes(name, "ready")) << name << " " << row(name);
    }
  }
  void launch(const json::object& servers, bool allowed = true) {
    daemon = std::make_unique<DaemonProcess>(config_of(servers, allowed));
    gui = std::make_unique<Client>(daemon->control());
    // Without a workspace: what is asked for is the tool, not a folder.
    agent = std::make_unique<AgentProcess>(daemon->caller_socket(), "agent");
  }
  void subscribe(const json::array& topics) {
    ASSERT_TRUE(gui->call("subscribe", {{"topics", topics}}));
  }

  json::object provider(const std::string& name) {
    const auto listed = gui->call("listProviders", {});
    for (const json::value& each : listed.value().at("providers").as_array()) {
      if (each.at("name") == json::value(name)) return each.as_object();
    }
    return {};
  }
  std::string row(const std::string& name) { return json_text(provider(name)); }
  bool becomes(const std::string& name, const std::string& state) {
    return eventually([&] { return text_at(provider(name), "state") == state; },
                      Milliseconds(60'000));
  }
  json::object run(const std::string& tool,
                   const json::object& arguments = {}) {
    return agent->execute(tool, arguments);
  }

  std::unique_ptr<DaemonProcess> daemon;
  std::unique_ptr<Client> gui;
  std::unique_ptr<AgentProcess> agent;
};

TEST_F(Mcp, EverythingIsListedAndItsAnswersComeBack) {
  start({{"everything", npm_server("mcp-server-everything")}});
  const json::object echoed =
      run("mcp__everything__echo", {{"message", "good morning"}});
  EXPECT_THAT(text_at(echoed, "content.0.text"), HasSubstr("good morning"));
  const json::object image = run("mcp__everything__getTinyImage");
  EXPECT_THAT(json_text(image), HasSubstr("\"type\":\"image\""));
  const json::object facts =
      run("mcp__everything__structuredContent", {{"location", "Oslo"}});
  EXPECT_TRUE(at(facts, "structuredContent.temperature").is_number())
      << json_text(facts);
  EXPECT_THAT(row("mcp:everything"), HasSubstr("2025-11-25"));
}

TEST_F(Mcp, ArgumentsAreCheckedAgainstTheServersSchemaBeforeAnybodyIsAsked) {
  start({{"everything", npm_server("mcp-server-everything")}}, false);
  const json::object refused = run("mcp__everything__add", {{"a", "one"}});
  EXPECT_EQ(text_at(refused, "error.kind"), "invalidArguments");
}

TEST_F(Mcp, MemoryKeepsItsStateFromCallToCall) {
  json::object server = npm_server("mcp-server-memory");
  server["env"] = {{"MEMORY_FILE_PATH", "${HOME}/memory.json"}};
  start({{"memory", server}});
  const json::object entity = {{"name", "Ada"},
                               {"entityType", "person"},
                               {"observations", json::array{"writes notes"}}};
  const json::object made =
      run("mcp__memory__create_entities", {{"entities", json::array{entity}}});
  EXPECT_EQ(text_at(made, "status"), "completed") << json_text(made);
  const json::object graph = run("mcp__memory__read_graph");
  EXPECT_THAT(json_text(graph), HasSubstr("writes notes"));
}

TEST_F(Mcp, FilesystemRefusesWhatIsOutsideAndTheAgentReadsWhy) {
  launch(json::object());
  const std::string folder = daemon->workspace();
  std::ofstream(folder + "/inside.txt") << "within";
  std::ofstream(daemon->config_file()) << config_of(
      {{"files", npm_server("mcp-server-filesystem", {folder})}}, true);
  ASSERT_TRUE(gui->call("reloadConfig", {}));
  ASSERT_TRUE(becomes("mcp:files", "ready")) << row("mcp:files");
  const json::object read =
      run("mcp__files__read_text_file", {{"path", folder + "/inside.txt"}});
  EXPECT_THAT(text_at(read, "content.0.text"), HasSubstr("within"));
  const json::object refused =
      run("mcp__files__read_text_file", {{"path", "/etc/passwd"}});
  EXPECT_EQ(text_at(refused, "error.kind"), "toolFailed");
  EXPECT_THAT(text_at(refused, "error.message"), HasSubstr("denied"));
}

TEST_F(Mcp, ACallAsksAPersonWhoSeesTheServerAndTheArguments) {
  start({{"polite", fake_server("polite.py")}}, false);
  subscribe({"approvals"});
  const auto call = agent->client().send(
      "execute",
      {{"name", "mcp__polite__echo"}, {"arguments", {{"text", "hello"}}}});
  const json::object asked = answer_next(*gui, "allow_once");
  EXPECT_EQ(text_at(asked, "subject.server"), "polite");
  EXPECT_EQ(text_at(asked, "arguments.text"), "hello");
  EXPECT_EQ(at(asked, "subject.hintsTrusted"), json::value(false));
  const auto reply = agent->client().wait(*call);
  EXPECT_THAT(text_at(*reply, "content.0.text"), HasSubstr("hello"));
}

TEST_F(Mcp, WhatWasRememberedIsVoidWhenTheDefinitionChanges) {
  start({{"changing", fake_server("changing.py")}}, false);
  subscribe({"approvals", "tools"});
  const json::object victim = {{"name", "mcp__changing__victim"}};
  const json::object change = {{"name", "mcp__changing__change"}};
  auto call = agent->client().send("execute", victim);
  answer_next(*gui, "allow_always");
  EXPECT_TRUE(agent->client().wait(*call));
  // The second time nobody is asked.
  EXPECT_EQ(text_at(run("mcp__changing__victim"), "status"), "completed");
  agent->call("listTools", {});
  call = agent->client().send("execute", change);
  answer_next(*gui, "allow_once");
  EXPECT_TRUE(agent->client().wait(*call));
  ASSERT_TRUE(gui->next_notification("tools/changed"));
  call = agent->client().send("execute", victim);
  const json::object again = answer_next(*gui, "reject_once");
  EXPECT_EQ(text_at(again, "tool.name"), "mcp__changing__victim");
}

TEST_F(Mcp, AServerKilledInTheMiddleOfACallIsUnknownAndStartedAgain) {
  start({{"silent", fake_server("silent.py", {"none"})},
         {"other", fake_server("polite.py")}});
  subscribe({"calls", "providers"});
  const auto call =
      agent->client().send("execute", {{"name", "mcp__silent__wait"}});
  ASSERT_TRUE(gui->next_notification("call/started"));
  const auto pid = at(provider("mcp:silent"), "details.pid").as_int64();
  ::kill(static_cast<pid_t>(pid), SIGKILL);
  const auto reply = agent->client().wait(*call);
  EXPECT_EQ(text_at(*reply, "error.kind"), "outcomeUnknown");
  EXPECT_EQ(text_at(run("mcp__other__echo"), "status"), "completed");
  EXPECT_TRUE(becomes("mcp:silent", "ready"));
  EXPECT_EQ(at(provider("mcp:silent"), "restarts"), json::value(1));
}

TEST_F(Mcp, AServerThatNeverStartsDelaysNobody) {
  const auto before = std::chrono::steady_clock::now();
  launch({{"slow", fake_server("slow_start.py", {"600"})},
          {"quick", fake_server("polite.py")}});
  EXPECT_LT(std::chrono::steady_clock::now() - before,
            std::chrono::seconds(20));
  EXPECT_TRUE(becomes("mcp:quick", "ready"));
  EXPECT_EQ(text_at(provider("mcp:slow"), "state"), "starting");
  EXPECT_EQ(text_at(run("mcp__quick__echo"), "status"), "completed");
}

TEST_F(Mcp, NothingOfAServerOutlivesTheDaemonHoweverItEnds) {
  for (const bool hard : {false, true}) {
    launch(json::object());
    const std::string file = daemon->path("pids");
    std::ofstream(daemon->config_file())
        << config_of({{"stubborn", fake_server("stubborn.py", {file})}}, true);
    ASSERT_TRUE(gui->call("reloadConfig", {}));
    ASSERT_TRUE(becomes("mcp:stubborn", "ready")) << row("mcp:stubborn");
    std::ifstream in(file);
    std::vector<int> pids(3);
    for (int& pid : pids) in >> pid;
    agent = nullptr;
    gui = nullptr;
    if (hard) {
      daemon->kill_hard();
    } else {
      daemon->stop();
    }
    for (const int pid : pids) {
      EXPECT_TRUE(eventually([&] { return ::kill(pid, 0) != 0; }))
          << pid << " lives, hard=" << hard;
    }
  }
}

TEST_F(Mcp, ARestartOfOneServerLeavesTheCallsOfAnotherAlone) {
  start({{"silent", fake_server("silent.py", {"none"})},
         {"polite", fake_server("polite.py")}});
  subscribe({"calls"});
  const auto call =
      agent->client().send("execute", {{"name", "mcp__silent__wait"}});
  const auto started = gui->next_notification("call/started");
  ASSERT_TRUE(started);
  const auto restarted = gui->call("restartProvider", {{"name", "mcp:polite"}});
  ASSERT_TRUE(restarted) << restarted.error().message;
  EXPECT_EQ(text_at(*restarted, "state"), "ready");
  EXPECT_FALSE(agent->client().take(*call));
  ASSERT_TRUE(
      gui->call("cancel", {{"callId", at(started->params, "call.callId")}}));
  const auto reply = agent->client().wait(*call);
  EXPECT_EQ(text_at(*reply, "status"), "cancelled");
}

TEST_F(Mcp, AnUnknownProviderCannotBeRestartedAndTheNamesAreTold) {
  start({{"polite", fake_server("polite.py")}});
  const auto refused = gui->call("restartProvider", {{"name", "mcp:polit"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().hint, HasSubstr("mcp:polite"));
}

TEST_F(Mcp, AnAgentSeesTheStateOfAServerButNotWhatItWrote) {
  start({{"noisy", fake_server("noisy.py")}});
  EXPECT_THAT(row("mcp:noisy"), HasSubstr("Server started"));
  const json::object listed = agent->call("listProviders", {});
  EXPECT_THAT(json_text(listed), HasSubstr("mcp:noisy"));
  EXPECT_THAT(json_text(listed), ::testing::Not(HasSubstr("details")));
}

TEST_F(Mcp, SecretsOfAServerAreInNoLogAndNoAnswer) {
  json::object server = fake_server("dies.py", {"at_start"});
  server["command"] = "sh";
  server["args"] = {"-c", "echo \"using $TOKEN\" >&2; exit 1"};
  server["env"] = {{"TOKEN", "canary-secret-value"}};
  launch({{"leaky", server}});
  ASSERT_TRUE(becomes("mcp:leaky", "backoff"));
  EXPECT_THAT(row("mcp:leaky"), HasSubstr("using [TOKEN]"));
  EXPECT_EQ(row("mcp:leaky").find("canary"), std::string::npos);
  EXPECT_EQ(daemon->log().find("canary"), std::string::npos);
}

}  // namespace
}  // namespace toolhost::testing
