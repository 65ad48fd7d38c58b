#include "gates/session.hpp"

#include <gtest/gtest.h>

#include <random>

#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// Random members of policies and wishes, from a fixed seed.
class RandomPolicies {
 public:
  Policy policy() {
    Policy out;
    out.roots = {pick_root()};
    out.mode = pick<SessionMode>(3);
    out.sandbox = pick<SandboxMode>(4);
    out.approvals = pick<ApprovalPolicy>(6);
    if (coin()) out.allowed_tools = names();
    out.blocked_tools = names();
    if (coin()) out.allowed_providers = names();
    out.blocked_providers = names();
    return out;
  }

  PolicyWish wish() {
    PolicyWish out;
    if (coin()) out.roots = {{pick_root(), pick_root()}};
    if (coin()) out.mode = pick<SessionMode>(3);
    if (coin()) out.sandbox = pick<SandboxMode>(4);
    if (coin()) out.approvals = pick<ApprovalPolicy>(6);
    if (coin()) out.allowed_tools = names();
    if (coin()) out.blocked_tools = names();
    if (coin()) out.allowed_providers = names();
    if (coin()) out.blocked_providers = names();
    return out;
  }

 private:
  bool coin() { return engine_() % 2 == 0; }
  template <class Enum>
  Enum pick(unsigned count) {
    return static_cast<Enum>(engine_() % count);
  }
  std::string pick_root() {
    const std::vector<std::string> roots{"/a", "/a/b", "/a/bc", "/", "/d"};
    return roots[engine_() % roots.size()];
  }
  Names names() {
    Names out;
    for (const char* each : {"read", "edit", "bash", "grep"}) {
      if (coin()) out.insert(each);
    }
    return out;
  }
  std::mt19937 engine_{20260131};
};

TEST(Policy, NoWishMakesASessionWider) {
  RandomPolicies random;
  for (int i = 0; i < 20'000; ++i) {
    const Policy base = random.policy();
    const Policy once = narrow(base, random.wish());
    ASSERT_TRUE(no_wider(once, base)) << json_text(to_json(base));
    // A chain of wishes (a child of a child) does not find a way up either.
    ASSERT_TRUE(no_wider(narrow(once, random.wish()), base));
  }
}

TEST(Policy, AWishForNothingChangesNothing) {
  RandomPolicies random;
  for (int i = 0; i < 1000; ++i) {
    const Policy base = random.policy();
    ASSERT_EQ(narrow(base, PolicyWish()), base);
  }
}

TEST(Policy, WhatIsCutIsTold) {
  Policy base;
  base.roots = {"/work"};
  PolicyWish wish;
  wish.sandbox = SandboxMode::danger_full_access;
  wish.roots = {{"/etc"}};
  std::vector<Narrowed> cut;
  const Policy got = narrow(base, wish, &cut);
  EXPECT_EQ(got.sandbox, SandboxMode::workspace_write);
  EXPECT_EQ(got.roots, base.roots);
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(cut[0].member, "roots");
  EXPECT_EQ(cut[1].member, "sandboxMode");
}

TEST(Policy, ASiblingWithTheSamePrefixIsOutside) {
  Policy base;
  base.roots = {"/work"};
  PolicyWish wish;
  wish.roots = {{"/work-evil"}};
  EXPECT_EQ(narrow(base, wish).roots, base.roots);
}

TEST(Sessions, ATokenThatIsWrongAttachesNothing) {
  Sessions sessions;
  const SessionPtr session = sessions.open(Policy());
  EXPECT_EQ(sessions.attach(session->id, session->token), session);
  std::string wrong = session->token;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  EXPECT_EQ(sessions.attach(session->id, wrong), nullptr);
  EXPECT_EQ(sessions.attach(session->id, ""), nullptr);
}

TEST(Sessions, ADescendantOfABoundProcessIsBoundToo) {
  Sessions sessions;
  const SessionPtr session = sessions.open(Policy());
  const ProcessIdentity agent{10, 100};
  sessions.bind(agent, session->id);
  const std::vector<ProcessIdentity> child{{11, 200}, agent, {1, 1}};
  EXPECT_EQ(sessions.bound(child), session->id);
  // The same pid of another time is another process.
  EXPECT_EQ(sessions.bound({{10, 999}}), std::nullopt);
  sessions.close(session->id);
  EXPECT_EQ(sessions.bound(child), std::nullopt);
}

TEST(Sessions, NoTokenIsInWhatASessionSaysOfItself) {
  Sessions sessions;
  const SessionPtr session = sessions.open(Policy());
  EXPECT_GE(session->token.size(), 26u);
  EXPECT_EQ(json_text(to_json(session->policy)).find(session->token),
            std::string::npos);
}

}  // namespace
}  // namespace toolhost
