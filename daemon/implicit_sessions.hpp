// ImplicitSessions: what a connection without a session works in.
//
// One per process, workspace and kind of socket: a process that connects again
// finds its calls and keys, another process does not; after a restart, too,
// because the id of its session is made of these. They end when their process
// has ended and nothing of theirs runs any more.
#pragma once

#include <map>
#include <string>

#include "daemon/connection.hpp"
#include "gates/session.hpp"

namespace toolhost {

class ImplicitSessions {
 public:
  // Workspaces of one process; more would let one client fill limits.sessions.
  static constexpr std::size_t kMaxPerProcess = 64;

  explicit ImplicitSessions(Daemon& daemon) : daemon_(daemon) {}

  // Who would own the session.
  static SessionOwner owner(const Connection& connection,
                            const std::string& workspace);
  // The same for the same owner until the machine starts again.
  static std::string id_for(const SessionOwner& owner);

  // nullptr when there is none yet.
  SessionPtr find(const Connection& connection, const std::string& workspace);
  void add(const Connection& connection, const std::string& workspace,
           const SessionPtr& session);
  // One of an earlier life, by its owner.
  void restore(const SessionPtr& session);
  std::size_t count(const Connection& connection) const;
  // Ends those of processes that are gone.
  void prune();

 private:
  using Key = SessionOwner;

  Daemon& daemon_;
  std::map<Key, std::string> sessions_;
  // Looking at every process costs; it is done when the table has doubled.
  std::size_t prune_at_ = 32;
};

}  // namespace toolhost
