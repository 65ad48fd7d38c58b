#include "gates/catalogue.hpp"

#include <algorithm>

#include "tests/unit/gates/pipeline_fixture.hpp"

namespace toolhost::testing {
namespace {

class CatalogueTest : public PipelineFixture {
 protected:
  std::vector<std::string> names_for(const Policy& policy) {
    std::vector<std::string> out;
    const auto catalogue =
        Catalogues(rules).of(registry.snapshot(), policy, *config, session->id);
    for (const auto* row : catalogue->tools) out.push_back(row->tool.name);
    return out;
  }
  RegisteredTool row(Tool tool) {
    RegisteredTool out;
    out.definition_hash = definition_hash(tool);
    out.tool = std::move(tool);
    return out;
  }
};

using List = std::vector<std::string>;

TEST_F(CatalogueTest, ListsByNameWhatThePolicyAllows) {
  EXPECT_EQ(names_for(Policy()), (List{"bash", "change", "look"}));
}

TEST_F(CatalogueTest, HidesWhatSandboxModeAndListsRefuse) {
  Policy policy;
  policy.sandbox = SandboxMode::read_only;
  EXPECT_EQ(names_for(policy), List{"look"});
  policy = Policy();
  policy.mode = SessionMode::plan;
  EXPECT_EQ(names_for(policy), List{"look"});
  policy = Policy();
  policy.blocked_tools = {"look"};
  EXPECT_EQ(names_for(policy), (List{"bash", "change"}));
  policy.allowed_tools = Names{"look", "bash"};
  EXPECT_EQ(names_for(policy), List{"bash"});
  policy = Policy();
  policy.blocked_providers = {"fake"};
  EXPECT_EQ(names_for(policy), List{});
}

TEST_F(CatalogueTest, HidesWhatAPlainDenyCoversButNotAPartialOne) {
  rules.set_configured({{"edit", "*.env", RuleAction::deny}});
  EXPECT_EQ(names_for(Policy()), (List{"bash", "change", "look"}));
  rules.set_configured({{"edit", "*", RuleAction::deny}});
  EXPECT_EQ(names_for(Policy()), (List{"bash", "look"}));
}

TEST_F(CatalogueTest, HidesAProviderThatIsUnavailableWithItsReason) {
  fakes->state.available = false;
  fakes->state.reason = "the service is down";
  EXPECT_EQ(names_for(Policy()), List{});
  const auto* look = registry.snapshot()->find("look");
  const auto why = not_offered(*look, Policy(), *config, rules, session->id);
  EXPECT_NE(why->find("the service is down"), std::string::npos);
}

TEST_F(CatalogueTest, ExecuteJudgesEveryFilterAgain) {
  session->policy.blocked_tools = {"look"};
  EXPECT_EQ(kind(run("look")), "toolDisabled");
}

TEST_F(CatalogueTest, AHiddenAliasIsCallableAndInNoList) {
  auto provider = std::make_unique<FakeProvider>();
  Registry other(config);
  Tool alias = fake_tool("find", ToolKind::tool_call, ToolPolicy::automatic);
  alias.hidden = true;
  provider->add(std::move(alias));
  ASSERT_TRUE(other.add(std::move(provider)));
  const auto catalogue =
      Catalogues(rules).of(other.snapshot(), Policy(), *config, session->id);
  EXPECT_TRUE(catalogue->tools.empty());
  EXPECT_NE(other.snapshot()->find("find"), nullptr);
}

TEST_F(CatalogueTest, TheSamePolicyGetsTheSameBytes) {
  Catalogues views(rules);
  const auto first =
      views.of(registry.snapshot(), Policy(), *config, session->id);
  const auto again =
      views.of(registry.snapshot(), Policy(), *config, session->id);
  EXPECT_EQ(first->text.get(), again->text.get());
}

TEST_F(CatalogueTest, OrderNeverChangesTheFingerprintADescriptionDoes) {
  RegisteredTool a =
      row(fake_tool("a", ToolKind::tool_call, ToolPolicy::automatic));
  RegisteredTool b =
      row(fake_tool("b", ToolKind::tool_call, ToolPolicy::automatic));
  const std::string hash = fingerprint({&a, &b});
  EXPECT_EQ(fingerprint({&b, &a}), hash);
  Tool changed = a.tool;
  changed.description += " Now with more.";
  RegisteredTool c = row(changed);
  EXPECT_NE(fingerprint({&c, &b}), hash);
  // Policy and kind are not what a model sees.
  changed = a.tool;
  changed.policy = ToolPolicy::untrusted;
  RegisteredTool d = row(changed);
  EXPECT_EQ(fingerprint({&d, &b}), hash);
}

// Pinned, so that an agent's cache key survives an update of the daemon.
TEST_F(CatalogueTest, TheFingerprintOfAKnownToolIsKnown) {
  Tool tool;
  tool.name = "echo";
  tool.description = "Says it again.";
  tool.input_schema = json::parse(R"({"b":1,"a":{"d":2,"c":3}})").as_object();
  const std::string hash = definition_hash(tool);
  tool.input_schema = json::parse(R"({"a":{"c":3,"d":2},"b":1})").as_object();
  EXPECT_EQ(definition_hash(tool), hash);
  EXPECT_EQ(hash,
            "sha256:26ae7f643a88722becc1bcaa4132fb0fc327e95d88b43c1f"
            "0b43823827fc33bb");
}

TEST_F(CatalogueTest, DriftIsGraded) {
  RegisteredTool a =
      row(fake_tool("a", ToolKind::tool_call, ToolPolicy::automatic));
  RegisteredTool b =
      row(fake_tool("b", ToolKind::tool_call, ToolPolicy::automatic));
  Tool changed = a.tool;
  changed.description += "!";
  RegisteredTool a2 = row(changed);
  const auto of = [](std::vector<const RegisteredTool*> tools) {
    Catalogue out;
    out.hash = fingerprint(tools);
    out.tools = std::move(tools);
    return out;
  };
  EXPECT_EQ(grade(of({&a}), of({&a})), Drift::none);
  EXPECT_EQ(grade(of({&a}), of({&a, &b})), Drift::additive);
  EXPECT_EQ(grade(of({&a, &b}), of({&a})), Drift::breaking);
  EXPECT_EQ(grade(of({&a}), of({&a2})), Drift::breaking);
  EXPECT_EQ(grade(of({&a}), of({&a2, &b})), Drift::breaking);
}

TEST_F(CatalogueTest, ATurnKeepsItsSnapshotAndTheNextOneAdopts) {
  const SnapshotPtr before = registry.snapshot();
  EXPECT_EQ(turns.pin("s", "t1", before), before);
  ASSERT_TRUE(registry.set_config(std::make_shared<config::Config>()));
  const SnapshotPtr after = registry.snapshot();
  EXPECT_EQ(turns.pin("s", "t1", after), before);
  EXPECT_EQ(turns.pin("s", "t2", after), after);
  EXPECT_EQ(turns.pin("s", "", after), after);
  EXPECT_EQ(turns.pin("other", "t1", after), after);
}

TEST_F(CatalogueTest, PinsAreBoundedAndEndAfterAnHour) {
  ManualClock clock_by_hand;
  Turns bounded(clock_by_hand);
  const SnapshotPtr before = registry.snapshot();
  bounded.pin("s", "t", before);
  ASSERT_TRUE(registry.set_config(std::make_shared<config::Config>()));
  clock_by_hand.pass(std::chrono::hours(2));
  EXPECT_EQ(bounded.pin("s", "t", registry.snapshot()), registry.snapshot());
  for (int i = 0; i < 10'000; ++i) {
    bounded.pin("s", std::to_string(i), before);
  }
  EXPECT_LE(bounded.size(), Turns::kMaxPins);
}

TEST_F(CatalogueTest, WhatTightensAppliesInsideAPinnedTurn) {
  auto call = make_call("look");
  call->turn_id = "t1";
  EXPECT_EQ(run(call).state, CallState::completed);
  auto stricter = std::make_shared<config::Config>();
  stricter->tools.disabled = {"look"};
  ASSERT_TRUE(registry.set_config(stricter));
  auto next = make_call("look");
  next->turn_id = "t1";
  EXPECT_EQ(kind(run(next)), "toolDisabled");
}

TEST(RegistryTest, RefusesAProviderWholeWhenOneNameIsTaken) {
  Registry registry(std::make_shared<config::Config>());
  auto first = std::make_unique<FakeProvider>();
  first->add(fake_tool("a", ToolKind::tool_call, ToolPolicy::automatic));
  ASSERT_TRUE(registry.add(std::move(first)));
  class Second : public FakeProvider {
    std::string_view name() const override { return "second"; }
  };
  auto second = std::make_unique<Second>();
  second->add(fake_tool("b", ToolKind::tool_call, ToolPolicy::automatic));
  second->add(fake_tool("a", ToolKind::tool_call, ToolPolicy::automatic));
  EXPECT_FALSE(registry.add(std::move(second)));
  EXPECT_EQ(registry.snapshot()->find("b"), nullptr);
  EXPECT_EQ(registry.providers().size(), 1u);
}

TEST(RegistryTest, RefusesNamesThatModelApisRefuse) {
  EXPECT_TRUE(is_tool_name("mcp__git__status-1"));
  EXPECT_FALSE(is_tool_name(""));
  EXPECT_FALSE(is_tool_name("a b"));
  EXPECT_FALSE(is_tool_name("Bash\u202e"));
  EXPECT_FALSE(is_tool_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace toolhost::testing
