#include "providers/mcp/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "providers/registry.hpp"

namespace toolhost::mcp {
namespace {

using ::testing::ElementsAre;

std::string whole(std::string_view server, std::string_view tool) {
  return tool_name(name_part(server), tool);
}

TEST(ToolNames, KeepWhatModelsAcceptAndReplaceTheRest) {
  EXPECT_EQ(whole("git hub", "list.issues"), "mcp__git_hub__list_issues");
  EXPECT_EQ(whole("a__b", "c"), "mcp__a_b__c");
  EXPECT_EQ(whole("数据", "查询"), "mcp______");
}

TEST(ToolNames, OfExactlyTheLongestLengthStayWhole) {
  EXPECT_EQ(whole("server", std::string(51, 'x')),
            "mcp__server__" + std::string(51, 'x'));
}

TEST(ToolNames, OverTheLongestLengthEndInAHashOfTheWhole) {
  EXPECT_EQ(whole("server", std::string(52, 'x')),
            "mcp__server__" + std::string(42, 'x') + "_5883f2bc");
  EXPECT_EQ(whole("my-long-server-name",
                  "this_is_a_really_long_tool_name_that_overflows_the_limit"),
            "mcp__my-long-server-name__this_is_a_really_long_tool_na_6ebb5027");
}

TEST(ToolNames, WriteTheHashWithoutASign) {
  const std::string name = whole("srv", std::string(57, 'y'));
  EXPECT_EQ(name, "mcp__srv__" + std::string(45, 'y') + "_ac2414ef");
  EXPECT_TRUE(is_tool_name(name));
}

TEST(ToolNames, ThatCollideKeepTheOneThatIsSpelledSo) {
  const auto names = tool_names("s", {"a.b", "a_b", "a b", "c"});
  EXPECT_THAT(names,
              ElementsAre("mcp__s__a_b_" + name_hash("a.b"), "mcp__s__a_b",
                          "mcp__s__a_b_" + name_hash("a b"), "mcp__s__c"));
}

TEST(ToolNames, DoNotDependOnTheOrderOfTheList) {
  const auto one = tool_names("s", {"查", "询"});
  const auto other = tool_names("s", {"询", "查"});
  EXPECT_EQ(one[0], other[1]);
  EXPECT_EQ(one[1], other[0]);
  EXPECT_NE(one[0], one[1]);
}

TEST(ServerParts, AreDifferentForServersWithSimilarNames) {
  EXPECT_THAT(server_parts({"a b", "a_b", "c"}),
              ElementsAre("a_b_" + name_hash("a b"), "a_b", "c"));
}

}  // namespace
}  // namespace toolhost::mcp
