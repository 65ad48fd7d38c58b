#include "daemon/cli/keys.hpp"

#include <gtest/gtest.h>

namespace toolhost::cli {
namespace {

using Kind = Key::Kind;

std::vector<Kind> kinds(const std::vector<Key>& keys) {
  std::vector<Kind> out;
  for (const Key& key : keys) out.push_back(key.kind);
  return out;
}

TEST(KeyDecoder, ReadsArrowsPagesAndControls) {
  KeyDecoder decoder;
  EXPECT_EQ(kinds(decoder.feed("\x1b[A\x1bOB\x1b[5~\x1b[6~\r\x7f\x03")),
            (std::vector{Kind::up, Kind::down, Kind::page_up, Kind::page_down,
                         Kind::enter, Kind::backspace, Kind::interrupt}));
}

TEST(KeyDecoder, ASequenceMayComeInPieces) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\x1b").empty());
  EXPECT_TRUE(decoder.feed("[").empty());
  EXPECT_EQ(kinds(decoder.feed("A")), std::vector{Kind::up});
}

TEST(KeyDecoder, ALoneEscapeIsAKeyWhenNothingFollows) {
  KeyDecoder decoder;
  decoder.feed("\x1b");
  EXPECT_TRUE(decoder.waiting());
  EXPECT_EQ(kinds(decoder.flush()), std::vector{Kind::escape});
  EXPECT_FALSE(decoder.waiting());
}

TEST(KeyDecoder, AnUnknownSequenceIsNotItsLetters) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\x1b[1;5a").empty());
}

TEST(KeyDecoder, APasteIsOnePieceWhateverIsInIt) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\x1b[200~a\x1b[Ad").empty());
  const auto keys = decoder.feed("\r\x1b[201~q");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].kind, Kind::paste);
  EXPECT_EQ(keys[0].text, "a\x1b[Ad\r");
  EXPECT_EQ(keys[1].text, "q");
}

TEST(KeyDecoder, APasteWithoutEndIsBounded) {
  KeyDecoder decoder;
  decoder.feed("\x1b[200~");
  for (int i = 0; i < 100; ++i) decoder.feed(std::string(4096, 'x'));
  const auto keys = decoder.feed("\x1b[201~");
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].text.size(), KeyDecoder::kMaxPaste);
}

TEST(KeyDecoder, AnUmlautIsOneKey) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\xc3").empty());
  const auto keys = decoder.feed("\xa4");
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].text, "\xc3\xa4");
}

}  // namespace
}  // namespace toolhost::cli
