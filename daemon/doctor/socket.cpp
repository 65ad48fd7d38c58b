// The sockets: the path and why, their folder, who listens, who holds the lock.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "daemon/doctor/families.hpp"
#include "daemon/doctor/lock_holder.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost::doctor {
namespace {

std::string octal(mode_t mode) {
  std::string out = "0";
  for (int shift = 6; shift >= 0; shift -= 3) {
    out += static_cast<char>('0' + ((mode >> shift) & 7U));
  }
  return out;
}

// 0, or errno of a connect that never waits. `uid` is the listener's.
int connect_to(const std::string& path, uid_t& uid) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  std::memcpy(address.sun_path, path.data(), path.size());
  const UniqueFd fd(
      ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return errno;
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
                sizeof address) != 0) {
    return errno;
  }
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return errno;
  }
  uid = peer.uid;
  return 0;
}

// What lies at the path, when it is not a socket that can be asked.
std::optional<Finding> not_a_socket(const std::string& name,
                                    const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return warn(name, "No daemon listens: " + path + " does not exist.",
                  "Start toolhostd, or systemctl --user start "
                  "toolhost.socket.");
    }
    return fail(name,
                "Cannot look at " + path + ": " + system_text(errno) + ".",
                "Check the permissions of the folders above it.");
  }
  if (!S_ISSOCK(status.st_mode)) {
    return fail(name,
                path + " is not a socket; the daemon will not replace it.",
                "Move it away, or name another path with --socket.");
  }
  if (status.st_uid != ::geteuid()) {
    return fail(name,
                path + " belongs to uid " + std::to_string(status.st_uid) + ".",
                "Do not use it; name another path with --socket.");
  }
  if ((status.st_mode & 077U) != 0) {
    return fail(name,
                path + " has mode " + octal(status.st_mode) +
                    ": other users may reach it.",
                "chmod 0600 " + path);
  }
  return {};
}

Finding probe(const std::string& name, const std::string& path) {
  if (auto finding = not_a_socket(name, path)) return *std::move(finding);
  uid_t uid = 0;
  switch (const int error = connect_to(path, uid); error) {
    case 0:
      if (uid == ::geteuid())
        return ok(name, "A daemon listens on " + path + ".");
      return fail(name,
                  "What listens on " + path + " runs as uid " +
                      std::to_string(uid) + ", not as you.",
                  "Do not answer approvals there; name another path with "
                  "--socket.");
    case ECONNREFUSED:
      return warn(name, path + " is left over: nobody listens on it.",
                  "Start toolhostd; it replaces the left-over socket.");
    case EAGAIN:
      return warn(name,
                  "A daemon listens on " + path +
                      ", but it does not accept: its queue is full.",
                  "See its log; kill -9 it if it hangs.");
    default:
      return fail(name,
                  "Cannot connect to " + path + ": " + system_text(error) + ".",
                  "Check the permissions of the folders above it.");
  }
}

}  // namespace

Findings check_socket(const CheckInput& input) {
  const config::Paths& paths = input.paths;
  Findings out;
  out.push_back(
      ok("socket.path", paths.control_socket + " (" +
                            std::to_string(paths.control_socket.size()) +
                            " of 107 bytes). " + paths.socket_reason));
  out.push_back(probe("socket.control", paths.control_socket));
  out.push_back(probe("socket.caller", paths.caller_socket));
  return out;
}

Findings check_runtime_dir(const CheckInput& input) {
  const std::string& path = input.paths.runtime_dir;
  Findings out;
  const char* base = std::getenv("XDG_RUNTIME_DIR");
  struct stat status;
  if (base && *base && (::stat(base, &status) != 0)) {
    out.push_back(fail("runtimeDir.base",
                       "$XDG_RUNTIME_DIR is " + std::string(base) + ": " +
                           system_text(errno) + ".",
                       "Log in again, or unset it to use the state folder."));
  } else if (!base || !*base) {
    out.push_back(warn("runtimeDir.base", "$XDG_RUNTIME_DIR is not set.",
                       "Programs of a login session look for the daemon "
                       "there; set it to /run/user/" +
                           std::to_string(::geteuid()) + "."));
  }
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) {
      out.push_back(ok("runtimeDir", path + " will be made by the daemon."));
    } else {
      out.push_back(
          fail("runtimeDir",
               "Cannot look at " + path + ": " + system_text(errno) + ".",
               "Check the permissions of the folders above it."));
    }
  } else if (!S_ISDIR(status.st_mode)) {
    out.push_back(fail("runtimeDir", path + " is not a folder.",
                       "Move it away, or name another path with --socket."));
  } else if (status.st_uid != ::geteuid()) {
    out.push_back(fail("runtimeDir",
                       path + " belongs to uid " +
                           std::to_string(status.st_uid) +
                           "; the daemon refuses to start.",
                       "Name another path with --socket."));
  } else if ((status.st_mode & 077U) != 0) {
    out.push_back(fail("runtimeDir",
                       path + " has mode " + octal(status.st_mode) +
                           "; the daemon refuses to start.",
                       "chmod 0700 " + path));
  } else {
    out.push_back(ok("runtimeDir", path + " is yours and private."));
  }
  return out;
}

Findings check_lock(const CheckInput& input) {
  const std::string& path = input.paths.lock_file;
  const LockHolder holder = find_lock_holder(path);
  switch (holder.state) {
    case LockHolder::State::missing:
      return {ok("lock",
                 "No daemon has run here yet: " + path + " does not exist.")};
    case LockHolder::State::free:
      return {ok("lock", "Nobody holds " + path + ".")};
    case LockHolder::State::held:
      return {ok(
          "lock",
          holder.pid > 0
              ? "Process " + std::to_string(holder.pid) + " holds " + path + "."
              : "A process of another namespace holds " + path + ".")};
    case LockHolder::State::unknown:
      break;
  }
  return {warn("lock",
               "Cannot tell who holds " + path + ": " + holder.reason + ".",
               "Look for a running toolhostd with pgrep -a toolhostd.")};
}

}  // namespace toolhost::doctor
