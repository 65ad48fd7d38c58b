// Session: one agent conversation, its workspace and its policy.
//
// The policy is set from the control side or by config; whatever a caller adds
// is intersected with it (narrow), so that there is no path upwards. Sessions
// outlive connections.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "protocol/error.hpp"
#include "protocol/policy.hpp"
#include "protocol/process_identity.hpp"

namespace toolhost {

using Names = std::set<std::string, std::less<>>;

// What a session, or one turn of it, may do.
struct Policy {
  // Physical, the primary one first; empty: no workspace, no file tools.
  std::vector<std::string> roots;
  SessionMode mode = SessionMode::code;
  SandboxMode sandbox = SandboxMode::workspace_write;
  ApprovalPolicy approvals = ApprovalPolicy::on_request;
  std::optional<Names> allowed_tools;  // nullopt: all
  Names blocked_tools;
  std::optional<Names> allowed_providers;
  Names blocked_providers;
  // May skip the question under approval policy `untrusted`.
  Names untrusted_allow_list;

  friend bool operator==(const Policy&, const Policy&) = default;
};

// The same members, each absent when not asked for.
struct PolicyWish {
  std::optional<std::vector<std::string>> roots;
  std::optional<SessionMode> mode;
  std::optional<SandboxMode> sandbox;
  std::optional<ApprovalPolicy> approvals;
  std::optional<Names> allowed_tools;
  std::optional<Names> blocked_tools;
  std::optional<Names> allowed_providers;
  std::optional<Names> blocked_providers;
};

// What a wish did not get, and why: told to the caller.
struct Narrowed {
  std::string member;
  std::string reason;
};

// The intersection: never wider than `base` in any member.
Policy narrow(const Policy& base, const PolicyWish& wish,
              std::vector<Narrowed>* cut = nullptr);
// The control side sets: members given replace.
Policy replace(const Policy& base, const PolicyWish& wish);
// True if nothing allowed by `a` is refused by `b`'s members: the property that
// narrow() keeps. For tests and checks.
bool no_wider(const Policy& a, const Policy& b);

// Reads the policy members of openSession, updateSession and `context`.
Result<PolicyWish> parse_wish(const json::object& params,
                              const std::string& path);
json::object to_json(const Policy& policy);

// Whom an implicit session belongs to.
struct SessionOwner {
  ProcessIdentity process;
  bool control = false;   // came in on the control socket
  std::string workspace;  // as the client named it
  auto operator<=>(const SessionOwner&) const = default;
};

struct Session {
  std::string id;
  // 130 bits; in no list, event or record.
  std::string token;
  std::string title;
  std::string parent;
  Policy policy;
  bool implicit = false;
  SessionOwner owner;  // of an implicit one
  // Opened by a connection with more than the role caller.
  bool from_control = false;
  // The connection that opened it.
  std::string opened_by;
  // Processes that executed in it as callers: they and their descendants may
  // not answer its questions.
  std::set<ProcessIdentity> callers;
  std::string created_at;
  int live_calls = 0;
  // The newest few turns: turn id → pinned at; bounded (turns.hpp).
  bool closing = false;
};
using SessionPtr = std::shared_ptr<Session>;

// shared_ptr: a running call keeps its session after closeSession.
class Sessions {
 public:
  static constexpr std::size_t kMaxBindings = 10'000;

  // `id`: empty, or one that is taken (then it counts for nothing): random.
  SessionPtr open(Policy policy, std::string id = {});
  // One of an earlier life of the daemon.
  void restore(SessionPtr session);
  SessionPtr find(const std::string& id) const;
  // nullptr unless the token fits (compared in constant time).
  SessionPtr attach(const std::string& id, const std::string& token) const;
  void close(const std::string& id);
  std::vector<SessionPtr> list() const;
  std::size_t size() const { return sessions_.size(); }

  // A process that attached to a session stays bound to it, with its
  // descendants: no second identity on caller.sock.
  void bind(const ProcessIdentity& process, const std::string& session);
  // All bound processes, with their sessions.
  const std::map<ProcessIdentity, std::string>& bindings() const {
    return bindings_;
  }
  // The session of the nearest bound process in the ancestry.
  std::optional<std::string> bound(
      const std::vector<ProcessIdentity>& ancestry) const;

 private:
  std::map<std::string, SessionPtr> sessions_;
  std::map<ProcessIdentity, std::string> bindings_;
};

}  // namespace toolhost
