// Commands inside the sandbox of the operating system, through the daemon.
//
// Where this machine cannot confine them, the daemon says so and every command
// asks: that is what these tests expect there, and nothing is passed over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "providers/support/sandbox_probe.hpp"
#include "tests/support/daemon_process.hpp"
#include "tests/support/shell.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;

bool enforced() { return sandbox_probe().strength == SandboxStrength::full; }

class ConfinedCommands : public ::testing::Test {
 protected:
  explicit ConfinedCommands(const std::string& config = "{}")
      : daemon(config), gui(daemon.control()) {
    (void)gui.call("subscribe", {{"topics", json::array{"approvals"}}});
    auto opened = gui.call("openSession", {{"workspace", daemon.workspace()}});
    agent->call("attachSession", {{"sessionId", opened->at("sessionId")},
                                  {"token", opened->at("token")}});
  }

  Client::RequestId start(const std::string& command, bool outside = false) {
    json::object arguments{{"command", command}};
    if (outside) arguments["outsideSandbox"] = true;
    return agent->client()
        .send("execute", {{"name", "bash"}, {"arguments", arguments}})
        .value();
  }
  json::object result(Client::RequestId id) {
    return agent->client().wait(id).value();
  }
  // Allowed once by the person.
  json::object run(const std::string& command) {
    const auto id = start(command);
    answer_next(gui, "allow_once");
    return result(id);
  }
  std::size_t pending() {
    return gui.call("listApprovals", {})->at("approvals").as_array().size();
  }
  static std::string text_of(const json::object& result) {
    return text_at(result, "content.0.text");
  }

  DaemonProcess daemon;
  Client gui;
  std::unique_ptr<AgentProcess> agent = daemon.agent();
};

class SandboxedPreset : public ConfinedCommands {
 protected:
  SandboxedPreset() : ConfinedCommands(R"({"preset": "sandboxed"})") {}
};

TEST_F(ConfinedCommands, StatusSaysWhatConfinesThem) {
  const auto status = gui.call("status", {});
  const std::string warnings = json::serialize(at(*status, "warnings"));
  EXPECT_EQ(warnings.find("Every command asks") == std::string::npos,
            enforced());
}

TEST_F(ConfinedCommands, ThePersonSeesWhetherItWillBeConfined) {
  const auto id = start("ls");
  const json::object asked = answer_next(gui, "reject_once");
  EXPECT_EQ(text_at(asked, "subject.sandbox"),
            enforced() ? sandbox_probe().summary : "none");
  EXPECT_EQ(text_at(result(id), "status"), "denied");
}

TEST_F(ConfinedCommands, OrdinaryWorkInTheWorkspaceGoesOn) {
  shell("git init -q " + daemon.workspace());
  const json::object done =
      run("echo one > a.txt && git add a.txt && "
          "git -c user.name=a -c user.email=a@b commit -q -m one && "
          "git log --format=%s && mktemp /tmp/x.XXXXXX >/dev/null");
  EXPECT_EQ(text_at(done, "status"), "completed") << json::serialize(done);
  EXPECT_EQ(text_of(done), "one\n");
  EXPECT_TRUE(std::filesystem::exists(daemon.path("a.txt")));
}

TEST_F(ConfinedCommands, TmpIsKeptForTheSessionAndIsNotTheMachines) {
  run("echo kept > /tmp/toolhost-note");
  EXPECT_EQ(text_of(run("cat /tmp/toolhost-note")), "kept\n");
  EXPECT_EQ(std::filesystem::exists("/tmp/toolhost-note"), !enforced());
  if (!enforced()) std::filesystem::remove("/tmp/toolhost-note");
}

TEST_F(ConfinedCommands, AWriteOutsideIsStoppedAndTheModelIsToldWhatToDo) {
  // Of the person who runs the tests: not in /tmp, which is another folder
  // inside, and writable without the sandbox.
  const char* home = std::getenv("HOME");
  ASSERT_TRUE(home);
  const std::string marker = std::string(home) + "/.toolhost-test-marker-" +
                             std::to_string(daemon.pid());
  const json::object done = run("echo x > " + marker);
  if (!enforced()) {
    EXPECT_EQ(text_at(done, "status"), "completed");
    EXPECT_TRUE(std::filesystem::remove(marker));
    return;
  }
  EXPECT_FALSE(std::filesystem::exists(marker));
  EXPECT_EQ(text_at(done, "error.kind"), "sandboxDenied");
  EXPECT_EQ(text_at(done, "error.details.layer"), "files");
  EXPECT_THAT(text_at(done, "error.hint"), HasSubstr("outsideSandbox"));
}

TEST_F(ConfinedCommands, TheDaemonsOwnFilesAreNotThere) {
  const json::object done =
      run("ls " + daemon.state_dir() + " " + daemon.control_socket() +
          " 2>&1 | grep -c journal.db; true");
  EXPECT_EQ(text_of(done), enforced() ? "0\n" : "1\n");
}

TEST_F(ConfinedCommands, GoingOutsideIsAskedInItsOwnWordsAndNeverRemembered) {
  const std::string marker = daemon.home() + "/marker";
  const auto id = start("touch " + marker, true);
  const json::object asked = answer_next(gui, "allow_once");
  EXPECT_THAT(json::serialize(at(asked, "because")),
              HasSubstr("outside the sandbox"));
  EXPECT_THAT(json::serialize(at(asked, "options")),
              ::testing::Not(HasSubstr("allow_always")));
  EXPECT_EQ(text_at(result(id), "status"), "completed");
  EXPECT_TRUE(std::filesystem::exists(marker));
}

TEST_F(ConfinedCommands, WhatIsRememberedIsTheCommandAndNotItsArguments) {
  shell("git init -q " + daemon.workspace());
  const auto id = start("git status --short");
  const json::object asked =
      answer_next(gui, enforced() ? "allow_session" : "allow_once");
  EXPECT_EQ(text_at(result(id), "status"), "completed");
  const std::string options = json::serialize(at(asked, "options"));
  if (!enforced()) {
    EXPECT_THAT(options, ::testing::Not(HasSubstr("allow_session")));
    return;
  }
  EXPECT_THAT(options, HasSubstr("git status *"));
  // Another status runs at once; another command of the line does not.
  EXPECT_EQ(text_at(result(start("git status")), "status"), "completed");
  const auto other = start("git status && git clean -fdx");
  answer_next(gui, "reject_once");
  EXPECT_EQ(text_at(result(other), "status"), "denied");
}

TEST_F(SandboxedPreset, ACommandThatStaysInsideRunsWithoutAQuestion) {
  const auto id = start("echo hello > b.txt; cat b.txt");
  if (!enforced()) {
    answer_next(gui, "allow_once");
    EXPECT_EQ(text_at(result(id), "status"), "completed");
    return;
  }
  const json::object done = result(id);
  EXPECT_EQ(text_at(done, "status"), "completed") << json::serialize(done);
  EXPECT_EQ(text_of(done), "hello\n");
  EXPECT_EQ(pending(), 0u);
}

TEST_F(SandboxedPreset, WhatIsNotUnderstoodStillAsks) {
  const auto id = start("eval \"$(cat script)\"");
  answer_next(gui, "reject_once");
  EXPECT_EQ(text_at(result(id), "status"), "denied");
}

TEST_F(SandboxedPreset, LeavingTheSandboxStillAsks) {
  const auto id = start("true", true);
  answer_next(gui, "reject_once");
  EXPECT_EQ(text_at(result(id), "status"), "denied");
}

}  // namespace
}  // namespace toolhost::testing
