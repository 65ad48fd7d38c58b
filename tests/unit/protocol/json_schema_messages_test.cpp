// The wording that a model reads.
#include <gmock/gmock.h>

#include "tests/unit/protocol/schema_check.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRead = R"({"type":"object","required":["path"],
  "additionalProperties":false,"properties":{
    "path":{"type":"string","description":"File to read.\nMore text."},
    "offset":{"type":"integer","minimum":1},
    "mode":{"enum":["text","hex"]}}})";

TEST(JsonSchemaMessages, AWrongTypeSaysWhatWasExpectedAndGot) {
  EXPECT_EQ(faults(kRead, R"({"path":5})"),
            "/path: must be a string, not a number");
  EXPECT_EQ(faults(kRead, "[]"), ": must be an object, not an array");
  EXPECT_EQ(faults(kRead, R"({"path":"a","offset":1.5})"),
            "/offset: must be an integer, not 1.5");
  EXPECT_EQ(faults(R"({"type":["string","number","null"]})", "true"),
            ": must be a string, a number or null, not a boolean");
}

TEST(JsonSchemaMessages, JsonSentAsTextIsRecognised) {
  EXPECT_EQ(faults(R"({"type":"array"})", R"("[1,2]")"),
            ": must be an array, not a string; pass the JSON itself, not a "
            "string that contains it");
  EXPECT_EQ(faults(R"({"type":"array"})", R"("a,b")"),
            ": must be an array, not a string");
}

TEST(JsonSchemaMessages, AnUnknownPropertyNamesTheNearestAndTheKnown) {
  EXPECT_EQ(faults(kRead, R"({"pth":"a"})"),
            ": missing required property \"path\" (a string: File to read.)\n"
            ": unknown property \"pth\"; did you mean \"path\"? Known: "
            "\"path\", \"offset\", \"mode\"");
  EXPECT_EQ(faults(kRead, R"({"path":"a","zzzzzz":1})"),
            ": unknown property \"zzzzzz\"; known: \"path\", \"offset\", "
            "\"mode\"");
  EXPECT_EQ(faults(R"({"additionalProperties":false})", R"({"a":1})"),
            ": unknown property \"a\"; no properties are known here");
}

TEST(JsonSchemaMessages, AnotherWritingOfTheSameNameIsTheNearest) {
  EXPECT_THAT(faults(R"({"properties":{"file":{},"file_path":{}},
                         "additionalProperties":false})",
                     R"({"filePath":1})"),
              HasSubstr("did you mean \"file_path\"?"));
}

TEST(JsonSchemaMessages, APropertyThatIsThereIsNotSuggested) {
  EXPECT_THAT(faults(kRead, R"({"path":"a","paths":"b"})"),
              ::testing::Not(HasSubstr("did you mean")));
}

TEST(JsonSchemaMessages, AWrongChoiceListsTheAllowedOnes) {
  EXPECT_EQ(faults(kRead, R"({"path":"a","mode":"txt"})"),
            "/mode: must be one of \"text\", \"hex\", not \"txt\"; did you "
            "mean \"text\"?");
  EXPECT_EQ(faults(R"({"const":"x"})", "[1]"), ": must be \"x\", not an array");
}

TEST(JsonSchemaMessages, BoundsSayTheBoundAndTheValue) {
  EXPECT_EQ(faults(kRead, R"({"path":"a","offset":0})"),
            "/offset: must be at least 1, not 0");
  EXPECT_EQ(faults(R"({"exclusiveMaximum":1})", "1"),
            ": must be less than 1, not 1");
  EXPECT_EQ(faults(R"({"multipleOf":5})", "7"),
            ": must be a multiple of 5, not 7");
  EXPECT_EQ(faults(R"({"minLength":1})", R"("")"),
            ": must have at least 1 character, not 0");
  EXPECT_EQ(faults(R"({"maxItems":2})", "[1,2,3]"),
            ": must have at most 2 items, not 3");
  EXPECT_EQ(faults(R"({"uniqueItems":true})", "[1,2,1]"),
            ": items 0 and 2 are equal; all items must differ");
  EXPECT_EQ(faults(R"({"pattern":"^x"})", R"("abc")"),
            ": must match the pattern ^x, which \"abc\" does not");
  EXPECT_EQ(faults(R"({"format":"date"})", R"("today")"),
            ": must be a date such as 2026-01-31, not \"today\"");
  EXPECT_EQ(faults(R"({"contains":{"type":"integer"}})", "[]"),
            ": must contain at least 1 item (an integer), not 0");
  EXPECT_EQ(faults(R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})"),
            ": missing property \"b\", which \"a\" needs");
  EXPECT_EQ(faults(R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})"),
            ": the property name \"ab\" must have at most 1 character, not 2");
  EXPECT_EQ(faults(R"({"not":{"required":["a"]}})", R"({"a":1})"),
            ": must not have the property \"a\"");
}

TEST(JsonSchemaMessages, AllFaultsComeAtOnceInAStableOrder) {
  const char* schema = R"({"type":"object","required":["a","b"],
    "properties":{"c":{"type":"string"},"d":{"type":"array",
      "items":{"type":"object","required":["x"]}}}})";
  const std::string expected =
      ": missing required property \"a\"\n"
      ": missing required property \"b\"\n"
      "/c: must be a string, not a number\n"
      "/d/0: missing required property \"x\"\n"
      "/d/1: must be an object, not a number";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(faults(schema, R"({"c":1,"d":[{},2]})"), expected);
  }
}

TEST(JsonSchemaMessages, PathsAreJsonPointers) {
  EXPECT_EQ(
      faults(R"({"additionalProperties":{"type":"null"}})", R"({"a/b~c":1})"),
      "/a~1b~0c: must be null, not a number");
}

TEST(JsonSchemaMessages, AlternativesOfTypesAreOneSentence) {
  EXPECT_EQ(faults(R"({"anyOf":[{"type":"string"},{"type":"null"},
                                {"anyOf":[{"type":"integer"}]}]})",
                   "[]"),
            ": must be a string, an integer or null, not an array");
  EXPECT_EQ(faults(R"({"oneOf":[{"const":"a"},{"enum":["b","c"]}]})", "1"),
            ": must be one of \"a\", \"b\", \"c\", not 1");
  EXPECT_EQ(
      faults(R"({"anyOf":[{"const":"auto"},{"type":"integer"}]})", R"("x")"),
      ": must be \"auto\", not \"x\"; or it may be an integer");
}

TEST(JsonSchemaMessages, ANullableObjectTellsTheObjectsFaults) {
  EXPECT_EQ(faults(R"({"anyOf":[{"type":"null"},{"type":"object",
                       "required":["a"]}]})",
                   "{}"),
            ": missing required property \"a\"");
}

TEST(JsonSchemaMessages, TheTaggedAlternativeIsTheClosest) {
  const char* schema = R"({"oneOf":[
    {"properties":{"kind":{"const":"file"},"path":{"type":"string"}},
     "required":["kind","path"]},
    {"properties":{"kind":{"const":"url"},"url":{"type":"string"}},
     "required":["kind","url"]}]})";
  EXPECT_EQ(faults(schema, R"({"kind":"url"})"),
            ": missing required property \"url\" (a string) (the closest of 2 "
            "allowed forms)");
}

TEST(JsonSchemaMessages, TooManyFittingFormsAreCounted) {
  EXPECT_EQ(faults(R"({"oneOf":[{"type":"integer"},{"type":"string"},
                                {"type":"number"}]})",
                   "5"),
            ": must fit exactly one of the 3 allowed forms, but fits several: "
            "1, 3");
}

TEST(JsonSchemaMessages, LongTextsAreCut) {
  json::object schema;
  schema["const"] = std::string(100'000, 'a');
  json::array many;
  for (int i = 0; i < 1000; ++i) many.push_back(json::value(i));
  const auto constant = *JsonSchema::compile(schema);
  EXPECT_LT(faults(*constant, json::value(std::string(1 << 20, 'b'))).size(),
            300U);
  const auto choice = *JsonSchema::compile({{"enum", many}});
  const auto text = faults(*choice, json::value(-1));
  EXPECT_THAT(text, HasSubstr("and 980 more"));
  EXPECT_LT(text.size(), 500U);
}

TEST(JsonSchemaMessages, NamesWithControlCharactersAreEscaped) {
  EXPECT_THAT(
      faults(R"({"additionalProperties":false})", R"({"a\u001b[2J\n":1})"),
      HasSubstr("\"a\\u001b[2J\\n\""));
}

TEST(JsonSchemaMessages, FaultsAreLimited) {
  json::array items(1000, json::value("x"));
  const auto schema = schema_of(R"({"items":{"type":"integer"}})");
  EXPECT_EQ(schema->validate(items).size(), JsonSchema::kMaxFaults);
}

TEST(JsonSchemaMessages, TheSameFaultIsToldOnce) {
  EXPECT_EQ(
      faults(R"({"allOf":[{"required":["a"]},{"required":["a"]}]})", "{}"),
      ": missing required property \"a\"");
}

}  // namespace
}  // namespace toolhost::testing
