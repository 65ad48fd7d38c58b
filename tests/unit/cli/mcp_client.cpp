#include "tests/unit/cli/mcp_client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace toolhost::testing {
namespace {

constexpr int kLimitMs = 10'000;

}  // namespace

McpClient::McpClient(cli::mcp::FrontDoorOptions options) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::runtime_error("socketpair failed");
  }
  fd_ = pair[0];
  if (!options.log) options.log = [](const std::string&) {};
  server_ = std::thread([options = std::move(options), fd = pair[1]] {
    cli::mcp::FrontDoor(options, fd, fd).run(-1);
    ::close(fd);
  });
}

McpClient::~McpClient() {
  close_input();
  server_.join();
  ::close(fd_);
}

void McpClient::close_input() {
  if (!closed_) ::shutdown(fd_, SHUT_WR);
  closed_ = true;
}

void McpClient::send(const std::string& line) {
  const std::string bytes = line + "\n";
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t now =
        ::send(fd_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) throw std::runtime_error("the server takes no more");
    sent += static_cast<std::size_t>(now);
  }
}

bool McpClient::fill() {
  pollfd watched{fd_, POLLIN, 0};
  if (::poll(&watched, 1, kLimitMs) <= 0) return false;
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(fd_, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  held_.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

json::object McpClient::next() {
  for (;;) {
    const std::size_t end = held_.find('\n');
    if (end != std::string::npos) {
      json::object out = json::parse(held_.substr(0, end)).as_object();
      held_.erase(0, end + 1);
      return out;
    }
    if (!fill()) throw std::runtime_error("no message came");
  }
}

bool McpClient::ended() {
  while (fill()) {
  }
  return held_.empty();
}

json::object McpClient::initialize(const std::string& version,
                                   const std::string& capabilities) {
  send(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
       R"({"protocolVersion":")" +
       version + R"(","capabilities":)" + capabilities +
       R"(,"clientInfo":{"name":"editor","version":"3"}}})");
  return next();
}

}  // namespace toolhost::testing
