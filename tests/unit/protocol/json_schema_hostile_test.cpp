// Schemas and instances made to hang, to overflow or to eat memory.
#include <gmock/gmock.h>

#include <ctime>

#include "tests/unit/protocol/schema_check.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;

// CPU seconds: far over what the work takes with sanitizers, far under what an
// unbounded one would take.
constexpr double kSoon = 10;

template <class Work>
void expect_soon(Work work) {
  const std::clock_t start = std::clock();
  work();
  const std::clock_t used = std::clock() - start;
  EXPECT_LT(static_cast<double>(used) / CLOCKS_PER_SEC, kSoon);
}

std::string nested(int depth, const std::string& open, const std::string& end,
                   const std::string& inner) {
  std::string out;
  for (int i = 0; i < depth; ++i) out += open;
  out += inner;
  for (int i = 0; i < depth; ++i) out += end;
  return out;
}

TEST(JsonSchemaHostile, ADeepSchemaIsRefused) {
  const auto text = nested(5000, R"({"properties":{"a":)", "}}", "{}");
  EXPECT_THAT(compile_error(text), HasSubstr("nested deeper than 100"));
  EXPECT_THAT(compile_error(nested(5000, R"({"not":)", "}", "{}")),
              HasSubstr("nested deeper than 100"));
}

TEST(JsonSchemaHostile, DepthInDataIsRefusedToo) {
  EXPECT_THAT(compile_error(R"({"const":)" + nested(5000, "[", "]", "1") + "}"),
              HasSubstr("nested deeper than 100"));
}

TEST(JsonSchemaHostile, ALargeSchemaIsRefusedOrWorks) {
  json::object properties;
  for (std::size_t i = 0; i <= JsonSchema::kMaxNodes; ++i) {
    properties["name" + std::to_string(i)] = json::object();
  }
  EXPECT_THAT(compile_error_of(json::object{{"properties", properties}}),
              HasSubstr("more than 20000 subschemas"));
  const std::string words(1 << 20, 'x');
  EXPECT_EQ(compile_error_of(json::object{{"description", words}}), "");
}

TEST(JsonSchemaHostile, ALongChainOfReferencesDoesNotOverflowTheStack) {
  json::object defs;
  constexpr int kLinks = 15'000;
  for (int i = 0; i < kLinks; ++i) {
    defs["d" + std::to_string(i)] = {
        {"$ref", "#/$defs/d" + std::to_string(i + 1)}};
  }
  defs["d" + std::to_string(kLinks)] = {{"type", "string"}};
  const auto schema =
      JsonSchema::compile({{"$ref", "#/$defs/d0"}, {"$defs", defs}});
  ASSERT_TRUE(schema);
  EXPECT_THAT(faults(**schema, json::value(1)), HasSubstr("too deeply"));
}

TEST(JsonSchemaHostile, ADeepInstanceDoesNotOverflowTheStack) {
  const auto schema = schema_of(R"({"items":{"$ref":"#"},"uniqueItems":true,
                                    "not":{"const":[[[]]]}})");
  const auto deep = parse_json(nested(5000, "[", "]", ""));
  EXPECT_THAT(faults(*schema, deep), HasSubstr("too deeply"));
  const auto unique = schema_of(R"({"uniqueItems":true})");
  EXPECT_NE(faults(*unique, deep), "");
}

TEST(JsonSchemaHostile, CatastrophicBacktrackingEndsAsAFault) {
  const auto schema = schema_of(R"({"pattern":"(a+)+$"})");
  expect_soon([&] {
    EXPECT_THAT(faults(*schema, json::value(std::string(30, 'a') + "!")),
                HasSubstr("pattern \"(a+)+$\" within its limits"));
  });
  EXPECT_EQ(faults(*schema, json::value("aaa")), "");
}

TEST(JsonSchemaHostile, ALimitInsideNotIsNoPass) {
  const auto schema = schema_of(R"({"not":{"pattern":"(a+)+$"}})");
  EXPECT_NE(faults(*schema, json::value(std::string(40, 'a') + "!")), "");
  const auto wide = schema_of(R"({"not":{"uniqueItems":true}})");
  json::array items;
  for (int i = 0; i < 4'000'000; ++i) items.push_back(json::value(i % 7));
  EXPECT_NE(faults(*wide, items), "");
}

TEST(JsonSchemaHostile, ManyCatastrophicPatternsShareOneLimit) {
  json::array all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(json::object{{"pattern", "(a+)+$" + std::to_string(i)}});
  }
  const auto schema = JsonSchema::compile({{"allOf", all}}).value();
  expect_soon([&] {
    EXPECT_NE(faults(*schema, json::value(std::string(40, 'a') + "!")), "");
  });
}

TEST(JsonSchemaHostile, AQuadraticPatternOnALongTextEnds) {
  const auto schema = schema_of(R"({"pattern":"[a-y]+z"})");
  expect_soon([&] {
    EXPECT_NE(faults(*schema, json::value(std::string(4 << 20, 'a'))), "");
  });
}

TEST(JsonSchemaHostile, LongTextsMatchSimplePatterns) {
  const auto whole = schema_of(R"({"pattern":"^[a-z]*$"})");
  EXPECT_EQ(faults(*whole, json::value(std::string(30'000, 'a'))), "");
  EXPECT_NE(faults(*whole, json::value(std::string(30'000, 'a') + "1")), "");
  const auto some = schema_of(R"({"pattern":"\\S"})");
  EXPECT_EQ(faults(*some, json::value(std::string(1000, ' ') +
                                      std::string(1 << 20, 'a'))),
            "");
  EXPECT_NE(faults(*some, json::value(std::string(30'000, ' '))), "");
}

TEST(JsonSchemaHostile, AMatchAcrossSearchWindowsIsFound) {
  const auto schema = schema_of(R"({"pattern":"ü€z$"})");
  for (int fill = 0; fill < 100; ++fill) {
    std::string text;
    for (int i = 0; i < fill; ++i) text += "ü";
    EXPECT_EQ(faults(*schema, json::value(text + "ü€z")), "") << fill;
    EXPECT_NE(faults(*schema, json::value(text + "ü€y")), "") << fill;
  }
}

TEST(JsonSchemaHostile, PatternsCannotReachIntoTheLibrary) {
  EXPECT_NE(compile_error(R"({"pattern":"\\C"})"), "");
  EXPECT_NE(compile_error_of({{"pattern", std::string(5000, 'a')}}), "");
  EXPECT_NE(compile_error_of({{"pattern", nested(2000, "(", ")", "a")}}), "");
  expect_soon([] {
    EXPECT_NE(
        compile_error(R"x({"pattern":"((((a{1,999}){1,999}){1,999}))"})x"), "");
  });
}

TEST(JsonSchemaHostile, BytesThatAreNotUtf8NeverMatch) {
  const auto schema = schema_of(R"({"pattern":"a"})");
  EXPECT_NE(faults(*schema, json::value("a\xff")), "");
}

TEST(JsonSchemaHostile, ExponentialBranchingRunsIntoTheBudget) {
  json::object defs;
  for (int i = 0; i < 40; ++i) {
    const json::value next = {{"$ref", "#/$defs/d" + std::to_string(i + 1)}};
    defs["d" + std::to_string(i)] = {{"allOf", {next, next}}};
  }
  defs["d40"] = {{"type", "string"}};
  const auto schema =
      JsonSchema::compile({{"$ref", "#/$defs/d0"}, {"$defs", defs}}).value();
  expect_soon([&] {
    EXPECT_THAT(faults(*schema, json::value("x")), HasSubstr("too large"));
  });
}

TEST(JsonSchemaHostile, NestedAlternativesAreExplainedInTime) {
  const auto text =
      nested(20, R"({"anyOf":[{"type":"null"},{"properties":{"a":)", "}}]}",
             R"({"type":"string"})");
  const auto instance = nested(20, R"({"a":)", "}", "1");
  expect_soon([&] {
    EXPECT_THAT(faults(text, instance), HasSubstr("must be a string"));
  });
}

TEST(JsonSchemaHostile, ManyAlternativesTimesManyMembersIsBounded) {
  json::array branches;
  for (int i = 0; i < 5000; ++i) {
    branches.push_back(
        json::object{{"required", {"missing" + std::to_string(i)}},
                     {"additionalProperties", true}});
  }
  const auto schema = JsonSchema::compile({{"anyOf", branches},
                                           {"unevaluatedProperties", false}})
                          .value();
  json::object wide;
  for (int i = 0; i < 50'000; ++i) wide["k" + std::to_string(i)] = i;
  expect_soon([&] { EXPECT_NE(faults(*schema, wide), ""); });
}

TEST(JsonSchemaHostile, ManyUnknownNamesAgainstManyKnownAreBounded) {
  json::object known;
  for (int i = 0; i < 9000; ++i) {
    known[std::string(100, 'k') + std::to_string(i)] = json::object();
  }
  const json::value closed = {{"properties", known},
                              {"additionalProperties", false}};
  json::array branches(9000, json::value{{"$ref", "#/$defs/c"}});
  const auto schema =
      JsonSchema::compile({{"anyOf", branches}, {"$defs", {{"c", closed}}}})
          .value();
  json::object wide;
  for (int i = 0; i < 100; ++i) {
    wide[std::string(100, 'u') + std::to_string(i)] = i;
  }
  expect_soon([&] { EXPECT_NE(faults(*schema, wide), ""); });
}

TEST(JsonSchemaHostile, ALargeOrdinaryCallFits) {
  const auto schema = schema_of(R"({"properties":{"rows":{"type":"array",
    "items":{"type":"object","required":["a"],"properties":{
      "a":{"type":"string"},"b":{"type":"integer"}}}}}})");
  json::array rows;
  for (int i = 0; i < 20'000; ++i) {
    rows.push_back(json::object{{"a", "text"}, {"b", i}});
  }
  EXPECT_EQ(faults(*schema, json::object{{"rows", rows}}), "");
}

TEST(JsonSchemaHostile, ASchemaMayDieBeforeItsValidator) {
  std::shared_ptr<const JsonSchema> schema;
  {
    const auto source = parse_json(R"({"properties":{"a":{"enum":["x"]}},
                                       "required":["a"]})");
    schema = *JsonSchema::compile(source);
  }
  EXPECT_EQ(faults(*schema, parse_json(R"({"a":"x"})")), "");
  EXPECT_NE(faults(*schema, parse_json("{}")), "");
}

TEST(JsonSchemaDefaults, MissingTopLevelPropertiesAreFilled) {
  const auto schema = schema_of(R"({"properties":{
    "limit":{"type":"integer","default":10},"mode":{"default":null},
    "path":{"type":"string"}}})");
  json::object call = {{"path", "a"}};
  schema->add_defaults(call);
  EXPECT_EQ(call,
            (json::object{{"path", "a"}, {"limit", 10}, {"mode", nullptr}}));
}

TEST(JsonSchemaDefaults, AGivenValueStays) {
  const auto schema = schema_of(R"({"properties":{"a":{"default":1}}})");
  json::object call = {{"a", nullptr}};
  schema->add_defaults(call);
  EXPECT_EQ(call, (json::object{{"a", nullptr}}));
}

TEST(JsonSchemaDefaults, ADefaultThatItsSchemaRefusesIsLeftOut) {
  const auto schema =
      schema_of(R"({"properties":{"a":{"type":"integer","default":"x"}}})");
  json::object call;
  schema->add_defaults(call);
  EXPECT_TRUE(call.empty());
}

TEST(JsonSchemaDefaults, ReferencesOfTheRootAreFollowed) {
  const auto schema = schema_of(R"({"$ref":"#/$defs/args","$defs":{"args":{
    "properties":{"a":{"default":1}}}}})");
  json::object call;
  schema->add_defaults(call);
  EXPECT_EQ(call, (json::object{{"a", 1}}));
}

}  // namespace
}  // namespace toolhost::testing
