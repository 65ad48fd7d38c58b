// What systemd sees: sockets that it hands over, and what it is told.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/integration/service_process.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

constexpr std::string_view kPing =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";

// What answers this ping within 20 s.
std::string ping_answer(int fd) {
  bool ended = false;
  return read_bytes(fd, std::chrono::steady_clock::now() + Milliseconds(20'000),
                    ended);
}

// The roles that a connection to `path` gets.
json::object hello(const std::string& path) {
  auto client = Client::connect(path);
  if (!client) throw std::runtime_error(client.error().message);
  return client->initialize({}, Milliseconds(20'000)).value();
}

class Activation : public ::testing::Test {
 protected:
  ~Activation() override {
    close_fd(control);
    close_fd(caller);
  }
  TempDir home;
  const std::string control_path = home / "sockets/control";
  const std::string caller_path = home / "sockets/caller";
  const int control = listen_at(control_path);
  const int caller = listen_at(caller_path);
};

TEST_F(Activation, BothSocketsAreServedWithTheRolesOfTheirNames) {
  ServiceOptions options;
  // The order does not matter, the names do.
  options.sockets = {{"caller", caller}, {"control", control}};
  ServiceProcess service(home.path(), options);
  EXPECT_EQ(at(hello(control_path), "roles.1"), "approver") << service.log();
  const json::object agent = hello(caller_path);
  EXPECT_EQ(at(agent, "roles").as_array().size(), 1u);
  EXPECT_EQ(at(agent, "roles.0"), "caller");
}

TEST_F(Activation, WhoConnectedBeforeTheStartIsServed) {
  const int early = connect_socket(control_path);
  write_bytes(early, kPing);
  ServiceOptions options;
  options.sockets = {{"control", control}, {"caller", caller}};
  ServiceProcess service(home.path(), options);
  EXPECT_NE(ping_answer(early).find("uptimeMs"), std::string::npos)
      << service.log();
  close_fd(early);
}

TEST_F(Activation, TheSocketsStayWhenTheDaemonEnds) {
  ServiceOptions options;
  options.sockets = {{"control", control}, {"caller", caller}};
  {
    ServiceProcess service(home.path(), options);
    hello(control_path);
    service.signal(SIGTERM);
    EXPECT_EQ(service.join(), 0);
  }
  // They are the manager's: who connects now is served by the next daemon.
  const int between = connect_socket(control_path);
  write_bytes(between, kPing);
  ServiceProcess service(home.path(), options);
  EXPECT_NE(ping_answer(between).find("uptimeMs"), std::string::npos);
  close_fd(between);
}

TEST_F(Activation, OfOneSocketTheOtherIsNotMade) {
  ServiceOptions options;
  options.sockets = {{"caller", caller}};
  ServiceProcess service(home.path(), options);
  hello(caller_path);
  EXPECT_FALSE(std::filesystem::exists(home / "run/toolhost/toolhost.sock"));
}

TEST_F(Activation, ASocketOfAnotherNameIsRefusedWithTheNameThatIsMissing) {
  ServiceOptions options;
  options.sockets = {{"toolhostd.socket", control}};
  ServiceProcess service(home.path(), options);
  EXPECT_EQ(service.join(), 69);
  EXPECT_NE(service.log().find("toolhostd.socket"), std::string::npos);
  EXPECT_NE(service.log().find("FileDescriptorName="), std::string::npos);
}

TEST_F(Activation, SystemdsOwnProgramStartsItOnTheFirstConnection) {
  ServiceOptions options;
  const std::string control_of_systemd = home / "sockets/c";
  const std::string caller_of_systemd = home / "sockets/a";
  options.launcher = {"systemd-socket-activate", "--listen",
                      control_of_systemd,        "--listen",
                      caller_of_systemd,         "--fdname=control:caller"};
  // It hands on only what it is told to.
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME",
                           "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "HOME"}) {
    options.launcher.insert(options.launcher.end(), {"--setenv", name});
  }
  ServiceProcess service(home.path(), options);
  ASSERT_TRUE(eventually([&] {
    return Client::connect(caller_of_systemd).has_value();
  })) << service.log();
  EXPECT_EQ(at(hello(caller_of_systemd), "roles.0"), "caller");
  EXPECT_EQ(at(hello(control_of_systemd), "roles.1"), "approver");
}

// The next that is not a sign of life: those come at any moment.
std::string next_state(int manager) {
  std::string state = next_datagram(manager);
  while (state == "WATCHDOG=1") state = next_datagram(manager);
  return state;
}

TEST(Notifications, TellReadinessLifeReloadAndEnd) {
  TempDir home;
  const int manager = notify_socket(home / "notify");
  ServiceOptions options;
  options.environment = {"NOTIFY_SOCKET=" + home / "notify",
                         "WATCHDOG_USEC=100000"};
  ServiceProcess service(home.path(), options);
  EXPECT_EQ(next_state(manager), "READY=1") << service.log();
  // Ready means that it serves, not that it will.
  EXPECT_EQ(at(hello(home / "run/toolhost/caller.sock"), "roles.0"), "caller");
  for (int signs = 0; signs < 3;) {
    const std::string state = next_datagram(manager);
    ASSERT_EQ(state, "WATCHDOG=1") << service.log();
    ++signs;
  }
  service.signal(SIGHUP);
  EXPECT_EQ(next_state(manager).find("RELOADING=1\nMONOTONIC_USEC="), 0u);
  EXPECT_EQ(next_state(manager), "READY=1");
  service.signal(SIGTERM);
  EXPECT_EQ(next_state(manager), "STOPPING=1");
  EXPECT_EQ(service.join(), 0) << service.log();
  close_fd(manager);
}

TEST(Notifications, ABadConfigurationAtAReloadLeavesItReady) {
  TempDir home;
  const int manager = notify_socket(home / "notify");
  ServiceOptions options;
  options.environment = {"NOTIFY_SOCKET=" + home / "notify"};
  ServiceProcess service(home.path(), options);
  EXPECT_EQ(next_state(manager), "READY=1") << service.log();
  write_file(home / "config/toolhost/config.jsonc", "{\n  \"limits\": [\n}");
  service.signal(SIGHUP);
  EXPECT_EQ(next_state(manager).find("RELOADING=1\n"), 0u);
  EXPECT_EQ(next_state(manager), "READY=1");
  EXPECT_NE(service.log().find("config.jsonc:"), std::string::npos);
  hello(home / "run/toolhost/toolhost.sock");
  close_fd(manager);
}

TEST(Notifications, WithoutAWatchdogThereIsNoSignOfLife) {
  TempDir home;
  const int manager = notify_socket(home / "notify");
  ServiceOptions options;
  options.environment = {"NOTIFY_SOCKET=" + home / "notify",
                         "WATCHDOG_USEC=100000", "WATCHDOG_PID=1"};
  ServiceProcess service(home.path(), options);
  EXPECT_EQ(next_datagram(manager), "READY=1") << service.log();
  service.signal(SIGTERM);
  EXPECT_EQ(next_datagram(manager), "STOPPING=1");
  close_fd(manager);
}

}  // namespace
}  // namespace toolhost::testing
