// Secrets: what is found, and what is left alone.
#include <gtest/gtest.h>

#include "gates/scrub/scrub_json.hpp"

namespace toolhost {
namespace {

struct Row {
  std::string_view text;
  std::string_view expected;
};

std::string both(std::string_view text) {
  return scrubbed(text, Scrub::names_and_shapes);
}

// Put together here, so that no scanner takes the file for a leak.
std::string repeated(std::size_t count) { return std::string(count, 'a'); }

TEST(Scrub, TokensAreKnownByTheirShape) {
  const std::pair<std::string, std::string> rows[] = {
      {"sk-ant-" + repeated(24), "anthropic-key"},
      {"sk-proj-" + repeated(24), "openai-key"},
      {"sk-" + repeated(23) + "1", "api-key"},
      {"github_pat_" + repeated(22), "github-token"},
      {"ghp_" + repeated(36), "github-token"},
      {"ghs_" + repeated(36), "github-token"},
      {"glpat-" + repeated(20), "gitlab-token"},
      {"AIza" + repeated(35), "google-key"},
      {"xoxb-" + repeated(12), "slack-token"},
      {"AKIA" + std::string(16, 'Q'), "aws-key-id"},
      {"ASIA" + std::string(16, '7'), "aws-key-id"},
      {"eyJ" + repeated(20) + "." + repeated(20) + "." + repeated(20), "jwt"},
  };
  for (const auto& [secret, type] : rows) {
    EXPECT_EQ(scrubbed("a " + secret + " b", Scrub::shapes),
              "a [REDACTED:" + type + "] b")
        << secret;
  }
}

TEST(Scrub, AnchorsAtTheEdgesOfTheTextAreSeen) {
  const std::string secret = "ghp_" + repeated(36);
  EXPECT_EQ(both(secret), "[REDACTED:github-token]");
  EXPECT_EQ(both(""), "");
  EXPECT_EQ(both("g"), "g");
  EXPECT_EQ(both("ghp_"), "ghp_");
}

TEST(Scrub, ATokenGluedToOtherTextIsSeen) {
  EXPECT_EQ(both("(ghp_" + repeated(36) + ")x"), "([REDACTED:github-token])x");
}

TEST(Scrub, WordsWithHyphensAreNoKeys) {
  for (const std::string_view text :
       {"sk-list-of-things-without-a-number-in-it",
        "task-list-for-the-release-2", "AKIA is a prefix", "eyJ.a.b"}) {
    EXPECT_EQ(both(text), text);
  }
}

TEST(Scrub, APrivateKeyGoesAsAWhole) {
  const std::string key =
      "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb\nnNza\n"
      "-----END OPENSSH PRIVATE KEY-----";
  EXPECT_EQ(both("x\n" + key + "\ny"), "x\n[REDACTED:private-key]\ny");
  EXPECT_EQ(both("-----BEGIN RSA PRIVATE KEY-----\ncut"),
            "[REDACTED:private-key]");
  const std::string_view certificate =
      "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----";
  EXPECT_EQ(both(certificate), certificate);
}

TEST(Scrub, WhatFollowsASecretNameGoes) {
  constexpr Row kRows[] = {
      {"password=hunter2hunter", "password=[REDACTED:secret]"},
      {"PGPASSWORD=abcdef1 psql", "PGPASSWORD=[REDACTED:secret] psql"},
      {R"({"api_key": "abcdefgh", "max_tokens": 100000})",
       R"({"api_key": "[REDACTED:secret]", "max_tokens": 100000})"},
      {R"("{\"token\":\"abcdef12345\"}")",
       R"("{\"token\":\"[REDACTED:secret]\"}")"},
      {"accessToken: abcd1234", "accessToken: [REDACTED:secret]"},
      {"client-secret => 'abc def'", "client-secret => '[REDACTED:secret]'"},
      {"Authorization: Bearer abc.def", "Authorization: [REDACTED:header]"},
      {"-H 'X-API-Key: 123456'", "-H 'X-API-Key: [REDACTED:header]'"},
      {"Set-Cookie: id=abcdef; Path=/", "Set-Cookie: [REDACTED:header]"},
      {"https://me:p4ss@host/x?access_token=zzzzzz&a=1",
       "https://me:[REDACTED:password]@host/x?access_token="
       "[REDACTED:secret]&a=1"},
  };
  for (const Row& row : kRows) EXPECT_EQ(both(row.text), row.expected);
}

TEST(Scrub, CodeAndCountersAreLeftAlone) {
  for (const std::string_view text :
       {"const token = getToken();", "apiKey: process.env.KEY",
        "token_count: 1234567", "password: ${PASSWORD}",
        "if (password == expected) {", "std::token::kind",
        "password=", "secretary: Miller", "it holds a secret: GitHub token",
        "https://example.com/a:b@c", "maxTokens=200000",
        "git clone ssh://git@host:22/x"}) {
    EXPECT_EQ(both(text), text);
  }
}

TEST(Scrub, AFileThatIsReadKeepsWhatOnlyItsNameMakesASecret) {
  const std::string text = "password = \"correct horse\"";
  EXPECT_EQ(scrubbed(text, Scrub::shapes), text);
}

TEST(Scrub, NothingFoundLeavesTheTextUntouched) {
  std::string text = "plain text";
  EXPECT_FALSE(scrub(text, Scrub::names_and_shapes));
  EXPECT_EQ(text, "plain text");
}

TEST(Scrub, ScrubbingTwiceChangesNothingMore) {
  const std::string once = both("password=hunter2hunter https://a:b@c/");
  EXPECT_EQ(both(once), once);
}

TEST(Scrub, ValuesOfTheEnvironmentAreKnown) {
  char name[] = "CANARY_API_KEY=a-value-without-any-shape";
  char plain[] = "EDITOR=a-plain-editor";
  char* environment[] = {name, plain, nullptr};
  const auto values = secret_values(environment);
  ASSERT_EQ(values, std::vector<std::string>{"a-value-without-any-shape"});
  add_secret_values(values);
  EXPECT_EQ(scrubbed("X a-value-without-any-shape Y", Scrub::shapes),
            "X [REDACTED:environment] Y");
}

TEST(Scrub, JsonStaysJson) {
  json::value value = json::parse(
      R"({"title":"run with password=hunter2hunter","password":"x y",)"
      R"("list":["ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],"count":3})");
  scrub(value, Scrub::names_and_shapes);
  EXPECT_EQ(value,
            json::parse(R"({"title":"run with password=[REDACTED:secret]",)"
                        R"("password":"[REDACTED:secret]",)"
                        R"("list":["[REDACTED:github-token]"],"count":3})"));
}

TEST(Scrub, AMegabyteOfTextTakesMilliseconds) {
  std::string text;
  while (text.size() < (1U << 20)) text += "the quick brown fox: secret? no. ";
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(scrub(text, Scrub::names_and_shapes));
  EXPECT_LT(std::chrono::steady_clock::now() - before,
            std::chrono::milliseconds(500));
}

}  // namespace
}  // namespace toolhost
