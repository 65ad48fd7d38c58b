// References, loops, and schemas that cannot be understood.
#include <gmock/gmock.h>

#include "tests/unit/protocol/schema_check.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;

TEST(JsonSchemaRefs, DefinitionsAreFollowedUnderBothNames) {
  EXPECT_FALSE(fits(R"({"properties":{"a":{"$ref":"#/$defs/n"}},
                        "$defs":{"n":{"type":"integer"}}})",
                    R"({"a":"x"})"));
  EXPECT_FALSE(fits(R"({"properties":{"a":{"$ref":"#/definitions/n"}},
                        "definitions":{"n":{"type":"integer"}}})",
                    R"({"a":"x"})"));
}

TEST(JsonSchemaRefs, PointersAreUnescaped) {
  const char* schema = R"({"$defs":{"a/b~c d":{"type":"integer"},
    "list":{"anyOf":[{},{"type":"null"}]}},
    "properties":{"x":{"$ref":"#/$defs/a~1b~0c%20d"},
                  "y":{"$ref":"#/$defs/list/anyOf/1"}}})";
  EXPECT_TRUE(fits(schema, R"({"x":1,"y":null})"));
  EXPECT_FALSE(fits(schema, R"({"x":"1"})"));
  EXPECT_FALSE(fits(schema, R"({"y":1})"));
}

TEST(JsonSchemaRefs, AnchorsAndExactIdsNameSchemas) {
  EXPECT_FALSE(fits(R"({"properties":{"a":{"$ref":"#num"}},
                        "$defs":{"n":{"$anchor":"num","type":"integer"}}})",
                    R"({"a":"x"})"));
  const char* recursive = R"({"$id":"T0","type":"object",
    "properties":{"next":{"$ref":"T0"}}})";
  EXPECT_TRUE(fits(recursive, R"({"next":{"next":{}}})"));
  EXPECT_FALSE(fits(recursive, R"({"next":{"next":1}})"));
}

TEST(JsonSchemaRefs, KeywordsBesideAReferenceCountToo) {
  const char* schema = R"({"$ref":"#/$defs/n","minimum":5,
                           "$defs":{"n":{"type":"integer"}}})";
  EXPECT_TRUE(fits(schema, "5"));
  EXPECT_FALSE(fits(schema, "4"));
  EXPECT_FALSE(fits(schema, "5.5"));
}

TEST(JsonSchemaRefs, ATreeMayReferToItself) {
  const char* schema = R"({"$ref":"#/$defs/node","$defs":{"node":{
    "type":"object","required":["v"],"additionalProperties":false,
    "properties":{"v":{"type":"integer"},
      "children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}})";
  EXPECT_TRUE(fits(schema, R"({"v":1,"children":[{"v":2,"children":[]}]})"));
  EXPECT_EQ(faults(schema, R"({"v":1,"children":[{"v":2},{"v":"3"}]})"),
            "/children/1/v: must be an integer, not a string");
  EXPECT_FALSE(fits(R"({"properties":{"a":{"$ref":"#"}},
                        "additionalProperties":false})",
                    R"({"a":{"a":{"b":1}}})"));
}

TEST(JsonSchemaRefs, AReferenceToItselfAddsNothing) {
  EXPECT_TRUE(fits(R"({"$ref":"#"})", "1"));
  const char* pair = R"({"$ref":"#/$defs/a","$defs":{
    "a":{"$ref":"#/$defs/b","minimum":1},
    "b":{"allOf":[{"$ref":"#/$defs/a"}],"maximum":5}}})";
  EXPECT_TRUE(fits(pair, "3"));
  EXPECT_FALSE(fits(pair, "0"));
  EXPECT_FALSE(fits(pair, "6"));
}

TEST(JsonSchemaRefs, AChoiceThatDependsOnItselfIsRefused) {
  EXPECT_THAT(compile_error(R"({"not":{"$ref":"#"}})"),
              HasSubstr("refers to itself"));
  EXPECT_THAT(compile_error(R"({"anyOf":[{"$ref":"#"},{"type":"string"}]})"),
              HasSubstr("refers to itself"));
  EXPECT_EQ(compile_error(R"({"anyOf":[{"type":"string"},
                {"type":"array","items":{"$ref":"#"}}]})"),
            "");
}

TEST(JsonSchemaRefs, DanglingAndRemoteReferencesAreNamed) {
  const auto dangling =
      compile_error(R"({"properties":{"a":{"$ref":"#/$defs/missing"}}})");
  EXPECT_THAT(dangling, HasSubstr("\"#/$defs/missing\" names nothing"));
  EXPECT_THAT(dangling, HasSubstr("#/properties/a"));
  EXPECT_THAT(compile_error(R"({"$ref":"http://example.org/s.json"})"),
              HasSubstr("\"http://example.org/s.json\" is not in this schema"));
  EXPECT_THAT(compile_error(R"({"$ref":"#nowhere"})"),
              HasSubstr("names nothing"));
  EXPECT_THAT(compile_error(R"({"$ref":"#x","a":[{"$anchor":"x"},
                                {"$anchor":"x"}]})"),
              HasSubstr("names two schemas"));
}

TEST(JsonSchemaRefs, ReferencesInDataAreData) {
  EXPECT_EQ(compile_error(R"({"enum":[{"$ref":"http://x/"}],
                              "default":{"$ref":"#/no"}})"),
            "");
  EXPECT_EQ(compile_error(R"({"properties":{"$ref":{"type":"string"}}})"), "");
}

TEST(JsonSchemaRefs, ABadKeywordIsNamedWithItsPlace) {
  EXPECT_EQ(compile_error(R"({"properties":{"a":{"type":"strng"}}})"),
            "The JSON schema cannot be used: at #/properties/a \"type\" must "
            "be one of null, boolean, integer, number, string, array, object, "
            "or a list of these, not \"strng\".");
  for (const char* schema : {R"({"required":true})",
                             R"({"required":[1]})",
                             R"({"enum":[]})",
                             R"({"enum":"a"})",
                             R"({"properties":[]})",
                             R"({"allOf":{}})",
                             R"({"anyOf":[]})",
                             R"({"minLength":-1})",
                             R"({"minLength":1.5})",
                             R"({"minimum":"1"})",
                             R"({"multipleOf":0})",
                             R"({"pattern":"("})",
                             R"({"pattern":1})",
                             R"({"items":"x"})",
                             R"({"not":1})",
                             R"({"type":[]})",
                             R"({"uniqueItems":1})",
                             R"({"$ref":1})",
                             R"({"patternProperties":{"[":{}}})",
                             R"({"dependencies":[]})",
                             "[]",
                             "1",
                             "\"string\""}) {
    EXPECT_NE(compile_error(schema), "") << schema;
  }
}

TEST(JsonSchemaRefs, NullMeansNotSetAsGeneratorsWriteIt) {
  EXPECT_TRUE(fits(R"({"type":"object","required":null,"properties":null,
                       "items":null,"additionalProperties":null})",
                   R"({"a":1})"));
}

}  // namespace
}  // namespace toolhost::testing
