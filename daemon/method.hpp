// What one method file has to define, and the request it answers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/message.hpp"
#include "providers/support/stop.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

struct Daemon;
class Connection;

// Bits; a connection has a set of them.
enum Role : unsigned {
  kCaller = 1,    // list and execute
  kApprover = 2,  // see and answer approvals, manage rules and sessions
  kObserver = 4,  // events, audit
  kAdmin = 8,     // reload, shut down
  kAnybody = 0,
};
std::string role_names(unsigned roles);  // "caller, approver"
// One bit; nullopt for a word that is no role.
std::optional<unsigned> parse_role(std::string_view name);
// The same as a JSON array.
json::array roles_json(unsigned roles);
inline constexpr unsigned kAllRoles = kCaller | kApprover | kObserver | kAdmin;

// A request that waits for its one reply. Whoever forgets to reply fails the
// developer build; in release the peer gets `internal`.
class PendingRequest {
 public:
  // `reserved`: it holds one of the reserved slots.
  PendingRequest(std::shared_ptr<Connection> peer, std::string id,
                 json::object request_params, bool reserved = false);
  ~PendingRequest();
  PendingRequest(const PendingRequest&) = delete;

  const std::shared_ptr<Connection> connection;
  const json::object params;
  // Requested by $/cancelRequest and when the connection is gone.
  Stop stop;

  // `result` is JSON text of an object. The first answer counts. One that is
  // destroyed without an answer after `stop` was requested answers
  // requestCancelled.
  void reply(std::string_view result);
  void reply(const json::object& result);
  void fail(const Error& error);
  bool answered() const { return answered_; }

 private:
  void ended();

  std::string id_;
  bool reserved_;
  bool answered_ = false;
};

struct MethodDefinition {
  std::string_view name;
  // The connection needs one of these roles; kAnybody: none.
  unsigned roles = kAnybody;
  bool before_initialize = false;
  // Has its own slots beside limits.requests_in_flight, so that a client that
  // filled them can still cancel, ping and approve.
  bool reserved_slot = false;
  // Exactly one of the two. `now` answers at once, without a coroutine, and
  // returns JSON text of the result.
  Result<std::string> (*now)(Daemon& daemon, Connection& connection,
                             const json::object& params) = nullptr;
  Task<void> (*later)(Daemon& daemon,
                      std::shared_ptr<PendingRequest> request) = nullptr;
};

// Sorted by name: the protocol on one page (methods/methods.cpp).
std::span<const MethodDefinition* const> methods();
// nullptr when there is none.
const MethodDefinition* find_method(std::string_view name);

}  // namespace toolhost
