// Starts, ends and restarts of servers, and the calls in between.
#include "providers/mcp/provider.hpp"

#include <fstream>

#include "tests/unit/mcp/server_fixture.hpp"

namespace toolhost::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(McpTest, EveryLegacyVersionIsSpoken) {
  for (const char* version :
       {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    start(server("versions.py", {version}));
    EXPECT_THAT(details(), HasSubstr(version));
    EXPECT_EQ(kind(call("echo")), "") << version;
    stop();
  }
}

TEST_F(McpTest, AServerWithoutInitializeIsSpokenToInTheStatelessVersion) {
  start(server("versions.py", {"stateless"}));
  EXPECT_THAT(details(), HasSubstr("2026-07-28"));
  EXPECT_EQ(text(call("echo", {{"a", 1}})), R"({"a": 1})");
}

TEST_F(McpTest, AnUnknownVersionIsRefusedWithBothSides) {
  begin(server("versions.py", {"1999-01-01"}));
  run_until([&] { return state() == "backoff"; });
  EXPECT_THAT(provider_->status().reason, HasSubstr("1999-01-01"));
  EXPECT_THAT(provider_->status().reason, HasSubstr("2025-11-25"));
}

TEST_F(McpTest, AStartIsNotWaitedFor) {
  const auto before = std::chrono::steady_clock::now();
  begin(server("slow_start.py", {"600"}));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  EXPECT_EQ(state(), "starting");
  EXPECT_FALSE(provider_->status().available);
  EXPECT_EQ(provider_->status().reason, "It is starting.");
}

TEST_F(McpTest, ASlowStartThatGoesOnTalkingIsNotEnded) {
  config::McpServer config = server("slow_start.py", {"1.5", "talks"});
  config.start_timeout = Milliseconds(1000);
  start(std::move(config));
  EXPECT_EQ(provider_->status().restarts, 0);
}

TEST_F(McpTest, AStartWithoutAnySignOfLifeIsEndedWithTheReason) {
  config::McpServer config = server("silent.py", {"initialize"});
  config.start_timeout = Milliseconds(300);
  begin(std::move(config));
  run_until([&] { return state() == "backoff"; });
  EXPECT_THAT(provider_->status().reason, HasSubstr("no sign of life"));
}

TEST_F(McpTest, AServerThatCannotStartIsGivenUpWithWhatItSaid) {
  begin(server("dies.py", {"at_start"}));
  run_until([&] { return state() == "failed"; });
  const ProviderStatus status = provider_->status();
  EXPECT_FALSE(status.available);
  EXPECT_THAT(status.reason, HasSubstr("exit code 3"));
  EXPECT_THAT(status.reason, HasSubstr("cannot find the database"));
  EXPECT_EQ(status.restarts, mcp::Server::kMaxFailures - 1);
}

TEST_F(McpTest, AProgramThatIsNotThereIsToldWithThePathThatWasSearched) {
  config::McpServer config = server("polite.py");
  config.command = "no-such-program-anywhere";
  config.env = {{"PATH", "/opt/nowhere"}};
  begin(std::move(config));
  run_until([&] { return state() == "backoff"; });
  EXPECT_THAT(provider_->status().reason,
              HasSubstr("no-such-program-anywhere"));
  EXPECT_THAT(provider_->status().reason, HasSubstr("PATH=/opt/nowhere"));
}

TEST_F(McpTest, AMissingFolderIsNamed) {
  config::McpServer config = server("polite.py");
  config.cwd = "/no/such/folder";
  begin(std::move(config));
  run_until([&] { return state() == "backoff"; });
  EXPECT_THAT(provider_->status().reason, HasSubstr("/no/such/folder"));
}

TEST_F(McpTest, AMissingVariableIsNotTriedAgain) {
  config::McpServer config = server("polite.py");
  config.env = {{"TOKEN", "${MCP_TEST_NOT_SET}"}};
  begin(std::move(config));
  run_until([&] { return state() == "failed"; });
  EXPECT_THAT(provider_->status().reason, HasSubstr("MCP_TEST_NOT_SET"));
}

TEST_F(McpTest, AServerBehindHttpSaysThatItIsNotSupported) {
  config::McpServer config;
  config.name = "fake";
  config.url = "https://example.com/mcp";
  begin(std::move(config));
  EXPECT_EQ(state(), "failed");
  EXPECT_THAT(provider_->status().reason, HasSubstr("HTTP"));
}

TEST_F(McpTest, EachPointOfTheStartMayFailAndIsTold) {
  for (const char* point : {"in_initialize", "in_list"}) {
    begin(server("dies.py", {point}));
    run_until([&] { return state() == "backoff"; });
    EXPECT_THAT(provider_->status().reason, HasSubstr("exit code")) << point;
    stop();
  }
}

TEST_F(McpTest, ACallInFlightWhenTheServerEndsIsUnknownAndNotRepeated) {
  for (const char* point :
       {"in_call", "killed_in_call", "half_a_line", "closes_output"}) {
    start(server("dies.py", {point}));
    const auto before = std::chrono::steady_clock::now();
    const ToolOutput output = call("echo");
    EXPECT_EQ(kind(output), "outcomeUnknown") << point;
    EXPECT_THAT(message(output), HasSubstr("last words")) << point;
    EXPECT_LT(std::chrono::steady_clock::now() - before,
              std::chrono::seconds(3))
        << point;
    stop();
  }
}

TEST_F(McpTest, AnAnswerThatCameBeforeTheEndCounts) {
  start(server("dies.py", {"answers_and_ends"}));
  EXPECT_EQ(text(call("echo", {{"a", 1}})), R"({"a": 1})");
}

TEST_F(McpTest, AServerThatEndedIsStartedAgainAndItsToolsStayKnown) {
  start(server("dies.py", {"answers_and_ends"}));
  call("echo");
  run_until([&] { return state() == "backoff"; });
  EXPECT_EQ(names().size(), 1U);
  EXPECT_TRUE(provider_->status().available);
  run_until([&] { return state() == "ready"; });
  EXPECT_EQ(provider_->status().restarts, 1);
  EXPECT_EQ(kind(call("echo")), "");
}

TEST_F(McpTest, ACallToAServerThatWasGivenUpSaysWhyAndThatNothingWasSent) {
  begin(server("dies.py", {"after_list"}));
  run_until([&] { return state() == "failed"; });
  const ToolOutput output = call("echo");
  EXPECT_EQ(kind(output), "providerDied");
  EXPECT_THAT(message(output), HasSubstr("exit code 6"));
  EXPECT_THAT(output.error->hint, HasSubstr("Nothing was sent"));
}

TEST_F(McpTest, AServerThatReadsNothingMoreIsEnded) {
  start(server("closes_input.py"));
  const ToolOutput output = call("echo");
  EXPECT_NE(kind(output), "");
  EXPECT_THAT(message(output), HasSubstr("standard input"));
}

TEST_F(McpTest, StoppingLeavesNothingOfAStubbornTree) {
  start(server("stubborn.py", {folder_ / "pids"}));
  std::ifstream in(folder_ / "pids");
  std::vector<int> pids(3);
  for (int& pid : pids) in >> pid;
  ASSERT_TRUE(is_alive(pids[0]) && is_alive(pids[1]) && is_alive(pids[2]));
  stop();
  for (const int pid : pids) EXPECT_FALSE(is_alive(pid)) << pid;
}

TEST_F(McpTest, StoppingInTheMiddleOfAStartEndsIt) {
  begin(server("slow_start.py", {"600"}));
  run_until([&] { return provider_->details().contains("pid"); });
  const int pid = static_cast<int>(provider_->details().at("pid").as_int64());
  stop();
  EXPECT_FALSE(is_alive(pid));
}

TEST_F(McpTest, AnIdleServerIsEndedAndTheNextCallStartsIt) {
  config::McpServer config = server("polite.py");
  config.idle_stop = Milliseconds(100);
  start(std::move(config));
  const std::string first = text(call("pid"));
  run_until([&] { return state() == "stopped"; });
  EXPECT_TRUE(provider_->status().available);
  EXPECT_EQ(names().size(), 7U);
  EXPECT_NE(text(call("pid")), first);
}

TEST_F(McpTest, ALazyServerIsStartedOnceForItsToolsAndThenByCalls) {
  config::McpServer config = server("polite.py");
  config.startup = config::McpStartup::lazy;
  start(config);
  stop();
  begin(config);
  EXPECT_EQ(state(), "stopped");
  EXPECT_EQ(names().size(), 7U);
  EXPECT_TRUE(provider_->status().available);
  EXPECT_EQ(text(call("echo")), "{}");
  EXPECT_EQ(state(), "ready");
}

TEST_F(McpTest, AKeptListOfAnotherCommandLineIsNotUsed) {
  config::McpServer config = server("polite.py");
  config.startup = config::McpStartup::lazy;
  start(config);
  stop();
  config.args.emplace_back("--other");
  begin(config);
  EXPECT_EQ(names().size(), 0U);
  EXPECT_EQ(state(), "starting");
}

TEST_F(McpTest, ToolsOfAnEagerServerAreKnownWhileItStarts) {
  start(server("polite.py"));
  stop();
  begin(server("polite.py"));
  EXPECT_EQ(names().size(), 7U);
  EXPECT_TRUE(provider_->status().available);
  EXPECT_EQ(text(call("echo")), "{}");
}

TEST_F(McpTest, ARestartLetsCallsInFlightEnd) {
  start(server("silent.py", {"none"}));
  Stop stop;
  const ExecutionContext context = make_context(stop);
  std::optional<ToolOutput> first;
  asio::co_spawn(
      loop_, provider_->call("mcp__fake__wait", {}, context),
      [&](std::exception_ptr, ToolOutput output) { first = output; });
  std::optional<bool> restarted;
  asio::post(loop_, [&] {
    asio::co_spawn(loop_, provider_->restart(),
                   [&](std::exception_ptr, Result<void> done) {
                     restarted = done.has_value();
                   });
  });
  run_until([&] { return state() == "draining"; });
  EXPECT_FALSE(first);
  stop.request("Enough.");
  run_until([&] { return first && restarted; });
  EXPECT_EQ(kind(*first), "cancelled");
  EXPECT_TRUE(*restarted);
  EXPECT_EQ(state(), "ready");
}

TEST_F(McpTest, ACallDuringARestartWaitsForTheNewRun) {
  start(server("polite.py"));
  const std::string first = text(call("pid"));
  std::optional<bool> restarted;
  asio::co_spawn(loop_, provider_->restart(),
                 [&](std::exception_ptr, Result<void> done) {
                   restarted = done.has_value();
                 });
  run_until([&] { return state() != "ready"; });
  const std::string second = text(call("pid"));
  EXPECT_NE(second, first);
  run_until([&] { return restarted.has_value(); });
  EXPECT_TRUE(*restarted);
}

TEST_F(McpTest, ARestartBringsBackAServerThatWasGivenUp) {
  begin(server("dies.py", {"after_list"}));
  run_until([&] { return state() == "failed"; });
  // It dies again, but it was tried: the row of failures began anew.
  run(loop_, provider_->restart());
  EXPECT_NE(state(), "failed");
}

TEST_F(McpTest, SecretsAreInNoMessage) {
  config::McpServer config = server("dies.py", {"at_start"});
  config.command = "sh";
  config.args = {"-c", "echo \"token $TOKEN\" >&2; exit 1"};
  config.env = {{"TOKEN", "canary-secret"}};
  begin(std::move(config));
  run_until([&] { return state() == "backoff"; });
  EXPECT_THAT(provider_->status().reason, HasSubstr("token [TOKEN]"));
  EXPECT_THAT(provider_->status().reason, Not(HasSubstr("canary-secret")));
  EXPECT_THAT(details(), Not(HasSubstr("canary-secret")));
}

}  // namespace
}  // namespace toolhost::testing
