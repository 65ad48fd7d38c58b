// Asks: did exactly this run already?
// Refuses: nothing by itself; a hit ends the call with the stored result, or
// with outcomeUnknown when nobody knows how it ended.
// Adds: result_text, replayed, or request_error (idempotencyConflict).
// Why here: before any person is asked, so that a retry after a lost reply asks
// nobody twice; after resolve, so that the digest is over final arguments.
#include "gates/gates.hpp"

namespace toolhost::gates {
namespace {

void conflict(Call& call, const JournalCall& known) {
  call.request_error = make_error(
      Code::idempotency_conflict,
      "The idempotencyKey was used for \"" + known.tool +
          "\" with other arguments.",
      "Use a new key for a new call; keep the key only for a retry.");
  call.state = CallState::refused;
}

void unknown(Call& call, const JournalCall& known) {
  call.state = CallState::unknown;
  call.output = ToolOutput::failure(make_call_error(
      CallErrorKind::outcome_unknown,
      "This call started at " + known.started_at +
          " and its end was never recorded; it may have had its effect.",
      "Look at the current state before you do it again with a new key."));
}

void repeat(Call& call, const JournalCall& known) {
  call.replayed = true;
  call.state = known.state == JournalState::completed ? CallState::completed
                                                      : CallState::failed;
  if (known.result.size() < 2) {
    call.output =
        ToolOutput::text("The call completed at " + known.completed_at +
                         "; its result was too large to be kept.");
    return;
  }
  std::string text = R"({"replayed":true,)";
  text.append(known.result, 1);
  call.result_text = std::make_shared<std::string>(std::move(text));
}

}  // namespace

Task<bool> replay(Call& call, Parts& parts) {
  if (call.idempotency_key.empty() || call.dry_run) co_return false;
  auto found =
      co_await parts.journal.find(call.session->id, call.idempotency_key);
  if (!found) {
    // Without its ledger the daemon cannot promise "at most once".
    call.state = CallState::refused;
    call.output = ToolOutput::failure(make_call_error(
        CallErrorKind::internal,
        "The journal cannot be read, so a repeat cannot be told from a new "
        "call: " +
            found.error().message,
        "Run `toolhost doctor`."));
    co_return true;
  }
  if (!*found) co_return false;
  const JournalCall& known = **found;
  if (known.tool != call.tool_name ||
      known.arguments_digest != call.arguments_digest) {
    conflict(call, known);
  } else if (known.state == JournalState::completed ||
             known.state == JournalState::failed) {
    repeat(call, known);
  } else {
    unknown(call, known);
  }
  co_return true;
}

}  // namespace toolhost::gates
