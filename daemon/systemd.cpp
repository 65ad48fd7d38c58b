#include "daemon/systemd.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "protocol/text.hpp"

namespace toolhost::systemd {
namespace {

// SD_LISTEN_FDS_START
constexpr int kFirstFd = 3;
// We have two sockets; more is a mistake in a unit.
constexpr int kMaxFds = 16;
// `systemctl status` shows one line.
constexpr std::size_t kMaxStatusBytes = 200;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number out = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || at != end || text.empty()) return {};
  return out;
}

int option(int fd, int which) {
  int value = -1;
  socklen_t size = sizeof value;
  if (::getsockopt(fd, SOL_SOCKET, which, &value, &size) != 0) return -1;
  return value;
}

bool is_listening_unix_socket(int fd) {
  return option(fd, SO_DOMAIN) == AF_UNIX &&
         option(fd, SO_TYPE) == SOCK_STREAM && option(fd, SO_ACCEPTCONN) == 1;
}

void prepare(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  const int flags = ::fcntl(fd, F_GETFL);
  ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

// Cuts the next name off LISTEN_FDNAMES.
std::string next_name(std::string_view& names) {
  const auto colon = names.find(':');
  const std::string name(names.substr(0, colon));
  names.remove_prefix(colon == std::string_view::npos ? names.size()
                                                      : colon + 1);
  return name;
}

// The address of $NOTIFY_SOCKET; length 0 when there is none that we can use.
socklen_t notify_address(sockaddr_un& address) {
  const std::string_view path = variable("NOTIFY_SOCKET");
  if (path.size() < 2 || path.size() >= sizeof address.sun_path) return 0;
  if (path.front() != '/' && path.front() != '@') return 0;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  // An abstract name begins with NUL and is as long as it is; a path ends
  // with one.
  const bool abstract = path.front() == '@';
  if (abstract) address.sun_path[0] = '\0';
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() +
                                (abstract ? 0 : 1));
}

}  // namespace

std::vector<ActivatedSocket> activated_sockets() {
  std::vector<ActivatedSocket> out;
  const auto pid = number<pid_t>(variable("LISTEN_PID"));
  const auto count = number<int>(variable("LISTEN_FDS"));
  if (pid == ::getpid() && count && *count > 0) {
    const std::string all(variable("LISTEN_FDNAMES"));
    std::string_view names = all;
    for (int i = 0; i < std::min(*count, kMaxFds); ++i) {
      UniqueFd fd(kFirstFd + i);
      std::string name = next_name(names);
      if (!is_listening_unix_socket(fd.get())) continue;
      prepare(fd.get());
      out.push_back({std::move(name), std::move(fd)});
    }
  }
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) {
    ::unsetenv(name);
  }
  return out;
}

bool notify(std::string_view state) {
  sockaddr_un address{};
  const socklen_t length = notify_address(address);
  if (length == 0) return false;
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return false;
  // A full queue of systemd may delay us by this, not stop us.
  const timeval patience{0, 200'000};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const ssize_t sent =
      ::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), length);
  return sent == static_cast<ssize_t>(state.size());
}

bool notify_ready() { return notify("READY=1"); }

bool notify_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t usec =
      static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
  return notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec));
}

bool notify_stopping() { return notify("STOPPING=1"); }

bool notify_status(std::string_view text) {
  // A line break would begin another assignment.
  return notify("STATUS=" + display_text(utf8_prefix(text, kMaxStatusBytes)));
}

bool notify_watchdog() { return notify("WATCHDOG=1"); }

std::optional<Milliseconds> watchdog_interval() {
  const auto usec = number<std::uint64_t>(variable("WATCHDOG_USEC"));
  if (!usec || *usec == 0) return {};
  const std::string_view pid = variable("WATCHDOG_PID");
  if (!pid.empty() && number<pid_t>(pid) != ::getpid()) return {};
  // A day at most: what is longer protects from nothing.
  const std::uint64_t half =
      std::min<std::uint64_t>(*usec / 2000, std::uint64_t{24} * 3600 * 1000);
  return Milliseconds(std::max<std::uint64_t>(half, 1));
}

}  // namespace toolhost::systemd
