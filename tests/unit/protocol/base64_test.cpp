#include "protocol/base64.hpp"

#include <gtest/gtest.h>

namespace toolhost {
namespace {

// RFC 4648, section 10.
TEST(Base64, EncodesTheVectorsOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64url("\xfb\xff"), "-_8");
}

TEST(Base64, GivesBackEveryByteAtEveryLength) {
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<char>(i * 7 + size);
    }
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
    EXPECT_EQ(from_base64url(base64url(bytes)), bytes);
  }
}

TEST(Base64, RefusesWhatIsCutFoldedOrOfAnotherAlphabet) {
  for (const char* text :
       {"Zg", "Zg=", "Z", "Zm9v!", "Zm9v\n", "-_8=", "==="}) {
    EXPECT_FALSE(from_base64(text)) << text;
  }
  for (const char* text : {"a", "+/8", "-_8=", "-_9", "Zm9 v"}) {
    EXPECT_FALSE(from_base64url(text)) << text;
  }
}

}  // namespace
}  // namespace toolhost
