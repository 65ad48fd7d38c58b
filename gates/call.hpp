// Call: one execute, from the request to its result; what is known so far.
//
// Three kinds of members: from the request (set before gate 1), found by a gate
// (named beside each), and the result. A gate reads only what earlier gates
// set.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gates/session.hpp"
#include "protocol/clock.hpp"
#include "protocol/content.hpp"
#include "providers/registry.hpp"
#include "providers/support/stop.hpp"

namespace toolhost {

struct Approval;

enum class CallState {
  queued,
  checking,
  waiting_for_approval,
  running,
  completed,
  failed,
  refused,
  denied,
  expired,
  withdrawn,
  timed_out,
  cancelled,
  unknown,
};
std::string_view name(CallState state);
bool is_terminal(CallState state);

// Who asks: kernel facts, and the client's own words.
struct Requester {
  std::string connection_id;
  std::string client_name;     // self-declared
  std::string client_version;  // self-declared
  std::string agent_name;      // self-declared
  ProcessIdentity process;
  std::vector<ProcessIdentity> ancestry;
  std::string exe;
};
json::object to_json(const Requester& requester);

// One line of the trace: every gate leaves one.
struct TraceEntry {
  std::string_view gate;
  std::string_view verdict;  // pass, ask, refuse, skip, replay
  std::int64_t micros = 0;
  std::string detail;
};

struct CallTiming {
  std::int64_t queued_ms = 0;
  std::int64_t gates_ms = 0;
  std::int64_t approval_ms = 0;
  std::int64_t run_ms = 0;
};

// How the question of gate 14 ended, for the result.
struct ApprovalNote {
  std::string approval_id;
  std::string decision;
  std::string scope;
  json::object decided_by;
};

struct Call {
  // From the request.
  std::string id;
  std::string tool_name;
  json::object raw_arguments;
  std::string raw_digest;  // tells a repeat from another call with the same key
  SessionPtr session;
  std::string turn_id;
  PolicyWish wish;  // of this call's context: only narrows
  std::string cwd;
  std::string idempotency_key;
  std::string reason;  // the agent's own words, untrusted
  Requester requester;
  std::optional<Milliseconds> timeout;
  std::optional<Milliseconds> approval_timeout;
  bool dry_run = false;
  // Goes on when its caller is gone: detached, or asked for.
  bool stays = false;
  std::function<void(Progress)> progress;
  Stop stop;
  // A question of it is in the journal.
  bool asked = false;
  // The question with which the call waited in an earlier life of the daemon;
  // gate 14 takes it.
  std::shared_ptr<Approval> restored;

  // Gate 1.
  SnapshotPtr snapshot;
  Policy policy;
  // Gate 3: in the snapshot.
  const RegisteredTool* tool = nullptr;
  // Gate 6: the arguments that hooks left, if they changed them; whether one
  // lifted the question of the policy table, or wants a person to be asked
  // ("" or why); what they have to say to the agent, for gate 16.
  std::optional<json::object> hooked_arguments;
  bool hook_allows = false;
  std::string hook_asks;
  std::vector<std::string> hook_notes;
  // Gate 7.
  json::object arguments;
  std::string arguments_digest;
  // Gate 11.
  Workspace workspace;
  Resolution resolution;
  // Gate 13: why a person has to be asked; empty: nobody is.
  std::vector<std::pair<std::string, std::string>> because;  // gate, detail
  bool may_remember = true;
  std::vector<std::string> rules;  // ids of those that decided
  bool workspace_untrusted = false;
  // Gate 14.
  std::optional<ApprovalNote> approval;

  // Gate 16: how the tool itself ended, whatever hooks made of it.
  std::optional<CallState> tool_state;

  // The result.
  CallState state = CallState::queued;
  ToolOutput output;
  std::vector<TraceEntry> trace;
  CallTiming timing;
  SteadyTime created{};
  bool replayed = false;
  // A fault of the request that only a gate could see (idempotencyConflict).
  std::optional<Error> request_error;
  // The reply as JSON text; set when the call is over.
  std::shared_ptr<const std::string> result_text;

  Call() = default;
  Call(const Call&) = delete;

  // After the end: gives back all that only a running call needs, so that the
  // many calls that are remembered stay small. summary() and result_text stay.
  void shed();
};

// The `result` of execute as JSON text, from a call that is over (or dry).
std::string result_text(const Call& call);
// What lists and events say of a call.
json::object summary(const Call& call);

}  // namespace toolhost
