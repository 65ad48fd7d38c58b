#include "config/hook_setting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/diff.hpp"
#include "config/load.hpp"
#include "config/loopback_url.hpp"

namespace toolhost::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Hook hook(const std::string& text) {
  Hook out;
  const auto fault = read_hook(json::parse(text), out);
  EXPECT_FALSE(fault) << fault->what;
  return out;
}

std::string fault_of(const std::string& text) {
  Hook out;
  const auto fault = read_hook(json::parse(text), out);
  if (!fault) return "it was accepted";
  return (fault->below.empty() ? "" : fault->below[0] + " ") + fault->what;
}

TEST(HookSetting, ReadsACommandAsAShellStringOrAsAList) {
  const Hook shell = hook(R"({"phase": "PreToolUse", "command": "a | b"})");
  EXPECT_THAT(shell.command, ElementsAre("/bin/sh", "-c", "a | b"));
  EXPECT_EQ(shell.name, "a | b");
  EXPECT_EQ(shell.timeout, Milliseconds(60'000));
  const Hook list = hook(
      R"({"phase": "TurnEnd", "command": ["/opt/my hook", "x"], "cwd": "/"})");
  EXPECT_THAT(list.command, ElementsAre("/opt/my hook", "x"));
  EXPECT_EQ(list.phase, HookPhase::turn_end);
}

TEST(HookSetting, ReadsAWorkflow) {
  const Hook workflow = hook(
      R"({"phase": "PostToolUse", "workflow": "lint", "mode": "rewrite",
          "baseUrl": "unix:/run/wf.sock", "secretFile": "/home/me/secret",
          "timeoutMs": 500})");
  EXPECT_EQ(workflow.workflow, "lint");
  EXPECT_EQ(workflow.mode, HookMode::rewrite);
  EXPECT_TRUE(workflow.fail_closed);
  EXPECT_EQ(workflow.timeout, Milliseconds(500));
}

TEST(HookSetting, FailsClosedInAPhaseThatCanSayNoUnlessToldOtherwise) {
  const auto closed = [](const std::string& phase, const std::string& more) {
    return hook("{\"phase\": \"" + phase + "\", \"command\": \"x\"" + more +
                "}")
        .fail_closed;
  };
  EXPECT_TRUE(closed("PreToolUse", ""));
  EXPECT_TRUE(closed("PostToolUse", ""));
  EXPECT_TRUE(closed("UserPromptSubmit", ""));
  EXPECT_FALSE(closed("TurnStart", ""));
  EXPECT_FALSE(closed("TurnEnd", ""));
  EXPECT_FALSE(closed("PreCompact", ""));
  EXPECT_FALSE(closed("PreToolUse", R"(, "onFailure": "warn")"));
  EXPECT_THAT(
      fault_of(
          R"({"phase": "TurnEnd", "command": "x", "onFailure": "refuse"})"),
      HasSubstr("only observes"));
}

TEST(HookSetting, WritesWhatItReads) {
  for (const char* text : {
           R"({"phase": "PreToolUse", "command": "a", "matcher": "e*|w"})",
           R"({"phase": "PostToolUse", "command": ["/b", "c"],
               "toolNames": ["edit"], "clientSurfaces": ["gui"],
               "name": "n", "cwd": "/d", "onFailure": "warn"})",
           R"({"phase": "TurnStart", "workflow": "w",
               "baseUrl": "http://localhost:99/p"})",
       }) {
    const Hook read = hook(text);
    Hook again;
    ASSERT_FALSE(read_hook(write_hook(read), again)) << text;
    EXPECT_EQ(read, again) << text;
  }
}

TEST(HookSetting, NamesWhatIsWrong) {
  EXPECT_THAT(fault_of("7"), HasSubstr("must be an object"));
  EXPECT_THAT(fault_of(R"({"command": "x"})"), HasSubstr("needs \"phase\""));
  EXPECT_THAT(fault_of(R"({"phase": "PreTool", "command": "x"})"),
              HasSubstr("phase must be PreToolUse"));
  EXPECT_THAT(fault_of(R"({"phase": "TurnEnd"})"),
              HasSubstr("either \"command\" or \"workflow\""));
  EXPECT_THAT(fault_of(R"({"phase": "TurnEnd", "comand": "x"})"),
              HasSubstr("did you mean \"command\""));
  EXPECT_THAT(fault_of(R"({"phase": "TurnEnd", "command": []})"),
              HasSubstr("list of 1 to 256"));
  EXPECT_THAT(fault_of(R"({"phase": "TurnEnd", "command": ["./x"]})"),
              HasSubstr("absolute path or a name"));
  EXPECT_THAT(
      fault_of(R"({"phase": "TurnEnd", "command": "x", "timeoutMs": 5})"),
      HasSubstr("timeoutMs must be a whole number from 10"));
  EXPECT_THAT(
      fault_of(R"({"phase": "TurnEnd", "command": "x", "matcher": "edit"})"),
      HasSubstr("knows no tool"));
  EXPECT_THAT(
      fault_of(R"({"phase": "TurnEnd", "command": "x", "mode": "block"})"),
      HasSubstr("belongs to a workflow"));
}

TEST(HookSetting, SendsAWorkflowToThisMachineOnly) {
  const auto with = [](const std::string& url) {
    return fault_of(R"({"phase": "TurnEnd", "workflow": "w", "baseUrl": ")" +
                    url + "\"}");
  };
  EXPECT_EQ(with("http://127.0.0.1:80"), "it was accepted");
  EXPECT_EQ(with("unix:/a"), "it was accepted");
  for (const char* url :
       {"http://example.org", "http://127.0.0.1.evil.org", "https://localhost",
        "http://localhost@evil.org", "http://localhost:0",
        "http://localhost:99999", "http://localhost:80x", "unix:relative",
        "http://localhost/a b", "http://0.0.0.0:1", "ftp://localhost", ""}) {
    EXPECT_THAT(with(url), HasSubstr("baseUrl")) << url;
  }
}

TEST(LoopbackUrl, KeepsPortHostAndPrefix) {
  const auto url = parse_loopback_url("http://[::1]:8080/api/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->address, "::1");
  EXPECT_EQ(url->port, 8080);
  EXPECT_EQ(url->host, "[::1]:8080");
  EXPECT_EQ(url->prefix, "/api");
  EXPECT_EQ(parse_loopback_url("unix:/run/a.sock")->socket, "/run/a.sock");
  EXPECT_FALSE(parse_loopback_url("unix:/" + std::string(200, 'a')));
}

TEST(HookSetting, IsNamedWithItsPlaceInTheFile) {
  const auto parsed = parse_config(
      "{\"hooks\": [{\"phase\": \"TurnEnd\", \"command\": \"x\"},\n"
      "  {\"phase\": \"Never\", \"command\": \"x\"}]}",
      "/c.jsonc");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().message,
              HasSubstr("/c.jsonc:2:4: hooks[1].phase must be"));
}

TEST(HookSetting, AChangedHookIsAChangedKey) {
  Config changed;
  changed.hooks.push_back(hook(R"({"phase": "TurnEnd", "command": "x"})"));
  EXPECT_THAT(changed_keys(Config{}, changed), ElementsAre("hooks"));
}

}  // namespace
}  // namespace toolhost::config
