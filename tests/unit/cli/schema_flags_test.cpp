#include "daemon/cli/schema_flags.hpp"

#include <gtest/gtest.h>

#include "protocol/json_text.hpp"

namespace toolhost::cli {
namespace {

json::object schema() {
  return json::parse(R"({"type":"object","required":["path"],"properties":{
    "path":{"type":"string","description":"File."},
    "max_lines":{"type":"integer"},
    "ratio":{"type":["number","null"]},
    "followLinks":{"type":"boolean"},
    "names":{"type":"array","items":{"type":"string"}},
    "options":{"type":"object"},
    "any":{}}})")
      .as_object();
}

std::string read(const std::vector<std::string>& words) {
  const auto out = arguments_from_flags(schema(), words);
  return out ? json_text(*out) : out.error().message + " " + out.error().hint;
}

TEST(SchemaFlags, ReadsEachTypeAsTheSchemaSays) {
  EXPECT_EQ(read({"--path", "-", "--max-lines", "5", "--ratio=0.5",
                  "--follow-links"}),
            R"({"path":"-","max_lines":5,"ratio":0.5,"followLinks":true})");
}

TEST(SchemaFlags, AStringThatLooksLikeANumberStaysAString) {
  EXPECT_EQ(read({"--path", "007"}), R"({"path":"007"})");
}

TEST(SchemaFlags, RepeatsOrJsonMakeAnArray) {
  EXPECT_EQ(read({"--path=x", "--names", "a", "--names", "b"}),
            R"({"path":"x","names":["a","b"]})");
  EXPECT_EQ(read({"--path=x", "--names", R"(["a"])"}),
            R"({"path":"x","names":["a"]})");
}

TEST(SchemaFlags, NoFormOfABooleanIsFalse) {
  EXPECT_EQ(read({"--path=x", "--no-follow-links"}),
            R"({"path":"x","followLinks":false})");
}

TEST(SchemaFlags, ObjectsAreJsonAndOpenTypesAreGuessed) {
  EXPECT_EQ(read({"--path=x", "--options", R"({"a":1})", "--any", "text"}),
            R"({"path":"x","options":{"a":1},"any":"text"})");
}

TEST(SchemaFlags, AnUnknownFlagNamesTheNearest) {
  EXPECT_NE(read({"--pth", "x"}).find("Did you mean --path?"),
            std::string::npos);
}

TEST(SchemaFlags, MissingRequiredOnesAreNamedTogether) {
  EXPECT_NE(read({"--max-lines", "1"}).find("Missing: --path."),
            std::string::npos);
}

TEST(SchemaFlags, AWrongNumberAMissingValueAndARepeatAreRefused) {
  EXPECT_NE(read({"--path=x", "--max-lines", "5x"}).find("whole number"),
            std::string::npos);
  EXPECT_NE(read({"--path"}).find("needs a value"), std::string::npos);
  EXPECT_NE(read({"--path", "a", "--path", "b"}).find("twice"),
            std::string::npos);
  EXPECT_NE(read({"README.md"}).find("not \"README.md\""), std::string::npos);
}

TEST(SchemaFlags, HelpNamesTypeAndNeed) {
  EXPECT_EQ(describe_flags(schema()).front(),
            "--path <string> (required)  File.");
}

}  // namespace
}  // namespace toolhost::cli
