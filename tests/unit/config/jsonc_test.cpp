#include "config/jsonc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/key_scan.hpp"

namespace toolhost::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Jsonc, TakesCommentsAndTrailingCommas) {
  EXPECT_EQ(parse_jsonc("// a\n{\"a\": [1, 2,], /* b */ \"c\": 3,} // d", "f")
                .value(),
            json::parse(R"({"a":[1,2],"c":3})"));
}

TEST(Jsonc, SkipsAByteOrderMark) {
  EXPECT_TRUE(parse_jsonc("\xef\xbb\xbf{}", "f"));
}

TEST(Jsonc, NamesFileLineAndColumnOfASyntaxError) {
  const Error error =
      parse_jsonc("{\n  \"a\": 1,\n  \"b\" 2\n}", "/c.jsonc").error();
  EXPECT_EQ(error.code, Code::config_invalid);
  EXPECT_THAT(error.message, StartsWith("/c.jsonc:3:7: syntax error near"));
  EXPECT_EQ(error.details.at("line").to_number<int>(), 3);
  EXPECT_EQ(error.details.at("column").to_number<int>(), 7);
  EXPECT_EQ(error.details.at("file"), "/c.jsonc");
}

TEST(Jsonc, CountsColumnsInCharacters) {
  EXPECT_THAT(parse_jsonc("{\"äöü\" 1}", "f").error().message,
              StartsWith("f:1:8:"));
}

TEST(Jsonc, SaysThatTheTextEndsTooEarly) {
  for (const char* text : {"", " ", "{\"a\": 1", "{} /", "// c", "/", "{/*"}) {
    EXPECT_THAT(parse_jsonc(text, "f").error().message, HasSubstr("ends"))
        << text;
  }
}

TEST(Jsonc, RefusesWhatFollowsTheValue) {
  EXPECT_THAT(parse_jsonc("{}\n{}", "f").error().message,
              StartsWith("f:2:1: there is more"));
}

TEST(Jsonc, RefusesBytesThatAreNotUtf8) {
  const Error error = parse_jsonc("{\"a\": \"\xff\"}", "f").error();
  EXPECT_THAT(error.message, StartsWith("f:1:"));
}

TEST(Jsonc, RefusesAKeyThatIsWrittenTwice) {
  EXPECT_THAT(
      parse_jsonc("{\"a\": {\"b\": 1,\n \"b\": 2}}", "f").error().message,
      StartsWith("f:2:2: the key \"b\" is written twice"));
}

TEST(Jsonc, FindsTwiceTheSameKeyBehindAnEscape) {
  EXPECT_FALSE(parse_jsonc(R"({"rules": 1, "r\u0075les": 2})", "f"));
}

TEST(Jsonc, AllowsTheSameKeyInDifferentObjects) {
  EXPECT_TRUE(
      parse_jsonc(R"({"a": {"a": [{"a": 1}, {"a": 2}]}, "b": 1})", "f"));
}

TEST(Jsonc, RefusesDeepNesting) {
  EXPECT_FALSE(parse_jsonc(std::string(5000, '['), "f"));
}

TEST(KeyScan, TellsEveryKeyAndItemInOrder) {
  std::vector<std::string> seen;
  const std::string_view text =
      R"({"a": {"b,}": [1, "]", {"c": -1.5e3}]}, // "x": 1,
         "d\"": null, /* "y": } */ "e": [],})";
  KeyScan scan(text, [&](const KeyScan::Seen& key) {
    std::string path;
    for (const std::string& part : key.path) path += "/" + part;
    seen.push_back(path);
    return true;
  });
  scan.run();
  EXPECT_THAT(seen, ElementsAre("/a", "/a/b,}", "/a/b,}/0", "/a/b,}/1",
                                "/a/b,}/2", "/a/b,}/2/c", "/d\"", "/e"));
}

TEST(FindKey, PointsToTheKeyOrItsNearestParent) {
  const std::string_view text = "{\n \"a\": [\n  {\"b\": 1}]\n}";
  const auto line = [&](std::vector<std::string> path) {
    return find_key(text, path).line;
  };
  EXPECT_EQ(line({"a"}), 2U);
  EXPECT_EQ(line({"a", "0", "b"}), 3U);
  EXPECT_EQ(line({"a", "0", "missing"}), 3U);
  EXPECT_EQ(line({"missing"}), 1U);
}

}  // namespace
}  // namespace toolhost::config
