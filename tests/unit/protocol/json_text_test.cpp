#include "protocol/json_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "protocol/text.hpp"

namespace toolhost {
namespace {

std::string literal(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonText, EveryAsciiByteSurvivesARoundTrip) {
  for (int byte = 0; byte < 0x80; ++byte) {
    const std::string text =
        "a" + std::string(1, static_cast<char>(byte)) + "b";
    const std::string written = literal(text);
    for (const char c : written) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << byte;
    }
    EXPECT_EQ(json::parse(written), json::value(text)) << byte;
  }
}

TEST(JsonText, EscapesAreTheShortOnes) {
  EXPECT_EQ(literal("\"\\\n\r\t\b\x1f/\x7f"),
            "\"\\\"\\\\\\n\\r\\t\\u0008\\u001f/\x7f\"");
}

TEST(JsonText, EveryHighByteAloneIsReplacedAndCounted) {
  for (int byte = 0x80; byte < 0x100; ++byte) {
    std::string out;
    const std::string text = "x" + std::string(1, static_cast<char>(byte));
    EXPECT_EQ(append_json_string(out, text), 1U) << byte;
    EXPECT_EQ(out, "\"x\xef\xbf\xbd\"") << byte;
  }
}

TEST(JsonText, EveryCodePointIsKept) {
  for (const char* text : {"ä", "€", "🙂", "\u2028", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(literal(text), "\"" + std::string(text) + "\"");
  }
}

TEST(JsonText, BadSequencesAreReplacedByteByByte) {
  const std::string mark = "\xef\xbf\xbd";
  // Overlong, a surrogate, over U+10FFFF, cut off at the end.
  EXPECT_EQ(literal("\xc0\x80"), "\"" + mark + mark + "\"");
  EXPECT_EQ(literal("\xed\xa0\x80"), "\"" + mark + mark + mark + "\"");
  EXPECT_EQ(literal("\xf4\x90\x80\x80"),
            "\"" + mark + mark + mark + mark + "\"");
  EXPECT_EQ(literal("\xe2\x82"), "\"" + mark + mark + "\"");
  EXPECT_EQ(literal("\xe2\x82x"), "\"" + mark + mark + "x\"");
}

TEST(JsonText, SpecialBytesAreFoundAtEveryPlaceOfABlock) {
  // The fast path looks at sixteen bytes at once.
  for (std::size_t length = 1; length < 50; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (const char* special : {"\"", "\n", "\\", "ä"}) {
        std::string text(length, 'a');
        text.replace(at, 1, special);
        EXPECT_EQ(json::parse(literal(text)), json::value(text));
      }
    }
  }
}

TEST(JsonText, RandomBytesAlwaysBecomeValidJson) {
  std::mt19937 random(20240101);
  std::uniform_int_distribution<int> byte(0, 255);
  std::uniform_int_distribution<std::size_t> length(0, 200);
  for (int round = 0; round < 3000; ++round) {
    std::string text(length(random), '\0');
    for (char& c : text) c = static_cast<char>(byte(random));
    json::object object;
    object[to_utf8(text)] = text;
    object["raw"] = {json::value(text), 1.5, nullptr};
    const std::string written = json_text(object);
    EXPECT_TRUE(is_utf8(written));
    boost::system::error_code error;
    const auto parsed = json::parse(written, error);
    ASSERT_FALSE(error) << error.message();
    EXPECT_EQ(parsed.at("raw").at(0), json::value(to_utf8(text)));
  }
}

TEST(JsonText, ABadKeyIsMadeValidToo) {
  json::object object;
  object["\xff"] = 1;
  EXPECT_EQ(json_text(object), "{\"\xef\xbf\xbd\":1}");
}

TEST(JsonText, NumbersKeepTheirValue) {
  EXPECT_EQ(json_text(json::value(std::numeric_limits<std::int64_t>::min())),
            "-9223372036854775808");
  EXPECT_EQ(json_text(json::value(std::numeric_limits<std::uint64_t>::max())),
            "18446744073709551615");
  for (const double number :
       {0.1, -0.0, 1e300, 5e-324, 3.0, 123456789.123456789}) {
    // strtod rounds correctly, Boost.JSON's parser may be off by one bit.
    const std::string written = json_text(json::value(number));
    EXPECT_EQ(std::strtod(written.c_str(), nullptr), number);
  }
}

TEST(JsonText, NumbersThatJsonDoesNotHaveBecomeNull) {
  EXPECT_EQ(json_text(json::value(std::nan(""))), "null");
  EXPECT_EQ(json_text(json::value(HUGE_VAL)), "null");
  EXPECT_EQ(json_text(json::value(-HUGE_VAL)), "null");
}

TEST(JsonText, StructuresKeepTheirOrder) {
  const auto value = json::parse(R"({"b":[true,false,null,{}],"a":{"x":[]}})");
  EXPECT_EQ(json_text(value), R"({"b":[true,false,null,{}],"a":{"x":[]}})");
}

TEST(JsonText, TheCanonicalFormSortsKeysRecursively) {
  EXPECT_EQ(canonical_json(json::parse(
                R"({"b":{"z":1,"y":2},"a":[{"d":1,"c":2}],"ä":3,"B":4})")),
            R"({"B":4,"a":[{"c":2,"d":1}],"b":{"y":2,"z":1},"ä":3})");
}

}  // namespace
}  // namespace toolhost
