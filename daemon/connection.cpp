#include "daemon/connection.hpp"

#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "daemon/daemon.hpp"
#include "protocol/ids.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

// For what runs to stop and for the peer to fetch what waits.
constexpr std::chrono::seconds kFinishLimit{5};
// For a peer that is still sending the frame that was refused.
constexpr std::chrono::seconds kLingerLimit{1};

constexpr auto kNever = asio::steady_timer::time_point::max();

}  // namespace

Connection::Connection(Daemon& daemon, UniqueFd socket, Peer peer,
                       SocketKind kind)
    : daemon_(daemon),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      kind_(kind),
      id_(random_id("conn_")),
      reader_(daemon.config->limits.frame_bytes),
      outbox_(daemon.config->limits.outbox_frames,
              daemon.config->limits.outbox_bytes),
      requests_(daemon.loop, "requests"),
      wake_(daemon.loop, kNever),
      stall_(daemon.loop),
      limit_(daemon.loop) {}

Connection::~Connection() = default;

// Requests are read and answered by ready(); here is what comes around them.
Task<void> Connection::serve() {
  const auto self = shared_from_this();
  if (watch()) co_await until_input_ends();
  if (half_closed_) co_await serve_half_closed();
  if (!closing_) open_ = false;
  daemon_.events.drop(*this);
  if (closing_) {
    stop_requests("The daemon closed the connection.");
    co_await finish();
  } else {
    stop_requests("The connection closed.");
  }
  open_ = false;
  stall_.cancel();
  unwatch();
  socket_.reset();
}

Task<void> Connection::until_input_ends() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  while (open_ && !closing_ && reading_) {
    co_await wake_.async_wait(token);
  }
}

// `echo … | socat`: the peer is done sending and waits for its replies (or
// for events). Ends when it has them; a hang-up aborts.
Task<void> Connection::serve_half_closed() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  while (open_ && !closing_) {
    if (in_flight_.empty() && !unsent() && subscriptions.empty()) break;
    co_await wake_.async_wait(token);
  }
}

// What runs was told to stop: its replies are waited for and sent.
Task<void> Connection::finish() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  limit_time(kFinishLimit, "its last replies were not fetched in time");
  while (open_ && (!in_flight_.empty() || unsent())) {
    co_await wake_.async_wait(token);
  }
  if (open_ && bad_frame_) co_await linger();
  limit_.cancel();
}

// Closing with unread input would make the peer's writes fail before it has
// read why: what still comes is read and forgotten.
Task<void> Connection::linger() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  ::shutdown(socket_.get(), SHUT_WR);
  limit_time(kLingerLimit, {});
  reading_ = true;
  update_interest();
  while (open_ && reading_) co_await wake_.async_wait(token);
}

void Connection::limit_time(std::chrono::milliseconds time, std::string why) {
  limit_.expires_after(time);
  limit_.async_wait([weak = weak_from_this(), why = std::move(why)](
                        const boost::system::error_code& ec) {
    const auto self = weak.lock();
    if (!ec && self) self->abort(why);
  });
}

void Connection::close_with(const Error& error) {
  if (!open_ || closing_) return;
  send(FrameClass::reply, error_text("null", error));
  close();
}

void Connection::close() {
  if (!open_ || closing_) return;
  closing_ = true;
  reading_ = false;
  update_interest();
  wake();
}

void Connection::abort(std::string_view why) {
  if (!open_) return;
  open_ = false;
  if (!why.empty()) {
    log_warn("a connection was cut: " + std::string(why) + described());
  }
  unwatch();
  ::shutdown(socket_.get(), SHUT_RDWR);
  wake();
}

// While it serves, nobody waits: requests come and go without a system call
// for the timer.
void Connection::wake() {
  if (!open_ || closing_ || !reading_) wake_.cancel();
}

std::string Connection::described() const {
  return " pid=" + std::to_string(peer_.process.pid) +
         " name=" + (client.name.empty() ? "?" : client.name) +
         " connection=" + id_;
}

}  // namespace toolhost
