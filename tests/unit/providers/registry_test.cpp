#include "providers/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/fake_provider.hpp"
#include "tests/support/loop.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using toolhost::testing::fake_tool;
using toolhost::testing::FakeProvider;
using toolhost::testing::run;

// A provider whose tools come from somebody else.
class ForeignProvider : public FakeProvider {
 public:
  std::string_view name() const override { return "mcp:foreign"; }
  ProviderKind kind() const override { return ProviderKind::mcp; }
  Task<void> stop() override {
    ++stopping;
    // Ends when the other one was told to stop, too.
    while (stopping < 2) co_await sleep_for(loop, Milliseconds(1));
  }
  explicit ForeignProvider(asio::io_context& io) : loop(io) {}
  asio::io_context& loop;
  static inline int stopping = 0;
};

class OtherForeignProvider : public ForeignProvider {
 public:
  using ForeignProvider::ForeignProvider;
  std::string_view name() const override { return "mcp:other"; }
};

class RegistryTest : public ::testing::Test {
 protected:
  static Tool tool(const std::string& name) {
    return fake_tool(name, ToolKind::tool_call, ToolPolicy::automatic);
  }
  bool has(const std::string& name) {
    return registry.snapshot()->find(name) != nullptr;
  }

  asio::io_context loop;
  Registry registry{std::make_shared<config::Config>()};
};

TEST_F(RegistryTest, RefusesAProviderOfOurOwnWholeForOneTakenName) {
  auto first = std::make_shared<FakeProvider>();
  first->add(tool("a"));
  ASSERT_TRUE(registry.add(first));
  class Second : public FakeProvider {
    std::string_view name() const override { return "second"; }
  };
  auto second = std::make_shared<Second>();
  second->add(tool("a"));
  second->add(tool("b"));
  const auto added = registry.add(second);
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, HasSubstr("\"a\""));
  EXPECT_FALSE(has("b"));
}

TEST_F(RegistryTest, LeavesOutOneForeignToolAndSaysWhy) {
  auto own = std::make_shared<FakeProvider>();
  own->add(tool("a"));
  auto foreign = std::make_shared<ForeignProvider>(loop);
  foreign->add(tool("a"));
  foreign->add(tool("b"));
  foreign->add(tool("not legal"));
  ASSERT_TRUE(registry.add(own));
  ASSERT_TRUE(registry.add(foreign));
  EXPECT_EQ(registry.snapshot()->find("a")->provider, own.get());
  EXPECT_TRUE(has("b"));
  ASSERT_EQ(registry.snapshot()->left_out.size(), 2U);
  EXPECT_EQ(registry.snapshot()->left_out[0].provider, "mcp:foreign");
}

TEST_F(RegistryTest, MakesANewSnapshotWhenAProviderTellsAChange) {
  auto foreign = std::make_shared<ForeignProvider>(loop);
  ASSERT_TRUE(registry.add(foreign));
  const SnapshotPtr before = registry.snapshot();
  int told = 0;
  registry.on_change = [&] { ++told; };
  foreign->add(tool("new"));
  foreign->on_change();
  EXPECT_TRUE(has("new"));
  EXPECT_EQ(before->find("new"), nullptr);
  EXPECT_GT(registry.snapshot()->generation, before->generation);
  EXPECT_EQ(told, 1);
}

TEST_F(RegistryTest, ASnapshotKeepsARemovedProviderAlive) {
  auto foreign = std::make_shared<ForeignProvider>(loop);
  foreign->add(tool("a"));
  const std::weak_ptr<Provider> watched = foreign;
  ASSERT_TRUE(registry.add(std::move(foreign)));
  SnapshotPtr pinned = registry.snapshot();
  EXPECT_TRUE(registry.remove("mcp:foreign"));
  EXPECT_FALSE(has("a"));
  EXPECT_EQ(pinned->find("a")->provider->name(), "mcp:foreign");
  pinned = nullptr;
  EXPECT_TRUE(watched.expired());
}

TEST_F(RegistryTest, StopsAllProvidersAtTheSameTime) {
  ForeignProvider::stopping = 0;
  ASSERT_TRUE(registry.add(std::make_shared<ForeignProvider>(loop)));
  ASSERT_TRUE(registry.add(std::make_shared<OtherForeignProvider>(loop)));
  run(loop, registry.stop_all());
  EXPECT_EQ(ForeignProvider::stopping, 2);
}

TEST_F(RegistryTest, OnlyAProviderThatCanBeRestartedIs) {
  auto own = std::make_shared<FakeProvider>();
  ASSERT_TRUE(registry.add(own));
  const auto restarted = run(loop, own->restart());
  ASSERT_FALSE(restarted);
  EXPECT_THAT(restarted.error().message, HasSubstr("inside the daemon"));
}

}  // namespace
}  // namespace toolhost
