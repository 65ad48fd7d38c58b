// Sessions across a restart.
#include "gates/session_store.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

class SessionStoreTest : public ::testing::Test {
 protected:
  // What another life of the daemon loads.
  void restart() {
    ASSERT_TRUE(store.save(sessions, rules));
    const auto loaded = store.load(later, later_rules);
    ASSERT_TRUE(loaded) << loaded.error().message;
  }

  testing::TempDir dir;
  SessionStore store{dir / "sessions.json"};
  Sessions sessions;
  Sessions later;
  RuleStore rules{dir / "rules.jsonc", {}};
  RuleStore later_rules{dir / "later.jsonc", {}};
};

TEST_F(SessionStoreTest, ASessionComesBackWithItsTokenAndPolicy) {
  Policy policy;
  policy.roots = {"/w"};
  policy.approvals = ApprovalPolicy::always;
  policy.blocked_tools = {"bash"};
  const SessionPtr session = sessions.open(policy);
  session->callers = {{100, 7}};
  session->from_control = true;
  restart();
  const SessionPtr back = later.attach(session->id, session->token);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->policy, policy);
  EXPECT_EQ(back->callers, session->callers);
  EXPECT_TRUE(back->from_control);
}

TEST_F(SessionStoreTest, ImplicitAndClosingSessionsStayBehind) {
  sessions.open(Policy())->implicit = true;
  sessions.open(Policy())->closing = true;
  restart();
  EXPECT_EQ(later.size(), 0u);
}

TEST_F(SessionStoreTest, WhatIsRememberedForASessionComesBackThereOnly) {
  const SessionPtr session = sessions.open(Policy());
  Rule rule;
  rule.permission = "edit";
  rule.pattern = "a.txt";
  rule.action = RuleAction::allow;
  rule.scope = Scope::session;
  rule.session = session->id;
  ASSERT_TRUE(rules.remember(rule));
  restart();
  RuleQuestion question;
  question.permission = "edit";
  question.pattern = "a.txt";
  question.session = session->id;
  EXPECT_EQ(later_rules.judge(question).action, RuleAction::allow);
  question.session = "sess_other";
  EXPECT_FALSE(later_rules.judge(question).action);
}

TEST_F(SessionStoreTest, AProcessStaysBoundToItsSession) {
  const SessionPtr session = sessions.open(Policy());
  sessions.bind({100, 7}, session->id);
  restart();
  EXPECT_EQ(later.bound({{200, 1}, {100, 7}}), session->id);
  EXPECT_FALSE(later.bound({{100, 8}}));
}

TEST_F(SessionStoreTest, TheFileIsForItsOwnerOnly) {
  sessions.open(Policy());
  restart();
  struct stat status {};
  ASSERT_EQ(stat((dir / "sessions.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(SessionStoreTest, AFileThatCannotBeUnderstoodIsNoSession) {
  testing::write_file(dir / "sessions.json", "{\"sessions\":[{\"id\":1}]}");
  EXPECT_FALSE(store.load(later, later_rules));
  EXPECT_EQ(later.size(), 0u);
}

}  // namespace
}  // namespace toolhost
