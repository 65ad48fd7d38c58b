// What each keyword accepts and refuses, as tables of (instance, fits).
#include <initializer_list>
#include <utility>

#include "tests/unit/protocol/schema_check.hpp"

namespace toolhost::testing {
namespace {

using Rows = std::initializer_list<std::pair<const char*, bool>>;

void expect_rows(const char* schema, Rows rows) {
  for (const auto& [instance, expected] : rows) {
    EXPECT_EQ(fits(schema, instance), expected) << schema << "\n" << instance;
  }
}

TEST(JsonSchemaKeywords, TypeNamesOneOrSeveralTypes) {
  expect_rows(R"({"type":"string"})",
              {{R"("a")", true}, {"1", false}, {"null", false}});
  expect_rows(R"({"type":["string","null"]})",
              {{R"("a")", true}, {"null", true}, {"false", false}});
  expect_rows(R"({"type":"boolean"})", {{"false", true}, {"0", false}});
  expect_rows(R"({"type":"array"})", {{"[]", true}, {"{}", false}});
  expect_rows(R"({"type":"object"})", {{"{}", true}, {"[]", false}});
}

TEST(JsonSchemaKeywords, AWholeDoubleIsAnInteger) {
  expect_rows(R"({"type":"integer"})", {{"10", true},
                                        {"10.0", true},
                                        {"1e3", true},
                                        {"18446744073709551615", true},
                                        {"10.5", false},
                                        {"\"10\"", false}});
  expect_rows(R"({"type":"number"})", {{"1", true}, {"1.5", true}});
}

TEST(JsonSchemaKeywords, ConstAndEnumCompareByValue) {
  expect_rows(R"({"const":{"a":[1,2]}})",
              {{R"({"a":[1.0,2]})", true}, {R"({"a":[2,1]})", false}});
  expect_rows(R"({"const":null})", {{"null", true}, {"0", false}});
  expect_rows(
      R"({"enum":["a",1,null]})",
      {{"1.0", true}, {"null", true}, {"\"b\"", false}, {"true", false}});
  expect_rows(R"({"const":{"a":1,"b":2}})",
              {{R"({"b":2,"a":1})", true}, {R"({"a":1})", false}});
}

TEST(JsonSchemaKeywords, BoundsAreExactBeyondDoublePrecision) {
  expect_rows(R"({"maximum":9007199254740993})",
              {{"9007199254740993", true}, {"9007199254740994", false}});
  expect_rows(
      R"({"minimum":18446744073709551615})",
      {{"18446744073709551615", true}, {"18446744073709551614", false}});
  expect_rows(R"({"exclusiveMinimum":0,"exclusiveMaximum":1})",
              {{"0", false}, {"0.5", true}, {"1", false}});
}

TEST(JsonSchemaKeywords, DraftFourBooleanBoundsAreExclusive) {
  expect_rows(R"({"minimum":1,"exclusiveMinimum":true})",
              {{"1", false}, {"2", true}});
  expect_rows(R"({"maximum":1,"exclusiveMaximum":false})",
              {{"1", true}, {"2", false}});
}

TEST(JsonSchemaKeywords, MultipleOfKnowsDecimalFractions) {
  expect_rows(R"({"multipleOf":0.01})",
              {{"19.99", true}, {"0.07", true}, {"19.995", false}});
  expect_rows(
      R"({"multipleOf":3})",
      {{"9", true}, {"10", false}, {"9.0", true}, {"9007199254740993", true}});
}

TEST(JsonSchemaKeywords, LengthsCountCharactersNotBytes) {
  expect_rows(R"({"minLength":2,"maxLength":3})", {{"\"äö\"", true},
                                                   {"\"🙂\"", false},
                                                   {"\"🙂🙂🙂\"", true},
                                                   {"\"abcd\"", false},
                                                   {"5", true}});
}

TEST(JsonSchemaKeywords, PatternsSearchAnywhereWithJavaScriptMeaning) {
  expect_rows(R"({"pattern":"b+"})", {{"\"abc\"", true}, {"\"ac\"", false}});
  // $ is the very end, not the place before a last line feed.
  expect_rows(R"({"pattern":"^a$"})", {{"\"a\"", true}, {"\"a\\n\"", false}});
  expect_rows(R"({"pattern":"^\\p{L}+$"})",
              {{"\"Größe\"", true}, {"\"a1\"", false}});
  expect_rows(R"({"pattern":"^\\u00e4$"})", {{"\"ä\"", true}});
  expect_rows(R"({"pattern":"(?<=x)y"})", {{"\"xy\"", true}, {"\"y\"", false}});
}

TEST(JsonSchemaKeywords, FormatsAreChecked) {
  expect_rows(R"({"format":"date-time"})",
              {{"\"2024-02-29T12:00:00.5+02:00\"", true},
               {"\"2023-02-29T12:00:00Z\"", false},
               {"\"2024-01-01 12:00:00\"", false},
               {"7", true}});
  expect_rows(R"({"format":"date"})",
              {{"\"2024-12-31\"", true}, {"\"2024-13-01\"", false}});
  expect_rows(R"({"format":"time"})",
              {{"\"23:59:60Z\"", true}, {"\"24:00:00Z\"", false}});
  expect_rows(R"({"format":"email"})", {{"\"a.b+c@example.org\"", true},
                                        {"\"a@\"", false},
                                        {"\"a b@c.de\"", false},
                                        {"\"@c.de\"", false}});
  expect_rows(R"({"format":"uri"})", {{"\"https://a.b/c?d#e\"", true},
                                      {"\"mailto:a@b.c\"", true},
                                      {"\"/relative\"", false},
                                      {"\"http://a b\"", false}});
  expect_rows(R"({"format":"ipv4"})", {{"\"192.0.2.1\"", true},
                                       {"\"192.0.2.256\"", false},
                                       {"\"1.2.3\"", false}});
  expect_rows(R"({"format":"ipv6"})",
              {{"\"2001:db8::1\"", true}, {"\"::g\"", false}});
  expect_rows(R"({"format":"uuid"})",
              {{"\"123e4567-e89b-12d3-a456-426614174000\"", true},
               {"\"123e4567e89b12d3a456426614174000\"", false}});
  expect_rows(R"({"format":"made-up"})", {{"\"anything\"", true}});
}

TEST(JsonSchemaKeywords, PropertiesAreCheckedByNamePatternOrRest) {
  const char* schema = R"({"properties":{"a":{"type":"integer"}},
    "patternProperties":{"^x-":{"type":"string"}},
    "additionalProperties":{"type":"boolean"}})";
  expect_rows(schema, {{R"({"a":1,"x-b":"s","c":true})", true},
                       {R"({"a":"1"})", false},
                       {R"({"x-b":1})", false},
                       {R"({"c":1})", false}});
  expect_rows(R"({"properties":{"a":{}},"additionalProperties":false})",
              {{R"({"a":1})", true}, {R"({"b":1})", false}});
}

TEST(JsonSchemaKeywords, RequiredPropertyNamesAndCounts) {
  expect_rows(
      R"({"required":["a","b"]})",
      {{R"({"a":1,"b":2})", true}, {R"({"a":1})", false}, {"[]", true}});
  expect_rows(R"({"propertyNames":{"pattern":"^[a-z]+$"}})",
              {{R"({"abc":1})", true}, {R"({"A":1})", false}});
  expect_rows(
      R"({"minProperties":1,"maxProperties":2})",
      {{"{}", false}, {R"({"a":1})", true}, {R"({"a":1,"b":2,"c":3})", false}});
}

TEST(JsonSchemaKeywords, PropertyNamesOfPrototypesAreOrdinary) {
  expect_rows(R"({"properties":{"__proto__":{"type":"string"}},
                  "required":["constructor"]})",
              {{R"({"__proto__":"a","constructor":1})", true},
               {R"({"__proto__":1,"constructor":1})", false},
               {"{}", false}});
}

TEST(JsonSchemaKeywords, DependenciesOfAllDrafts) {
  expect_rows(R"({"dependentRequired":{"a":["b"]}})",
              {{R"({"a":1,"b":1})", true},
               {R"({"a":1})", false},
               {R"({"c":1})", true}});
  expect_rows(R"({"dependentSchemas":{"a":{"required":["b"]}}})",
              {{R"({"a":1,"b":1})", true}, {R"({"a":1})", false}});
  expect_rows(R"({"dependencies":{"a":["b"],"c":{"required":["d"]}}})",
              {{R"({"a":1})", false},
               {R"({"c":1})", false},
               {R"({"a":1,"b":1,"c":1,"d":1})", true}});
}

TEST(JsonSchemaKeywords, ItemsAsOneSchemaOrAsATuple) {
  expect_rows(R"({"items":{"type":"integer"}})",
              {{"[1,2]", true}, {"[1,\"2\"]", false}});
  expect_rows(
      R"({"items":[{"type":"integer"}],"additionalItems":false})",
      {{"[1]", true}, {"[]", true}, {"[1,2]", false}, {"[\"1\"]", false}});
  expect_rows(R"({"items":[{}],"additionalItems":{"type":"string"}})",
              {{"[1,\"a\"]", true}, {"[1,2]", false}});
  expect_rows(R"({"prefixItems":[{"type":"integer"}],"items":false})",
              {{"[1]", true}, {"[1,2]", false}});
  expect_rows(R"({"prefixItems":[{"type":"integer"}],
                  "items":{"type":"string"}})",
              {{"[1,\"a\"]", true}, {"[1,1]", false}});
  // Only the array form of items gives additionalItems a meaning.
  expect_rows(R"({"items":{},"additionalItems":false})", {{"[1,2]", true}});
}

TEST(JsonSchemaKeywords, ContainsCountsFittingItems) {
  const char* schema =
      R"({"contains":{"const":1},"minContains":2,"maxContains":3})";
  expect_rows(schema,
              {{"[1,2,1]", true}, {"[1]", false}, {"[1,1,1,1]", false}});
  expect_rows(R"({"contains":{"const":1}})", {{"[2]", false}, {"[1]", true}});
  expect_rows(R"({"contains":{"const":1},"minContains":0})", {{"[]", true}});
}

TEST(JsonSchemaKeywords, ItemCountsAndUniqueness) {
  expect_rows(R"({"minItems":1,"maxItems":2})",
              {{"[]", false}, {"[1]", true}, {"[1,2,3]", false}});
  expect_rows(R"({"uniqueItems":true})",
              {{"[1,2,\"1\",true]", true},
               {"[1,1.0]", false},
               {R"([{"a":1,"b":2},{"b":2,"a":1}])", false},
               {"[[1,2],[2,1]]", true},
               {"[null,false,0]", true}});
}

TEST(JsonSchemaKeywords, CombinationsOfSchemas) {
  expect_rows(R"({"allOf":[{"minimum":1},{"maximum":3}]})",
              {{"2", true}, {"0", false}, {"4", false}});
  expect_rows(R"({"anyOf":[{"type":"string"},{"minimum":5}]})",
              {{"\"a\"", true}, {"6", true}, {"4", false}});
  expect_rows(R"({"oneOf":[{"multipleOf":2},{"multipleOf":3}]})",
              {{"2", true}, {"3", true}, {"6", false}, {"5", false}});
  expect_rows(R"({"not":{"required":["a"]}})",
              {{"{}", true}, {R"({"a":1})", false}});
}

TEST(JsonSchemaKeywords, IfChoosesThenOrElse) {
  const char* schema = R"({"if":{"properties":{"k":{"const":"a"}}},
    "then":{"required":["x"]},"else":{"required":["y"]}})";
  expect_rows(schema, {{R"({"k":"a","x":1})", true},
                       {R"({"k":"a","y":1})", false},
                       {R"({"k":"b","y":1})", true},
                       {R"({"k":"b","x":1})", false}});
  expect_rows(R"({"then":false,"else":false})", {{"1", true}});
}

TEST(JsonSchemaKeywords, UnevaluatedPropertiesSeeThroughCombinations) {
  const char* schema = R"({"allOf":[{"properties":{"a":{}}}],
    "anyOf":[{"properties":{"b":{"const":1}},"required":["b"]},
             {"properties":{"c":{}},"required":["c"]}],
    "unevaluatedProperties":false})";
  expect_rows(schema, {{R"({"a":1,"b":1})", true},
                       {R"({"b":1,"c":1})", true},
                       // The branch of b does not fit, so b is not evaluated.
                       {R"({"b":2,"c":1})", false},
                       {R"({"b":1,"d":1})", false}});
  expect_rows(R"({"$ref":"#/$defs/x","unevaluatedProperties":false,
                  "$defs":{"x":{"properties":{"a":{}}}}})",
              {{R"({"a":1})", true}, {R"({"b":1})", false}});
  expect_rows(R"({"if":{"properties":{"a":{"const":1}},"required":["a"]},
                  "unevaluatedProperties":{"type":"string"}})",
              {{R"({"a":1,"b":"s"})", true}, {R"({"a":2})", false}});
}

TEST(JsonSchemaKeywords, UnevaluatedItemsSeeThroughCombinations) {
  const char* schema = R"({"prefixItems":[{"type":"string"}],
    "contains":{"type":"integer"},"unevaluatedItems":false})";
  expect_rows(schema, {{"[\"a\",1,2]", true}, {"[\"a\",1,null]", false}});
  expect_rows(R"({"allOf":[{"prefixItems":[{},{}]}],
                  "unevaluatedItems":{"type":"null"}})",
              {{"[1,2,null]", true}, {"[1,2,3]", false}});
}

TEST(JsonSchemaKeywords, BooleanAndEmptySchemas) {
  expect_rows("true", {{"1", true}, {"{}", true}});
  expect_rows("false", {{"1", false}, {"{}", false}});
  expect_rows("{}", {{"null", true}, {"{\"a\":[]}", true}});
  expect_rows(R"({"properties":{"a":false,"b":true}})",
              {{R"({"b":1})", true}, {R"({"a":1})", false}});
}

TEST(JsonSchemaKeywords, UnknownKeywordsAreIgnored) {
  expect_rows(R"({"x-thing":7,"nullable":true,"examples":[{"$id":"u"}],
                  "$comment":"c","title":"t","deprecated":true})",
              {{"1", true}});
}

}  // namespace
}  // namespace toolhost::testing
