#include "providers/builtin/ripgrep.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "protocol/base64.hpp"
#include "providers/builtin/search_cursor.hpp"
#include "providers/builtin/search_page.hpp"
#include "providers/builtin/search_records.hpp"

namespace toolhost::builtin {
namespace {

using namespace std::string_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(RipgrepArguments, NeverTakeWhatTheModelWroteAsAnOption) {
  RipgrepQuery query;
  query.pattern = "--pre=evil";
  query.excludes = {"--pre"};
  query.base_names = {"--pre"};
  query.file = "--pre";
  const auto out = ripgrep_arguments(query);
  const auto pattern = std::find(out.begin(), out.end(), "--pre=evil");
  ASSERT_NE(pattern, out.end());
  EXPECT_EQ(*(pattern - 1), "-e");
  EXPECT_EQ(out[out.size() - 2], "--");
  EXPECT_EQ(out.back(), "./--pre");
  EXPECT_THAT(out, Not(Contains("--pre")));
  EXPECT_THAT(out, Contains("--glob=!--pre"));
}

TEST(RipgrepArguments, ReadNoConfigurationAndFollowNoLinks) {
  const auto out = ripgrep_arguments(RipgrepQuery{});
  EXPECT_THAT(out, Contains("--no-config"));
  EXPECT_THAT(out, Contains("--no-follow"));
  EXPECT_THAT(out, Not(Contains("--hidden")));
}

TEST(RipgrepArguments, LeaveVersionControlOutOfHiddenFiles) {
  RipgrepQuery query;
  query.include_hidden = true;
  const auto out = ripgrep_arguments(query);
  EXPECT_THAT(out, Contains("--hidden"));
  EXPECT_THAT(out, Contains("--glob=!.git"));
}

struct Read {
  std::string path;
  bool match;
  std::uint64_t line;
  std::uint64_t column;
  std::string text;
  bool cut;
};

std::vector<Read> read(
    std::string_view bytes, std::size_t piece,
    RecordReader::Format format = RecordReader::Format::lines) {
  std::vector<Read> out;
  RecordReader reader(format, 10, "", [&out](const SearchRecord& record) {
    out.push_back({std::string(record.path), record.match, record.line,
                   record.column, std::string(record.text), record.cut});
  });
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    reader.feed(bytes.substr(at, piece));
  }
  EXPECT_TRUE(reader.valid());
  return out;
}

TEST(RecordReader, ReadsTheSameHoweverTheBytesArrive) {
  const std::string bytes =
      "./a:1:b\0007:3:90:x:1\n"s + "./a:1:b\0008-96-ctx\r\n"s +
      "./two\nlines\0001:1:0:0123456789 [... 3 more matches]\n"s;
  for (const std::size_t piece : {1U, 2U, 7U, 1000U}) {
    const auto out = read(bytes, piece);
    ASSERT_EQ(out.size(), 3U);
    EXPECT_EQ(out[0].path, "a:1:b");
    EXPECT_EQ(out[0].line, 7U);
    EXPECT_EQ(out[0].column, 3U);
    EXPECT_EQ(out[0].text, "x:1");
    EXPECT_FALSE(out[1].match);
    EXPECT_EQ(out[1].text, "ctx");
    EXPECT_EQ(out[2].path, "two\nlines");
    EXPECT_EQ(out[2].text, "0123456789");
    EXPECT_TRUE(out[2].cut);
  }
}

TEST(RecordReader, SkipsTheRemarkAboutABinaryFile) {
  std::size_t records = 0;
  RecordReader reader(RecordReader::Format::lines, 10, "",
                      [&records](const SearchRecord&) { ++records; });
  reader.feed("./a\0001:1:0:x\n./a: WARNING: stopped searching bin"s);
  reader.feed("ary file after match (found \"\\0\")\n./b\0001:1:0:x\n"s);
  EXPECT_EQ(records, 2U);
  EXPECT_EQ(reader.binary_files(), 1U);
}

TEST(RecordReader, TakesANameThatBeginsLikeARemark) {
  const auto out = read("./a\0001:1:0:x\n./a: b\0001:1:0:y\n"s, 3);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[1].path, "a: b");
}

TEST(RecordReader, BoundsARecordAndGoesOnBehindIt) {
  std::string bytes = "./a\0001:1:0:"s;
  bytes += std::string(3 * RecordReader::kMaxRecordBytes, 'x');
  bytes += "\n./b\0001:1:0:y\n"s;
  const auto out = read(bytes, 64 * 1024);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_LT(out[0].text.size(), 2 * RecordReader::kMaxRecordBytes);
  EXPECT_TRUE(out[0].cut);
  EXPECT_EQ(out[1].path, "b");
}

TEST(RecordReader, ReadsNamesAndCounts) {
  const auto names = read("./a\nb\0./c\0"s, 2, RecordReader::Format::names);
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].path, "a\nb");
  const auto counts =
      read("./a\00012\n./b\0003\n"s, 2, RecordReader::Format::counts);
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].line, 12U);
}

TEST(RecordReader, RefusesOtherOutput) {
  RecordReader reader(RecordReader::Format::lines, 10, "",
                      [](const SearchRecord&) {});
  reader.feed("./a\000what is this\n"s);
  EXPECT_FALSE(reader.valid());
}

SearchEntry entry(const std::string& path, std::uint64_t line) {
  SearchEntry out;
  out.key.path = path;
  out.key.line = line;
  return out;
}

TEST(SearchPage, KeepsTheFirstEntriesWhateverOrderTheyComeIn) {
  SearchPage page(std::nullopt, 3, 1 << 20);
  for (std::uint64_t i = 20'000; i > 0; --i) page.add(entry("a", i));
  bool more = false;
  const auto out = page.take(more);
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[2].key.line, 3U);
  EXPECT_TRUE(more);
}

TEST(SearchPage, BeginsAfterTheCursor) {
  SearchKey after;
  after.path = "a";
  after.line = 2;
  SearchPage page(after, 10, 1 << 20);
  for (std::uint64_t i = 1; i <= 4; ++i) page.add(entry("a", i));
  bool more = true;
  const auto out = page.take(more);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].key.line, 3U);
  EXPECT_FALSE(more);
}

TEST(SearchPage, EndsWhereItsBytesEndButHasOneEntry) {
  SearchPage page(std::nullopt, 10, 30);
  page.add(entry(std::string(100, 'x'), 1));
  page.add(entry(std::string(100, 'x'), 2));
  bool more = false;
  EXPECT_EQ(page.take(more).size(), 1U);
  EXPECT_TRUE(more);
}

TEST(SearchOrder, GoesFolderByFolder) {
  EXPECT_LT(compare_paths("a/z", "a.b"), 0);
  EXPECT_LT(compare_paths("a", "a/b"), 0);
  EXPECT_GT(compare_paths("\xff", "z"), 0);
  EXPECT_EQ(compare_paths("a/b", "a/b"), 0);
}

TEST(SearchCursor, ComesBackAsItWas) {
  SearchCursor cursor;
  cursor.after.rank = -5;
  cursor.after.path = "bad\xffname\n";
  cursor.after.line = 7;
  cursor.shown = 250;
  const auto back = decode_cursor(encode_cursor(cursor, "q"), "q").value();
  EXPECT_EQ(back.after.rank, -5);
  EXPECT_EQ(back.after.path, cursor.after.path);
  EXPECT_EQ(back.after.line, 7U);
  EXPECT_EQ(back.shown, 250U);
}

TEST(SearchCursor, RefusesGarbageAndOtherQueries) {
  const std::string good = encode_cursor(SearchCursor{}, "q");
  for (const std::string& bad :
       {"x"s, "!!!"s, good.substr(1), good + "A", std::string(99'999, 'A'),
        base64url("[]"), base64url(R"({"q":"q"})"),
        base64url(R"({"q":"q","r":0,"l":-1,"n":0,"p":""})")}) {
    const auto out = decode_cursor(bad, "q");
    ASSERT_FALSE(out) << bad.substr(0, 60);
    EXPECT_EQ(out.error().kind, CallErrorKind::invalid_arguments);
  }
  EXPECT_FALSE(decode_cursor(good, "other"));
}

TEST(SearchCursor, DependsOnTheQueryButNotOnTheLimit) {
  json::object query;
  query["pattern"] = "x";
  const std::string digest = query_digest("grep", "/ws", query);
  query["limit"] = 5;
  query["cursor"] = "abc";
  EXPECT_EQ(query_digest("grep", "/ws", query), digest);
  query["pattern"] = "y";
  EXPECT_NE(query_digest("grep", "/ws", query), digest);
}

TEST(SearchCauses, CountsFailuresAndWhatWasLeftOut) {
  SearchCauses causes;
  const std::string bytes =
      "./d: Permission denied (os error 13)\n"
      "rg: ./e: Permission denied (os error 13)\n"
      "DEBUG|ignore::walk|w.rs:1: ignoring ./.env: "
      "Ignore(IgnoreMatch(Hidden))\n"
      "rg: DEBUG|ignore::walk|w.rs:1: ignoring ./a.log: "
      "Ignore(IgnoreMatch(Gitignore(Glob { from: None })))\n"
      "DEBUG|ignore::walk|w.rs:1: ignoring ./.git: "
      "Ignore(IgnoreMatch(Hidden))";
  for (const char c : bytes) causes.feed(std::string_view(&c, 1));
  causes.finish();
  ASSERT_EQ(causes.failures().size(), 1U);
  EXPECT_EQ(causes.failures().at("Permission denied").count, 2U);
  EXPECT_THAT(causes.failures().at("Permission denied").examples,
              ElementsAre("d", "e"));
  EXPECT_EQ(causes.hidden().count, 1U);
  EXPECT_THAT(causes.ignored().examples, ElementsAre("a.log"));
  EXPECT_EQ(causes.text(), "");
}

TEST(SearchCauses, IsBoundedWhateverComes) {
  SearchCauses causes;
  for (int i = 0; i < 1000; ++i) {
    causes.feed("./d" + std::to_string(i) + ": Reason " + std::to_string(i) +
                " (os error 5)\n" + std::string(100, 'x') + "\n");
  }
  causes.feed(std::string(10 << 20, 'y'));
  causes.finish();
  EXPECT_LE(causes.failures().size(), SearchCauses::kMaxKinds + 1);
  EXPECT_EQ(causes.failures().at("Other").examples.size(),
            SearchCount::kExamples);
  EXPECT_LE(causes.text().size(), SearchCauses::kMaxText + 1);
}

TEST(RipgrepRefusal, SaysWhatToWriteInstead) {
  const CallError error = explain_refusal(
      "regex parse error:\n    (a)\\1\n       ^^\nerror: backreferences are "
      "not "
      "supported\n\nConsider enabling PCRE2 with the --pcre2 flag.\n",
      "(a)\\1");
  EXPECT_EQ(error.kind, CallErrorKind::invalid_arguments);
  EXPECT_THAT(error.hint, HasSubstr("Back-references are not supported"));
  EXPECT_THAT(error.message, Not(HasSubstr("--pcre2")));
}

TEST(FindProgram, LooksOnlyInAbsoluteFolders) {
  EXPECT_EQ(find_program("sh", {"PATH=:.:/nowhere:/bin"}), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program", {"PATH=/bin"}), "");
  EXPECT_EQ(find_program("sh", {"HOME=/bin"}), "");
}

}  // namespace
}  // namespace toolhost::builtin
