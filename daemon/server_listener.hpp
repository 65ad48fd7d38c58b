// A listening socket of the server with its place in the loop.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>

#include "daemon/listener.hpp"
#include "daemon/server.hpp"

namespace toolhost {

struct Server::Listener {
  Listener(asio::io_context& loop, ListeningSocket listening, SocketKind of)
      : kind(of),
        socket(std::move(listening)),
        events(loop, socket->fd()),
        pause(loop) {}
  ~Listener() { stop(); }
  Listener(const Listener&) = delete;

  // The descriptor is the socket's; `events` only watches it.
  void stop() {
    if (!socket) return;
    events.release();
    pause.cancel();
    socket.reset();
  }

  const SocketKind kind;
  std::optional<ListeningSocket> socket;
  asio::posix::stream_descriptor events;
  asio::steady_timer pause;
};

}  // namespace toolhost
