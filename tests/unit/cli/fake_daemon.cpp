#include "tests/unit/cli/fake_daemon.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "protocol/framing.hpp"
#include "protocol/json_text.hpp"
#include "protocol/message.hpp"

namespace toolhost::testing {

FakeDaemon::FakeDaemon() : path_(dir_ / "toolhost.sock") {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.c_str(), path_.size() + 1);
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address),
             sizeof address) != 0 ||
      ::listen(listener_, 16) != 0 || ::pipe(stop_) != 0) {
    throw std::runtime_error("the fake daemon cannot listen");
  }
  on("initialize", [](const json::object&) -> Result<json::object> {
    json::object out;
    out["protocolVersion"] = 1;
    out["connectionId"] = "conn_fake";
    out["epoch"] = "e1";
    return out;
  });
  on("subscribe", [](const json::object&) -> Result<json::object> {
    json::object out;
    out["subscriptionId"] = "sub_1";
    out["epoch"] = "e1";
    out["seq"] = 7;
    out["resumed"] = false;
    return out;
  });
  acceptor_ = std::thread([this] { accept_loop(); });
}

FakeDaemon::~FakeDaemon() {
  ::close(stop_[1]);
  acceptor_.join();
  drop_connections();
  for (std::thread& thread : threads_) thread.join();
  for (const int fd : connections_) ::close(fd);
  ::close(listener_);
  ::close(stop_[0]);
}

void FakeDaemon::on(const std::string& method, Answer answer) {
  const std::lock_guard lock(mutex_);
  answers_[method] = std::move(answer);
}

void FakeDaemon::notify_after(const std::string& method,
                              const std::string& line) {
  const std::lock_guard lock(mutex_);
  after_[method] += line + "\n";
}

void FakeDaemon::drop_connections() {
  const std::lock_guard lock(mutex_);
  for (const int fd : connections_) ::shutdown(fd, SHUT_RDWR);
}

std::vector<json::object> FakeDaemon::seen(const std::string& method) {
  const std::lock_guard lock(mutex_);
  std::vector<json::object> out;
  for (const auto& [name, params] : seen_) {
    if (name == method) out.push_back(params);
  }
  return out;
}

void FakeDaemon::accept_loop() {
  for (;;) {
    std::array<pollfd, 2> fds{pollfd{listener_, POLLIN, 0},
                              pollfd{stop_[0], POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[1].revents != 0) return;
    const int fd = ::accept(listener_, nullptr, nullptr);
    if (fd < 0) continue;
    const std::lock_guard lock(mutex_);
    connections_.push_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void FakeDaemon::serve(int fd) {
  FrameReader reader;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) return;
    reader.append({buffer.data(), static_cast<std::size_t>(got)});
    for (;;) {
      auto frame = reader.next();
      if (!frame || !*frame) break;
      const std::string reply = answer(**frame);
      ::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL);
    }
  }
}

std::string FakeDaemon::answer(std::string_view frame) {
  auto request = parse_request(frame);
  if (!request || request->is_notification()) return {};
  Answer answer;
  std::string after;
  {
    const std::lock_guard lock(mutex_);
    seen_.emplace_back(request->method, request->params);
    const auto found = answers_.find(request->method);
    if (found != answers_.end()) answer = found->second;
    after = after_[request->method];
  }
  if (!answer) {
    return error_text(request->id, make_error(Code::method_not_found,
                                              "No " + request->method + ".")) +
           "\n";
  }
  auto result = answer(request->params);
  if (!result && result.error().details.contains("silent")) return after;
  const std::string reply = result ? reply_text(request->id, json_text(*result))
                                   : error_text(request->id, result.error());
  return reply + "\n" + after;
}

}  // namespace toolhost::testing
