// Who may connect: accepting, quotas, and what a refused peer is told.

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>

#include "daemon/daemon.hpp"
#include "daemon/server_listener.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

// At a time, so that a burst of connects does not starve those who are in.
constexpr int kAcceptsPerTurn = 64;
// Until descriptors may be there again.
constexpr std::chrono::milliseconds kPause{100};

// One error line; the socket closes behind it.
void turn_away(const UniqueFd& socket, const Error& error) {
  const std::string line = error_text("null", error) + '\n';
  // A fresh socket takes a line; a peer that is gone does not matter.
  std::ignore =
      send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

Error unauthorized(std::string message, std::string hint) {
  return make_error(Code::unauthorized, std::move(message), std::move(hint));
}

Error over_quota(const std::string& what, int limit, const char* member) {
  Error error = make_error(
      Code::quota_exceeded, what + " (limit " + std::to_string(limit) + ").",
      std::string("Close connections that are not needed, or raise limits.") +
          member + ".");
  error.details["quota"] = member;
  error.details["limit"] = limit;
  return error;
}

}  // namespace

Task<void> Server::accept_loop(Listener& listener) {
  const auto token = asio::as_tuple(asio::use_awaitable);
  while (listening_) {
    co_await listener.events.async_wait(
        asio::posix::stream_descriptor::wait_read, token);
    if (!listening_) break;
    if (accept_some(listener)) continue;
    listener.pause.expires_after(kPause);
    co_await listener.pause.async_wait(token);
  }
}

// False: there are no descriptors, so try again later.
bool Server::accept_some(Listener& listener) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    UniqueFd socket = listener.socket->accept();
    if (socket) {
      out_of_descriptors_ = false;
      admit(std::move(socket), listener.kind);
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return true;
    const int number = errno;
    if (!std::exchange(out_of_descriptors_, true)) {
      log_error("connections cannot be accepted, new ones are refused error=" +
                std::string(std::strerror(number)));
    }
    shed_one(listener);
    return false;
  }
  return true;
}

void Server::shed_one(const Listener& listener) {
  reserve_.reset();
  {
    const UniqueFd socket = listener.socket->accept();
    if (socket) {
      turn_away(socket, make_error(Code::overloaded,
                                   "The daemon has no descriptors left.",
                                   "Try again, or close connections."));
    }
  }
  reserve_.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

void Server::admit(UniqueFd socket, SocketKind kind) {
  auto peer = identify_peer(socket.get());
  if (!peer) {
    log_warn("a connection was refused: " + peer.error().message);
    return turn_away(socket, peer.error());
  }
  if (const auto refused = refusal(*peer, kind)) {
    log_warn("a connection was refused: " + refused->message +
             " pid=" + std::to_string(peer->process.pid) +
             " uid=" + std::to_string(peer->uid) + " exe=" + peer->exe);
    return turn_away(socket, *refused);
  }
  ++per_process_[peer->process.pid];
  auto connection = std::make_shared<Connection>(daemon_, std::move(socket),
                                                 std::move(*peer), kind);
  connections_.insert(connection);
  tasks_.spawn(serve(std::move(connection)));
}

std::optional<Error> Server::refusal(const Peer& peer, SocketKind kind) const {
  if (auto foreign = refuse_user(peer, daemon_.config->allowed_uids)) {
    return foreign;
  }
  if (kind == SocketKind::control && peer.ancestry.empty()) {
    return unauthorized(
        "The process behind the connection cannot be identified.",
        "It ended, or is in a foreign container; use caller.sock there.");
  }
  if (kind == SocketKind::control && self_ && peer.process != *self_ &&
      descends_from(peer, *self_)) {
    return unauthorized(
        "The process was started by this daemon and may not control it.",
        "Commands that agents run cannot approve or configure; "
        "use caller.sock.");
  }
  const config::Limits& limits = daemon_.config->limits;
  if (connections_.size() >= static_cast<std::size_t>(limits.connections)) {
    return over_quota("The daemon has its most connections", limits.connections,
                      "connections");
  }
  const auto own = per_process_.find(peer.process.pid);
  if (own != per_process_.end() &&
      own->second >= limits.connections_per_process) {
    return over_quota("The process has its most connections",
                      limits.connections_per_process, "connectionsPerProcess");
  }
  return std::nullopt;
}

}  // namespace toolhost
