// From bytes to frames: what happens when the socket is ready.

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <exception>

#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "providers/support/log.hpp"

namespace toolhost {

namespace {

constexpr int kFramesPerTurn = 8;

}  // namespace

// A wall: what fails for one connection must not end the others.
void Connection::guarded(const std::function<void()>& work) {
  const auto self = shared_from_this();
  try {
    work();
  } catch (const std::exception& error) {
    log_error(std::string("a connection failed error=") + error.what());
    abort("the daemon failed to serve it");
  }
}

void Connection::ready(std::uint32_t events) {
  guarded([&] { take_events(events); });
}

void Connection::take_events(std::uint32_t events) {
  const bool hung_up = (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (writing_ && (events & EPOLLOUT) != 0) continue_writing();
  if (!open_) return;
  if (reading_ && !paused_) {
    // What was sent before a hang-up still counts.
    if (hung_up || (events & EPOLLIN) != 0) read_once();
  } else if (hung_up) {
    abort({});
  }
}

void Connection::read_once() {
  const auto room = daemon_.server.readiness().buffer();
  const ssize_t got =
      ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
  if (got > 0) {
    // A closing connection reads only to let its peer finish.
    if (closing_) return;
    reader_.append(
        std::string_view(room.data(), static_cast<std::size_t>(got)));
    return take_frames();
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  half_closed_ = got == 0 && !closing_ && peer_reads();
  reading_ = false;
  if (!half_closed_ && !closing_) open_ = false;
  update_interest();
  wake();
}

// A client that pipelines without reading only slows itself, and one that sends
// a thousand requests at once lets the others have their turns in between.
void Connection::take_frames() {
  for (int taken = 1; dispatch_held(); ++taken) {
    if (outbox_.slow()) {
      paused_ = true;
      update_interest();
      return;
    }
    if (taken == kFramesPerTurn) return take_frames_later();
  }
}

void Connection::take_frames_later() {
  if (std::exchange(more_frames_, true)) return;
  asio::post(daemon_.loop, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->more_frames_ = false;
    if (!self->open_ || self->paused_) return;
    self->guarded([&] { self->take_frames(); });
  });
}

void Connection::resume_reading() {
  if (!paused_ || outbox_.slow()) return;
  paused_ = false;
  take_frames();
  update_interest();
}

// Both ways closed is a hang-up; only its sending side is a half-close.
bool Connection::peer_reads() const {
  pollfd entry{};
  entry.fd = socket_.get();
  return ::poll(&entry, 1, 0) >= 0 &&
         (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}

bool Connection::watch() {
  if (!open_) return false;
  auto added = daemon_.server.readiness().add(socket_.get(), *this, EPOLLIN);
  if (!added) {
    abort(added.error().message);
    return false;
  }
  watched_ = *added;
  interest_ = EPOLLIN;
  update_interest();
  return true;
}

void Connection::unwatch() {
  if (watched_ != 0) daemon_.server.readiness().remove(watched_);
  watched_ = 0;
}

void Connection::update_interest() {
  if (watched_ == 0) return;
  std::uint32_t wanted = 0;
  if (reading_ && !paused_) wanted |= EPOLLIN;
  if (writing_) wanted |= EPOLLOUT;
  if (std::exchange(interest_, wanted) == wanted) return;
  daemon_.server.readiness().change(watched_, wanted);
}

}  // namespace toolhost
