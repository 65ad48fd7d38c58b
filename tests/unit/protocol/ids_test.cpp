#include "protocol/ids.hpp"

#include <gtest/gtest.h>

#include <set>

namespace toolhost {
namespace {

TEST(Ids, HaveTheirPrefixAndTheirForm) {
  const std::string id = random_id("call_");
  EXPECT_EQ(id.size(), 5U + 26U);
  EXPECT_TRUE(id.starts_with("call_"));
  EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz234567", 5),
            std::string::npos);
  EXPECT_TRUE(is_id(id, "call_"));
  EXPECT_FALSE(is_id(id, "appr_"));
}

TEST(Ids, DoNotRepeat) {
  std::set<std::string> seen;
  for (int i = 0; i < 20'000; ++i) seen.insert(random_id("x_"));
  EXPECT_EQ(seen.size(), 20'000U);
}

TEST(Ids, UseEveryLetterOfTheAlphabet) {
  std::set<char> letters;
  for (int i = 0; i < 200; ++i) {
    for (const char c : random_id("")) letters.insert(c);
  }
  EXPECT_EQ(letters.size(), 32U);
}

TEST(Ids, OfOtherMakersAreAcceptedWithinBounds) {
  EXPECT_TRUE(is_id("call_" + std::string(16, 'A'), "call_"));
  EXPECT_TRUE(is_id("call_" + std::string(80, '-'), "call_"));
  EXPECT_FALSE(is_id("call_" + std::string(15, 'a'), "call_"));
  EXPECT_FALSE(is_id("call_" + std::string(81, 'a'), "call_"));
  EXPECT_FALSE(is_id("", "call_"));
  for (const char* bad : {"/", ".", " ", "\n", "\"", "ä", "*"}) {
    EXPECT_FALSE(is_id("call_" + std::string(16, 'a') + bad, "call_")) << bad;
  }
}

}  // namespace
}  // namespace toolhost
