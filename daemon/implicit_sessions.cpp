#include "daemon/implicit_sessions.hpp"

#include <fstream>

#include "daemon/access.hpp"
#include "daemon/end_session.hpp"
#include "protocol/digest.hpp"
#include "protocol/ids.hpp"

namespace toolhost {
namespace {

// Pids and start times begin anew with it.
std::string boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  in >> id;
  return id;
}

}  // namespace

SessionOwner ImplicitSessions::owner(const Connection& connection,
                                     const std::string& workspace) {
  return {connection.peer().process, is_control(connection), workspace};
}

std::string ImplicitSessions::id_for(const SessionOwner& owner) {
  static const std::string boot = boot_id();
  // Without it nothing tells a process of today from one of yesterday.
  if (boot.empty()) return random_id("sess_");
  const std::string text = boot + " " + std::to_string(owner.process.pid) +
                           " " + std::to_string(owner.process.start_time) +
                           (owner.control ? " control " : " caller ") +
                           owner.workspace;
  return "sess_" + sha256_hex(text).substr(0, 32);
}

SessionPtr ImplicitSessions::find(const Connection& connection,
                                  const std::string& workspace) {
  const Key key = owner(connection, workspace);
  const auto found = sessions_.find(key);
  if (found == sessions_.end()) return nullptr;
  SessionPtr session = daemon_.sessions.find(found->second);
  if (!session || session->closing) {
    sessions_.erase(found);
    return nullptr;
  }
  return session;
}

void ImplicitSessions::add(const Connection& connection,
                           const std::string& workspace,
                           const SessionPtr& session) {
  if (sessions_.size() >= prune_at_) {
    prune();
    prune_at_ = std::max<std::size_t>(32, 2 * sessions_.size());
  }
  sessions_[owner(connection, workspace)] = session->id;
}

void ImplicitSessions::restore(const SessionPtr& session) {
  sessions_[session->owner] = session->id;
}

std::size_t ImplicitSessions::count(const Connection& connection) const {
  const ProcessIdentity& process = connection.peer().process;
  std::size_t out = 0;
  for (auto row = sessions_.lower_bound(Key{process, false, {}});
       row != sessions_.end() && row->first.process == process; ++row) {
    ++out;
  }
  return out;
}

void ImplicitSessions::prune() {
  for (auto row = sessions_.begin(); row != sessions_.end();) {
    const SessionPtr session = daemon_.sessions.find(row->second);
    const ProcessIdentity& process = row->first.process;
    const bool alive = identify_process(process.pid) == process;
    if (session && (alive || session->live_calls > 0)) {
      ++row;
      continue;
    }
    if (session) daemon_.workers.spawn(end_session(daemon_, session));
    row = sessions_.erase(row);
  }
}

}  // namespace toolhost
