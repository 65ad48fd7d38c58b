#include "gates/hooks/http_post.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

namespace toolhost {
namespace {

namespace http = boost::beast::http;
using Socket = asio::generic::stream_protocol::socket;
using Endpoint = asio::generic::stream_protocol::endpoint;
using boost::system::error_code;

Endpoint endpoint_of(const config::LoopbackUrl& url) {
  if (!url.socket.empty()) {
    return Endpoint(asio::local::stream_protocol::endpoint(url.socket));
  }
  return Endpoint(
      asio::ip::tcp::endpoint(asio::ip::make_address(url.address), url.port));
}

// Who listens there may be told a secret.
bool ours(Socket& socket) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &who,
                   &size) != 0) {
    return false;
  }
  return who.uid == ::geteuid() || who.uid == 0;
}

http::request<http::string_body> request_of(HttpPost post) {
  http::request<http::string_body> out(http::verb::post,
                                       post.url.prefix + post.target, 11);
  out.set(http::field::host, post.url.host);
  out.set(http::field::user_agent, "toolhostd");
  out.set(http::field::content_type, "application/json");
  out.set(http::field::accept, "application/json");
  out.set(http::field::connection, "close");
  if (!post.bearer.empty()) {
    out.set(http::field::authorization, "Bearer " + post.bearer);
  }
  out.body() = std::move(post.body);
  out.prepare_payload();
  return out;
}

// What closes the socket, and with it every wait, at the deadline or a stop.
struct Exchange {
  explicit Exchange(asio::io_context& loop) : socket(loop), timer(loop) {}
  void end() {
    error_code ignored;
    socket.close(ignored);
  }
  Socket socket;
  asio::steady_timer timer;
  bool late = false;
};
using ExchangePtr = std::shared_ptr<Exchange>;

Error failed(const std::string& what, const Exchange& exchange,
             const Stop& stop, const error_code& error) {
  if (stop.requested()) return make_error(Code::internal, stop.reason());
  if (exchange.late) {
    return make_error(Code::internal, what + ": it took too long");
  }
  return make_error(Code::internal, what + ": " + error.message());
}

Task<Result<HttpAnswer>> talk(ExchangePtr exchange, HttpPost post,
                              const Stop& stop) {
  const std::string place = post.url.socket.empty()
                                ? post.url.host
                                : std::string("unix:") + post.url.socket;
  const bool local = !post.url.socket.empty();
  const Endpoint endpoint = endpoint_of(post.url);
  Socket& socket = exchange->socket;
  const auto [refused] = co_await socket.async_connect(
      endpoint, asio::as_tuple(asio::use_awaitable));
  if (refused) {
    co_return failed("cannot connect to " + place, *exchange, stop, refused);
  }
  if (local && !ours(socket)) {
    co_return make_error(Code::internal, place + " is served by another user");
  }
  auto request = request_of(std::move(post));
  const auto [unsent, sent] = co_await http::async_write(
      socket, request, asio::as_tuple(asio::use_awaitable));
  if (unsent) {
    co_return failed("cannot send to " + place, *exchange, stop, unsent);
  }
  boost::beast::flat_buffer buffer(kHttpHeaderBytes + 64 * 1024);
  http::response_parser<http::string_body> parser;
  parser.header_limit(kHttpHeaderBytes);
  parser.body_limit(kHttpBodyBytes);
  const auto [unread, size] = co_await http::async_read(
      socket, buffer, parser, asio::as_tuple(asio::use_awaitable));
  if (unread) {
    co_return failed("the answer of " + place + " cannot be read", *exchange,
                     stop, unread);
  }
  HttpAnswer out;
  out.status = parser.get().result_int();
  out.body = std::move(parser.get().body());
  co_return out;
}

}  // namespace

Task<Result<HttpAnswer>> http_post(asio::io_context& loop, HttpPost post,
                                   SteadyTime deadline, Stop& stop) {
  const auto exchange = std::make_shared<Exchange>(loop);
  exchange->timer.expires_at(deadline);
  exchange->timer.async_wait([exchange](error_code cancelled) {
    if (cancelled) return;
    exchange->late = true;
    exchange->end();
  });
  const std::function<void()> on_stop = [exchange] { exchange->end(); };
  const Stop::Registration stopping = stop.on_request(on_stop);
  Result<HttpAnswer> out = co_await talk(exchange, std::move(post), stop);
  exchange->timer.cancel();
  exchange->end();
  co_return out;
}

}  // namespace toolhost
