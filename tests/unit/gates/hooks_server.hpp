// HookServer: answers HTTP requests on a Unix socket or on loopback with the
// bytes that a test gives it, and keeps what it was sent.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "providers/support/task.hpp"

namespace toolhost::testing {

template <class Protocol>
class HookServer {
 public:
  HookServer(asio::io_context& loop, typename Protocol::endpoint endpoint)
      : acceptor_(loop, endpoint), group_(loop, "hook server") {
    group_.spawn(serve());
  }

  auto endpoint() const { return acceptor_.local_endpoint(); }
  Task<void> stop() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    for (auto& socket : sockets_) socket->close(ignored);
    return group_.join();
  }

  // Sent as it is; empty: nothing is sent, and the connection stays open.
  std::string answer;
  // Of the newest request, header and body.
  std::string request;

  static std::string ok(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
           "Content-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }

 private:
  using Socket = typename Protocol::socket;

  Task<void> serve() {
    for (;;) {
      auto [error, socket] =
          co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (error) co_return;
      sockets_.push_back(std::make_unique<Socket>(std::move(socket)));
      group_.spawn(answer_one(*sockets_.back()));
    }
  }

  bool complete() const {
    const std::size_t end = request.find("\r\n\r\n");
    const std::size_t mark = request.find("Content-Length: ");
    if (end == std::string::npos || mark == std::string::npos) return false;
    return request.size() >= end + 4 + std::stoul(request.substr(mark + 16));
  }

  Task<void> answer_one(Socket& socket) {
    request.clear();
    char block[4096];
    while (!complete()) {
      const auto buffer = asio::buffer(block);
      const auto [error, size] = co_await socket.async_read_some(
          buffer, asio::as_tuple(asio::use_awaitable));
      if (error) co_return;
      request.append(block, size);
    }
    if (answer.empty()) co_return;
    const auto whole = asio::buffer(answer);
    (void)co_await asio::async_write(socket, whole,
                                     asio::as_tuple(asio::use_awaitable));
    boost::system::error_code ignored;
    socket.close(ignored);
  }

  typename Protocol::acceptor acceptor_;
  std::vector<std::unique_ptr<Socket>> sockets_;
  TaskGroup group_;
};

using UnixHookServer = HookServer<asio::local::stream_protocol>;
using TcpHookServer = HookServer<asio::ip::tcp>;

}  // namespace toolhost::testing
