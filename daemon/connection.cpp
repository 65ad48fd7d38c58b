#include "daemon/connection.hpp"

#include <poll.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "daemon/daemon.hpp"
#include "protocol/ids.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

// Holds some forty requests; an idle connection costs little more than this.
constexpr std::size_t kReadBytes = 8U << 10;
// While a large frame arrives: fewer system calls.
constexpr std::size_t kLargeReadBytes = 256U << 10;
// For what runs to stop and for the peer to fetch what waits.
constexpr std::chrono::seconds kFinishLimit{5};
// For a peer that is still sending the frame that was refused.
constexpr std::chrono::seconds kLingerLimit{1};

constexpr auto kNever = asio::steady_timer::time_point::max();

}  // namespace

Connection::Connection(Daemon& daemon, Socket socket, Peer peer,
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
      writer_(daemon.loop, "writer"),
      wake_(daemon.loop, kNever),
      stall_(daemon.loop),
      limit_(daemon.loop) {}

Connection::~Connection() = default;

Task<void> Connection::serve() {
  const auto self = shared_from_this();
  co_await read_loop();
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
  boost::system::error_code ignored;
  socket_.close(ignored);
  co_await writer_.join();
}

Task<void> Connection::read_loop() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  std::vector<char> bytes(kReadBytes);
  while (open_ && !closing_) {
    const auto buffer = asio::buffer(bytes);
    const auto [ec, count] = co_await socket_.async_read_some(buffer, token);
    if (ec == asio::error::operation_aborted) continue;
    if (ec) {
      half_closed_ = ec == asio::error::eof && open_ && peer_reads();
      co_return;
    }
    reader_.append(std::string_view(bytes.data(), count));
    while (dispatch_held()) {
      if (outbox_.slow()) co_await wait_for_room();
    }
    const bool large = count == bytes.size() && reader_.pending() > 0;
    const std::size_t wanted = large ? kLargeReadBytes : kReadBytes;
    if (bytes.size() < wanted || reader_.pending() == 0) {
      bytes.resize(wanted);
      bytes.shrink_to_fit();
    }
  }
}

// A client that pipelines without reading only slows itself.
Task<void> Connection::wait_for_room() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  while (open_ && !closing_ && outbox_.slow()) {
    co_await wake_.async_wait(token);
  }
}

// `echo … | socat`: the peer is done sending and waits for its replies (or
// for events). Ends when it has them, or hangs up.
Task<void> Connection::serve_half_closed() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  while (open_ && !closing_ && peer_reads()) {
    if (in_flight_.empty() && !unsent() && subscriptions.empty()) break;
    co_await socket_.async_wait(Socket::wait_error, token);
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
// read why.
Task<void> Connection::linger() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  limit_time(kLingerLimit, {});
  std::vector<char> bytes(kReadBytes);
  while (open_) {
    const auto buffer = asio::buffer(bytes);
    const auto [ec, count] = co_await socket_.async_read_some(buffer, token);
    if (ec && ec != asio::error::operation_aborted) break;
  }
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
  boost::system::error_code ignored;
  socket_.cancel(ignored);
  wake();
}

void Connection::abort(std::string_view why) {
  if (!open_) return;
  open_ = false;
  if (!why.empty()) {
    log_warn("a connection was cut: " + std::string(why) + described());
  }
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.cancel(ignored);
  wake();
}

// Both ways closed is a hang-up; only its sending side is a half-close.
bool Connection::peer_reads() {
  pollfd entry{};
  entry.fd = socket_.native_handle();
  return ::poll(&entry, 1, 0) >= 0 &&
         (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}

void Connection::wake() {
  wake_.cancel();
  boost::system::error_code ignored;
  if (half_closed_) socket_.cancel(ignored);
}

std::string Connection::described() const {
  return " pid=" + std::to_string(peer_.process.pid) +
         " name=" + (client.name.empty() ? "?" : client.name) +
         " connection=" + id_;
}

}  // namespace toolhost
