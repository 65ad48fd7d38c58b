#include "protocol/digest.hpp"

#include <gtest/gtest.h>

namespace toolhost {
namespace {

// The vectors of FIPS 180-2.
TEST(Digest, Sha256OfTheStandardsVectors) {
  EXPECT_EQ(sha256_hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnop"
                       "q"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, OfJsonIgnoresTheOrderOfKeys) {
  const auto one = boost::json::parse(R"({"a":1,"b":{"c":[1,2],"d":null}})");
  const auto two = boost::json::parse(R"({"b":{"d":null,"c":[1,2]},"a":1})");
  EXPECT_EQ(json_digest(one), json_digest(two));
  EXPECT_TRUE(json_digest(one).starts_with("sha256:"));
  EXPECT_EQ(json_digest(one).size(), 7U + 64U);
}

TEST(Digest, OfJsonSeesEveryChange) {
  const auto digest = [](const char* text) {
    return json_digest(boost::json::parse(text));
  };
  EXPECT_NE(digest("[1,2]"), digest("[2,1]"));
  EXPECT_NE(digest(R"({"a":"1"})"), digest(R"({"a":1})"));
  EXPECT_NE(digest(R"({"a":null})"), digest("{}"));
  EXPECT_NE(digest(R"(["a,b"])"), digest(R"(["a","b"])"));
}

TEST(Digest, IsTheHashOfTheCanonicalText) {
  EXPECT_EQ(json_digest(boost::json::parse(R"({"b":1,"a":2})")),
            "sha256:" + sha256_hex(R"({"a":2,"b":1})"));
}

}  // namespace
}  // namespace toolhost
