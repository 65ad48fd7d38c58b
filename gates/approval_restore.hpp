// A call that waits for a person, as text in the journal, and back.
//
// What is kept is the request as it came and the question as it was shown. The
// rest is found again by the gates: a restored call is judged anew from its
// raw arguments, and an old answer counts only where the digest is the same.
#pragma once

#include <memory>
#include <string>

#include "gates/approval_queue.hpp"
#include "gates/call.hpp"
#include "gates/journal.hpp"

namespace toolhost {

// The request, with its session's callers and rules (an implicit session as a
// whole: nothing else keeps it).
json::object kept_form(const Call& call, const RuleStore& rules);

// The row of a question that is about to be asked. `question.call` is moved
// out: nobody needs it any more.
JournalApproval journal_row(const std::string& approval_id, Question& question,
                            WallTime now);

struct RestoredCall {
  // Without its session; call->restored is the question, pending or decided.
  std::shared_ptr<Call> call;
  // An implicit session as it was; nullptr for one that was opened by name.
  SessionPtr session;
  // Processes that called in the session, and its rules, for a named one.
  std::set<ProcessIdentity> callers;
  json::value rules;
};

// The error says what cannot be understood; nothing of the call ran.
Result<RestoredCall> restore_call(const JournalApproval& row,
                                  const Clock& clock);

}  // namespace toolhost
