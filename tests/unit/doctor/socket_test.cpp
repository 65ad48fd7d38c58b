#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "providers/support/unique_fd.hpp"
#include "tests/unit/doctor/doctor_test.hpp"

namespace toolhost::doctor {
namespace {

using ::testing::HasSubstr;

class SocketCheck : public DoctorTest {
 protected:
  // A listening socket; it is left over when the descriptor is closed.
  UniqueFd listen_at(const std::string& path, int backlog = 8) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(
        ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address),
        0);
    EXPECT_EQ(::chmod(path.c_str(), 0600), 0);
    EXPECT_EQ(::listen(fd.get(), backlog), 0);
    return fd;
  }
};

TEST_F(SocketCheck, SaysThatNothingListensAndHowToStart) {
  const Finding finding = only("socket.control");
  EXPECT_EQ(finding.state, "warn");
  EXPECT_THAT(finding.detail, HasSubstr(input_.paths.control_socket));
  EXPECT_THAT(finding.hint, HasSubstr("toolhostd"));
}

TEST_F(SocketCheck, NamesThePathItsLengthAndWhyItWasChosen) {
  const Finding finding = only("socket.path");
  EXPECT_THAT(finding.detail, HasSubstr("$XDG_RUNTIME_DIR"));
  EXPECT_THAT(finding.detail,
              HasSubstr(std::to_string(input_.paths.control_socket.size()) +
                        " of 107 bytes"));
}

TEST_F(SocketCheck, FindsADaemonThatListens) {
  make_runtime_dir(0700);
  const UniqueFd fd = listen_at(input_.paths.control_socket);
  EXPECT_EQ(only("socket.control").state, "ok");
  EXPECT_EQ(only("socket.caller").state, "warn");
}

TEST_F(SocketCheck, KnowsALeftOverSocketByTheRefusedConnection) {
  make_runtime_dir(0700);
  listen_at(input_.paths.control_socket).reset();
  const Finding finding = only("socket.control");
  EXPECT_EQ(finding.state, "warn");
  EXPECT_THAT(finding.detail, HasSubstr("left over"));
}

TEST_F(SocketCheck, DoesNotWaitForADaemonThatDoesNotAccept) {
  make_runtime_dir(0700);
  const UniqueFd fd = listen_at(input_.paths.control_socket, 0);
  (void)only("socket.control");  // fills the queue of one
  const Finding finding = only("socket.control");
  EXPECT_EQ(finding.state, "warn");
  EXPECT_THAT(finding.detail, HasSubstr("does not accept"));
}

TEST_F(SocketCheck, RefusesAFileInTheSocketsPlace) {
  make_runtime_dir(0700);
  toolhost::testing::write_file(input_.paths.control_socket, "x");
  EXPECT_EQ(only("socket.control").state, "fail");
}

TEST_F(SocketCheck, RefusesASocketThatOthersMayReach) {
  make_runtime_dir(0700);
  const UniqueFd fd = listen_at(input_.paths.control_socket);
  ASSERT_EQ(::chmod(input_.paths.control_socket.c_str(), 0666), 0);
  const Finding finding = only("socket.control");
  EXPECT_EQ(finding.state, "fail");
  EXPECT_THAT(finding.detail, HasSubstr("0666"));
}

TEST_F(SocketCheck, WantsThePrivateFolderThatTheDaemonInsistsOn) {
  EXPECT_EQ(only("runtimeDir").state, "ok");
  make_runtime_dir(0755);
  const Finding open = only("runtimeDir");
  EXPECT_EQ(open.state, "fail");
  EXPECT_THAT(open.hint, HasSubstr("chmod 0700"));
  ASSERT_EQ(::chmod(input_.paths.runtime_dir.c_str(), 0700), 0);
  EXPECT_EQ(only("runtimeDir").state, "ok");
}

TEST_F(SocketCheck, MissesTheRuntimeFolderOfTheLogin) {
  environment_.set("XDG_RUNTIME_DIR", dir_ / "gone");
  EXPECT_EQ(only("runtimeDir.base").state, "fail");
  environment_.unset("XDG_RUNTIME_DIR");
  EXPECT_EQ(only("runtimeDir.base").state, "warn");
}

TEST_F(SocketCheck, TellsWhoHoldsTheLockWithoutTakingIt) {
  make_runtime_dir(0700);
  EXPECT_THAT(only("lock").detail, HasSubstr("does not exist"));
  UniqueFd fd(::open(input_.paths.lock_file.c_str(),
                     O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(fd);
  EXPECT_THAT(only("lock").detail, HasSubstr("Nobody holds"));
  ASSERT_EQ(::flock(fd.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(only("lock").detail,
              HasSubstr("Process " + std::to_string(::getpid()) + " holds"));
  fd.reset();
  EXPECT_THAT(only("lock").detail, HasSubstr("Nobody holds"));
}

}  // namespace
}  // namespace toolhost::doctor
