// Many clients, clients that stand still, and a daemon short of descriptors.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <fstream>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

constexpr const char* kAskNobody =
    R"({"sessions": {"sandboxMode": "danger-full-access",
                     "approvalPolicy": "auto"}})";

std::size_t descriptors(const DaemonProcess& daemon) {
  std::size_t count = 0;
  const std::string folder = "/proc/" + std::to_string(daemon.pid()) + "/fd";
  std::error_code ec;
  for (const auto& each : std::filesystem::directory_iterator(folder, ec)) {
    count += each.path().empty() ? 0 : 1;
  }
  return count;
}

// The longest of `count` pings.
Milliseconds slowest_ping(Client& client, int count) {
  Milliseconds slowest{0};
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(client.call("ping", {}));
    slowest = std::max(slowest, std::chrono::duration_cast<Milliseconds>(
                                    std::chrono::steady_clock::now() - begin));
  }
  return slowest;
}

TEST(Crowd, AFloodForAClientThatStandsStillDelaysNobody) {
  DaemonProcess daemon(kAskNobody);
  Client other = daemon.control("other");
  const auto watcher =
      std::make_unique<AgentProcess>(daemon.control_socket(), "watcher");
  watcher->call("subscribe", {{"topics", json::array{"calls", "output"}}});
  const auto agent = daemon.agent();
  const std::size_t before = daemon.resident_kib();
  const json::object flood{
      {"name", "bash"},
      {"stream", "output"},
      {"arguments", json::object{{"command", "yes | head -c 300M"},
                                 {"timeoutMs", 120'000}}}};
  const auto call = agent->client().send("execute", flood).value();
  kill(watcher->pid(), SIGSTOP);
  kill(agent->pid(), SIGSTOP);
  EXPECT_LT(slowest_ping(other, 200), Milliseconds(1000));
  ASSERT_TRUE(eventually(
      [&] {
        const auto status = other.call("status", {});
        return status && at(*status, "calls.running") == 0;
      },
      Milliseconds(120'000)));
  EXPECT_LT(daemon.resident_kib(), before + 64 * 1024);
  kill(agent->pid(), SIGCONT);
  kill(watcher->pid(), SIGCONT);
  // Output was dropped on the way, the result is not.
  const auto result = agent->client().wait(call, Milliseconds(60'000));
  ASSERT_TRUE(result);
  EXPECT_EQ(text_at(*result, "status"), "completed");
  EXPECT_EQ(at(*result, "output.totalBytes"), 300 << 20);
  EXPECT_TRUE(watcher->client().next_notification("call/completed",
                                                  Milliseconds(60'000)));
  EXPECT_TRUE(watcher->client().call("ping", {}));
}

TEST(Crowd, FiftyFrozenClientsOfTwoHundredCostTheOthersNothing) {
  DaemonProcess daemon(kAskNobody);
  std::vector<std::unique_ptr<RelayProcess>> frozen;
  for (int i = 0; i < 50; ++i) {
    frozen.push_back(std::make_unique<RelayProcess>(daemon.control_socket()));
    send_without_waiting(
        frozen.back()->fd(),
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)"
        R"({"protocolVersion":1,"clientInfo":{"name":"x","version":"1"}}})"
        "\n"
        R"({"jsonrpc":"2.0","id":2,"method":"subscribe","params":)"
        R"({"topics":["approvals","calls","output"]}})"
        "\n");
  }
  std::vector<int> silent;
  for (int i = 0; i < 150; ++i) {
    silent.push_back(connect_socket(daemon.control_socket()));
  }
  Client other = daemon.control("other");
  ASSERT_TRUE(eventually([&] {
    return at(other.call("status", {}).value(), "subscriptions") == 50;
  }));
  for (const auto& each : frozen) kill(each->pid(), SIGSTOP);
  const json::object ls{{"name", "ls"}};
  for (int i = 0; i < 100; ++i) {
    const auto reply = other.call("execute", ls);
    ASSERT_TRUE(reply);
    ASSERT_EQ(text_at(*reply, "status"), "completed");
  }
  EXPECT_LT(slowest_ping(other, 100), Milliseconds(1000));
  for (const int fd : silent) close_fd(fd);
}

TEST(Crowd, ADaemonShortOfDescriptorsSaysSoAndLivesOn) {
  DaemonProcess daemon(kAskNobody);
  Client first = daemon.control("first");
  const json::object command{{"name", "bash"},
                             {"arguments", json::object{{"command", "true"}}}};
  // What it opens once, for good, is open then.
  ASSERT_TRUE(first.call("execute", command));
  const std::size_t before = descriptors(daemon);
  rlimit old{};
  const rlimit few{before + 20, before + 20};
  ASSERT_EQ(prlimit(daemon.pid(), RLIMIT_NOFILE, &few, &old), 0);
  std::vector<int> all;
  std::string told;
  for (int i = 0; i < 60 && told.empty(); ++i) {
    all.push_back(connect_socket(daemon.control_socket()));
    write_bytes(all.back(),
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    bool ended = false;
    const std::string answer = read_bytes(
        all.back(), std::chrono::steady_clock::now() + Milliseconds(10'000),
        ended);
    if (answer.find("uptimeMs") == std::string::npos) told = answer;
  }
  EXPECT_NE(told.find("\"overloaded\""), std::string::npos) << told;
  EXPECT_NE(told.find("no descriptors left"), std::string::npos) << told;
  EXPECT_TRUE(first.call("ping", {}));
  // A call that needs some fails in words, by itself.
  const auto starved = first.call("execute", command);
  ASSERT_TRUE(starved);
  EXPECT_NE(text_at(*starved, "error.message").find("Too many open files"),
            std::string::npos)
      << json_text(*starved);
  for (const int fd : all) close_fd(fd);
  ASSERT_TRUE(eventually([&] {
    return at(first.call("status", {}).value(), "connections") == 1;
  }));
  EXPECT_TRUE(daemon.control("later").call("ping", {}));
  EXPECT_TRUE(eventually([&] { return descriptors(daemon) <= before; }));
}

TEST(Crowd, ClientsThatVanishAtEveryPointLeaveNoDescriptorBehind) {
  DaemonProcess daemon(kAskNobody);
  Client gui = daemon.control();
  const std::string script =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":)"
      R"({"protocolVersion":1,"clientInfo":{"name":"x","version":"1"}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":2,"method":"execute","params":{"name":"bash",)"
      R"("workspace":")" +
      daemon.workspace() +
      R"(","arguments":{"command":"sleep 100 & echo x"}}})"
      "\n"
      R"({"jsonrpc":"2.0","id":3,"method":"subscribe","params":)"
      R"({"topics":["calls"]}})"
      "\n";
  const json::object command{{"name", "bash"},
                             {"arguments", json::object{{"command", "true"}}}};
  ASSERT_TRUE(gui.call("execute", command));
  const std::size_t before = descriptors(daemon);
  const pid_t pid = daemon.pid();
  for (std::size_t cut = 1; cut <= script.size(); cut += 3) {
    const int fd = connect_socket(daemon.control_socket());
    write_bytes(fd, std::string_view(script).substr(0, cut));
    close_fd(fd);
  }
  EXPECT_TRUE(eventually(
      [&] {
        return at(gui.call("status", {}).value(), "connections") == 1 &&
               daemon.descendants().empty() && descriptors(daemon) <= before;
      },
      Milliseconds(60'000)))
      << descriptors(daemon) << " descriptors, before " << before << ", "
      << daemon.descendants().size() << " descendants";
  EXPECT_EQ(daemon.pid(), pid);
}

}  // namespace
}  // namespace toolhost::testing
