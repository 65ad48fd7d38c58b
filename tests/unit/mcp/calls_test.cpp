// Calls to servers that behave, and what becomes of their answers.
#include "providers/mcp/provider.hpp"

#include "tests/unit/mcp/server_fixture.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(McpTest, ACallReachesTheServerAndItsTextComesBack) {
  start(server("polite.py"));
  const ToolOutput output = call("echo", {{"a", 1}});
  EXPECT_EQ(kind(output), "");
  EXPECT_EQ(text(output), R"({"a": 1})");
}

TEST_F(McpTest, EveryTypeOfContentIsTakenOrSaidToBeLeftOut) {
  start(server("polite.py"));
  const ToolOutput output = call("blocks");
  ASSERT_EQ(output.content.size(), 9U);
  EXPECT_EQ(output.content[0].value, "words");
  EXPECT_EQ(output.content[1].type, Content::Type::image);
  EXPECT_EQ(output.content[1].mime_type, "image/png");
  EXPECT_THAT(output.content[2].value, HasSubstr("audio/wav, 9 bytes"));
  EXPECT_THAT(output.content[2].value, HasSubstr("artifactId art_"));
  EXPECT_EQ(output.content[3].value, "a <file:///a>");
  EXPECT_EQ(output.content[4].type, Content::Type::resource_link);
  EXPECT_EQ(output.content[5].value, "[mem://b]\ninside");
  EXPECT_THAT(output.content[6].value, HasSubstr("application/zip"));
  EXPECT_THAT(output.content[7].value, HasSubstr("hologram"));
  EXPECT_THAT(output.content[8].value, HasSubstr("no base64"));
}

TEST_F(McpTest, AStructuredResultIsGivenAsFactsAndAsText) {
  start(server("polite.py"));
  const ToolOutput output = call("structured");
  ASSERT_TRUE(output.structured);
  EXPECT_EQ(output.structured->at("degrees"), json::value(21));
  EXPECT_EQ(text(output), R"({"degrees":21})");
}

TEST_F(McpTest, AnErrorOfTheToolIsAFailureWithItsOwnWords) {
  start(server("polite.py"));
  const ToolOutput output = call("fail");
  EXPECT_EQ(kind(output), "toolFailed");
  EXPECT_THAT(message(output), HasSubstr("the disk is on fire"));
}

TEST_F(McpTest, AnAnswerOfTwentyMebibytesArrivesWhole) {
  start(server("polite.py"));
  EXPECT_EQ(text(call("large")).size(), std::size_t(20) << 20);
}

TEST_F(McpTest, ALineOverTheLimitFailsItsCallAndNotTheServer) {
  start(server("long_line.py"));
  const ToolOutput output = call("long");
  EXPECT_EQ(kind(output), "toolFailed");
  EXPECT_THAT(message(output), HasSubstr("over the limit"));
  EXPECT_EQ(text(call("short")), "short");
}

TEST_F(McpTest, WhatIsNoMessageIsSkippedAndShown) {
  start(server("noisy.py"));
  EXPECT_EQ(text(call("echo")), "in spite of it");
  EXPECT_THAT(details(), HasSubstr("Server started"));
  EXPECT_THAT(details(), HasSubstr("[db] connected"));
  EXPECT_EQ(state(), "ready");
}

TEST_F(McpTest, NoiseWithoutEndEndsTheServerWithTheReason) {
  start(server("endless_noise.py"));
  const ToolOutput output = call("echo");
  EXPECT_EQ(kind(output), "outcomeUnknown");
  EXPECT_THAT(message(output), HasSubstr("no message"));
}

TEST_F(McpTest, AnswersWithOtherIdsAreDroppedWithANote) {
  start(server("wrong_ids.py"));
  EXPECT_EQ(text(call("echo")), "right");
  EXPECT_EQ(text(call("echo")), "right");
  EXPECT_THAT(details(), HasSubstr("nothing waits for"));
  EXPECT_THAT(details(), HasSubstr("without a usable id"));
}

TEST_F(McpTest, RequestsOfAServerAreAnsweredOrRefusedWithWords) {
  start(server("asks.py"));
  const auto answers = json::parse(text(call("echo"))).as_array();
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0].at("result"), json::value(json::object()));
  EXPECT_EQ(answers[1].at("result").at("roots"), json::value(json::array()));
  for (std::size_t i = 2; i < 5; ++i) {
    EXPECT_EQ(answers[i].at("error").at("code"), json::value(-32601));
  }
  EXPECT_THAT(json_text(answers[2]), HasSubstr("no model"));
}

TEST_F(McpTest, ProgressReachesTheCallThatItBelongsTo) {
  start(server("silent.py", {"none"}));
  std::vector<std::string> heard;
  progress_ = [&](const Progress& step) { heard.push_back(step.message); };
  EXPECT_EQ(text(call("progress")), "done");
  ASSERT_EQ(heard.size(), 3U);
  // What would turn the reading direction is written out.
  EXPECT_EQ(heard[0], "step\\u{202E} 1 (1 of 3)");
}

TEST_F(McpTest, ACancelledCallIsToldToTheServerOnceAndItsAnswerIsDropped) {
  start(server("silent.py", {"none"}));
  Stop stop;
  asio::steady_timer timer(loop_, Milliseconds(100));
  timer.async_wait([&](auto) { stop.request("The caller changed its mind."); });
  const ToolOutput output = call_with(stop, "wait");
  EXPECT_EQ(kind(output), "cancelled");
  const auto told = json::parse(text(call("cancelled"))).as_array();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].at("reason"), json::value("The caller changed its mind."));
  EXPECT_THAT(details(), Not(HasSubstr("nothing waits for")));
}

TEST_F(McpTest, ACallWithoutAnySignOfLifeIsStoppedAndCancelled) {
  config::McpServer config = server("silent.py", {"none"});
  config.call_timeout = Milliseconds(200);
  start(std::move(config));
  const ToolOutput output = call("wait");
  EXPECT_EQ(kind(output), "timedOut");
  EXPECT_THAT(message(output), HasSubstr("200 ms"));
  EXPECT_THAT(text(call("cancelled")), HasSubstr("requestId"));
}

TEST_F(McpTest, AServerHasOnlyItsOwnVariables) {
  ::setenv("MCP_TEST_CANARY", "must-not-leak", 1);
  config::McpServer config = server("polite.py");
  config.env = {{"GIVEN", "to-this-one"}};
  start(std::move(config));
  const std::string env = text(call("env"));
  EXPECT_THAT(env, HasSubstr("GIVEN=to-this-one"));
  EXPECT_THAT(env, Not(HasSubstr("must-not-leak")));
  ::unsetenv("MCP_TEST_CANARY");
}

}  // namespace
}  // namespace toolhost::testing
