#include "protocol/text.hpp"

#include <gmock/gmock.h>

#include <random>

namespace toolhost {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Utf8, SequencesAreValidInExactlyTheStandardsRanges) {
  EXPECT_EQ(utf8_sequence_length("a"), 1U);
  EXPECT_EQ(utf8_sequence_length("\xc2\x80"), 2U);
  EXPECT_EQ(utf8_sequence_length("\xe0\xa0\x80"), 3U);
  EXPECT_EQ(utf8_sequence_length("\xed\x9f\xbf"), 3U);
  EXPECT_EQ(utf8_sequence_length("\xf0\x90\x80\x80"), 4U);
  EXPECT_EQ(utf8_sequence_length("\xf4\x8f\xbf\xbf"), 4U);
  for (const char* bad : {"", "\x80", "\xbf", "\xc0\x80", "\xc1\xbf",
                          "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",
                          "\xc2", "\xe2\x82", "\xf0\x9f\x99", "\xc2x"}) {
    EXPECT_EQ(utf8_sequence_length(bad), 0U) << bad;
  }
}

TEST(Utf8, WholeTextsAreJudged) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("aä€🙂"));
  EXPECT_FALSE(is_utf8("a\xff"));
  EXPECT_FALSE(is_utf8("€\xe2\x82"));
}

TEST(Utf8, BadBytesAreReplacedAndCounted) {
  std::size_t replaced = 9;
  EXPECT_EQ(to_utf8("ok\xff\xfe", &replaced), "ok\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(replaced, 2U);
  EXPECT_EQ(to_utf8("ä", &replaced), "ä");
  EXPECT_EQ(replaced, 0U);
}

TEST(Utf8, APrefixDoesNotCutACharacter) {
  EXPECT_EQ(utf8_prefix("aä", 2), "a");
  EXPECT_EQ(utf8_prefix("aä", 3), "aä");
  EXPECT_EQ(utf8_prefix("🙂🙂", 7), "🙂");
  EXPECT_EQ(utf8_prefix("🙂", 3), "");
  EXPECT_EQ(utf8_prefix("abc", 0), "");
  EXPECT_EQ(utf8_prefix("", 5), "");
}

TEST(Utf8, ASuffixDoesNotCutACharacter) {
  EXPECT_EQ(utf8_suffix("äa", 2), "a");
  EXPECT_EQ(utf8_suffix("äa", 3), "äa");
  EXPECT_EQ(utf8_suffix("🙂🙂", 7), "🙂");
  EXPECT_EQ(utf8_suffix("🙂", 1), "");
  EXPECT_EQ(utf8_suffix("abc", 0), "");
}

TEST(Utf8, InvalidBytesCountAsCharacters) {
  EXPECT_EQ(utf8_prefix("\x80\x80\x80\x80\x80", 3), "\x80\x80\x80");
  EXPECT_EQ(utf8_suffix("\x80\x80\x80\x80\x80", 3), "\x80\x80\x80");
  EXPECT_EQ(utf8_prefix("\xff\xff\xff", 2), "\xff\xff");
  EXPECT_EQ(utf8_suffix("ab\xff", 1), "\xff");
}

// The reference: cut at a border between characters, the longest that fits.
std::string_view slow_prefix(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t step =
        std::max<std::size_t>(1, utf8_sequence_length(text.substr(end)));
    if (end + step > most) break;
    end += step;
  }
  return text.substr(0, end);
}
std::string_view slow_suffix(std::string_view text, std::size_t most) {
  std::size_t start = 0;
  while (text.size() - start > most) {
    start += std::max<std::size_t>(1, utf8_sequence_length(text.substr(start)));
  }
  return text.substr(start);
}

TEST(Utf8, CutsAgreeWithTheSlowReferenceOnRandomBytes) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces{
      "a",    "ä",        "€",        "🙂", "\xff",
      "\x80", "\xe2\x82", "\xf0\x9f", "\xc2", "\xed\xa0\x80"};
  std::uniform_int_distribution<std::size_t> piece(0, pieces.size() - 1);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 6; ++i) text += pieces[piece(random)];
    for (std::size_t most = 0; most <= text.size(); ++most) {
      ASSERT_EQ(utf8_prefix(text, most), slow_prefix(text, most))
          << ::testing::PrintToString(text) << " " << most;
      ASSERT_EQ(utf8_suffix(text, most), slow_suffix(text, most))
          << ::testing::PrintToString(text) << " " << most;
    }
  }
}

TEST(Utf8, AnIncompleteTailIsHeldBack) {
  EXPECT_EQ(utf8_incomplete_tail(""), 0U);
  EXPECT_EQ(utf8_incomplete_tail("abc"), 0U);
  EXPECT_EQ(utf8_incomplete_tail("aä"), 0U);
  EXPECT_EQ(utf8_incomplete_tail("a\xc3"), 1U);
  EXPECT_EQ(utf8_incomplete_tail("\xe2"), 1U);
  EXPECT_EQ(utf8_incomplete_tail("\xe2\x82"), 2U);
  EXPECT_EQ(utf8_incomplete_tail("\xf0\x9f\x99"), 3U);
  EXPECT_EQ(utf8_incomplete_tail("🙂"), 0U);
}

TEST(Utf8, ATailThatCannotGoOnIsNotHeldBack) {
  EXPECT_EQ(utf8_incomplete_tail("\xff"), 0U);
  EXPECT_EQ(utf8_incomplete_tail("\x80\x80\x80"), 0U);
  EXPECT_EQ(utf8_incomplete_tail("\xc0"), 0U);
  // Already wrong by its second byte.
  EXPECT_EQ(utf8_incomplete_tail("\xe0\x80"), 0U);
  EXPECT_EQ(utf8_incomplete_tail("\xed\xa0"), 0U);
  EXPECT_EQ(utf8_incomplete_tail("\xf4\x90\x80"), 0U);
}

TEST(Utf8, ChunksJoinedOverTheTailLoseNothing) {
  const std::string whole = "aä€🙂b🙂€ä";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::string first = whole.substr(0, cut);
    const std::size_t held = utf8_incomplete_tail(first);
    const std::string rest =
        first.substr(first.size() - held) + whole.substr(cut);
    first.resize(first.size() - held);
    EXPECT_TRUE(is_utf8(first));
    EXPECT_EQ(to_utf8(first) + to_utf8(rest), whole);
  }
}

TEST(DisplayText, PlainTextStays) {
  std::vector<std::string> notes;
  EXPECT_EQ(display_text("rm -rf ./Größe 日本 🙂", false, &notes),
            "rm -rf ./Größe 日本 🙂");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(DisplayText, ControlsAreShown) {
  std::vector<std::string> notes;
  EXPECT_EQ(display_text("a\x1b[2K\rb\x07\x7f", false, &notes),
            "a\\u{001B}[2K\\u{000D}b\\u{0007}\\u{007F}");
  EXPECT_THAT(notes, ElementsAre("control character"));
  EXPECT_EQ(display_text("\xc2\x9b"
                         "2J"),
            "\\u{009B}2J");
  EXPECT_EQ(display_text(std::string_view("\0", 1)), "\\u{0000}");
}

TEST(DisplayText, LinesStayOnlyIfAsked) {
  EXPECT_EQ(display_text("a\n\tb"), "a\\u{000A}\\u{0009}b");
  EXPECT_EQ(display_text("a\n\tb\r", true), "a\n\tb\\u{000D}");
}

TEST(DisplayText, InvisibleAndDirectionChangingCharactersAreShown) {
  std::vector<std::string> notes;
  EXPECT_EQ(display_text("a\u202eb\u2066c\u200bd\u200ee\ufeff", false, &notes),
            "a\\u{202E}b\\u{2066}c\\u{200B}d\\u{200E}e\\u{FEFF}");
  EXPECT_THAT(notes, ElementsAre("invisible or direction-changing character"));
  EXPECT_EQ(display_text("\U000E0100"), "\\u{E0100}");
  EXPECT_EQ(display_text("\U000E0041"), "\\u{E0041}");
  EXPECT_EQ(display_text("\ufe0f\u034f\u3164\u00ad"),
            "\\u{FE0F}\\u{034F}\\u{3164}\\u{00AD}");
  EXPECT_EQ(display_text("\u180b\u17b4\u2800"), "\\u{180B}\\u{17B4}\\u{2800}");
}

TEST(DisplayText, SeparatorsSpacesAndPrivateUseAreShown) {
  std::vector<std::string> notes;
  EXPECT_EQ(display_text("\u2028\u00a0\u3000\ue000\U0010FFFF", false, &notes),
            "\\u{2028}\\u{00A0}\\u{3000}\\u{E000}\\u{10FFFF}");
  EXPECT_THAT(notes,
              ElementsAre("line separator", "unusual space",
                          "private-use character", "unassigned character"));
}

TEST(DisplayText, BadBytesAreReplaced) {
  std::vector<std::string> notes;
  EXPECT_EQ(display_text("a\xff", false, &notes), "a\xef\xbf\xbd");
  EXPECT_THAT(notes, ElementsAre("bytes that are not UTF-8"));
}

TEST(SimilarNames, CloseNamesComeBestFirst) {
  const std::vector<std::string> tools{"read", "reads", "write", "grep"};
  EXPECT_THAT(similar_names("reed", tools), ElementsAre("read", "reads"));
  EXPECT_THAT(similar_names("grpe", tools), ElementsAre("grep"));
  EXPECT_THAT(similar_names("zzzzzz", tools), IsEmpty());
}

TEST(SimilarNames, PartsOfNamesAreClose) {
  EXPECT_THAT(similar_names("file", {"read_file", "grep"}),
              ElementsAre("read_file"));
}

TEST(SimilarNames, ShortNamesAreNotLikeEverything) {
  EXPECT_THAT(similar_names("q", {"ab", "cd", "e"}), IsEmpty());
  EXPECT_THAT(similar_names("ab", {"cd", "query"}), IsEmpty());
  EXPECT_THAT(similar_names("e", {"delete", "exec"}), IsEmpty());
  EXPECT_THAT(similar_names("l", {"ls", "x"}), ElementsAre("ls"));
}

TEST(SimilarNames, OnlyAsManyAsAsked) {
  EXPECT_EQ(similar_names("aaaa", {"aaab", "aaac", "aaad", "aaae"}, 2).size(),
            2U);
}

TEST(SimilarNames, LongAndEmptyNamesAreNotCompared) {
  EXPECT_THAT(similar_names("", {"a"}), IsEmpty());
  EXPECT_THAT(similar_names(std::string(200, 'a'), {std::string(200, 'a')}),
              IsEmpty());
}

}  // namespace
}  // namespace toolhost
