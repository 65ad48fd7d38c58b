// Server: the two listening sockets, and who may connect.
//
// Private directory (0700, ours, no link), umask before bind, a lock file held
// for life with our pid in it, a left-over socket removed only after it refused
// a connection, our own inode removed at the end. With socket activation the
// sockets are systemd's and never unlinked.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/paths.hpp"
#include "daemon/connection.hpp"
#include "providers/support/one_shot.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

class Server {
 public:
  explicit Server(Daemon& daemon);
  ~Server();

  // The lock, when it was taken before anything else was touched.
  void keep_lock(UniqueFd lock) { lock_ = std::move(lock); }
  // Takes the lock (unless it has it) and binds (or adopts activated sockets).
  // The error names who holds the lock, or what is in the way.
  Result<void> listen(const config::Paths& paths);
  // Starts accepting; only call it when everything is ready to serve.
  void accept();

  // No new connections; sockets removed.
  void stop_listening();
  // Closes every connection after what waits was sent (bounded), and joins.
  Task<void> close_all(std::chrono::milliseconds grace);

  const std::set<std::shared_ptr<Connection>>& connections() const {
    return connections_;
  }
  // Where connections wait for their sockets.
  Readiness& readiness() { return readiness_; }
  // Connected approvers (initialised, role approver): the deadline of an
  // approval depends on whether there is one.
  std::size_t approvers() const;
  // Called by connections when roles change and when they end.
  void presence_changed();

  // A socket that takes no byte for so long has nobody behind it. Shorter in
  // tests.
  std::chrono::milliseconds stall_limit{30'000};
  // How a request finds its method; tests put in methods of their own.
  const MethodDefinition* (*method_named)(std::string_view) = find_method;

 private:
  struct Listener;

  Result<void> add_listener(SocketKind kind, const std::string& path,
                            UniqueFd activated);
  Task<void> accept_loop(Listener& listener);
  bool accept_some(Listener& listener);
  void shed_one(const Listener& listener);
  void admit(UniqueFd socket, SocketKind kind);
  std::optional<Error> refusal(const Peer& peer, SocketKind kind) const;
  Task<void> serve(std::shared_ptr<Connection> connection);
  void forget(const std::shared_ptr<Connection>& connection);
  Task<void> watch_tasks(std::shared_ptr<OneShot<bool>> over);

  Daemon& daemon_;
  const std::optional<ProcessIdentity> self_;
  Readiness readiness_;
  UniqueFd lock_;
  // Closed for a moment when descriptors run out, so that one connection can
  // be told; otherwise it would wait in the backlog for ever.
  UniqueFd reserve_;
  bool out_of_descriptors_ = false;  // told in the log
  bool listening_ = false;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::set<std::shared_ptr<Connection>> connections_;
  std::map<pid_t, int> per_process_;
  TaskGroup tasks_;
  TaskGroup watchers_;
};

}  // namespace toolhost
