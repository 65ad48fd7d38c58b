// Starting beside another daemon, beside rubbish, and stopping.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "tests/integration/service_process.hpp"
#include "tests/support/daemon_process.hpp"
#include "tests/support/shell.hpp"

namespace toolhost::testing {
namespace {

// A second toolhostd in the home of `daemon`, in the foreground.
ShellResult start_beside(const DaemonProcess& daemon,
                         const std::string& more = {}) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return shell("env -i HOME=" + daemon.home() + " PATH=$PATH XDG_CONFIG_HOME=" +
               daemon.home() + "/config XDG_STATE_HOME=" + daemon.home() +
               "/state XDG_CACHE_HOME=" + daemon.home() +
               "/cache XDG_RUNTIME_DIR=" + daemon.home() + "/run timeout 20 " +
               (self.parent_path() / "toolhostd").string() + " " + more);
}

TEST(Sockets, ArePrivate) {
  DaemonProcess daemon;
  struct stat info;
  ASSERT_EQ(stat(daemon.control_socket().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(daemon.caller_socket().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat((daemon.home() + "/run/toolhost").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  ASSERT_EQ(stat((daemon.state_dir() + "/journal.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0077, 0u);
}

TEST(Sockets, ASecondStartIsToldWhoHoldsTheLock) {
  DaemonProcess daemon;
  const ShellResult second = start_beside(daemon);
  EXPECT_NE(second.status, 0);
  EXPECT_NE(second.output.find(std::to_string(daemon.pid())), std::string::npos)
      << second.output;
  Client gui = daemon.control();
  EXPECT_TRUE(gui.call("ping", {}));
}

TEST(Sockets, ALeftOverSocketIsReplaced) {
  DaemonProcess daemon;
  daemon.kill_hard();
  ASSERT_TRUE(std::filesystem::exists(daemon.control_socket()));
  daemon.start();
  Client gui = daemon.control();
  EXPECT_TRUE(gui.call("ping", {}));
}

TEST(Sockets, AreRemovedAtTheEnd) {
  DaemonProcess daemon;
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_FALSE(std::filesystem::exists(daemon.control_socket()));
  EXPECT_FALSE(std::filesystem::exists(daemon.caller_socket()));
}

TEST(Sockets, AFileOrFolderAtThePathIsNeverRemoved) {
  DaemonProcess daemon;
  ASSERT_EQ(daemon.stop(), 0);
  write_file(daemon.control_socket(), "somebody's notes");
  const ShellResult refused = start_beside(daemon);
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.output.find(daemon.control_socket()), std::string::npos)
      << refused.output;
  EXPECT_EQ(read_file(daemon.control_socket()), "somebody's notes");
  std::filesystem::remove(daemon.control_socket());
  std::filesystem::create_directory(daemon.control_socket());
  EXPECT_NE(start_beside(daemon).status, 0);
  EXPECT_TRUE(std::filesystem::is_directory(daemon.control_socket()));
  std::filesystem::remove(daemon.control_socket());
}

TEST(Sockets, APathThatIsTooLongIsToldWithItsLength) {
  DaemonProcess daemon;
  const ShellResult refused =
      start_beside(daemon, "--socket /tmp/" + std::string(150, 'x') + "/s");
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.output.find("107"), std::string::npos) << refused.output;
}

TEST(Sockets, ABadConfigurationIsToldWithLineAndColumn) {
  DaemonProcess daemon;
  ASSERT_EQ(daemon.stop(), 0);
  write_file(daemon.config_file(), "{\n  \"limits\": {,}\n}\n");
  const ShellResult refused = start_beside(daemon, "--check-config");
  EXPECT_EQ(refused.status, 78);
  EXPECT_NE(refused.output.find("config.jsonc:2:14: "), std::string::npos)
      << refused.output;
  write_file(daemon.config_file(), "{\"limts\": {}}");
  const ShellResult typo = start_beside(daemon, "--check-config");
  EXPECT_EQ(typo.status, 78);
  EXPECT_NE(typo.output.find("config.jsonc:1:"), std::string::npos)
      << typo.output;
  EXPECT_NE(typo.output.find("Did you mean \"limits\"?"), std::string::npos)
      << typo.output;
}

TEST(Sockets, ReloadKeepsTheOldConfigurationWhenTheNewOneIsBad) {
  DaemonProcess daemon;
  Client gui = daemon.control();
  const auto tools = [&] {
    return gui.call("listTools", {})->at("tools").as_array().size();
  };
  const std::size_t all = tools();
  write_file(daemon.config_file(), "{\"tools\": {\"disabled\": [\"ls\"]}}");
  ASSERT_TRUE(gui.call("reloadConfig", {}));
  EXPECT_EQ(tools(), all - 1);
  write_file(daemon.config_file(), "{");
  auto bad = gui.call("reloadConfig", {});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::config_invalid);
  EXPECT_EQ(tools(), all - 1);
}

TEST(Sockets, SighupReloads) {
  DaemonProcess daemon;
  Client gui = daemon.control();
  (void)gui.call("subscribe", {{"topics", json::array{"config"}}});
  write_file(daemon.config_file(), "{\"tools\": {\"disabled\": [\"ls\"]}}");
  kill(daemon.pid(), SIGHUP);
  auto event = gui.next_notification("config/reloaded");
  ASSERT_TRUE(event);
  EXPECT_EQ(at(event->params, "changed.0"), "tools.disabled");
}

TEST(Sockets, WhatTheDaemonStartedCannotReachTheControlSocket) {
  DaemonProcess daemon(
      R"({"sessions": {"sandboxMode": "danger-full-access",
                       "approvalPolicy": "auto"}})");
  auto agent = daemon.agent();
  Client gui = daemon.control();
  // The command would approve for itself.
  const json::object reply = agent->execute(
      "bash",
      {{"command",
        "printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\\n' | "
        "timeout 5 socat -t 3 - UNIX-CONNECT:" +
            daemon.control_socket()}});
  EXPECT_EQ(text_at(reply, "content.0.text").find("uptimeMs"),
            std::string::npos)
      << text_at(reply, "content.0.text");
  EXPECT_NE(daemon.log().find("a connection was refused"), std::string::npos);
}

TEST(Sockets, NorCanACommandThatHidesBehindManyProcesses) {
  DaemonProcess daemon(
      R"({"sessions": {"sandboxMode": "danger-full-access",
                       "approvalPolicy": "auto"}})");
  auto agent = daemon.agent();
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  const json::object reply = agent->execute(
      "bash",
      {{"command",
        "nest() { if [ $1 -gt 0 ]; then (nest $(($1 - 1)); :); else " +
            (self.parent_path() / "toolhost").string() + " --socket " +
            daemon.control_socket() + " rpc ping; fi; }; nest 140 2>&1"}});
  const std::string text = text_at(reply, "content.0.text");
  EXPECT_EQ(text.find("uptimeMs"), std::string::npos) << text;
  EXPECT_NE(text.find("more than 128 ancestors"), std::string::npos) << text;
}

TEST(Sockets, AChildOfTheDaemonHasNoSecretsAndNoSocket) {
  DaemonProcess daemon(
      R"({"sessions": {"sandboxMode": "danger-full-access",
                       "approvalPolicy": "auto"}})");
  auto agent = daemon.agent();
  const json::object reply =
      agent->execute("bash", {{"command", "env; ls -l /proc/self/fd | cat"}});
  const std::string text = text_at(reply, "content.0.text");
  EXPECT_EQ(text.find("never-in-a-child"), std::string::npos) << text;
  EXPECT_EQ(text.find("TOOLHOST"), std::string::npos) << text;
  EXPECT_EQ(text.find("socket:"), std::string::npos) << text;
}

TEST(Sockets, OfTwentyStartsAtOnceExactlyOneServes) {
  DaemonProcess daemon;
  // What a killed one leaves behind is in the way of all.
  daemon.kill_hard();
  std::vector<std::unique_ptr<ServiceProcess>> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(
        std::make_unique<ServiceProcess>(daemon.home(), ServiceOptions()));
  }
  const auto left = [&] {
    return std::count_if(all.begin(), all.end(),
                         [](const auto& each) { return each->runs(); });
  };
  ASSERT_TRUE(eventually([&] { return left() == 1; }, Milliseconds(60'000)));
  const auto winner = std::find_if(
      all.begin(), all.end(), [](const auto& each) { return each->runs(); });
  ASSERT_TRUE(eventually(
      [&] { return Client::connect(daemon.control_socket()).has_value(); }));
  Client gui = daemon.control();
  EXPECT_EQ(at(gui.call("status", {}).value(), "pid"), (*winner)->pid());
  std::size_t told = 0;
  const std::string log = (*winner)->log();
  // One that came in between the lock and the pid in it cannot name it.
  const std::string words = "A daemon is running here: ";
  for (std::size_t at = log.find(words); at != std::string::npos;
       at = log.find(words, at + 1)) {
    ++told;
  }
  EXPECT_EQ(told, 19u) << log;
  EXPECT_NE(log.find(words + "process " + std::to_string((*winner)->pid())),
            std::string::npos)
      << log;
}

TEST(Sockets, ADaemonThatStandsStillKeepsItsSockets) {
  DaemonProcess daemon;
  kill(daemon.pid(), SIGSTOP);
  const ShellResult second = start_beside(daemon);
  kill(daemon.pid(), SIGCONT);
  EXPECT_NE(second.status, 0);
  EXPECT_NE(second.output.find(std::to_string(daemon.pid())), std::string::npos)
      << second.output;
  EXPECT_TRUE(daemon.control().call("ping", {}));
}

TEST(Sockets, AFolderThatOthersCanWriteIsNotUsed) {
  DaemonProcess daemon;
  ASSERT_EQ(daemon.stop(), 0);
  const std::string folder = daemon.home() + "/run/toolhost";
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  const ShellResult refused = start_beside(daemon);
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.output.find(folder), std::string::npos) << refused.output;
}

}  // namespace
}  // namespace toolhost::testing
