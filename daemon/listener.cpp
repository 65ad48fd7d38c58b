#include "daemon/listener.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace toolhost {
namespace {

// Connections that wait while we are busy or starting; the kernel caps it.
constexpr int kBacklog = 4096;

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return make_error(Code::internal,
                      "The socket path " + path + " has " +
                          std::to_string(path.size()) +
                          " bytes; the system takes 107.",
                      "Choose a shorter one with --socket.");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

Error in_the_way(const std::string& path, const std::string& what) {
  return make_error(Code::internal, path + " is in the way: " + what + ".",
                    "Remove it if nothing needs it, or choose another path "
                    "with --socket.");
}

// Only a refused connection proves that nobody listens: a full backlog or a
// stopped process does not.
Result<void> remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) {
    if (errno == ENOENT) return {};
    return system_error("Looking at " + path, errno);
  }
  if (!S_ISSOCK(facts.st_mode)) return in_the_way(path, "it is no socket");
  const UniqueFd probe(
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) return system_error("Making a socket", errno);
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof address) == 0) {
    return in_the_way(path, "somebody answers on it");
  }
  if (errno != ECONNREFUSED) {
    return in_the_way(
        path, std::string("connecting to it says ") + std::strerror(errno));
  }
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return system_error("Removing the left-over socket " + path, errno);
  }
  return {};
}

}  // namespace

Result<ListeningSocket> ListeningSocket::bind(const std::string& path) {
  const auto address = address_of(path);
  if (!address) return address.error();
  if (auto removed = remove_stale(path, *address); !removed) {
    return removed.error();
  }
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return system_error("Making a socket", errno);
  // No moment in which somebody else may connect.
  const mode_t before = umask(0177);
  const int bound = ::bind(
      fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address);
  const int number = errno;
  umask(before);
  if (bound != 0) return system_error("Binding the socket " + path, number);
  ListeningSocket out(std::move(fd), path);
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) {
    return system_error("Looking at the new socket " + path, errno);
  }
  out.device_ = facts.st_dev;
  out.inode_ = facts.st_ino;
  if (listen(out.fd(), kBacklog) != 0) {
    return system_error("Listening on " + path, errno);
  }
  return out;
}

ListeningSocket ListeningSocket::adopt(UniqueFd fd) {
  return ListeningSocket(std::move(fd), {});
}

ListeningSocket::~ListeningSocket() {
  if (!fd_ || path_.empty()) return;
  struct stat facts {};
  if (lstat(path_.c_str(), &facts) == 0 && facts.st_dev == device_ &&
      facts.st_ino == inode_) {
    unlink(path_.c_str());
  }
}

UniqueFd ListeningSocket::accept() const {
  for (;;) {
    const int fd =
        accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 || (errno != EINTR && errno != ECONNABORTED)) {
      return UniqueFd(fd);
    }
  }
}

}  // namespace toolhost
