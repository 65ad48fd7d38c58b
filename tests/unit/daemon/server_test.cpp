#include "daemon/server.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <array>
#include <cstring>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_fixture.hpp"

namespace toolhost {
namespace {

using testing::DaemonFixture;
using testing::RawClient;

std::string kind(const json::object& reply) {
  return std::string(reply.at("error").at("data").at("kind").as_string());
}

// A descendant of this process (so of the daemon) connects. At least so deep: 1
// for a child, 2 for its child, … Shells, because a hundred forks of a
// sanitized process need too much memory.
constexpr const char* kAskAsDescendant = R"(
f() {
  if [ "$1" -gt 1 ]; then
    (f $(($1 - 1)) "$2" "$3")
    :
  elif [ "$3" = ask ]; then
    echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' |
      socat -t 20 - UNIX-CONNECT:"$2"
  else
    socat -u UNIX-CONNECT:"$2" -
  fi
}
f "$1" "$2" "$3"
)";

// What is refused is told without being asked, and who writes to a connection
// that is closed already may not get to read it.
enum class Words { ask, listen };

json::object answer_to_child(DaemonFixture& fixture, const std::string& path,
                             Words words, int depth = 1) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0) std::abort();
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const std::string levels = std::to_string(depth);
  const pid_t child = fork();
  if (child == 0) {
    dup2(writing.get(), 1);
    execl("/bin/sh", "sh", "-c", kAskAsDescendant, "sh", levels.c_str(),
          path.c_str(), words == Words::ask ? "ask" : "listen", nullptr);
    _exit(127);
  }
  writing.reset();
  std::string line;
  fixture.run_until([&] {
    char buffer[4096];
    const ssize_t got = read(reading.get(), buffer, sizeof buffer);
    if (got > 0) line.append(buffer, static_cast<std::size_t>(got));
    return line.ends_with('\n');
  });
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return json::parse(line).as_object();
}

TEST(Server, RefusesAProcessThatItStartedOnTheControlSocket) {
  DaemonFixture fixture;
  const auto reply = answer_to_child(
      fixture, fixture.daemon->paths.control_socket, Words::listen);
  EXPECT_EQ(kind(reply), "unauthorized");
}

TEST(Server, RefusesWhatItStartedHoweverManyProcessesAreBetween) {
  DaemonFixture fixture;
  for (const int depth : {2, 140}) {
    const auto reply = answer_to_child(
        fixture, fixture.daemon->paths.control_socket, Words::listen, depth);
    EXPECT_EQ(kind(reply), "unauthorized") << depth;
  }
  // Too deep to be looked through is no way to the other socket either: there
  // a process of ours has no session of its own.
  const auto caller = answer_to_child(
      fixture, fixture.daemon->paths.caller_socket, Words::listen, 140);
  EXPECT_EQ(kind(caller), "unauthorized");
}

TEST(Server, ServesAProcessThatItStartedOnTheCallerSocket) {
  DaemonFixture fixture;
  const auto reply =
      answer_to_child(fixture, fixture.daemon->paths.caller_socket, Words::ask);
  EXPECT_TRUE(reply.contains("result"));
}

TEST(Server, TellsTheConnectionOverAProcessLimitAndServesTheOthers) {
  config::Config config;
  config.limits.connections_per_process = 3;
  DaemonFixture fixture(config);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(fixture.client());
  RawClient over = fixture.connect();
  EXPECT_EQ(kind(over.receive()), "quotaExceeded");
  EXPECT_TRUE(over.at_end());
  EXPECT_TRUE(clients.front().request("ping").contains("result"));
  clients.pop_back();
  fixture.run_until(
      [&] { return fixture.daemon->server.connections().size() == 2; });
  EXPECT_TRUE(fixture.client().request("ping").contains("result"));
}

TEST(Server, TellsTheConnectionOverTheTotalLimit) {
  config::Config config;
  config.limits.connections = 2;
  DaemonFixture fixture(config);
  RawClient first = fixture.client();
  RawClient second = fixture.client();
  EXPECT_EQ(kind(fixture.connect().receive()), "quotaExceeded");
}

TEST(Server, AcceptsAgainAfterDescriptorsRanOut) {
  DaemonFixture fixture;
  RawClient before = fixture.client();
  RawClient waiting = fixture.connect();
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  rlimit none = old;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  for (int i = 0; i < 20; ++i) fixture.turn();
  EXPECT_TRUE(before.request("ping").contains("result"));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
  EXPECT_TRUE(waiting.initialize().contains("result"));
  EXPECT_TRUE(fixture.client().request("ping").contains("result"));
}

TEST(Server, BlamesItselfWhenNoDescriptorIsLeftToLookAtThePeer) {
  DaemonFixture fixture;
  RawClient late = fixture.connect();
  // Enough for the connection, not for a look into /proc beside it.
  const int next = dup(0);
  ASSERT_GE(next, 0);
  close(next);
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
  rlimit one_more = old;
  one_more.rlim_cur = static_cast<rlim_t>(next) + 1;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &one_more), 0);
  const json::object told = late.receive();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
  EXPECT_EQ(kind(told), "overloaded");
  EXPECT_TRUE(late.at_end());
  EXPECT_TRUE(fixture.client().request("ping").contains("result"));
}

TEST(Server, IsOneOfItsFolderAndNamesTheOther) {
  DaemonFixture fixture;
  Server second(*fixture.daemon);
  const auto listening = second.listen(fixture.daemon->paths);
  ASSERT_FALSE(listening);
  EXPECT_NE(listening.error().message.find(std::to_string(getpid())),
            std::string::npos);
  EXPECT_TRUE(fixture.client().request("ping").contains("result"));
}

TEST(Server, RemovesItsSocketsWhenItStopsListening) {
  DaemonFixture fixture;
  fixture.daemon->server.stop_listening();
  for (const auto& path : {fixture.daemon->paths.control_socket,
                           fixture.daemon->paths.caller_socket}) {
    EXPECT_NE(access(path.c_str(), F_OK), 0) << path;
  }
}

TEST(Server, CountsApproversAsTheyComeAndGo) {
  DaemonFixture fixture;
  EXPECT_EQ(fixture.daemon->server.approvers(), 0U);
  RawClient gui = fixture.client();
  RawClient agent = fixture.client(SocketKind::caller);
  EXPECT_EQ(fixture.daemon->server.approvers(), 1U);
  gui.close();
  fixture.run_until([&] { return fixture.daemon->server.approvers() == 0; });
}

TEST(Server, SendsWhatWaitsBeforeItClosesAtTheEnd) {
  DaemonFixture fixture;
  RawClient client = fixture.client();
  client.start("status");
  fixture.run_until([&] {
    char byte = 0;
    return recv(client.fd(), &byte, 1, MSG_PEEK) == 1;
  });
  testing::run(fixture.loop,
               fixture.daemon->server.close_all(Milliseconds(2000)));
  EXPECT_TRUE(client.receive().contains("result"));
  EXPECT_TRUE(client.at_end());
  EXPECT_TRUE(fixture.daemon->server.connections().empty());
}

}  // namespace
}  // namespace toolhost
