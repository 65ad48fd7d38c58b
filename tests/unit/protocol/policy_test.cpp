#include "protocol/policy.hpp"

#include <gtest/gtest.h>

#include <array>

namespace toolhost {
namespace {

constexpr std::array kSandboxModes{
    SandboxMode::read_only, SandboxMode::workspace_write,
    SandboxMode::danger_full_access, SandboxMode::external_sandbox};
constexpr std::array kApprovalPolicies{
    ApprovalPolicy::always,    ApprovalPolicy::on_request,
    ApprovalPolicy::suggest,   ApprovalPolicy::automatic,
    ApprovalPolicy::untrusted, ApprovalPolicy::never};
constexpr std::array kSessionModes{SessionMode::code, SessionMode::ask,
                                   SessionMode::plan};

// What a mode lets happen, as bits; fewer bits are stricter.
unsigned allows(SandboxMode mode) {
  switch (mode) {
    case SandboxMode::read_only:
      return 1;
    case SandboxMode::workspace_write:
      return 1 | 2;
    case SandboxMode::external_sandbox:
      return 1 | 4;
    case SandboxMode::danger_full_access:
      return 1 | 2 | 4 | 8;
  }
  return 0;
}

template <class Mode>
void expect_laws(std::span<const Mode> modes) {
  for (const Mode a : modes) {
    EXPECT_EQ(stricter(a, a), a);
    for (const Mode b : modes) {
      EXPECT_EQ(stricter(a, b), stricter(b, a));
      // Narrowing twice by the same is narrowing once.
      EXPECT_EQ(stricter(stricter(a, b), b), stricter(a, b));
      for (const Mode c : modes) {
        EXPECT_EQ(stricter(stricter(a, b), c), stricter(a, stricter(b, c)));
      }
    }
  }
}

TEST(Policy, StricterIsCommutativeIdempotentAndAssociative) {
  expect_laws(std::span<const SandboxMode>(kSandboxModes));
  expect_laws(std::span<const ApprovalPolicy>(kApprovalPolicies));
  expect_laws(std::span<const SessionMode>(kSessionModes));
}

TEST(Policy, ASandboxModeNeverGetsWider) {
  for (const SandboxMode a : kSandboxModes) {
    for (const SandboxMode b : kSandboxModes) {
      EXPECT_EQ(allows(stricter(a, b)) & ~(allows(a) & allows(b)), 0U)
          << name(a) << " " << name(b);
    }
  }
}

TEST(Policy, TheExternalSandboxIsEnteredOnlyFromFullAccess) {
  EXPECT_EQ(
      stricter(SandboxMode::danger_full_access, SandboxMode::external_sandbox),
      SandboxMode::external_sandbox);
  EXPECT_EQ(
      stricter(SandboxMode::workspace_write, SandboxMode::external_sandbox),
      SandboxMode::read_only);
}

TEST(Policy, AnApprovalPolicyNeverAsksLess) {
  using P = ApprovalPolicy;
  for (const P other : kApprovalPolicies) {
    EXPECT_EQ(stricter(P::never, other), P::never);
    EXPECT_EQ(stricter(P::automatic, other), other);
  }
  EXPECT_EQ(stricter(P::on_request, P::always), P::always);
  EXPECT_EQ(stricter(P::on_request, P::untrusted), P::untrusted);
}

TEST(Policy, AskIsTheStrictestSessionMode) {
  using M = SessionMode;
  EXPECT_EQ(stricter(M::code, M::plan), M::plan);
  EXPECT_EQ(stricter(M::plan, M::ask), M::ask);
  EXPECT_EQ(stricter(M::code, M::ask), M::ask);
}

TEST(Policy, EveryNameIsParsedBack) {
  for (const auto mode : kSandboxModes) {
    EXPECT_EQ(parse_sandbox_mode(name(mode)), mode);
  }
  for (const auto policy : kApprovalPolicies) {
    EXPECT_EQ(parse_approval_policy(name(policy)), policy);
  }
  for (const auto mode : kSessionModes) {
    EXPECT_EQ(parse_session_mode(name(mode)), mode);
  }
  for (const auto action :
       {RuleAction::allow, RuleAction::ask, RuleAction::deny}) {
    EXPECT_EQ(parse_rule_action(name(action)), action);
  }
  for (const auto scope : {Scope::call, Scope::turn, Scope::session,
                           Scope::workspace, Scope::always}) {
    EXPECT_EQ(parse_scope(name(scope)), scope);
  }
}

TEST(Policy, TheListsAreInTheOrderOfTheEnumerators) {
  ASSERT_EQ(sandbox_mode_names().size(), kSandboxModes.size());
  ASSERT_EQ(approval_policy_names().size(), kApprovalPolicies.size());
  ASSERT_EQ(session_mode_names().size(), kSessionModes.size());
  for (std::size_t i = 0; i < kApprovalPolicies.size(); ++i) {
    EXPECT_EQ(approval_policy_names()[i], name(kApprovalPolicies[i]));
  }
  EXPECT_EQ(name(ToolPolicy::automatic), "auto");
  EXPECT_EQ(name(ToolKind::command_execution), "command_execution");
}

TEST(Policy, OtherWordsAreNotParsed) {
  for (const char* word : {"", "Read-Only", "read_only", "allow ", "danger"}) {
    EXPECT_FALSE(parse_sandbox_mode(word)) << word;
    EXPECT_FALSE(parse_approval_policy(word)) << word;
    EXPECT_FALSE(parse_session_mode(word)) << word;
    EXPECT_FALSE(parse_rule_action(word)) << word;
    EXPECT_FALSE(parse_scope(word)) << word;
  }
}

}  // namespace
}  // namespace toolhost
