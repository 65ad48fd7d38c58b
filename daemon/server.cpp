#include "daemon/server.hpp"

#include <fcntl.h>

#include "daemon/daemon.hpp"
#include "daemon/listener.hpp"
#include "daemon/lock_file.hpp"
#include "daemon/server_listener.hpp"
#include "daemon/systemd.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

UniqueFd open_reserve() {
  return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace

Server::Server(Daemon& daemon)
    : daemon_(daemon),
      self_(identify_process(getpid())),
      readiness_(daemon.loop),
      reserve_(open_reserve()),
      tasks_(daemon.loop, "connections"),
      watchers_(daemon.loop, "server") {}

Server::~Server() {
  stop_listening();
  // Frames that are destroyed later must not reach for the daemon.
  for (const auto& connection : connections_) connection->abort({});
}

Result<void> Server::listen(const config::Paths& paths) {
  if (auto made = prepare_private_folder(paths.runtime_dir); !made) {
    return made.error();
  }
  if (!lock_) {
    auto lock = take_lock(paths.lock_file);
    if (!lock) return lock.error();
    lock_ = std::move(*lock);
  }

  UniqueFd control;
  UniqueFd caller;
  bool activated = false;
  for (auto& socket : systemd::activated_sockets()) {
    activated = true;
    if (socket.name == "control") {
      control = std::move(socket.fd);
    } else if (socket.name == "caller") {
      caller = std::move(socket.fd);
    } else {
      return make_error(
          Code::internal,
          "systemd handed over a socket named \"" + socket.name + "\".",
          "Set FileDescriptorName= to control or caller in the "
          "socket unit.");
    }
  }
  // A socket that systemd does not hand over was masked on purpose.
  if (control || !activated) {
    auto added = add_listener(SocketKind::control, paths.control_socket,
                              std::move(control));
    if (!added) return added;
  }
  if (!caller && activated) return {};
  return add_listener(SocketKind::caller, paths.caller_socket,
                      std::move(caller));
}

Result<void> Server::add_listener(SocketKind kind, const std::string& path,
                                  UniqueFd activated) {
  if (activated) {
    listeners_.push_back(std::make_unique<Listener>(
        daemon_.loop, ListeningSocket::adopt(std::move(activated)), kind));
    return {};
  }
  auto bound = ListeningSocket::bind(path);
  if (!bound) return bound.error();
  listeners_.push_back(
      std::make_unique<Listener>(daemon_.loop, std::move(*bound), kind));
  return {};
}

void Server::accept() {
  listening_ = true;
  watchers_.spawn(readiness_.run());
  for (const auto& listener : listeners_) {
    tasks_.spawn(accept_loop(*listener));
  }
}

void Server::stop_listening() {
  listening_ = false;
  for (const auto& listener : listeners_) listener->stop();
}

Task<void> Server::close_all(std::chrono::milliseconds grace) {
  stop_listening();
  const auto all = connections_;
  for (const auto& connection : all) connection->close();
  auto over = std::make_shared<OneShot<bool>>(daemon_.loop);
  watchers_.spawn(watch_tasks(over));
  co_await over->wait_until(std::chrono::steady_clock::now() + grace);
  if (over->ready()) {
    readiness_.stop();
    co_await watchers_.join();
    co_return;
  }
  const auto late = connections_;
  for (const auto& connection : late) {
    connection->abort("the daemon stops and cannot wait longer");
  }
  // Handlers that were told to stop; the process ends without the rest.
  constexpr std::chrono::seconds kLastGrace{1};
  co_await over->wait_until(std::chrono::steady_clock::now() + kLastGrace);
  readiness_.stop();
  if (!over->ready()) {
    log_warn("requests were still running at the end count=" +
             std::to_string(tasks_.size()));
  }
}

Task<void> Server::watch_tasks(std::shared_ptr<OneShot<bool>> over) {
  co_await tasks_.join();
  over->set(true);
}

Task<void> Server::serve(std::shared_ptr<Connection> connection) {
  try {
    co_await connection->serve();
  } catch (const std::exception& error) {
    log_error(std::string("a connection failed error=") + error.what());
  }
  forget(connection);
  co_await connection->join();
}

void Server::forget(const std::shared_ptr<Connection>& connection) {
  connection->abort({});
  connections_.erase(connection);
  const auto count = per_process_.find(connection->peer().process.pid);
  if (count != per_process_.end() && --count->second == 0) {
    per_process_.erase(count);
  }
  presence_changed();
}

std::size_t Server::approvers() const {
  std::size_t count = 0;
  for (const auto& connection : connections_) {
    if (connection->initialized && connection->has_role(kApprover)) ++count;
  }
  return count;
}

void Server::presence_changed() {
  daemon_.approvals.set_attended(approvers() > 0);
}

}  // namespace toolhost
