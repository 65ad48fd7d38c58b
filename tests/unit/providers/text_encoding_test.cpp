#include "providers/builtin/text_encoding.hpp"

#include <gtest/gtest.h>

#include <random>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

using namespace std::string_view_literals;

// The encoding that is recognised; decoding and encoding must be lossless.
std::string_view seen(std::string_view file) {
  const Encoding encoding = detect_whole(file);
  EXPECT_EQ(encode(decode(file, encoding), encoding), file);
  return name(encoding);
}

TEST(TextEncoding, ByteOrderMarksDecide) {
  EXPECT_EQ(seen("\xef\xbb\xbfhi"), "utf-8-bom");
  EXPECT_EQ(seen("\xff\xfeh\0i\0"sv), "utf-16le");
  EXPECT_EQ(seen("\xfe\xff\0h\0i"sv), "utf-16be");
}

TEST(TextEncoding, ValidUtf8IsUtf8) {
  EXPECT_EQ(seen(""), "utf-8");
  EXPECT_EQ(seen("plain"), "utf-8");
  EXPECT_EQ(seen("\xe4\xb8\xad\xe6\x96\x87"), "utf-8");
}

TEST(TextEncoding, Utf16WithoutAMarkIsSeenByItsZeros) {
  EXPECT_EQ(seen("a\0b\0c\0\n\0"sv), "utf-16le-no-bom");
  EXPECT_EQ(seen("\0a\0b\0c\0\n"sv), "utf-16be-no-bom");
}

TEST(TextEncoding, SmallNumbersAreNoUtf16) {
  EXPECT_EQ(seen("\1\0\2\0\3\0\4\0"sv), "utf-8");
  EXPECT_EQ(seen("a\0b"sv), "utf-8");
}

TEST(TextEncoding, ChineseIsGbkAlsoAmongCode) {
  EXPECT_EQ(seen("x = 1;\n// \xd6\xd0\xce\xc4\n"), "gbk");
  EXPECT_EQ(decode("\xd6\xd0\xce\xc4", Encoding::gbk),
            "\xe4\xb8\xad\xe6\x96\x87");
  // Its bytes are half valid UTF-8, a well-known trap.
  EXPECT_EQ(seen("\xc1\xaa\xcd\xa8"), "gbk");
}

TEST(TextEncoding, FourByteCharactersMakeItGb18030) {
  EXPECT_EQ(seen("\xd6\xd0\x81\x30\x81\x34"), "gb18030");
}

TEST(TextEncoding, AccentsAreWesternNotChinese) {
  EXPECT_EQ(seen("caf\xe9\n"), "iso-8859-1");
  EXPECT_EQ(seen("cr\xe9\xe9"
                 "e et na\xefve"),
            "iso-8859-1");
  EXPECT_EQ(seen("\x93"
                 "caf\xe9\x94"),
            "windows-1252");
  EXPECT_EQ(decode("\x80\xe9", Encoding::windows1252), "\xe2\x82\xac\xc3\xa9");
}

TEST(TextEncoding, OtherScriptsAreUnknownAndPassedOn) {
  const std::string_view japanese = "\x82\xb1\x82\xf1\x82\xc9\x82\xbf";
  EXPECT_EQ(seen(japanese), "unknown");
  EXPECT_EQ(decode(japanese, Encoding::unknown), japanese);
  EXPECT_EQ(seen("\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0"), "unknown");
}

TEST(TextEncoding, AStrayByteInUtf8MakesItNoOtherEncoding) {
  EXPECT_EQ(seen("\xc3\xa9t\xc3\xa9 \xe9"), "utf-8");
}

TEST(TextEncoding, WhatAnEncodingLacksIsNotWritten) {
  EXPECT_FALSE(encode("\xe4\xb8\xad", Encoding::latin1));
  EXPECT_FALSE(encode("\xf0\x9f\x99\x82", Encoding::gbk));
  EXPECT_TRUE(encode("\xf0\x9f\x99\x82", Encoding::gb18030));
  EXPECT_FALSE(encode("\xff", Encoding::utf16_le));
}

TEST(TextEncoding, RandomBytesSurviveWhateverTheyAreTakenFor) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string file;
    const std::size_t size = random() % 40;
    for (std::size_t i = 0; i < size; ++i) {
      const unsigned kind = random() % 4;
      file += static_cast<char>(kind == 0   ? random() % 256
                                : kind == 1 ? 0xA0 + random() % 96
                                            : 32 + random() % 96);
    }
    const Encoding encoding = detect_whole(file);
    if (is_utf16(encoding)) continue;  // judged by edit when it is lossless
    EXPECT_EQ(encode(decode(file, encoding), encoding), file) << round;
    if (is_legacy(encoding)) {
      EXPECT_TRUE(is_utf8(decode(file, encoding)));
    }
  }
}

}  // namespace
}  // namespace toolhost::builtin
