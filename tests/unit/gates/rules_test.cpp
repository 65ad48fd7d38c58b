// Over 400 lines because the rules and the file that keeps them are one
// contract.
#include "gates/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using toolhost::testing::TempDir;

config::Rule configured(std::string permission, std::string pattern,
                        RuleAction action) {
  config::Rule rule;
  rule.permission = std::move(permission);
  rule.pattern = std::move(pattern);
  rule.action = action;
  return rule;
}

Rule rule(std::string permission, std::string pattern, RuleAction action,
          Scope scope = Scope::always) {
  Rule out;
  out.permission = std::move(permission);
  out.pattern = std::move(pattern);
  out.action = action;
  out.scope = scope;
  if (scope == Scope::workspace) out.workspace = "/w";
  if (scope == Scope::session || scope == Scope::turn) out.session = "s";
  if (scope == Scope::turn) out.turn = "t";
  return out;
}

RuleQuestion question(std::string_view permission, std::string_view pattern) {
  RuleQuestion out;
  out.permission = permission;
  out.pattern = pattern;
  out.workspace = "/w";
  out.session = "s";
  out.turn = "t";
  return out;
}

constexpr RuleAction kAllow = RuleAction::allow;
constexpr RuleAction kAsk = RuleAction::ask;
constexpr RuleAction kDeny = RuleAction::deny;

class Rules : public ::testing::Test {
 protected:
  std::string file() const { return directory_ / "rules.jsonc"; }
  void write(std::string_view text) {
    toolhost::testing::write_file(file(), text);
    ASSERT_EQ(chmod(file().c_str(), 0600), 0);
  }
  // One rule that allows everything: the worst file to trust by mistake.
  void write_allow_all() {
    write(R"({"version":1,"rules":[{"permission":"*","pattern":"*",)"
          R"("action":"allow","scope":"always"}]})");
  }
  RuleStore store(std::vector<config::Rule> rules = {}) {
    return RuleStore(file(), std::move(rules));
  }

  TempDir directory_;
};

TEST_F(Rules, NoRuleIsNoVerdict) {
  EXPECT_FALSE(store().judge(question("bash", "ls")).action);
}

TEST_F(Rules, TheLastConfiguredMatchWins) {
  const RuleStore rules = store(
      {configured("bash", "*", kDeny), configured("bash", "git *", kAllow)});
  EXPECT_EQ(rules.judge(question("bash", "git log")).action, kAllow);
  EXPECT_EQ(rules.judge(question("bash", "ls")).action, kDeny);
}

TEST_F(Rules, AConfiguredDenyIsNotLiftedByARememberedAllow) {
  RuleStore rules = store({configured("bash", "*", kDeny)});
  ASSERT_TRUE(rules.remember(rule("bash", "*", kAllow)));
  const RuleVerdict verdict = rules.judge(question("bash", "ls"));
  EXPECT_EQ(verdict.action, kDeny);
  EXPECT_EQ(verdict.matched.back().id, "config:1");
  EXPECT_EQ(verdict.matched.size(), 2U);
}

TEST_F(Rules, ARememberedDenyIsNotLiftedByABroaderLaterAllow) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("bash", "git push *", kDeny)));
  ASSERT_TRUE(rules.remember(rule("bash", "git *", kAllow, Scope::session)));
  EXPECT_EQ(rules.judge(question("bash", "git push")).action, kDeny);
  EXPECT_EQ(rules.judge(question("bash", "git log")).action, kAllow);
}

TEST_F(Rules, AnAllowAnswersOnlyAnAskThatItLiesInside) {
  RuleStore rules = store(
      {configured("read", "*", kAllow), configured("read", "*.env", kAsk)});
  ASSERT_TRUE(rules.remember(rule("read", "*", kAllow)));
  EXPECT_EQ(rules.judge(question("read", "p/.env")).action, kAsk);
  ASSERT_TRUE(rules.remember(rule("read", "p/.env", kAllow)));
  EXPECT_EQ(rules.judge(question("read", "p/.env")).action, kAllow);
}

TEST_F(Rules, ARememberedAllowAnswersAWideConfiguredAsk) {
  RuleStore rules = store({configured("bash", "*", kAsk)});
  ASSERT_TRUE(rules.remember(rule("bash", "npm *", kAllow)));
  EXPECT_EQ(rules.judge(question("bash", "npm test")).action, kAllow);
}

TEST_F(Rules, APermissionMayBeAWildcard) {
  const RuleStore rules = store({configured("mcp__github__*", "*", kDeny)});
  EXPECT_EQ(rules.judge(question("mcp__github__push", "x")).action, kDeny);
  EXPECT_FALSE(rules.judge(question("mcp__gitlab__push", "x")).action);
}

TEST_F(Rules, ScopesCountOnlyWhereTheyWereGiven) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("a", "*", kAllow, Scope::workspace)));
  ASSERT_TRUE(rules.remember(rule("b", "*", kAllow, Scope::session)));
  ASSERT_TRUE(rules.remember(rule("c", "*", kAllow, Scope::turn)));
  RuleQuestion elsewhere = question("a", "x");
  elsewhere.workspace = "/w2";
  EXPECT_FALSE(rules.judge(elsewhere).action);
  elsewhere = question("b", "x");
  elsewhere.session = "s2";
  EXPECT_FALSE(rules.judge(elsewhere).action);
  elsewhere = question("c", "x");
  elsewhere.turn = "t2";
  EXPECT_FALSE(rules.judge(elsewhere).action);
  EXPECT_EQ(rules.judge(question("a", "x")).action, kAllow);
  EXPECT_EQ(rules.judge(question("b", "x")).action, kAllow);
  EXPECT_EQ(rules.judge(question("c", "x")).action, kAllow);
}

TEST_F(Rules, TheEndOfASessionForgetsItsRules) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("b", "*", kAllow, Scope::session)));
  ASSERT_TRUE(rules.remember(rule("b", "*", kAllow, Scope::turn)));
  rules.forget_session("s");
  EXPECT_TRUE(rules.list().empty());
}

TEST_F(Rules, RememberedRulesSurviveARestart) {
  std::string id;
  {
    RuleStore rules = store();
    Rule kept = rule("bash", "git \"x\" *", kAllow, Scope::workspace);
    kept.text = "Allow git in /w.";
    kept.created_by = "gui";
    auto remembered = rules.remember(kept);
    ASSERT_TRUE(remembered);
    id = remembered->id;
    ASSERT_TRUE(rules.remember(rule("edit", "*", kAllow, Scope::session)));
  }
  const RuleStore rules = store();
  ASSERT_EQ(rules.list().size(), 1U);
  EXPECT_EQ(rules.list()[0].id, id);
  EXPECT_EQ(rules.list()[0].pattern, "git \"x\" *");
  EXPECT_EQ(rules.list()[0].text, "Allow git in /w.");
  EXPECT_EQ(rules.list()[0].created_by, "gui");
}

TEST_F(Rules, TheFileIsPrivateAndLeavesNoTemporaryBehind) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("bash", "ls *", kAllow)));
  struct stat status {};
  ASSERT_EQ(stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(directory_.path())) {
    files += entry.is_regular_file();
  }
  EXPECT_EQ(files, 1);
}

TEST_F(Rules, TheFileTellsAPersonThatCommentsGetLost) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("bash", "ls *", kAllow)));
  EXPECT_THAT(toolhost::testing::read_file(file()),
              HasSubstr("comments are lost"));
}

TEST_F(Rules, IdenticalRulesAreOne) {
  RuleStore rules = store();
  const auto first = rules.remember(rule("bash", "ls *", kAllow));
  const auto second = rules.remember(rule("bash", "ls *", kAllow));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->id, second->id);
  EXPECT_EQ(rules.list().size(), 1U);
}

TEST_F(Rules, TheSameSubjectWithAnotherActionReplaces) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("bash", "ls *", kDeny)));
  ASSERT_TRUE(rules.remember(rule("bash", "ls *", kAllow)));
  EXPECT_EQ(rules.list().size(), 1U);
  EXPECT_EQ(rules.judge(question("bash", "ls")).action, kAllow);
}

TEST_F(Rules, ACallIsNotRemembered) {
  RuleStore rules = store();
  EXPECT_EQ(
      rules.remember(rule("bash", "ls", kAllow, Scope::call)).error().code,
      Code::invalid_params);
}

TEST_F(Rules, APatternThatJsonCannotCarryIsRefused) {
  RuleStore rules = store();
  EXPECT_FALSE(rules.remember(rule("bash", "ls \xff", kAllow)));
}

TEST_F(Rules, RemovingAnUnknownRuleIsRuleNotFound) {
  RuleStore rules = store();
  EXPECT_EQ(rules.remove("rule_x").error().code, Code::rule_not_found);
}

TEST_F(Rules, AConfiguredRuleIsNotRemovedHere) {
  RuleStore rules = store({configured("bash", "*", kDeny)});
  EXPECT_EQ(rules.remove("config:1").error().code, Code::forbidden);
}

TEST_F(Rules, ARemovedRuleIsGoneFromTheFile) {
  RuleStore rules = store();
  const auto kept = rules.remember(rule("bash", "ls *", kAllow));
  ASSERT_TRUE(kept);
  ASSERT_TRUE(rules.remove(kept->id));
  EXPECT_TRUE(store().list().empty());
}

TEST_F(Rules, HitsAreCountedInMemoryAndSavedWithTheNextRule) {
  RuleStore rules = store();
  const auto kept = rules.remember(rule("bash", "ls *", kAllow));
  ASSERT_TRUE(kept);
  rules.used(kept->id, "2026-01-31T00:00:00.000Z");
  rules.used(kept->id, "2026-01-31T00:00:01.000Z");
  EXPECT_EQ(store().list()[0].hits, 0U);
  ASSERT_TRUE(rules.remember(rule("bash", "cat *", kAllow)));
  const RuleStore again = store();
  EXPECT_EQ(again.list()[0].hits, 2U);
  EXPECT_EQ(again.list()[0].last_used_at, "2026-01-31T00:00:01.000Z");
}

TEST_F(Rules, APersonMayWriteCommentsAndLeaveFieldsOut) {
  write(R"(// mine
{ "version": 1, "rules": [
  { "permission": "bash", "pattern": "ls *", "action": "allow",
    "scope": "always" }, /* last */
] })");
  const RuleStore rules = store();
  EXPECT_EQ(rules.trouble(), "");
  EXPECT_EQ(rules.judge(question("bash", "ls")).action, kAllow);
  EXPECT_EQ(rules.list()[0].text, "Allow bash: ls *");
}

TEST_F(Rules, AnEditOfAPersonIsNotOverwritten) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("bash", "ls *", kAllow)));
  write(R"({"version":1,"rules":[{"permission":"edit","pattern":"x",)"
        R"("action":"deny","scope":"always"}]})");
  ASSERT_TRUE(rules.remember(rule("bash", "cat *", kAllow)));
  const std::vector<Rule> list = store().list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].permission, "edit");
  EXPECT_EQ(list[1].pattern, "cat *");
}

TEST_F(Rules, ABrokenFileAllowsNothingAndSaysWhere) {
  write("{\"version\": 1,\n\"rules\": [}");
  RuleStore rules = store();
  EXPECT_THAT(rules.trouble(), HasSubstr("rules.jsonc:2:"));
  const auto refused = rules.remember(rule("bash", "ls", kAllow));
  EXPECT_EQ(refused.error().code, Code::config_invalid);
  EXPECT_EQ(toolhost::testing::read_file(file()),
            "{\"version\": 1,\n\"rules\": [}");
}

TEST_F(Rules, WhatBreaksLaterKeepsDeniesAndDropsAllows) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("bash", "rm *", kDeny)));
  ASSERT_TRUE(rules.remember(rule("bash", "ls *", kAllow)));
  ASSERT_TRUE(rules.remember(rule("edit", "*", kAllow, Scope::session)));
  write("oops");
  rules.reload();
  EXPECT_NE(rules.trouble(), "");
  EXPECT_EQ(rules.judge(question("bash", "rm x")).action, kDeny);
  EXPECT_FALSE(rules.judge(question("bash", "ls")).action);
  EXPECT_FALSE(rules.judge(question("edit", "a")).action);
}

TEST_F(Rules, ARepairedFileCountsAgain) {
  write("oops");
  RuleStore rules = store();
  write_allow_all();
  rules.reload();
  EXPECT_EQ(rules.trouble(), "");
  EXPECT_EQ(rules.judge(question("bash", "ls")).action, kAllow);
}

TEST_F(Rules, UnknownKeysAreRefusedBecauseTheyMightNarrow) {
  write(R"({"version":1,"rules":[{"permission":"*","pattern":"*",)"
        R"("action":"allow","scope":"always","expiresAt":"2026"}]})");
  const RuleStore rules = store();
  EXPECT_THAT(rules.trouble(), HasSubstr("expiresAt"));
  EXPECT_FALSE(rules.judge(question("bash", "ls")).action);
}

TEST_F(Rules, ANewerVersionIsRefused) {
  write(R"({"version":2,"rules":[]})");
  EXPECT_THAT(store().trouble(), HasSubstr("version 1"));
}

TEST_F(Rules, AWorkspaceRuleWithoutAWorkspaceIsRefused) {
  write(R"({"version":1,"rules":[{"permission":"*","pattern":"*",)"
        R"("action":"allow","scope":"workspace"}]})");
  EXPECT_THAT(store().trouble(), HasSubstr("no workspace"));
}

TEST_F(Rules, ASymbolicLinkIsRefused) {
  write_allow_all();
  const std::string real = directory_ / "real.jsonc";
  ASSERT_EQ(rename(file().c_str(), real.c_str()), 0);
  ASSERT_EQ(symlink(real.c_str(), file().c_str()), 0);
  const RuleStore rules = store();
  EXPECT_THAT(rules.trouble(), HasSubstr("symbolic link"));
  EXPECT_FALSE(rules.judge(question("bash", "ls")).action);
}

TEST_F(Rules, AFileThatTheGroupMayWriteIsRefused) {
  write_allow_all();
  ASSERT_EQ(chmod(file().c_str(), 0660), 0);
  EXPECT_THAT(store().trouble(), HasSubstr("others may write"));
}

TEST_F(Rules, AFileWithASecondNameIsRefused) {
  write_allow_all();
  ASSERT_EQ(link(file().c_str(), (directory_ / "b").c_str()), 0);
  EXPECT_THAT(store().trouble(), HasSubstr("second name"));
}

TEST_F(Rules, AFolderThatOthersMayWriteIsRefused) {
  write_allow_all();
  ASSERT_EQ(chmod(directory_.path().c_str(), 0777), 0);
  EXPECT_THAT(store().trouble(), HasSubstr("others may replace"));
}

TEST_F(Rules, AFifoInItsPlaceDoesNotHangTheStart) {
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_THAT(store().trouble(), HasSubstr("not a regular file"));
}

TEST_F(Rules, AFolderThatCannotBeMadeRemembersNothing) {
  toolhost::testing::write_file(directory_ / "plain", "");
  RuleStore rules(directory_ / "plain/sub/rules.jsonc", {});
  const auto refused = rules.remember(rule("bash", "ls", kAllow));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Not a directory"));
  EXPECT_TRUE(rules.list().empty());
}

TEST_F(Rules, TheNumberOfRulesIsBounded) {
  std::string text = R"({"version":1,"rules":[)";
  for (std::size_t n = 0; n < RuleStore::kMaxRules; ++n) {
    if (n > 0) text += ",";
    text += R"({"permission":"bash","action":"allow","scope":"always",)"
            R"("pattern":")" +
            std::to_string(n) + R"("})";
  }
  write(text + "]}");
  RuleStore rules = store();
  EXPECT_EQ(rules.trouble(), "");
  EXPECT_EQ(rules.remember(rule("bash", "x", kAllow)).error().code,
            Code::quota_exceeded);
}

TEST_F(Rules, AFileWithTooManyRulesIsRefused) {
  std::string text = R"({"version":1,"rules":[)";
  for (std::size_t n = 0; n <= RuleStore::kMaxRules; ++n) {
    text += n > 0 ? ",{}" : "{}";
  }
  write(text + "]}");
  EXPECT_THAT(store().trouble(), HasSubstr("more than"));
}

TEST_F(Rules, AHugeFileIsRefused) {
  write(std::string(RuleStore::kMaxFileBytes + 1, ' '));
  EXPECT_THAT(store().trouble(), HasSubstr("larger than"));
}

TEST_F(Rules, AFullDiskKeepsTheOldFileAndRemembersNothing) {
  RuleStore rules = store();
  ASSERT_TRUE(rules.remember(rule("bash", "ls *", kAllow)));
  const std::string before = toolhost::testing::read_file(file());
  signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  rlimit full = old;
  full.rlim_cur = 32;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const auto refused = rules.remember(rule("bash", "cat *", kAllow));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("File too large"));
  EXPECT_EQ(toolhost::testing::read_file(file()), before);
  EXPECT_EQ(rules.list().size(), 1U);
  const std::filesystem::directory_iterator files(directory_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(Rules, AVerdictNamesABoundedNumberOfRules) {
  std::vector<config::Rule> many(100, configured("bash", "*", kAllow));
  const RuleVerdict verdict = store(many).judge(question("bash", "ls"));
  ASSERT_EQ(verdict.matched.size(), RuleStore::kMaxMatched);
  EXPECT_EQ(verdict.matched.back().id, "config:100");
}

// The definition, word by word.
std::optional<RuleAction> oracle(const std::vector<Rule>& rules,
                                 const RuleQuestion& asked) {
  std::optional<Rule> configured;
  std::optional<Rule> remembered;
  bool denied = false;
  for (const Rule& one : rules) {
    if (!wildcard_match(one.permission, asked.permission)) continue;
    if (!wildcard_match(one.pattern, asked.pattern)) continue;
    if (one.id.starts_with("config:")) {
      configured = one;
    } else {
      remembered = one;
      denied = denied || one.action == kDeny;
    }
  }
  if (configured && configured->action == kDeny) return kDeny;
  if (denied) return kDeny;
  if (!remembered && !configured) return std::nullopt;
  if (!remembered) return configured->action;
  const bool question_stands =
      configured && configured->action == kAsk &&
      remembered->action == kAllow &&
      !(wildcard_match(configured->permission, remembered->permission) &&
        wildcard_match(configured->pattern, remembered->pattern));
  return question_stands ? kAsk : remembered->action;
}

TEST_F(Rules, VerdictsAgreeWithTheDefinition) {
  std::mt19937 random(7);
  const char* permissions[] = {"*", "bash", "edit"};
  const char* patterns[] = {"*", "a*", "ab", "*b", "b", "a *"};
  const char* texts[] = {"a", "ab", "b", "a b", "c"};
  const RuleAction actions[] = {kAllow, kAsk, kDeny, kAllow};
  const Scope scopes[] = {Scope::session, Scope::turn};
  for (int round = 0; round < 300; ++round) {
    std::vector<config::Rule> first;
    for (auto n = random() % 4; n > 0; --n) {
      first.push_back(configured(permissions[random() % 3],
                                 patterns[random() % 6],
                                 actions[random() % 4]));
    }
    RuleStore rules = store(first);
    for (auto n = random() % 4; n > 0; --n) {
      ASSERT_TRUE(
          rules.remember(rule(permissions[random() % 3], patterns[random() % 6],
                              actions[random() % 4], scopes[random() % 2])));
    }
    for (const char* text : texts) {
      const RuleQuestion asked = question("bash", text);
      ASSERT_EQ(rules.judge(asked).action, oracle(rules.list(), asked));
    }
  }
}

}  // namespace
}  // namespace toolhost
