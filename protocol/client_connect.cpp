// How a client finds its daemon, and what it says when it does not.
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "protocol/client.hpp"

namespace toolhost {
namespace {

// A daemon whose accept queue is full for this long is stuck.
constexpr int kConnectSeconds = 5;

constexpr std::string_view kStart =
    "Start it with `systemctl --user start toolhost.socket` or `toolhostd`; "
    "`toolhost doctor` says more.";

std::string user_name(uid_t uid) {
  std::array<char, 4096> buffer;
  passwd entry{};
  passwd* found = nullptr;
  const int failed =
      getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  const std::string number = std::to_string(uid);
  if (failed != 0 || !found) return "uid " + number;
  return std::string(entry.pw_name) + " (uid " + number + ")";
}

// "owner alice (uid 1000), mode 600", or what is missing.
std::string describe_path(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) == 0) {
    std::array<char, 16> mode;
    std::snprintf(mode.data(), mode.size(), "%03o",
                  static_cast<unsigned>(facts.st_mode & 07777U));
    return std::string(S_ISSOCK(facts.st_mode) ? "" : "not a socket, ") +
           "owner " + user_name(facts.st_uid) + ", mode " + mode.data();
  }
  if (errno == EACCES) return "its folder may not be entered";
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (stat(folder.c_str(), &facts) == 0) {
    return "its folder exists, owner " + user_name(facts.st_uid);
  }
  return "the folder " + folder + " does not exist";
}

std::string next_step(int number) {
  switch (number) {
    case ENOENT:
      return "The daemon is not running. " + std::string(kStart);
    case ECONNREFUSED:
      return "Nothing listens on this socket: the daemon ended without "
             "removing it. " +
             std::string(kStart);
    case EACCES:
    case EPERM:
      return "The socket belongs to its owner alone; run this as that user, "
             "or check $TOOLHOST_SOCK with `toolhost socket-path`.";
    case EAGAIN:
      return "The daemon accepts no connections; look at `toolhost doctor` "
             "and at its log.";
    default:
      return "Run `toolhost doctor`.";
  }
}

Error unreachable(const std::string& path, int number) {
  Error error =
      make_error(Code::internal,
                 "Cannot connect to the daemon at " + path + " (" +
                     describe_path(path) + "): " + std::strerror(number) + ".",
                 next_step(number));
  error.details["clientFault"] = name(ClientFault::unreachable);
  error.details["path"] = path;
  error.details["errno"] = number;
  return error;
}

Error wrong_peer(const std::string& path, uid_t uid) {
  Error error = make_error(
      Code::unauthorized,
      "The daemon at " + path + " runs as " + user_name(uid) +
          ", not as you, " + user_name(geteuid()) + ".",
      "Nothing was sent to it. `toolhost socket-path` says why this path was "
      "chosen.");
  error.details["path"] = path;
  return error;
}

int connect_socket(int fd, const sockaddr_un& address) {
  for (;;) {
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address),
                  sizeof address) == 0) {
      return 0;
    }
    if (errno == EISCONN) return 0;
    if (errno != EINTR) return errno;
  }
}

}  // namespace

Result<Client> Client::connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    Error error = unreachable(path, ENAMETOOLONG);
    error.hint = "The path has " + std::to_string(path.size()) +
                 " bytes, a socket's can have " +
                 std::to_string(sizeof address.sun_path - 1) +
                 "; set $TOOLHOST_SOCK to a shorter one.";
    return error;
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return unreachable(path, errno);
  Client client(fd, path);
  // A blocking connect honours the send limit and waits while the accept
  // queue is full; a non-blocking one would fail at once.
  timeval limit{};
  limit.tv_sec = kConnectSeconds;
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (const int number = connect_socket(fd, address); number != 0) {
    return unreachable(path, number);
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return unreachable(path, errno);
  }
  // Before anything is sent: a foreign listener would learn commands and
  // could show us prompts of its own.
  if (peer.uid != geteuid() && peer.uid != 0) return wrong_peer(path, peer.uid);
  return client;
}

}  // namespace toolhost
