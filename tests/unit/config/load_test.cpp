#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/diff.hpp"

namespace toolhost::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Error fault(std::string_view text) {
  auto parsed = parse_config(text, "/c.jsonc");
  if (parsed) return make_error(Code::internal, "it was accepted");
  return std::move(parsed).error();
}

TEST(ParseConfig, GivesTheDefaultsForAnEmptyObject) {
  const Config config = parse_config("{}", "/c.jsonc").value();
  EXPECT_THAT(changed_keys(config, Config{}), ElementsAre());
  EXPECT_EQ(config.file, "/c.jsonc");
}

TEST(ParseConfig, ReadsEveryKindOfValue) {
  const Config config = parse_config(R"({
    "limits": {"frameBytes": 1048576, "runningCalls": 7},
    "approvals": {"timeoutMs": 5000, "selfApproval": "allow"},
    "sessions": {"sandboxMode": "read-only", "approvalPolicy": "always",
                 "mode": "plan", "implicit": "deny"},
    "tools": {"disabled": ["bash"], "bash": {"environment": ["GOPATH"]}},
    "rules": [{"permission": "bash", "pattern": "git *", "action": "allow"},
              {"permission": "edit", "action": "deny"}],
    "trustedWorkspaces": ["/srv/a"],
    "allowedUids": [1001],
    "journal": {"sync": "full"},
    "log": {"level": "debug", "file": "/var/log/t.log"},
    "drainGraceMs": 0,
  })",
                                     "f")
                            .value();
  EXPECT_EQ(config.limits.frame_bytes, 1048576U);
  EXPECT_EQ(config.limits.running_calls, 7);
  EXPECT_EQ(config.approvals.timeout, Milliseconds(5000));
  EXPECT_TRUE(config.approvals.self_approval);
  EXPECT_EQ(config.sessions.sandbox, SandboxMode::read_only);
  EXPECT_EQ(config.sessions.approvals, ApprovalPolicy::always);
  EXPECT_EQ(config.sessions.mode, SessionMode::plan);
  EXPECT_FALSE(config.sessions.implicit);
  EXPECT_THAT(config.tools.disabled, ElementsAre("bash"));
  EXPECT_THAT(config.tools.bash.environment, ElementsAre("GOPATH"));
  ASSERT_EQ(config.rules.size(), 2U);
  EXPECT_EQ(config.rules[0].pattern, "git *");
  EXPECT_EQ(config.rules[0].action, RuleAction::allow);
  EXPECT_EQ(config.rules[1].pattern, "*");
  EXPECT_EQ(config.rules[1].action, RuleAction::deny);
  EXPECT_THAT(config.trusted_workspaces, ElementsAre("/srv/a"));
  EXPECT_THAT(config.allowed_uids, ElementsAre(1001U));
  EXPECT_TRUE(config.journal.sync_full);
  EXPECT_EQ(config.log.level, "debug");
  EXPECT_EQ(config.log.file, "/var/log/t.log");
  EXPECT_EQ(config.drain_grace, Milliseconds(0));
}

TEST(ParseConfig, NamesTheNearestKeyOfAnUnknownOne) {
  const Error error = fault("{\n  \"limits\": {\"frameByte\": 1}\n}");
  EXPECT_EQ(error.message,
            "/c.jsonc:2:14: limits.frameByte is not a known key");
  EXPECT_EQ(error.hint, "Did you mean \"limits.frameBytes\"?");
  EXPECT_EQ(error.details.at("line").to_number<int>(), 2);
}

TEST(ParseConfig, FindsAKeyThatStandsInTheWrongSection) {
  EXPECT_THAT(fault(R"({"sandboxMode": "read-only"})").hint,
              HasSubstr("sessions.sandboxMode"));
  EXPECT_THAT(fault(R"({"limits.frameBytes": 70000})").hint,
              HasSubstr("one object in the other"));
}

TEST(ParseConfig, ListsWhatThereIsWhenNothingIsNear) {
  EXPECT_THAT(fault(R"({"journal": {"zzzzzzzz": 1}})").hint,
              HasSubstr("sync, keepCalls, keepForMs"));
}

TEST(ParseConfig, NamesThePathAndWhatIsAllowed) {
  EXPECT_EQ(fault(R"({"limits": {"connections": "many"}})").message,
            "/c.jsonc:1:13: limits.connections must be a whole number from 1 "
            "to 16384, not \"many\"");
  EXPECT_THAT(fault(R"({"journal": {"sync": "always"}})").message,
              HasSubstr("journal.sync must be \"normal\" or \"full\", not "
                        "\"always\""));
}

TEST(ParseConfig, RefusesNumbersOutOfTheirRange) {
  for (const char* value :
       {"0", "-1", "16385", "1.5", "1e400", "9223372036854775808",
        "18446744073709551615", "1e3", "true", "null", "[]", "{}"}) {
    const std::string text =
        std::string("{\"limits\": {\"connections\": ") + value + "}}";
    EXPECT_THAT(fault(text).message, HasSubstr("limits.connections must be"))
        << value;
  }
}

TEST(ParseConfig, RefusesASectionThatIsNoObject) {
  EXPECT_THAT(fault(R"({"tools": {"bash": 5}})").message,
              HasSubstr("tools.bash must be an object"));
  EXPECT_THAT(fault("[]").message, HasSubstr("must be an object"));
}

TEST(ParseConfig, NamesTheRuleThatIsWrong) {
  const auto rules = [](const std::string& rule) {
    return fault(
        "{\"rules\": [{\"permission\": \"a\", \"action\": \"ask\"},\n" + rule +
        "]}");
  };
  EXPECT_THAT(rules(R"({"permission": "b", "action": "alow"})").message,
              StartsWith("/c.jsonc:2:21: rules[1].action must be \"allow\""));
  EXPECT_THAT(rules(R"({"permission": "b"})").message,
              HasSubstr("rules[1] needs \"action\""));
  EXPECT_THAT(rules(R"({"permission": "", "action": "ask"})").message,
              HasSubstr("rules[1].permission is empty"));
  EXPECT_THAT(rules(R"({"permision": "b", "action": "deny"})").message,
              HasSubstr("rules[1].permision is not known"));
  EXPECT_THAT(rules("7").message, HasSubstr("rules[1] must be an object"));
}

TEST(ParseConfig, RefusesARelativeOrBoundlessWorkspace) {
  EXPECT_THAT(fault(R"({"trustedWorkspaces": ["/a", "~/b"]})").message,
              HasSubstr("trustedWorkspaces[1] must be an absolute path"));
  EXPECT_THAT(fault(R"({"trustedWorkspaces": ["/a/.."]})").message,
              HasSubstr("root folder"));
}

TEST(ParseConfig, NeverPassesTheSocketOrTheLoaderToCommands) {
  const auto with = [](const std::string& name) {
    return fault("{\"tools\": {\"bash\": {\"environment\": [\"" + name +
                 "\"]}}}")
        .message;
  };
  EXPECT_THAT(with("TOOLHOST_SOCK"), HasSubstr("may not be given"));
  EXPECT_THAT(with("LD_PRELOAD"), HasSubstr("may not be given"));
  EXPECT_THAT(with("A=B"), HasSubstr("must be the name"));
}

TEST(ParseConfig, OpensEverythingForTheFullAccessPreset) {
  const Config config =
      parse_config(R"({"preset": "full-access"})", "f").value();
  EXPECT_EQ(config.preset, "full-access");
  EXPECT_EQ(config.sessions.sandbox, SandboxMode::danger_full_access);
  EXPECT_EQ(config.sessions.approvals, ApprovalPolicy::automatic);
}

TEST(ParseConfig, LetsASingleKeyGoOverThePresetWhereverItStands) {
  const Config config =
      parse_config(
          R"({"sessions": {"sandboxMode": "read-only"}, "preset": "full-access"})",
          "f")
          .value();
  EXPECT_EQ(config.sessions.sandbox, SandboxMode::read_only);
  EXPECT_EQ(config.sessions.approvals, ApprovalPolicy::automatic);
}

TEST(ParseConfig, ThePresetSandboxedLetsConfinedCommandsRun) {
  const Config config = parse_config(R"({"preset": "sandboxed"})", "f").value();
  EXPECT_TRUE(config.sessions.run_sandboxed);
  EXPECT_EQ(config.sessions.sandbox, SandboxMode::workspace_write);
  EXPECT_EQ(config.sessions.approvals, ApprovalPolicy::on_request);
  EXPECT_FALSE(parse_config("{}", "f").value().sessions.run_sandboxed);
}

TEST(ParseConfig, RefusesADefaultOverItsMaximum) {
  EXPECT_THAT(fault(R"({"tools": {"bash": {"maxTimeoutMs": 60000}}})").message,
              HasSubstr("tools.bash.defaultTimeoutMs is 120000, which is over "
                        "tools.bash.maxTimeoutMs (60000)"));
}

TEST(ParseConfig, TellsAllFaultsAtOnceButNotEndlesslyMany) {
  const Error two = fault(R"({"nope": 1, "limits": {"connections": 0}})");
  EXPECT_THAT(two.message, HasSubstr("(and 1 more)"));
  EXPECT_EQ(two.details.at("faults").as_array().size(), 2U);
  std::string many = "{";
  for (int i = 0; i < 5000; ++i) {
    many += "\"unknown" + std::to_string(i) + "\": 1,";
  }
  EXPECT_EQ(fault(many + "}").details.at("faults").as_array().size(), 20U);
}

TEST(ParseConfig, CutsALongKeyInTheMessage) {
  const std::string text = "{\"" + std::string(500'000, 'k') + "\": 1}";
  EXPECT_LT(fault(text).message.size(), 300U);
}

TEST(ParseConfig, EscapesWhatATerminalWouldObey) {
  EXPECT_THAT(fault("{\"a\\u001b[2J\": 1}").message, HasSubstr("\\u{001B}"));
}

TEST(ParseConfig, SurvivesCutsOfTheDefaults) {
  for (std::size_t length = 0; length < kDefaultConfig.size(); length += 5) {
    (void)parse_config(kDefaultConfig.substr(0, length), "f");
  }
}

TEST(ParseConfig, SurvivesEveryByteInEveryPlace) {
  const std::string good =
      R"({"rules":[{"permission":"a","action":"ask"}],/**/"log":{}})";
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string text = good;
      text[at] = static_cast<char>(byte);
      (void)parse_config(text, "f");
    }
  }
}

}  // namespace
}  // namespace toolhost::config
