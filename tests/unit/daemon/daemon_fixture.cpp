#include "tests/support/daemon_fixture.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "protocol/json_text.hpp"

namespace toolhost::testing {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

Deadline deadline() { return std::chrono::steady_clock::now() + kTestTimeout; }

void check(Deadline until, const char* what) {
  if (std::chrono::steady_clock::now() > until) {
    throw std::runtime_error(std::string("timed out: ") + what);
  }
}

UniqueFd connect_to(const std::string& path) {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address),
              sizeof address) != 0) {
    throw std::runtime_error("cannot connect to " + path);
  }
  return fd;
}

template <class T>
T ready(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

void ready(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().message);
}

Task<void> bring_up(Daemon& daemon) { co_await daemon.registry.start_all(); }

Task<void> bring_down(Daemon& daemon) {
  daemon.stopping = true;
  daemon.approvals.withdraw_all("The test is over.");
  daemon.calls.cancel_all("The test is over.");
  co_await daemon.calls.join();
  co_await daemon.server.close_all(std::chrono::seconds(2));
  co_await daemon.registry.stop_all();
  co_await daemon.workers.join();
}

}  // namespace

config::Paths paths_in(const TempDir& folder) {
  config::Paths paths;
  paths.config_file = folder / "config/config.jsonc";
  paths.rules_file = folder / "config/rules.jsonc";
  paths.state_dir = folder / "state";
  paths.cache_dir = folder / "cache";
  paths.runtime_dir = folder / "run";
  paths.control_socket = folder / "run/toolhost.sock";
  paths.caller_socket = folder / "run/caller.sock";
  paths.lock_file = folder / "run/toolhost.lock";
  paths.socket_reason = "a test";
  return paths;
}

DaemonFixture::DaemonFixture(config::Config config) {
  const auto paths = paths_in(folder);
  for (const auto& path :
       {paths.state_dir, paths.cache_dir, folder / "config"}) {
    std::filesystem::create_directories(path);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  auto journal = ready(
      Journal::open(loop, paths.state_dir + "/journal.db", config.journal));
  auto artifacts =
      ready(Artifacts::open(paths.cache_dir + "/artifacts", config.artifacts));
  daemon = std::make_unique<Daemon>(
      loop, paths, std::make_shared<const config::Config>(std::move(config)),
      std::move(journal), std::move(artifacts), sandbox_probe());
  ready(daemon->add_providers());
  ready(daemon->server.listen(daemon->paths));
  testing::run(loop, bring_up(*daemon));
  daemon->server.accept();
}

DaemonFixture::~DaemonFixture() {
  try {
    testing::run(loop, bring_down(*daemon));
  } catch (const std::exception& error) {
    ADD_FAILURE() << "the daemon did not stop: " << error.what();
  }
}

void DaemonFixture::turn() {
  if (loop.stopped()) loop.restart();
  loop.run_one_for(std::chrono::milliseconds(5));
  loop.poll();
}

void DaemonFixture::run_until(const std::function<bool()>& condition) {
  const Deadline until = deadline();
  while (!condition()) {
    turn();
    check(until, "a condition of the daemon");
  }
}

RawClient DaemonFixture::connect(SocketKind kind) {
  const auto& paths = daemon->paths;
  return RawClient(
      *this, connect_to(kind == SocketKind::caller ? paths.caller_socket
                                                   : paths.control_socket));
}

RawClient DaemonFixture::client(SocketKind kind, json::object more) {
  RawClient out = connect(kind);
  const json::object reply = out.initialize(std::move(more));
  if (!reply.contains("result")) {
    throw std::runtime_error("initialize: " + json_text(reply));
  }
  return out;
}

RawClient::RawClient(DaemonFixture& fixture, UniqueFd fd)
    : fixture_(&fixture), fd_(std::move(fd)) {}

void RawClient::send(std::string_view bytes) {
  const Deadline until = deadline();
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno != EAGAIN) throw std::runtime_error(std::strerror(errno));
    fixture_->turn();
    check(until, "sending");
  }
}

void RawClient::send_line(const json::object& message) {
  send(json_text(message) + '\n');
}

bool RawClient::read_some() {
  char buffer[65536];
  const ssize_t got = recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (got > 0) {
    held_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
  if (got == 0 || (errno != EAGAIN && errno != EINTR)) ended_ = true;
  return false;
}

bool RawClient::fill() {
  if (ended_) return false;
  if (read_some()) return true;
  if (!ended_) fixture_->turn();
  return !ended_;
}

json::object RawClient::receive() {
  const Deadline until = deadline();
  for (;;) {
    const std::size_t end = held_.find('\n');
    if (end != std::string::npos) {
      const std::string line = held_.substr(0, end);
      held_.erase(0, end + 1);
      return json::parse(line).as_object();
    }
    if (!fill()) throw std::runtime_error("the daemon closed the connection");
    check(until, "a line from the daemon");
  }
}

bool RawClient::at_end() {
  const Deadline until = deadline();
  while (fill()) check(until, "the end of the connection");
  return held_.empty();
}

std::int64_t RawClient::start(std::string_view method, json::object params) {
  json::object message;
  message["jsonrpc"] = "2.0";
  message["id"] = next_id_;
  message["method"] = method;
  message["params"] = std::move(params);
  send_line(message);
  return next_id_++;
}

json::object RawClient::reply(std::int64_t id) {
  const json::value wanted = id;
  for (auto at = replies_.begin(); at != replies_.end(); ++at) {
    if (at->at("id") != wanted) continue;
    json::object out = std::move(*at);
    replies_.erase(at);
    return out;
  }
  for (;;) {
    json::object message = receive();
    if (!message.contains("id")) {
      events.push_back(std::move(message));
    } else if (message.at("id") == wanted) {
      return message;
    } else {
      replies_.push_back(std::move(message));
    }
  }
}

json::object RawClient::request(std::string_view method, json::object params) {
  return reply(start(method, std::move(params)));
}

json::object RawClient::result(std::string_view method, json::object params) {
  const json::object out = request(method, std::move(params));
  const json::value* found = out.if_contains("result");
  if (!found) throw std::runtime_error("an error: " + json_text(out));
  return found->as_object();
}

json::object RawClient::error(std::string_view method, json::object params) {
  const json::object out = request(method, std::move(params));
  const json::value* found = out.if_contains("error");
  if (!found) throw std::runtime_error("no error: " + json_text(out));
  return found->as_object();
}

json::object RawClient::event(std::string_view method) {
  for (;;) {
    json::object next;
    if (!events.empty()) {
      next = std::move(events.front());
      events.pop_front();
    } else {
      next = receive();
      if (next.contains("id")) {
        replies_.push_back(std::move(next));
        continue;
      }
    }
    if (next.at("method") == json::value(method)) return next;
  }
}

json::object RawClient::initialize(json::object more) {
  if (!more.contains("protocolVersion")) more["protocolVersion"] = 1;
  if (!more.contains("clientInfo")) {
    json::object& info = more["clientInfo"].emplace_object();
    info["name"] = "test";
    info["version"] = "1";
  }
  return request("initialize", std::move(more));
}

void RawClient::close_sending() { ::shutdown(fd_.get(), SHUT_WR); }

}  // namespace toolhost::testing
