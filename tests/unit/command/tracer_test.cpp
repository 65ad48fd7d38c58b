// The parser and the judge against bash itself.
#include "tests/unit/command/tracer.hpp"

#include <gtest/gtest.h>

#include "tests/unit/command/corpus.hpp"
#include "tests/unit/command/line_grammar.hpp"

namespace toolhost::command::testing {
namespace {

struct Lines {
  std::vector<std::string> text;
  std::vector<Judgement> judged;

  // Keeps a line if it is understood and nothing in it is out of sight.
  bool add(std::string line) {
    const Parsed parsed = parse(line);
    if (!parsed.tree) return false;
    Judgement judgement = judge(parsed);
    if (hides_programs(judgement)) return false;
    text.push_back(std::move(line));
    judged.push_back(std::move(judgement));
    return true;
  }
};

std::string shown(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += "[" + word + "]";
  return out;
}

void expect_all_judged(const Lines& lines, std::size_t least) {
  Tracer tracer;
  const std::vector<Trace> traces = tracer.run(lines.text);
  std::size_t ran = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (const auto& words : traces[i].ran) {
      ++ran;
      EXPECT_TRUE(is_judged(words, lines.judged[i]))
          << shown(words) << " ran and was not judged in\n"
          << lines.text[i];
    }
    for (const std::string& file : traces[i].files) {
      EXPECT_TRUE(is_judged_file(file, lines.judged[i]))
          << file << " was written and not named in\n"
          << lines.text[i];
    }
  }
  // The comparison is worth something only if much of it ran.
  EXPECT_GE(ran, least);
}

TEST(Tracer, EveryProgramThatBashRunsWasJudged) {
  LineGrammar grammar(20260101);
  Lines lines;
  unsigned generated = 0;
  while (lines.text.size() < 250) {
    ++generated;
    lines.add(grammar.line());
  }
  // Most of what is generated is understood.
  EXPECT_LT(generated, 400U);
  EXPECT_TRUE(rejected_by_bash(lines.text).empty());
  expect_all_judged(lines, 800);
}

TEST(Tracer, BrokenLinesThatAreUnderstoodHideNothing) {
  LineGrammar grammar(77);
  Lines lines;
  while (lines.text.size() < 250) lines.add(grammar.broken());
  const auto rejected = rejected_by_bash(lines.text);
  EXPECT_TRUE(rejected.empty()) << rejected.front();
  expect_all_judged(lines, 500);
}

TEST(Tracer, TheCorpusIsUnderstoodAndHidesNothing) {
  Lines lines;
  for (const std::string_view line : kCorpus) {
    EXPECT_TRUE(lines.add(std::string(line))) << line;
  }
  EXPECT_TRUE(rejected_by_bash(lines.text).empty());
  expect_all_judged(lines, 100);
}

TEST(Tracer, WhatBashRejectsIsNeverUnderstood) {
  LineGrammar grammar(5);
  std::vector<std::string> understood;
  while (understood.size() < 600) {
    std::string line = grammar.broken();
    if (parse(line).tree) understood.push_back(std::move(line));
  }
  for (const std::string& line : rejected_by_bash(understood)) {
    ADD_FAILURE() << "bash rejects\n" << line;
  }
}

}  // namespace
}  // namespace toolhost::command::testing
