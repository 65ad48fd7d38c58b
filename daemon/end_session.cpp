#include "daemon/end_session.hpp"

#include "providers/builtin/bash_background.hpp"

namespace toolhost {
namespace {

Task<void> finish(Daemon& daemon, SessionPtr session) {
  // The grace of a cancelled call bounds this wait.
  while (session->live_calls > 0) co_await daemon.calls.next_end();
  const std::string id = session->id;
  co_await builtin::end_session_children(id);
  daemon.rules.forget_session(id);
  daemon.turns.end_session(id);
  daemon.artifacts->remove_session(id);
  const std::function<bool()> clear = [&daemon, id] {
    remove_session_tmp(daemon.parts.confinement, id);
    return true;
  };
  co_await daemon.blocking.run<bool>(clear);
  daemon.sessions.close(id);
  if (!session->implicit) daemon.save_sessions();
}

Task<void> nothing() { co_return; }

}  // namespace

Task<void> end_session(Daemon& daemon, SessionPtr session) {
  if (session->closing) return nothing();
  session->closing = true;
  daemon.approvals.withdraw_session(session->id, "The session was closed.");
  daemon.calls.cancel_session(session->id, "The session was closed.");
  return finish(daemon, std::move(session));
}

}  // namespace toolhost
