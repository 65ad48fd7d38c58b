#include "gates/pipeline.hpp"

#include <array>

#include "gates/fault_point.hpp"
#include "gates/gates.hpp"

namespace toolhost {
namespace {

constexpr std::array<std::string_view, 18> kGateNames{
    "pin",       "cancelled", "tool",       "declaredPolicy", "sandboxMode",
    "preHooks",  "arguments", "planMode",   "readBeforeEdit", "sessionPolicy",
    "resolve",   "replay",    "permission", "approval",       "run",
    "postHooks", "normalise", "bookkeeping"};

std::int64_t micros(SteadyTime from, SteadyTime to) {
  return std::chrono::duration_cast<std::chrono::microseconds>(to - from)
      .count();
}

// What became of a call that was refused with this error.
CallState state_of(CallErrorKind kind) {
  switch (kind) {
    case CallErrorKind::approval_denied:
      return CallState::denied;
    case CallErrorKind::approval_expired:
      return CallState::expired;
    case CallErrorKind::approval_withdrawn:
    case CallErrorKind::interrupted:
      return CallState::withdrawn;
    case CallErrorKind::cancelled:
      return CallState::cancelled;
    case CallErrorKind::outcome_unknown:
      return CallState::unknown;
    default:
      return CallState::refused;
  }
}

// Keeps the trace: one entry a gate, and the call's way out.
class Steps {
 public:
  Steps(Call& call, Parts& parts)
      : call_(call), clock_(parts.clock), at_(parts.clock.steady()) {}

  // True: the gate said no, and the call is over.
  bool refused(gates::Refusal no, std::string_view otherwise = "pass") {
    if (!no) {
      passed(otherwise);
      return false;
    }
    passed("refuse", no->message);
    refuse(std::move(*no));
    return true;
  }

  void refuse(CallError why) {
    call_.state = state_of(why.kind);
    call_.output = ToolOutput::failure(std::move(why));
  }

  void passed(std::string_view verdict, std::string detail = {}) {
    const SteadyTime now = clock_.steady();
    TraceEntry entry;
    entry.gate = kGateNames[call_.trace.size()];
    entry.verdict = verdict;
    entry.micros = micros(at_, now);
    entry.detail = std::move(detail);
    fault_point("after", entry.gate);
    call_.trace.push_back(std::move(entry));
    at_ = now;
  }

 private:
  Call& call_;
  const Clock& clock_;
  SteadyTime at_;
};

// Everything before a person is asked. True: the call is over.
Task<bool> judge(Call& call, Parts& parts, Steps& steps) {
  // What are we dealing with? Nothing here has side effects.
  gates::pin(call, parts);  //  1
  steps.passed("pass");
  if (steps.refused(gates::not_cancelled(call))) co_return true;        //  2
  if (steps.refused(gates::resolve_tool(call, parts))) co_return true;  //  3
  if (steps.refused(gates::declared_policy(call))) co_return true;      //  4
  if (steps.refused(gates::sandbox_mode(call))) co_return true;         //  5

  // Hooks may rewrite the arguments; after gate 7 they are final.
  if (call.dry_run) {
    steps.passed("skip", "A dry run starts no hook.");  //  6
  } else {
    gates::Refusal no = co_await gates::pre_hooks(call, parts);
    if (steps.refused(std::move(no))) co_return true;
  }
  if (steps.refused(gates::arguments(call))) co_return true;  //  7

  // Is it allowed at all, here and now?
  if (steps.refused(gates::plan_mode(call))) co_return true;         //  8
  if (steps.refused(gates::read_before_edit(call))) co_return true;  //  9
  co_return steps.refused(gates::session_policy(call));              // 10
}

// What would it touch, and did exactly this run already? The second counts also
// where the first says no: an edit that is done does not find its old text, and
// its retry still gets its result.
Task<bool> known_or_unresolved(Call& call, Parts& parts, Steps& steps) {
  gates::Refusal no = gates::resolve(call, parts);  // 11
  steps.passed(no ? "refuse" : "pass", no ? no->message : std::string());
  const bool known = co_await gates::replay(call, parts);  // 12
  if (!known && no) {
    steps.refuse(std::move(*no));
    co_return true;
  }
  steps.passed(known ? "replay" : "pass");
  co_return known;
}

// A call of an earlier life waits as it did; the daemon is ready before all of
// them were judged again.
Task<void> wait_for_turn(Call& call, Parts& parts) {
  call.state = CallState::waiting_for_approval;
  co_await parts.approvals.turn_to_judge(call.restored);
}

// The gates refused before the question came up again.
Task<void> give_up_question(Call& call, Parts& parts) {
  std::string why = "The call cannot go on after a restart: ";
  why += call.output.error ? call.output.error->message : "it was not judged.";
  ApprovalPtr asked = std::exchange(call.restored, nullptr);
  co_await parts.approvals.conclude(std::move(asked), std::move(why),
                                    "interrupted");
}

}  // namespace

std::span<const std::string_view> gate_names() { return kGateNames; }

Task<void> Pipeline::release(std::shared_ptr<Call> call) {
  if (call->restored) co_await give_up_question(*call, parts_);
}

// One call, from request to result. Every line is a step; the order is the
// security policy.
Task<void> Pipeline::run(std::shared_ptr<Call> shared) {
  Call& call = *shared;
  if (call.restored) co_await wait_for_turn(call, parts_);
  Steps steps(call, parts_);
  const SteadyTime began = parts_.clock.steady();
  call.state = CallState::checking;

  bool over = co_await judge(call, parts_, steps);

  // A retry of what ran already asks nobody and runs nothing.
  if (!over) over = co_await known_or_unresolved(call, parts_, steps);  // 11 12

  // Does a person have to say yes? The call sleeps here, possibly for hours.
  if (!over) {
    gates::Refusal no = gates::permission(call, parts_);  // 13
    const bool asks = !call.because.empty() || call.workspace_untrusted;
    over = steps.refused(std::move(no), asks ? "ask" : "pass");
  }
  const SteadyTime judged = parts_.clock.steady();
  call.timing.gates_ms = micros(began, judged) / 1000;
  if (!over && call.dry_run) {
    call.state = CallState::completed;
    over = true;
  }
  if (!over) {
    gates::Refusal no = co_await gates::approval(call, parts_);  // 14
    over = steps.refused(std::move(no));
    call.timing.approval_ms = micros(judged, parts_.clock.steady()) / 1000;
  }

  // Beyond this point the outside world may change; the journal knows first.
  if (!over) {
    co_await gates::run_tool(shared, parts_);  // 15
    steps.passed("pass");
    co_await gates::post_hooks(call, parts_);  // 16
    steps.passed("pass");
    gates::normalise(call, parts_);  // 17
    steps.passed("pass");
  }
  if (call.restored) co_await give_up_question(call, parts_);
  if (!call.result_text) {
    call.result_text = std::make_shared<std::string>(result_text(call));
  }
  if (!call.dry_run) gates::bookkeeping(call, parts_);  // 18
  // A key is a promise, and so is a call that stays when its caller goes: the
  // result is on disk before anybody has it.
  const bool promised = !call.idempotency_key.empty() || call.stays;
  if (promised && !call.replayed && !call.dry_run) {
    (void)co_await parts_.journal.flush();
  }
}

}  // namespace toolhost
