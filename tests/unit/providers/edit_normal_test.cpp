// Matching apart from Unicode form, typographic characters and white space at
// line ends: the last means, mapped back to the bytes of the file.
#include "providers/builtin/edit_normal.hpp"

#include "providers/builtin/edit_match.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace toolhost::builtin {
namespace {

using ::testing::HasSubstr;

EditedText edited(std::string_view file, std::string old_text,
                  std::string new_text, bool all = false) {
  const std::vector<Edit> edits{
      {std::move(old_text), std::move(new_text), all}};
  auto out = apply_edits(file, edits, "f");
  EXPECT_TRUE(out) << out.error().message;
  return out ? std::move(*out) : EditedText();
}

std::string refused(std::string_view file, std::string old_text) {
  const std::vector<Edit> edits{{std::move(old_text), "new", false}};
  const auto out = apply_edits(file, edits, "f");
  EXPECT_FALSE(out);
  return out ? "" : out.error().message;
}

TEST(EditNormal, ComposedAndDecomposedFormsMatch) {
  const EditedText out = edited("cafe\xcc\x81 bar\n", "caf\xc3\xa9 bar", "tea");
  EXPECT_EQ(out.text, "tea\n");
  EXPECT_EQ(out.normalised, 1U);
}

TEST(EditNormal, TypographicQuotesAndDashesMatchAndStayWhereNothingChanges) {
  EXPECT_EQ(edited("say(\xe2\x80\x98hi\xe2\x80\x99, 1) \xe2\x80\x94 x",
                   "say('hi', 1) - x", "say('hi', 2) - x")
                .text,
            "say(\xe2\x80\x98hi\xe2\x80\x99, 2) \xe2\x80\x94 x");
}

TEST(EditNormal, OddSpacesMatch) {
  EXPECT_EQ(edited("a\xc2\xa0"
                   "b\xe3\x80\x80"
                   "c",
                   "a b c", "x")
                .text,
            "x");
}

TEST(EditNormal, WhiteSpaceAtLineEndsDoesNotMatter) {
  EXPECT_EQ(edited("foo  \nbar\t\nend\n", "foo\nbar\n", "foo\nnew\nbar\n").text,
            "foo  \nnew\nbar\t\nend\n");
  EXPECT_EQ(edited("foo\nbar\n", "foo  \nbar ", "x").text, "x\n");
}

TEST(EditNormal, SpacesAtTheEndOfOldTextMeanALineEnd) {
  EXPECT_THAT(refused("foobar\n", "foo "), HasSubstr("was not found"));
}

TEST(EditNormal, IndentationCaseAndWordsAreNeverEvenedOut) {
  EXPECT_THAT(refused("  foo\n  bar\n", "  foo\n bar\n"),
              HasSubstr("differs in indentation"));
  EXPECT_THAT(refused("Foo(\xe2\x80\x9cx\xe2\x80\x9d)\n", "foo(\"x\")\n"),
              HasSubstr("was not found"));
  EXPECT_THAT(refused("a  b\n", "a b"), HasSubstr("whitespace"));
}

TEST(EditNormal, AnExactMatchIsNotAmbiguousForASecondSpelling) {
  const EditedText out = edited(
      "\"a\" \xe2\x80\x9c"
      "a\xe2\x80\x9d",
      "\"a\"", "b");
  EXPECT_EQ(out.text,
            "b \xe2\x80\x9c"
            "a\xe2\x80\x9d");
  EXPECT_EQ(out.normalised, 0U);
}

TEST(EditNormal, SeveralLooseMatchesAreAmbiguousUnlessAllAreMeant) {
  const std::string file =
      "\xe2\x80\x9c"
      "a\xe2\x80\x9d\n\xe2\x80\x9f"
      "a\xe2\x80\x9d\n";
  EXPECT_THAT(refused(file, "\"a\""), HasSubstr("lines 1, 2"));
  EXPECT_EQ(edited(file, "\"a\"", "b", true).text, "b\nb\n");
}

TEST(EditNormal, HalfOfALigatureIsNoMatch) {
  EXPECT_THAT(refused("\xef\xac\x81x", "f"), HasSubstr("was not found"));
  EXPECT_EQ(edited("\xef\xac\x81x", "fix", "y").text, "y");
}

TEST(EditNormal, LineEndingsOfTheFileAreKept) {
  EXPECT_EQ(edited("\xe2\x80\x9c"
                   "a\xe2\x80\x9d\r\nb\r\n",
                   "\"a\"\nb\n", "\"a\"\nc\nd\n")
                .text,
            "\xe2\x80\x9c"
            "a\xe2\x80\x9d\r\nc\r\nd\r\n");
}

TEST(EditNormal, BytesThatAreNotUtf8ArePassedOver) {
  EXPECT_EQ(edited("\xff \xe2\x80\x9cx\xe2\x80\x9d \xfe", "\"x\"", "y").text,
            "\xff y \xfe");
}

TEST(EditNormal, PositionsLeadBackToTheOriginalCharacters) {
  const std::string original =
      "\xe2\x80\x9c"
      "a  \n\xef\xac\x81";
  const NormalText text(original);
  EXPECT_EQ(text.text(), "\"a\nfi");
  EXPECT_EQ(text.begin_of(1), 3U);
  EXPECT_EQ(text.end_of(2), 4U);
  EXPECT_EQ(text.begin_of(2), 6U);
  EXPECT_FALSE(text.end_of(4));
  EXPECT_EQ(text.end_of(5), original.size());
  EXPECT_EQ(text.position_of(3), 1U);
  EXPECT_FALSE(text.position_of(5));
}

}  // namespace
}  // namespace toolhost::builtin
