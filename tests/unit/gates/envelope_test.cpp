#include "gates/envelope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;

json::object object(std::string_view text) {
  return json::parse(text).as_object();
}

const json::object kEcho =
    object(R"({"type":"object","properties":{"text":{"type":"string"}},)"
           R"("required":["text"],"additionalProperties":false})");
const json::object kEdit =
    object(R"({"type":"object","properties":{"path":{"type":"string"},)"
           R"("oldText":{"type":"string"},"newText":{"type":"string"},)"
           R"("replaceAll":{"type":"boolean"},"edits":{"type":"array","items":)"
           R"({"type":"object","properties":{"oldText":{},"newText":{}}}}}})");

std::string unwrapped(std::string_view arguments, const json::object& schema) {
  std::vector<std::string> notes;
  return json_text(unwrap_arguments(object(arguments), schema, notes));
}

std::string renamed(std::string_view arguments, const json::object& schema) {
  json::object given = object(arguments);
  apply_aliases(given, schema);
  return canonical_json(given);
}

TEST(Envelope, ARawStringIsOpened) {
  std::vector<std::string> notes;
  const json::object out = unwrap_arguments(
      object(R"({"__raw":"{\"text\":\"a\"}","toolName":"echo"})"), kEcho,
      notes);
  EXPECT_EQ(json_text(out), R"({"text":"a"})");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("__raw"));
}

TEST(Envelope, NestedLayersAreOpened) {
  json::object inner;
  inner["__raw"] = R"({"text":"a"})";
  json::object outer;
  outer["__raw"] = json_text(inner);
  json::object wrapped;
  wrapped["arguments"] = outer;
  EXPECT_EQ(unwrapped(json_text(wrapped), kEcho), R"({"text":"a"})");
}

TEST(Envelope, ABusinessKeyBesideRawKeepsItClosed) {
  const char* given = R"({"__raw":"{\"text\":\"a\"}","text":"b"})";
  EXPECT_EQ(unwrapped(given, kEcho), given);
}

TEST(Envelope, RawThatIsNoObjectStays) {
  for (const char* given :
       {R"({"__raw":"[1]"})", R"({"__raw":"1"})", R"({"__raw":"{\"a\":"})",
        R"({"__raw":{"text":"a"}})"}) {
    EXPECT_EQ(unwrapped(given, kEcho), given);
  }
}

TEST(Envelope, AnOversizeRawStays) {
  json::object given;
  given["__raw"] =
      R"({"text":")" + std::string(kMaxEnvelopeBytes, 'x') + R"("})";
  std::vector<std::string> notes;
  EXPECT_TRUE(unwrap_arguments(given, kEcho, notes).contains("__raw"));
  EXPECT_TRUE(notes.empty());
}

TEST(Envelope, EveryWrapperKeyIsOpened) {
  for (const char* key :
       {"arguments", "args", "input", "parameters", "params", "payload"}) {
    json::object given;
    given[key] = object(R"({"text":"a"})");
    EXPECT_EQ(unwrapped(json_text(given), kEcho), R"({"text":"a"})") << key;
  }
}

TEST(Envelope, AWrapperMayHoldJsonText) {
  EXPECT_EQ(unwrapped(R"({"args":"{\"text\":\"a\"}"})", kEcho),
            R"({"text":"a"})");
}

TEST(Envelope, AWrapperMayHoldAFencedBlock) {
  json::object given;
  given["input"] = "Here:\n```json\n{\"text\": \"a\"}\n```\n";
  EXPECT_EQ(unwrapped(json_text(given), kEcho), R"({"text":"a"})");
}

TEST(Envelope, AWrapperMayHoldProseAroundTheObject) {
  json::object given;
  given["input"] = "I call {\"text\": \"}{\"} now.";
  EXPECT_EQ(unwrapped(json_text(given), kEcho), R"({"text":"}{"})");
}

TEST(Envelope, MetadataMayStandBesideAWrapper) {
  EXPECT_EQ(
      unwrapped(R"({"name":"echo","id":"1","input":{"text":"a"}})", kEcho),
      R"({"text":"a"})");
}

TEST(Envelope, AnotherKeyBesideAWrapperKeepsItClosed) {
  const char* given = R"({"input":{"text":"a"},"text":"b"})";
  EXPECT_EQ(unwrapped(given, kEcho), given);
}

TEST(Envelope, ADeclaredPropertyIsNoWrapper) {
  const json::object schema =
      object(R"({"type":"object","properties":{"input":{"type":"object"}}})");
  const char* given = R"({"input":{"text":"a"}})";
  EXPECT_EQ(unwrapped(given, schema), given);
}

TEST(Envelope, APropertyDeclaredBehindAReferenceIsNoWrapper) {
  const json::object schema =
      object(R"({"allOf":[{"$ref":"#/$defs/a"}],)"
             R"("$defs":{"a":{"properties":{"args":{},"x":{}}}}})");
  const char* given = R"({"args":{"x":1}})";
  EXPECT_EQ(unwrapped(given, schema), given);
}

TEST(Envelope, ADeclaredPropertyIsNoMetadata) {
  const json::object schema =
      object(R"({"type":"object","properties":{"name":{}}})");
  const char* given = R"({"name":"n","input":{"name":"m"}})";
  EXPECT_EQ(unwrapped(given, schema), given);
}

TEST(Envelope, ASchemaThatTakesAnyNameIsLeftAlone) {
  const char* given = R"({"params":{"a":1}})";
  EXPECT_EQ(unwrapped(given, object(R"({"type":"object"})")), given);
  EXPECT_EQ(unwrapped(given, object(R"({"properties":{"a":{}},)"
                                    R"("additionalProperties":true})")),
            given);
}

TEST(Envelope, ALegitimateStringThatHoldsJsonIsUntouched) {
  const char* given = R"({"text":"{\"a\":1}"})";
  EXPECT_EQ(unwrapped(given, kEcho), given);
}

TEST(Envelope, ValuesAreNotConverted) {
  const char* given = R"({"text":5,"other":"true"})";
  EXPECT_EQ(unwrapped(given, kEcho), given);
  EXPECT_EQ(renamed(R"({"path":"5"})", kEdit), R"({"path":"5"})");
}

TEST(Envelope, ReferencesInCirclesEnd) {
  json::array parts;
  for (int n = 0; n < 100; ++n) parts.push_back(object(R"({"$ref":"#"})"));
  json::object schema;
  schema["anyOf"] = parts;
  schema["properties"] = object(R"({"text":{}})");
  const char* given = R"({"args":{"text":"a"}})";
  EXPECT_EQ(unwrapped(given, schema), given);
}

TEST(Envelope, CutArgumentsAreToldToTheModel) {
  const auto refusal =
      cut_arguments(object(R"({"__raw":"{\"text\":\"caf\u00e9"})"), kEcho);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, CallErrorKind::invalid_arguments);
  EXPECT_THAT(refusal->message, HasSubstr("13 characters"));
  EXPECT_THAT(refusal->message, Not(HasSubstr("caf")));
  EXPECT_THAT(refusal->hint, HasSubstr("skeleton"));
}

TEST(Envelope, WholeArgumentsAreNotCalledCut) {
  EXPECT_FALSE(cut_arguments(object(R"({"text":"a"})"), kEcho));
}

TEST(Aliases, FamiliarNamesBecomeTheDeclaredOnes) {
  EXPECT_EQ(renamed(R"({"file_path":"a","old_string":"b","new_string":"c",)"
                    R"("replace_all":true})",
                    kEdit),
            R"({"newText":"c","oldText":"b","path":"a","replaceAll":true})");
  EXPECT_EQ(renamed(R"({"filePath":"a","oldString":"b","new_str":"c"})", kEdit),
            R"({"newText":"c","oldText":"b","path":"a"})");
}

TEST(Aliases, AnySpellingOfADeclaredNameIsTaken) {
  EXPECT_EQ(renamed(R"({"old_text":"a","NewText":"b","Path":"c"})", kEdit),
            R"({"newText":"b","oldText":"a","path":"c"})");
}

TEST(Aliases, CommandsAndPatternsHaveSynonyms) {
  const json::object shell = object(R"({"properties":{"command":{}}})");
  EXPECT_EQ(renamed(R"({"cmd":"ls"})", shell), R"({"command":"ls"})");
  EXPECT_EQ(renamed(R"({"script":"ls"})", shell), R"({"command":"ls"})");
  const json::object grep = object(R"({"properties":{"pattern":{}}})");
  EXPECT_EQ(renamed(R"({"regex":"a"})", grep), R"({"pattern":"a"})");
  EXPECT_EQ(renamed(R"({"query":"a"})", grep), R"({"pattern":"a"})");
}

TEST(Aliases, ADeclaredSourceIsLeftAlone) {
  const json::object both =
      object(R"({"properties":{"pattern":{},"query":{}}})");
  EXPECT_EQ(renamed(R"({"query":"a"})", both), R"({"query":"a"})");
}

TEST(Aliases, APresentTargetIsNotOverwritten) {
  EXPECT_EQ(renamed(R"({"path":"a","file_path":"b"})", kEdit),
            R"({"file_path":"b","path":"a"})");
}

TEST(Aliases, TwoCandidatesAreLeftToTheSchema) {
  EXPECT_EQ(renamed(R"({"file":"a","filename":"b"})", kEdit),
            R"({"file":"a","filename":"b"})");
}

TEST(Aliases, NestedItemsAreRenamed) {
  EXPECT_EQ(
      renamed(R"({"path":"p","edits":[{"old_string":"a","new_string":"b"}]})",
              kEdit),
      R"({"edits":[{"newText":"b","oldText":"a"}],"path":"p"})");
}

TEST(Aliases, ATargetThatIsNotDeclaredIsNotMade) {
  EXPECT_EQ(renamed(R"({"file_path":"a"})", kEcho), R"({"file_path":"a"})");
}

TEST(Aliases, ASchemaThatTakesAnyNameIsLeftAlone) {
  const json::object open =
      object(R"({"properties":{"path":{}},"additionalProperties":true})");
  EXPECT_EQ(renamed(R"({"file":"a"})", open), R"({"file":"a"})");
}

TEST(Aliases, EachRenamingIsNoted) {
  json::object given = object(R"({"file_path":"a"})");
  const std::vector<std::string> notes = apply_aliases(given, kEdit);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "\"file_path\" was taken as \"path\".");
}

}  // namespace
}  // namespace toolhost
