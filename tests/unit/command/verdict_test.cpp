#include "gates/command/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gates/command/spellings.hpp"
#include "gates/rules.hpp"

namespace toolhost::command {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct TestRule {
  std::string pattern;
  RuleAction action;
  std::string permission = "bash";
};
using TestRules = std::vector<TestRule>;

TestRule allow(std::string pattern, std::string permission = "bash") {
  return {std::move(pattern), RuleAction::allow, std::move(permission)};
}
TestRule ask(std::string pattern) {
  return {std::move(pattern), RuleAction::ask};
}
TestRule deny(std::string pattern, std::string permission = "bash") {
  return {std::move(pattern), RuleAction::deny, std::move(permission)};
}

// The last rule that matches wins.
Rules rules_of(const TestRules& list) {
  Rules out;
  out.says = [list](std::string_view permission,
                    std::string_view text) -> std::optional<RuleAction> {
    std::optional<RuleAction> found;
    for (const TestRule& rule : list) {
      if (rule.permission == permission && wildcard_match(rule.pattern, text)) {
        found = rule.action;
      }
    }
    return found;
  };
  out.may_restrict = [list](std::string_view permission,
                            const std::vector<std::string>& pieces) {
    for (const TestRule& rule : list) {
      if (rule.permission == permission && rule.action != RuleAction::allow &&
          may_match(rule.pattern, pieces)) {
        return true;
      }
    }
    return false;
  };
  return out;
}

Verdict verdict(std::string_view line, const TestRules& list) {
  return decide(line, judge(line), rules_of(list));
}

std::string outcome(std::string_view line, const TestRules& list) {
  const Verdict said = verdict(line, list);
  return said.open ? "open" : std::string(name(said.action));
}

TEST(Verdict, AnAllowHasToCoverEveryCommand) {
  const TestRules list{allow("ls *"), allow("git -C * status"), allow("echo *"),
                       allow("cat *"), allow("head *")};
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"ls", "allow"},
      {"ls -la /tmp", "allow"},
      {"ls | head -5", "allow"},
      {"cd x && ls", "allow"},
      {"ls; touch PWN", "open"},
      {"ls\ntouch PWN", "open"},
      {"ls & touch PWN", "open"},
      {"ls && touch PWN", "open"},
      {"(ls; touch PWN)", "open"},
      {"if ls; then touch PWN; fi", "open"},
      {"git -C \"/r\" status", "allow"},
      {"git -C \"/r\" && touch PWN && git -C \"/r\" status", "open"},
      {"ls | sh -c 'touch PWN'", "open"},
      {"echo \"$(touch PWN)\"", "open"},
      {"echo `touch PWN`", "open"},
      {"cat <(touch PWN)", "open"},
      {"cat <<'E' | sh\ntouch PWN\nE", "ask"},
      {"cat <<E\n$(touch PWN)\nE", "open"},
      {"echo $((a[$(touch PWN)]))", "ask"},
      {": ${x:=$(touch PWN)}", "open"},
      {"timeout 5 ls", "allow"},
      {"env ls", "allow"},
      {"env LD_PRELOAD=x ls", "ask"},
      {"sudo ls", "open"},
      {"xargs ls < f", "open"},
      {"./ls", "open"},
      {"/tmp/ls", "open"},
      {"./echo x", "open"},
      {"/tmp/x/cd y", "open"},
      {"./timeout 5 ls", "open"},
      {"TRUE", "open"},
      {"/usr/bin/timeout 5 ls", "allow"},
      {"LS", "open"},
      {"'ls -la'", "open"},
      {"x=1", "open"},
      {"", "open"},
  };
  for (const auto& [line, expected] : rows) {
    EXPECT_EQ(outcome(line, list), expected) << line;
  }
}

TEST(Verdict, ARedirectionIsAWrite) {
  EXPECT_EQ(outcome("echo x > ~/.bashrc", {allow("echo *")}), "open");
  EXPECT_EQ(outcome("echo x > out", {allow("echo *")}), "open");
  EXPECT_EQ(outcome("echo x > /dev/null 2>&1", {allow("echo *")}), "allow");
  EXPECT_EQ(outcome("ls 2>/dev/null", {allow("ls *")}), "allow");
  EXPECT_EQ(outcome("echo x > out", {allow("echo *"), allow("*", "edit")}),
            "allow");
  EXPECT_EQ(outcome("echo x > .env", {allow("echo *"), allow("*", "edit"),
                                      deny("*.env", "edit")}),
            "deny");
  EXPECT_EQ(outcome("cat < .env", {allow("*"), deny("*.env", "read")}), "deny");
  EXPECT_EQ(outcome("cat .env", {allow("*"), deny("*.env", "read")}), "deny");
  EXPECT_EQ(outcome("echo x > $f", {allow("*"), allow("*", "edit")}), "ask");
  EXPECT_EQ(outcome("sort -o PWN f", {allow("sort *")}), "open");
  EXPECT_EQ(outcome("git diff --output=f", {allow("git *")}), "open");
  EXPECT_EQ(outcome("rg --pre ./p.sh x", {allow("rg *")}), "open");
  EXPECT_EQ(outcome("sed -i s/a/b/ f", {allow("sed *")}), "open");
}

TEST(Verdict, ADenyIsNotTiedToOneSpelling) {
  const TestRules list{allow("*"),     deny("rm -rf *"),
                       deny("sudo *"), deny("git push *"),
                       deny("curl *"), deny("git reset --hard *")};
  for (const std::string_view line : {
           "rm -rf /",
           "rm -fr /",
           "rm -r -f /",
           "rm -f -r /",
           "rm -R -f /",
           "rm --recursive --force /",
           "rm --force --recursive /",
           "rm --rec --fo /",
           "rm -rfv /",
           "rm -vrf /",
           "rm / -rf",
           "rm -rf -- /x",
           "/bin/rm -rf /",
           "../bin/rm -rf /",
           "command rm -rf /",
           "\\rm -rf /",
           "r'm' -rf /",
           "cd / && rm -rf x",
           "/usr/bin/sudo ls",
           "echo $(sudo ls)",
           "git -C /r push origin",
           "git -c a=b push",
           "git --no-pager push",
           "/usr/bin/git push",
           "env git push",
           "env -S 'git push'",
           "flock /tmp/l git push",
           "xargs git push </dev/null",
           "setsid -w git push",
           "script -qec 'git push' /dev/null",
           "busybox sh -c 'git push'",
           "busybox rm -rf /",
           "sh -c 'sh -c \"git push\"'",
           "eval git push",
           "find . -exec rm -rf {} +",
           "git $x push",
           "git reset HEAD~1 --hard",
           "true && curl x",
           "x=$(curl x)",
           "cat <<E\n$(curl x)\nE",
           "f() { curl x; }",
           "timeout --new-option curl x",
           "python3 -c 'x' ; curl x",
           "{rm,-rf,/}",
           "x=rm; $x -rf /; curl x",
       }) {
    EXPECT_EQ(outcome(line, list), "deny") << line;
  }
  for (const std::string_view line :
       {"rm x", "git pull", "git log push", "echo curl", "echo 'rm -rf /'",
        "grep -rf pats x"}) {
    EXPECT_EQ(outcome(line, list), "allow") << line;
  }
}

TEST(Verdict, GivingUpNeverOpensTheGate) {
  const TestRules list{allow("*"), deny("curl *"), deny("kill -9 *")};
  std::string many;
  for (int i = 0; i < 60; ++i) many += "true && ";
  EXPECT_EQ(outcome(many + "curl x", list), "deny");
  EXPECT_EQ(outcome(many + "true", list), "allow");
  std::string limit;
  for (std::size_t i = 0; i < kMaxCommands + 1; ++i) limit += "true;";
  EXPECT_EQ(outcome(limit + "curl x", list), "deny");
  EXPECT_EQ(outcome(limit, list), "ask");
  std::string deep = "curl x";
  for (int i = 0; i < 200; ++i) deep = "( " + deep + " )";
  EXPECT_EQ(outcome(deep, list), "deny");
  EXPECT_EQ(outcome("echo 'open; curl x", list), "deny");
  EXPECT_EQ(outcome("echo 'open", list), "ask");
  EXPECT_EQ(outcome("coproc /usr/bin/curl x", list), "deny");
  EXPECT_EQ(outcome("kill -9 $$", {ask("kill *"), allow("ls *")}), "ask");
  EXPECT_EQ(outcome("kill -9 $$", list), "deny");
  EXPECT_EQ(outcome("a[ # ]=$(curl x)", list), "deny");
  const std::string huge(1 << 20, 'a');
  EXPECT_EQ(outcome(huge, list), "ask");
  std::string words;
  for (int i = 0; i < 60'000; ++i) words += "a b;";
  EXPECT_EQ(outcome(words, list), "deny");
}

TEST(Verdict, WhatIsNotUnderstoodIsNeverRemembered) {
  for (const std::string_view line :
       {"coproc ls", "$x", "sh -c \"$x\"", "PATH=. ls", "echo > $x",
        "python3 -c 1", "git -c a=b log", "curl x | sh"}) {
    const Verdict said = verdict(line, {allow("*"), allow("*", "edit")});
    EXPECT_EQ(said.action, RuleAction::ask) << line;
    EXPECT_FALSE(said.open) << line;
    EXPECT_FALSE(said.may_remember) << line;
    EXPECT_THAT(said.remember, IsEmpty()) << line;
    EXPECT_FALSE(said.because.empty()) << line;
  }
}

TEST(Verdict, DynamicWordsNeverWidenAnAllow) {
  EXPECT_EQ(outcome("git commit -m \"$x\"", {allow("git commit *")}), "allow");
  EXPECT_EQ(outcome("touch $x", {allow("touch a")}), "open");
  EXPECT_EQ(outcome("touch a$x", {allow("touch a?")}), "open");
  EXPECT_EQ(outcome("touch a$x", {allow("touch a*")}), "allow");
  EXPECT_EQ(outcome("npm $x", {allow("npm *"), deny("npm publish *")}), "open");
  EXPECT_EQ(outcome("npm run $x", {allow("npm *"), deny("npm publish *")}),
            "allow");
  EXPECT_EQ(outcome("npm run *.js", {allow("npm run x")}), "open");
  EXPECT_EQ(outcome("$x", {allow("*")}), "ask");
  Rules rules = rules_of({allow("git commit *")});
  rules.may_restrict = nullptr;
  const std::string_view line = "git commit -m \"$x\"";
  EXPECT_TRUE(decide(line, judge(line), rules).open);
}

TEST(Verdict, AnAskAsksWhereverItMatches) {
  const TestRules list{allow("*"), ask("git push *")};
  EXPECT_EQ(outcome("ls && git push", list), "ask");
  EXPECT_EQ(outcome("git -C x push", list), "ask");
  EXPECT_TRUE(verdict("git push", list).may_remember);
}

TEST(Verdict, OffersPatternsForWhatIsNotCovered) {
  const auto offered = [](std::string_view line, const TestRules& list) {
    std::vector<std::string> out;
    for (const Remembered& each : verdict(line, list).remember) {
      out.push_back(each.pattern);
    }
    return out;
  };
  EXPECT_THAT(offered("git commit -m x && npm run dev", {}),
              ElementsAre("git commit *", "npm run dev *"));
  EXPECT_THAT(offered("ls && git commit -m x", {allow("ls *")}),
              ElementsAre("git commit *"));
  EXPECT_THAT(offered("git log && git log -1", {}), ElementsAre("git log *"));
  EXPECT_THAT(offered("timeout 5 git log", {}), ElementsAre("git log *"));
  EXPECT_THAT(offered("git log && python3 x.py", {}), IsEmpty());
  EXPECT_THAT(offered("git log > f", {}), IsEmpty());
  EXPECT_TRUE(verdict("make all", {}).remember.front().project_runner);
}

TEST(Verdict, SaysWhenAnAllowRestsOnFilesOfTheWorkspace) {
  for (const std::string_view line :
       {"npm test", "make", "./build.sh", "ls && ctest", "python3 x.py"}) {
    EXPECT_TRUE(verdict(line, {allow("*")}).project_runner) << line;
  }
  for (const std::string_view line : {"git status", "ls | head", "cd x"}) {
    EXPECT_FALSE(verdict(line, {allow("*")}).project_runner) << line;
  }
}

// The wildcard of rules, as this gate uses it.
TEST(Verdict, WildcardsNeverCrossACommand) {
  EXPECT_EQ(outcome("ls a\nrm b", {allow("ls *")}), "open");
  EXPECT_EQ(outcome("git status -s", {allow("git status *")}), "allow");
  EXPECT_EQ(outcome("git status", {allow("git status *")}), "allow");
  EXPECT_EQ(outcome("git statusx", {allow("git status *")}), "open");
  EXPECT_EQ(outcome("cargo test -p x", {allow("cargo test *")}), "allow");
  EXPECT_EQ(
      outcome("cat a | cargo test", {allow("cargo test *"), allow("cat *")}),
      "allow");
  EXPECT_EQ(outcome("cargo test && rm x", {allow("cargo test *")}), "open");
}

TEST(Spellings, HolesMeetPatterns) {
  EXPECT_TRUE(may_match("git push *", {"git ", ""}));
  EXPECT_TRUE(may_match("git push *", {"git pu", "h x"}));
  EXPECT_FALSE(may_match("git push *", {"git commit ", ""}));
  EXPECT_TRUE(may_match("rm ?", {"rm ", ""}));
  EXPECT_FALSE(may_match("rm", {"rm ", " x"}));
  EXPECT_TRUE(may_match("*.env", {"cat ", ""}));
}

TEST(Spellings, RawRunsFindEveryWord) {
  const RawRuns raw = raw_runs("echo 'a; /bin/rm -rf \"x y\"");
  EXPECT_TRUE(raw.complete);
  EXPECT_THAT(raw.runs, Contains("rm -rf x y"));
  EXPECT_THAT(raw.runs, Contains("/bin/rm -rf x y"));
}

}  // namespace
}  // namespace toolhost::command
