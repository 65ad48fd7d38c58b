#include "daemon/systemd.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "tests/support/temp_dir.hpp"
#include "tests/unit/config/environment.hpp"

namespace toolhost::systemd {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The socket that systemd would read from; `name` as in $NOTIFY_SOCKET.
class Manager {
 public:
  explicit Manager(const std::string& name)
      : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size),
              0);
  }
  std::string next() {
    char text[1024];
    const ssize_t got = ::recv(fd_.get(), text, sizeof text, 0);
    return got < 0 ? "nothing" : std::string(text, static_cast<size_t>(got));
  }

 private:
  UniqueFd fd_;
};

class Notify : public ::testing::Test {
 protected:
  void send_to(const std::string& name) {
    environment_.set("NOTIFY_SOCKET", name);
  }
  toolhost::testing::TempDir dir_;
  toolhost::testing::Environment environment_;
};

TEST_F(Notify, DoesNothingWithoutSystemd) {
  environment_.unset("NOTIFY_SOCKET");
  EXPECT_FALSE(notify_ready());
}

TEST_F(Notify, SendsEachStateAsOneDatagram) {
  Manager manager(dir_ / "notify");
  send_to(dir_ / "notify");
  EXPECT_TRUE(notify_ready());
  EXPECT_EQ(manager.next(), "READY=1");
  EXPECT_TRUE(notify_stopping());
  EXPECT_EQ(manager.next(), "STOPPING=1");
  EXPECT_TRUE(notify_watchdog());
  EXPECT_EQ(manager.next(), "WATCHDOG=1");
}

TEST_F(Notify, TellsWhenAReloadBegan) {
  Manager manager(dir_ / "notify");
  send_to(dir_ / "notify");
  EXPECT_TRUE(notify_reloading());
  EXPECT_THAT(manager.next(), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
}

TEST_F(Notify, ReachesAnAbstractSocket) {
  const std::string name = "@toolhost-test-" + std::to_string(::getpid());
  Manager manager(name);
  send_to(name);
  EXPECT_TRUE(notify_ready());
  EXPECT_EQ(manager.next(), "READY=1");
}

TEST_F(Notify, KeepsAStatusOnOneLine) {
  Manager manager(dir_ / "notify");
  send_to(dir_ / "notify");
  EXPECT_TRUE(notify_status("3 calls\nREADY=1"));
  const std::string text = manager.next();
  EXPECT_THAT(text, StartsWith("STATUS=3 calls"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST_F(Notify, SurvivesAnAddressThatCannotBeUsed) {
  for (const std::string name :
       {"x", "relative/path", "/nowhere/notify", "@", "vsock:2:1234"}) {
    send_to(name);
    EXPECT_FALSE(notify_ready()) << name;
  }
  send_to("/" + std::string(200, 'a'));
  EXPECT_FALSE(notify_ready());
}

TEST(Watchdog, IsAskedForHalfOfWhatSystemdAllows) {
  toolhost::testing::Environment environment;
  environment.unset("WATCHDOG_PID");
  environment.set("WATCHDOG_USEC", "30000000");
  EXPECT_EQ(watchdog_interval(), Milliseconds(15000));
  environment.set("WATCHDOG_PID", std::to_string(::getpid()));
  EXPECT_EQ(watchdog_interval(), Milliseconds(15000));
  environment.set("WATCHDOG_PID", "1");
  EXPECT_EQ(watchdog_interval(), std::nullopt);
}

TEST(Watchdog, IsOffForWhatIsNoNumber) {
  toolhost::testing::Environment environment;
  environment.unset("WATCHDOG_PID");
  for (const char* value :
       {"", "0", "-1", "abc", "1x", "99999999999999999999999"}) {
    environment.set("WATCHDOG_USEC", value);
    EXPECT_EQ(watchdog_interval(), std::nullopt) << value;
  }
  environment.set("WATCHDOG_USEC", "18446744073709551615");
  EXPECT_EQ(watchdog_interval(), Milliseconds(24 * 3600 * 1000));
}

// Activation takes the descriptors from 3 on, so it is tried in a child whose
// descriptors are made for it. The child's exit code is the answer.
int in_child(int (*body)()) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

// Listens at descriptor `fd`, without a path (autobind).
void listen_as(int fd) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ::bind(made, reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t));
  ::listen(made, 8);
  if (made != fd) {
    ::dup2(made, fd);
    ::close(made);
  }
}

void announce(const char* count, const char* names) {
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  ::setenv("LISTEN_FDS", count, 1);
  ::setenv("LISTEN_FDNAMES", names, 1);
}

TEST(Activation, TakesTheSocketsByTheirNames) {
  EXPECT_EQ(in_child([] {
              listen_as(3);
              listen_as(4);
              announce("2", "control:caller");
              const auto sockets = activated_sockets();
              if (sockets.size() != 2) return 1;
              if (sockets[0].name != "control") return 2;
              if (sockets[1].name != "caller") return 3;
              if (sockets[1].fd.get() != 4) return 4;
              return 0;
            }),
            0);
}

TEST(Activation, MakesThemCloseOnExecAndNonBlocking) {
  EXPECT_EQ(in_child([] {
              listen_as(3);
              announce("1", "control");
              const auto sockets = activated_sockets();
              if ((::fcntl(3, F_GETFD) & FD_CLOEXEC) == 0) return 1;
              if ((::fcntl(3, F_GETFL) & O_NONBLOCK) == 0) return 2;
              return 0;
            }),
            0);
}

TEST(Activation, UnsetsTheVariablesSoThatItHappensOnce) {
  EXPECT_EQ(in_child([] {
              listen_as(3);
              announce("1", "control");
              const auto sockets = activated_sockets();
              if (std::getenv("LISTEN_FDS") || std::getenv("LISTEN_PID") ||
                  std::getenv("LISTEN_FDNAMES")) {
                return 1;
              }
              return activated_sockets().empty() ? 0 : 2;
            }),
            0);
}

TEST(Activation, IgnoresWhatIsMeantForAnotherProcess) {
  EXPECT_EQ(in_child([] {
              listen_as(3);
              announce("1", "control");
              ::setenv("LISTEN_PID", "1", 1);
              if (!activated_sockets().empty()) return 1;
              return ::fcntl(3, F_GETFD) >= 0 ? 0 : 2;
            }),
            0);
}

TEST(Activation, RefusesWhatIsNoListeningUnixSocket) {
  EXPECT_EQ(in_child([] {
              ::dup2(::open("/dev/null", O_RDONLY), 3);
              ::dup2(::socket(AF_UNIX, SOCK_STREAM, 0), 4);
              listen_as(5);
              announce("3", "control:caller:third");
              const auto sockets = activated_sockets();
              if (sockets.size() != 1) return 1;
              return sockets[0].name == "third" ? 0 : 2;
            }),
            0);
}

TEST(Activation, LeavesASocketWithoutANameNameless) {
  EXPECT_EQ(in_child([] {
              listen_as(3);
              announce("1", "");
              const auto sockets = activated_sockets();
              return sockets.size() == 1 && sockets[0].name.empty() ? 0 : 1;
            }),
            0);
}

TEST(Activation, SurvivesNonsenseInTheVariables) {
  EXPECT_EQ(in_child([] {
              for (const char* count : {"", "x", "-1", "0", "99999999999"}) {
                announce(count, ":::");
                if (!activated_sockets().empty()) return 1;
              }
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace toolhost::systemd
