// SessionStore: sessions that were opened by name survive a restart.
//
// sessions.json in the state folder, mode 0600 (it holds tokens), with what a
// person remembered for a session and the processes that are bound to it.
// Implicit sessions are not kept: they end with their process (one that waits
// for a person is kept with its question). What cannot be read or understood is
// no session: an agent then has to be given a new one.
#pragma once

#include <string>

#include "gates/rules.hpp"
#include "gates/session.hpp"

namespace toolhost {

class SessionStore {
 public:
  // A session takes about 500 bytes; limits.sessions is 4096.
  static constexpr std::size_t kMaxBytes = 16U << 20;

  explicit SessionStore(std::string file) : file_(std::move(file)) {}

  // Puts the kept sessions and their rules back. The error says why there are
  // none.
  Result<void> load(Sessions& sessions, RuleStore& rules);
  Result<void> save(const Sessions& sessions, const RuleStore& rules) const;

 private:
  std::string file_;
};

json::object to_json(const ProcessIdentity& process);
ProcessIdentity restored_process(const json::value& kept);

// A session as JSON, for a private file only: it has the token.
json::object kept_form(const Session& session);
Result<SessionPtr> restored_session(const json::value& kept);

// What was remembered for this session alone. Of what comes back, only rules
// of that session count.
json::array kept_rules(const std::string& session,
                       const std::vector<Rule>& rules);
void restore_rules(const std::string& session, const json::value* kept,
                   RuleStore& rules);

}  // namespace toolhost
