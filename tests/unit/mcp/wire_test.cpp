#include "providers/mcp/wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/json_text.hpp"
#include "providers/mcp/line_splitter.hpp"

namespace toolhost::mcp {
namespace {

using ::testing::HasSubstr;

TEST(ParseLine, ReadsRepliesRequestsAndNotifications) {
  const Parsed reply = parse_line(R"({"jsonrpc":"2.0","id":7,"result":{}})");
  ASSERT_EQ(reply.messages.size(), 1U);
  EXPECT_EQ(reply.messages[0].kind, Message::Kind::reply);
  EXPECT_EQ(reply.messages[0].reply_id, 7);
  const Parsed request = parse_line(R"({"id":"q1","method":"ping"})");
  EXPECT_EQ(request.messages[0].kind, Message::Kind::request);
  EXPECT_EQ(request.messages[0].request_id, "\"q1\"");
  const Parsed told = parse_line(R"({"method":"notifications/x"})");
  EXPECT_EQ(told.messages[0].kind, Message::Kind::notification);
}

TEST(ParseLine, ReadsEveryMessageOfABatch) {
  const Parsed batch =
      parse_line(R"([{"id":1,"result":{}},{"method":"notifications/x"}])");
  EXPECT_EQ(batch.messages.size(), 2U);
  EXPECT_EQ(batch.noise, "");
}

TEST(ParseLine, FindsTheMessageBehindAnUnfinishedLogLine) {
  const Parsed parsed = parse_line(R"([db] {ok} {"id":1,"result":{}})");
  ASSERT_EQ(parsed.messages.size(), 1U);
  EXPECT_EQ(parsed.messages[0].reply_id, 1);
  EXPECT_EQ(parsed.noise, "[db] {ok} ");
}

TEST(ParseLine, TakesWhatIsNoMessageAsNoise) {
  for (const char* line :
       {"Server started", "{", "[1,2", "42", "{\"hello\":1}", "[]", "\"x\""}) {
    const Parsed parsed = parse_line(line);
    EXPECT_EQ(parsed.noise, line);
    EXPECT_TRUE(parsed.messages.empty()) << line;
  }
}

TEST(ParseLine, SkipsAByteOrderMarkAndEmptyLines) {
  EXPECT_EQ(parse_line("\xEF\xBB\xBF{\"id\":1,\"result\":1}").noise, "");
  EXPECT_EQ(parse_line("  \r").noise, "");
}

TEST(ParseLine, MendsTextThatIsNotUtf8) {
  const Parsed parsed = parse_line("{\"id\":1,\"result\":\"caf\xE9\"}");
  ASSERT_EQ(parsed.messages.size(), 1U);
  EXPECT_EQ(parsed.messages[0].result, json::value("caf\xEF\xBF\xBD"));
}

TEST(ParseLine, ReplacesWhatIsAbsurdlyDeepAndKeepsTheRest) {
  std::string deep(200'000, '[');
  deep += std::string(200'000, ']');
  const Parsed parsed =
      parse_line(R"({"id":1,"result":{"a":)" + deep + R"(,"b":2}})");
  ASSERT_EQ(parsed.messages.size(), 1U);
  EXPECT_EQ(parsed.messages[0].result.at("b"), json::value(2));
}

TEST(LimitNesting, CountsNoBracketsInStrings) {
  EXPECT_EQ(limit_nesting(R"(["[[[\"[["])", 1), std::nullopt);
  EXPECT_EQ(limit_nesting(R"([[1],{"a":[2]},3])", 1), "[null,null,3]");
}

TEST(LimitNesting, OfTextThatDoesNotEndDoesNotCrash) {
  EXPECT_EQ(limit_nesting("[[[", 1), "[null");
  EXPECT_EQ(limit_nesting("]]]", 1), std::nullopt);
}

TEST(CutLine, TellsItsIdFromEitherEnd) {
  EXPECT_EQ(id_of_cut_line(R"({"jsonrpc":"2.0","id": 12,"result":{"xxx)"), 12);
  EXPECT_EQ(id_of_cut_line(R"({"result":"xxxx"},"jsonrpc":"2.0","id":5})"), 5);
  EXPECT_EQ(id_of_cut_line("nothing"), std::nullopt);
}

TEST(LineSplitter, HandsOutWholeLinesHoweverTheyCome) {
  LineSplitter lines;
  lines.append("on");
  EXPECT_FALSE(lines.next());
  lines.append("e\r\ntwo\nthr");
  EXPECT_EQ(lines.next()->text, "one");
  EXPECT_EQ(lines.next()->text, "two");
  EXPECT_FALSE(lines.next());
  EXPECT_EQ(lines.unfinished(), "thr");
}

TEST(LineSplitter, KeepsTheEndsOfALineOverTheLimitAndGoesOn) {
  LineSplitter lines(1000);
  const std::string long_line = "{\"id\":7," + std::string(50'000, 'a') + "END";
  for (std::size_t at = 0; at < long_line.size(); at += 100) {
    lines.append(long_line.substr(at, 100));
    EXPECT_FALSE(lines.next());
  }
  lines.append("\nnext\n");
  const auto cut = lines.next();
  ASSERT_TRUE(cut && cut->cut);
  EXPECT_EQ(cut->bytes, long_line.size());
  EXPECT_LE(cut->text.size(), 2 * LineSplitter::kKeptEnd);
  EXPECT_THAT(std::string(cut->text), HasSubstr("{\"id\":7,"));
  EXPECT_TRUE(cut->text.ends_with("END"));
  EXPECT_EQ(lines.next()->text, "next");
}

}  // namespace
}  // namespace toolhost::mcp
