#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "gates/rules.hpp"

namespace toolhost {
namespace {

struct Vector {
  const char* pattern;
  const char* text;
  bool matches;
};

constexpr Vector kVectors[] = {
    {"git status *", "git status", true},
    {"git status *", "git status -s", true},
    {"git status *", "git statusx", false},
    {"git*", "github", true},
    {"git *", "git", true},
    {"git *", "github", false},
    {"*.env", "a/b/.env", true},
    {"src/*", "src/a/b.ts", true},
    {"ls *", "ls a\nrm b", true},
    {"a?c", "abc", true},
    {"a?c", "ac", false},
    {"dir\\*", "dir/x", true},
    {"dir/*", "dir\\x", true},
    {"a+b (c)", "a+b (c)", true},
    {"[ab]", "a", false},
    {"*", "", true},
    {"", "", true},
    {"", "a", false},
    {"?", "", false},
    {"*", "ls /tmp", true},
    {"/repo/*", "/repo/.git/config", true},
    {"Git", "git", false},
    {"a*b*c", "a1b2c", true},
    {"a*b*c", "a1c2b", false},
    {"*ab*ab*", "ab", false},
    {"*ab*ab*", "abab", true},
    {"a*a", "a", false},
    {"a**b", "ab", true},
    {" *", "", true},
    {"a?b",
     "a\xc3\xa9"
     "b",
     true},
    {"a??b",
     "a\xc3\xa9"
     "b",
     false},
    {"*?", "\xe2\x82\xac", true},
    {"*??", "\xe2\x82\xac", false},
    {"*?x", "\xe2\x82\xacx", true},
    {"?*?", "\xc3\xa9", false},
};

TEST(Wildcard, AnswersTheReferenceVectors) {
  for (const Vector& row : kVectors) {
    EXPECT_EQ(wildcard_match(row.pattern, row.text), row.matches)
        << row.pattern << " on " << row.text;
  }
}

// Characters of the alphabet that the property test draws from.
std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = (text[at] & 0x80) != 0 ? 2 : 1;
    out.push_back(text.substr(at, length));
    at += length;
  }
  return out;
}

// Tries everything, as the definition reads.
bool oracle(const std::vector<std::string>& pattern, std::size_t p,
            const std::vector<std::string>& text, std::size_t t) {
  if (p == pattern.size()) return t == text.size();
  if (pattern[p] == "*") {
    for (std::size_t end = t; end <= text.size(); ++end) {
      if (oracle(pattern, p + 1, text, end)) return true;
    }
    return false;
  }
  if (t == text.size()) return false;
  return (pattern[p] == "?" || pattern[p] == text[t]) &&
         oracle(pattern, p + 1, text, t + 1);
}

TEST(Wildcard, AgreesWithANaiveOracle) {
  std::mt19937 random(20260131);
  const std::vector<std::string> letters{"a", "b", "\xc3\xa9", " ", "/"};
  const std::vector<std::string> signs{"a", "b", "\xc3\xa9", " ",
                                       "/", "*", "*",        "?"};
  for (int round = 0; round < 20'000; ++round) {
    std::string pattern;
    std::string text;
    for (auto n = random() % 8; n > 0; --n) pattern += signs[random() % 8];
    for (auto n = random() % 9; n > 0; --n) text += letters[random() % 5];
    bool expected = oracle(characters(pattern), 0, characters(text), 0);
    if (pattern.ends_with(" *")) {
      const std::string head = pattern.substr(0, pattern.size() - 2);
      expected = expected || oracle(characters(head), 0, characters(text), 0);
    }
    ASSERT_EQ(wildcard_match(pattern, text), expected)
        << "'" << pattern << "' on '" << text << "'";
  }
}

TEST(Wildcard, IsLinearOnHostilePatterns) {
  std::string stars;
  for (int n = 0; n < 500; ++n) stars += "*a";
  const std::string text(1 << 20, 'a');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(wildcard_match(stars + "*b", text));
  EXPECT_FALSE(wildcard_match("*" + std::string(2000, 'a') + "b*", text));
  const auto time = std::chrono::steady_clock::now() - begin;
  // Milliseconds when linear, seconds to years when not.
  EXPECT_LT(time, std::chrono::seconds(2));
}

}  // namespace
}  // namespace toolhost
