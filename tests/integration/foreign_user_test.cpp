// Another user of the machine, with and without a way to the sockets.
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

// nobody of Debian; any user without rights would do.
constexpr uid_t kStranger = 65534;

// In the child: what the daemon says to a ping, or what the system says.
std::string ask(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return std::strerror(errno);
  }
  constexpr std::string_view kPing =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
  std::ignore = send(fd, kPing.data(), kPing.size(), MSG_NOSIGNAL);
  char text[4096];
  const ssize_t got = recv(fd, text, sizeof text, 0);
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "";
}

std::string ask_as_stranger(const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t pid = fork();
  if (pid == 0) {
    std::string answer = "cannot become another user";
    if (setgroups(0, nullptr) == 0 &&
        setresgid(kStranger, kStranger, kStranger) == 0 &&
        setresuid(kStranger, kStranger, kStranger) == 0) {
      answer = ask(path);
    }
    std::ignore = write(ends[1], answer.data(), answer.size());
    _exit(0);
  }
  close(ends[1]);
  char text[4096];
  const ssize_t got = read(ends[0], text, sizeof text);
  close(ends[0]);
  waitpid(pid, nullptr, 0);
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "";
}

// As a person does who wants others to reach it, against all advice.
void open_up(const DaemonProcess& daemon) {
  for (const std::string folder : {"", "/run", "/run/toolhost"}) {
    chmod((daemon.home() + folder).c_str(), 0755);
  }
  chmod(daemon.control_socket().c_str(), 0666);
  chmod(daemon.caller_socket().c_str(), 0666);
}

class ForeignUser : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(geteuid(), 0u) << "this suite runs as root";
  }
};

TEST_F(ForeignUser, DoesNotEvenReachTheSockets) {
  DaemonProcess daemon;
  EXPECT_EQ(ask_as_stranger(daemon.control_socket()), "Permission denied");
  EXPECT_EQ(ask_as_stranger(daemon.caller_socket()), "Permission denied");
}

TEST_F(ForeignUser, IsRefusedOnBothSocketsWhereTheFolderWasOpened) {
  DaemonProcess daemon;
  open_up(daemon);
  for (const auto& path : {daemon.control_socket(), daemon.caller_socket()}) {
    const std::string answer = ask_as_stranger(path);
    EXPECT_NE(answer.find("\"unauthorized\""), std::string::npos) << answer;
    EXPECT_NE(answer.find("User 65534 may not use this daemon."),
              std::string::npos)
        << answer;
    EXPECT_EQ(answer.find("uptimeMs"), std::string::npos) << answer;
  }
  EXPECT_NE(daemon.log().find("uid=65534"), std::string::npos);
  EXPECT_TRUE(daemon.control().call("ping", {}));
}

TEST_F(ForeignUser, IsServedWhenTheConfigurationNamesIt) {
  DaemonProcess daemon(R"({"allowedUids": [65534]})");
  open_up(daemon);
  const std::string answer = ask_as_stranger(daemon.caller_socket());
  EXPECT_NE(answer.find("uptimeMs"), std::string::npos) << answer;
}

}  // namespace
}  // namespace toolhost::testing
