// ApprovalQueue: calls that wait for a person.
//
// register → journal → publish → sleep on the entry until a decision is there.
// What an earlier life of the daemon left is published under its old id; its
// call is judged again in the background, or when an answer comes, and sleeps
// on the same entry where nothing has changed (approval_resume.cpp). An answer
// has three parts. *Take*, synchronous: the entry leaves the pending map; from
// here every later answer is told who was first. *Record*: the journal has it
// (or the decision becomes a denial). *Wake*: the answerer gets its reply,
// everybody hears approval/resolved, the call goes on.
//
// Loop thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "gates/call.hpp"
#include "gates/journal.hpp"
#include "gates/rules.hpp"
#include "protocol/event.hpp"
#include "providers/support/one_shot.hpp"

namespace toolhost {

struct ApprovalOption {
  std::string id;    // "once", "deny", "remember:0"
  std::string kind;  // allow_once, allow_always, reject_once, reject_always
  std::string label;
  Scope scope = Scope::call;
  std::vector<Rule> rules;  // what is remembered, exact
};

struct Decision {
  enum class Kind { allow, deny, expired, withdrawn };
  Kind kind = Kind::deny;
  std::string option_id;
  Scope scope = Scope::call;
  std::string comment;  // of a person, for the agent
  json::object decided_by;
  std::string decided_at;
};
std::string_view name(Decision::Kind kind);

// What is asked; filled by gate 14.
struct Question {
  std::string call_id;
  std::string session_id;
  std::string turn_id;
  std::string workspace;
  std::string cwd;
  json::object tool;
  Requester requester;
  std::string title;
  std::string agent_reason;
  json::object subject;
  json::object arguments;
  std::string arguments_digest;
  // false: `arguments` is a preview, the whole is in the artifact.
  bool complete = true;
  std::string arguments_artifact;
  // Over everything that is shown and run; an allow has to carry it.
  std::string digest;
  std::vector<std::pair<std::string, std::string>> because;
  std::vector<ApprovalOption> options;
  std::optional<Milliseconds> timeout;  // only shortens
  // Only a person may answer (interactive approver connections).
  bool human_only = false;
  // Would a rule answer it now? Called when rules change.
  std::function<std::optional<Decision>()> judge_again;
  // The request, for the journal (approval_restore.hpp); taken when asked.
  json::object call;
};

struct Approval {
  std::string id;
  Question question;
  // pending, resolved, expired, withdrawn, or interrupted: the gates refused
  // the call after a restart.
  std::string state = "pending";
  int revision = 1;
  std::string created_at;
  SteadyTime created{};
  SteadyTime deadline = SteadyTime::max();
  // After a restart people get the time to see it again.
  SteadyTime expires_not_before = SteadyTime::min();
  std::optional<Decision> decision;
  // Its callers may not answer.
  SessionPtr session;
  // What a reader should look at twice: control or invisible characters.
  std::vector<std::string> suspicious;
};
// shared_ptr: the queue, the waiting call and an answer on its way to the disk.
using ApprovalPtr = std::shared_ptr<Approval>;

json::object to_json(const Approval& approval, const Clock& clock);
// What the audit trail says of a decision: no arguments, only their digest.
json::object audit_body(const Approval& approval, const Clock& clock);
Event event_of(const Approval& approval, std::string method,
               const Clock& clock);
// The order of every list: oldest first.
bool asked_before(const Approval& a, const Approval& b);
// Fills in `suspicious` from everything that is shown.
void find_suspicious(Approval& approval);

// Who answers.
struct Answerer {
  std::string connection_id;
  std::string client_name;
  std::string client_version;
  ProcessIdentity process;
  std::vector<ProcessIdentity> ancestry;
  bool interactive = false;
};

struct Answer {
  std::string option_id;  // or
  std::string decision;   // "allow", "deny"
  std::string digest;     // of what was shown; needed to allow
  std::optional<int> revision;
  std::string comment;
};

class ApprovalQueue {
 public:
  // Resolved ones kept to tell late answers who was first.
  static constexpr std::size_t kResolvedKept = 1024;
  static constexpr std::size_t kMaxComment = 4096;
  // A deadline that is noticed so late passed while the daemon was stopped (or
  // the machine was): it is put off once, by this.
  static constexpr Milliseconds kStoodStill{1000};
  static constexpr Milliseconds kAfterStandstill{5000};

  ApprovalQueue(asio::io_context& loop, const Clock& clock, Journal& journal,
                RuleStore& rules, EventSink& events,
                config::Approvals settings);

  // Sleeps until somebody or something decided. tooManyApprovals and the like
  // come back as a CallError, nobody having been asked. `stop` withdraws.
  Task<Outcome<ApprovalPtr>> ask(Question question, SessionPtr session,
                                 Stop& stop);

  // A question of an earlier life, pending or decided: published (a pending
  // one) and found under its old id.
  void restore(ApprovalPtr approval);
  // Returns when the call of a restored question should be judged again.
  Task<void> turn_to_judge(ApprovalPtr restored);
  // Judges all restored ones, one after the other.
  Task<void> judge_restored();
  // The call was judged and asks the same: sleeps like ask(). `question` is of
  // now (same digest), what it remembers and why it asks included.
  Task<ApprovalPtr> resume(ApprovalPtr restored, Question question, Stop& stop);
  // Not decided yet, or not yet on disk.
  bool is_open(const Approval& approval) const {
    return entry_of(approval.id) != nullptr;
  }
  // The restored question is void. `state` is what it ends as (a literal).
  Task<void> conclude(ApprovalPtr restored, std::string why,
                      std::string_view state);
  // The call goes on with the allow that was recorded before the kill: what it
  // was to remember is remembered (again).
  void honour(const Approval& restored, const Question& question);

  // An answer that took effect. Its destructor publishes approval/resolved
  // and wakes the call: send the reply while you hold it.
  class Settlement {
   public:
    Settlement(ApprovalQueue* queue, ApprovalPtr approval, bool repeated,
               std::string warning = {});
    Settlement(Settlement&& other) noexcept;
    ~Settlement();
    const Approval& approval() const { return *approval_; }
    bool repeated() const { return repeated_; }
    const std::string& warning() const { return warning_; }

   private:
    ApprovalQueue* queue_;
    ApprovalPtr approval_;
    bool repeated_;
    std::string warning_;
  };
  Task<Result<Settlement>> answer(std::string approval_id, Answer answer,
                                  Answerer who);

  // Ends a pending one with a decision of the daemon's own.
  void withdraw(const std::string& approval_id, const std::string& why);
  void withdraw_session(const std::string& session, const std::string& why);
  void withdraw_all(const std::string& why);
  // Rules changed: settles what they now answer.
  void judge_again();

  // Whether an approver is connected: moves every deadline.
  void set_attended(bool attended);
  void set_settings(config::Approvals settings);

  ApprovalPtr find(const std::string& id) const;
  // Oldest first.
  std::vector<ApprovalPtr> pending() const;
  std::vector<ApprovalPtr> resolved() const;
  std::size_t pending_count() const { return pending_.size(); }

 private:
  struct Entry {
    ApprovalPtr approval;
    // Wakes the call; set last.
    OneShot<bool> decided;
    // Of a restored one: it shall be judged; it was, or is over.
    struct Judging {
      explicit Judging(asio::io_context& loop) : wanted(loop), done(loop) {}
      OneShot<bool> wanted;
      OneShot<bool> done;
    };
    std::unique_ptr<Judging> judging;
    bool published = false;
    bool recorded = false;  // the journal has the decision
    Entry(asio::io_context& loop, ApprovalPtr what)
        : approval(std::move(what)), decided(loop) {}
  };
  using EntryPtr = std::shared_ptr<Entry>;

  std::optional<CallError> too_many(const std::string& session) const;
  Task<Outcome<ApprovalPtr>> wait_for_answer(ApprovalPtr approval, Stop& stop);
  std::optional<Error> may_answer(const Approval& approval,
                                  const Answer& answer,
                                  const Answerer& who) const;
  SteadyTime deadline_for(const Approval& approval) const;
  // Moves it from pending to deciding; the decision is final from here.
  EntryPtr take(const std::string& id, Decision decision);
  // On disk, then out; false (with the error) when it could not be recorded.
  Task<Result<void>> publish(EntryPtr entry);
  // Sleeps until it is decided, and sees that the decision is recorded.
  Task<void> sleep(EntryPtr entry, Stop& stop);
  EntryPtr entry_of(const std::string& id) const;
  // Takes it and wakes its call, which records the decision itself.
  void settle(const std::string& id, Decision decision);
  // The journal has it, or it became a denial.
  Task<void> record(EntryPtr entry);
  void audit(const Approval& approval);
  // Rules of the chosen option; on trouble the allow counts once, and the
  // answer says why.
  std::string remember(const Approval& approval, const ApprovalOption& option);
  // Tells everybody, keeps it among the resolved, wakes the call.
  void finish(const EntryPtr& entry);
  Result<Settlement> answer_resolved(const ApprovalPtr& approval,
                                     const Answer& answer, const Answerer& who);

  asio::io_context& loop_;
  const Clock& clock_;
  Journal& journal_;
  RuleStore& rules_;
  EventSink& events_;
  config::Approvals settings_;
  bool attended_ = false;
  std::map<std::string, EntryPtr> pending_;   // by id
  std::map<std::string, EntryPtr> deciding_;  // taken, not yet woken
  std::deque<ApprovalPtr> resolved_;
};

}  // namespace toolhost
