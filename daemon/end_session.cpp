#include "daemon/end_session.hpp"

#include "providers/builtin/bash_background.hpp"

namespace toolhost {

Task<void> end_session(Daemon& daemon, SessionPtr session) {
  if (session->closing) co_return;
  session->closing = true;
  const std::string id = session->id;
  daemon.approvals.withdraw_session(id, "The session was closed.");
  daemon.calls.cancel_session(id, "The session was closed.");
  // The grace of a cancelled call bounds this wait.
  while (session->live_calls > 0) {
    co_await sleep_for(daemon.loop, Milliseconds(5));
  }
  co_await builtin::end_session_children(id);
  daemon.rules.forget_session(id);
  daemon.turns.end_session(id);
  daemon.artifacts->remove_session(id);
  daemon.sessions.close(id);
  if (!session->implicit) daemon.save_sessions();
}

}  // namespace toolhost
