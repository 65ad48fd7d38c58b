#include "daemon/listener.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "daemon/lock_file.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using testing::TempDir;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

UniqueFd connect_to(const std::string& path) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = address_of(path);
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof address) != 0) {
    fd.reset();
  }
  return fd;
}

mode_t mode_of(const std::string& path) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777 : 0;
}

// What a daemon that was killed leaves: a socket nobody listens on.
void leave_stale_socket(const std::string& path) {
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = address_of(path);
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address),
                 sizeof address),
            0);
}

TEST(ListeningSocket, IsOnlyForItsOwnerAndTakesConnections) {
  const TempDir folder;
  const auto listening = ListeningSocket::bind(folder / "s.sock");
  ASSERT_TRUE(listening) << listening.error().message;
  EXPECT_EQ(mode_of(folder / "s.sock"), 0600U);
  const UniqueFd client = connect_to(folder / "s.sock");
  ASSERT_TRUE(client);
  EXPECT_TRUE(listening->accept());
  EXPECT_FALSE(listening->accept());
}

TEST(ListeningSocket, ReplacesASocketThatRefusesConnections) {
  const TempDir folder;
  leave_stale_socket(folder / "s.sock");
  EXPECT_TRUE(ListeningSocket::bind(folder / "s.sock"));
}

TEST(ListeningSocket, LeavesASocketAloneOnWhichSomebodyAnswers) {
  const TempDir folder;
  const auto first = ListeningSocket::bind(folder / "s.sock");
  ASSERT_TRUE(first);
  const auto second = ListeningSocket::bind(folder / "s.sock");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("somebody answers"), std::string::npos);
  EXPECT_TRUE(connect_to(folder / "s.sock"));
}

TEST(ListeningSocket, RefusesAPathThatIsNoSocket) {
  const TempDir folder;
  testing::write_file(folder / "file", "precious");
  ASSERT_EQ(mkdir((folder / "folder").c_str(), 0700), 0);
  ASSERT_EQ(symlink("nowhere", (folder / "link").c_str()), 0);
  for (const char* name : {"file", "folder", "link"}) {
    const auto bound = ListeningSocket::bind(folder / name);
    ASSERT_FALSE(bound) << name;
    EXPECT_NE(bound.error().message.find("no socket"), std::string::npos);
  }
  EXPECT_EQ(testing::read_file(folder / "file"), "precious");
}

TEST(ListeningSocket, NamesAPathThatIsTooLong) {
  const auto bound = ListeningSocket::bind("/" + std::string(120, 'x'));
  ASSERT_FALSE(bound);
  EXPECT_NE(bound.error().message.find("121 bytes"), std::string::npos);
}

TEST(ListeningSocket, RemovesItsPathAtTheEnd) {
  const TempDir folder;
  { ASSERT_TRUE(ListeningSocket::bind(folder / "s.sock")); }
  EXPECT_NE(access((folder / "s.sock").c_str(), F_OK), 0);
}

TEST(ListeningSocket, KeepsASuccessorsSocketAtTheEnd) {
  const TempDir folder;
  std::optional<ListeningSocket> successor;
  {
    const auto old = ListeningSocket::bind(folder / "s.sock");
    ASSERT_TRUE(old);
    ASSERT_EQ(unlink((folder / "s.sock").c_str()), 0);
    auto next = ListeningSocket::bind(folder / "s.sock");
    ASSERT_TRUE(next);
    successor.emplace(std::move(*next));
  }
  EXPECT_TRUE(connect_to(folder / "s.sock"));
}

TEST(LockFile, NamesTheProcessThatHoldsIt) {
  const TempDir folder;
  const auto first = take_lock(folder / "lock");
  ASSERT_TRUE(first);
  EXPECT_EQ(testing::read_file(folder / "lock"),
            std::to_string(getpid()) + "\n");
  EXPECT_EQ(mode_of(folder / "lock"), 0600U);
  const auto second = take_lock(folder / "lock");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("process " + std::to_string(getpid())),
            std::string::npos);
}

TEST(LockFile, IsFreeAgainWhenItsHolderIsGone) {
  const TempDir folder;
  { ASSERT_TRUE(take_lock(folder / "lock")); }
  EXPECT_TRUE(take_lock(folder / "lock"));
}

TEST(LockFile, DoesNotFollowALink) {
  const TempDir folder;
  testing::write_file(folder / "precious", "content");
  ASSERT_EQ(symlink((folder / "precious").c_str(), (folder / "lock").c_str()),
            0);
  EXPECT_FALSE(take_lock(folder / "lock"));
  EXPECT_EQ(testing::read_file(folder / "precious"), "content");
}

TEST(PrivateFolder, IsMadeWithItsParentsForTheOwnerOnly) {
  const TempDir folder;
  ASSERT_TRUE(prepare_private_folder(folder / "a/b"));
  EXPECT_EQ(mode_of(folder / "a/b"), 0700U);
  EXPECT_TRUE(prepare_private_folder(folder / "a/b"));
}

TEST(PrivateFolder, IsRefusedWhenOthersCanWriteItOrItIsALinkOrAFile) {
  const TempDir folder;
  ASSERT_EQ(mkdir((folder / "open").c_str(), 0700), 0);
  ASSERT_EQ(chmod((folder / "open").c_str(), 0777), 0);
  ASSERT_EQ(symlink(folder.path().c_str(), (folder / "link").c_str()), 0);
  testing::write_file(folder / "file", "");
  for (const char* name : {"open", "link", "file"}) {
    EXPECT_FALSE(prepare_private_folder(folder / name)) << name;
  }
}

// One start of many at once: reports whether it serves, holds on until told.
[[noreturn]] void start(const TempDir& folder, int report, int hold) {
  char answer = 'n';
  const auto lock = take_lock(folder / "lock");
  std::optional<ListeningSocket> listening;
  if (lock) {
    auto bound = ListeningSocket::bind(folder / "s.sock");
    if (bound) listening.emplace(std::move(*bound));
  }
  if (listening) answer = 'y';
  if (write(report, &answer, 1) != 1) _exit(1);
  char byte = 0;
  if (read(hold, &byte, 1) < 0) _exit(1);
  listening.reset();
  _exit(0);
}

TEST(LockFile, LetsExactlyOneOfFiftyStartersServe) {
  constexpr int kStarters = 50;
  const TempDir folder;
  leave_stale_socket(folder / "s.sock");
  std::array<int, 2> report{};
  std::array<int, 2> hold{};
  ASSERT_EQ(pipe(report.data()), 0);
  ASSERT_EQ(pipe(hold.data()), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < kStarters; ++i) {
    const pid_t pid = fork();
    if (pid == 0) {
      close(hold[1]);
      start(folder, report[1], hold[0]);
    }
    ASSERT_GT(pid, 0);
    children.push_back(pid);
  }
  int serving = 0;
  for (int i = 0; i < kStarters; ++i) {
    char answer = 0;
    ASSERT_EQ(read(report[0], &answer, 1), 1);
    if (answer == 'y') ++serving;
  }
  EXPECT_EQ(serving, 1);
  EXPECT_TRUE(connect_to(folder / "s.sock"));
  close(hold[1]);
  for (const pid_t pid : children) waitpid(pid, nullptr, 0);
  for (const int fd : {report[0], report[1], hold[0]}) close(fd);
  EXPECT_NE(access((folder / "s.sock").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace toolhost
