// Lines and messages of MCP, without a server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "daemon/cli/mcp/era.hpp"
#include "daemon/cli/mcp/line_reader.hpp"
#include "daemon/cli/mcp/line_writer.hpp"
#include "daemon/cli/mcp/message.hpp"

namespace toolhost::cli::mcp {
namespace {

using ::testing::HasSubstr;

Message one(std::string_view line) {
  auto messages = parse_line(line, false);
  EXPECT_EQ(messages.size(), 1U);
  return std::move(messages.front());
}

TEST(McpLines, AreCutAtLineFeedsHoweverTheBytesCome) {
  LineReader reader(100);
  reader.append("{\"a\":");
  EXPECT_FALSE(reader.next());
  reader.append("1}\r\n\n  \n{}\n{");
  EXPECT_EQ(reader.next()->text, "{\"a\":1}");
  EXPECT_EQ(reader.next()->text, "{}");
  EXPECT_FALSE(reader.next());
}

TEST(McpLines, ALineThatIsTooLongCostsOnlyItself) {
  LineReader reader(10);
  reader.append(std::string(25, 'x'));
  EXPECT_FALSE(reader.next());
  reader.append(std::string(25, 'x') + "\nshort\n");
  EXPECT_TRUE(reader.next()->too_long);
  EXPECT_EQ(reader.next()->text, "short");
}

TEST(McpLines, AByteOrderMarkIsNoPartOfTheFirst) {
  LineReader reader(100);
  reader.append("\xEF\xBB\xBF{}\n");
  EXPECT_EQ(reader.next()->text, "{}");
}

TEST(McpWriter, KeepsWhatAFullPipeDoesNotTake) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  LineWriter writer(ends[1]);
  const std::string line(LineWriter::kFull, 'x');
  writer.add(line);
  writer.add("last");
  writer.flush();
  EXPECT_FALSE(writer.empty());
  std::string got;
  std::string buffer(65536, '\0');
  while (got.size() < line.size() + 6) {
    const ssize_t now = ::read(ends[0], buffer.data(), buffer.size());
    ASSERT_GT(now, 0);
    got.append(buffer, 0, static_cast<std::size_t>(now));
    writer.flush();
  }
  EXPECT_EQ(got, line + "\nlast\n");
  EXPECT_TRUE(writer.empty());
  EXPECT_FALSE(writer.full());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(McpMessage, TellsRequestsNotificationsAndResponsesApart) {
  using Kind = Message::Kind;
  const Message request =
      one(R"({"jsonrpc":"2.0","id":"a\"b","method":"m","params":{"x":1}})");
  EXPECT_EQ(request.kind, Kind::request);
  EXPECT_EQ(request.id, R"("a\"b")");
  EXPECT_EQ(request.params.at("x"), 1);
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","method":"m"})").kind, Kind::notification);
  const Message response = one(R"({"jsonrpc":"2.0","id":7,"result":{"r":2}})");
  EXPECT_EQ(response.kind, Kind::response);
  EXPECT_EQ(response.id, "7");
  EXPECT_EQ(response.result.at("r"), 2);
  EXPECT_EQ(one(R"({"jsonrpc":"2.0","id":7,"error":{"code":-1}})").kind,
            Kind::response);
}

TEST(McpMessage, WhatIsNoneIsAnsweredWithItsIdWhereItHasOne) {
  struct Row {
    std::string_view line;
    int code;
    std::string_view id;
  };
  for (const Row& row : {
           Row{"Server started", kParseError, "null"},
           Row{R"({"jsonrpc":"2.0","id":1,"method":)", kParseError, "null"},
           Row{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}",
               kParseError, "null"},
           Row{"7", kInvalidRequest, "null"},
           Row{R"({"id":1,"method":"ping"})", kInvalidRequest, "1"},
           Row{R"({"jsonrpc":"2.0","id":null,"method":"m"})", kInvalidRequest,
               "null"},
           Row{R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", kInvalidRequest,
               "null"},
           Row{R"({"jsonrpc":"2.0","id":2})", kInvalidRequest, "2"},
           Row{R"({"jsonrpc":"2.0","id":3,"method":"m","params":[]})",
               kInvalidParams, "3"},
       }) {
    const Message message = one(row.line);
    EXPECT_EQ(message.kind, Message::Kind::bad) << row.line;
    EXPECT_EQ(message.fault.code, row.code) << row.line;
    EXPECT_EQ(message.id, row.id) << row.line;
  }
}

TEST(McpMessage, DeepNestingIsRefusedAndDoesNotRecurse) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(one(deep).fault.code, kParseError);
}

TEST(McpMessage, ABatchIsSeveralMessagesOnlyWhereTheVersionHasThem) {
  const std::string batch = R"([{"jsonrpc":"2.0","id":1,"method":"a"},)"
                            R"({"jsonrpc":"2.0","method":"b"}])";
  const auto messages = parse_line(batch, true);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].method, "a");
  EXPECT_EQ(messages[1].kind, Message::Kind::notification);
  EXPECT_EQ(one(batch).fault.code, kInvalidRequest);
  EXPECT_EQ(parse_line("[]", true).at(0).fault.code, kInvalidRequest);
}

TEST(McpEra, TheVersionThatWasAskedForWinsElseTheNewestOfItsKind) {
  for (const char* version :
       {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    EXPECT_EQ(negotiate(version).version, version);
  }
  EXPECT_EQ(negotiate("2099-01-01").version, "2025-11-25");
  // It has no initialize.
  EXPECT_EQ(negotiate("2026-07-28").version, "2025-11-25");
  EXPECT_TRUE(find_era("2026-07-28")->stateless);
  EXPECT_EQ(find_era("1900-01-01"), nullptr);
}

TEST(McpFault, CarriesTheHintInItsMessage) {
  const Fault fault =
      fault_of(make_error(Code::tool_not_found, "No raed.", "Use read."));
  EXPECT_EQ(fault.code, kInvalidParams);
  EXPECT_EQ(fault.message, "No raed. Use read.");
  EXPECT_THAT(fault_line("1", fault), HasSubstr(R"("kind":"toolNotFound")"));
}

}  // namespace
}  // namespace toolhost::cli::mcp
