// ApprovalQueue: calls that wait for a person.
//
// register → publish → sleep on the entry until a decision is there. An answer
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
};

struct Approval {
  std::string id;
  Question question;
  std::string state = "pending";  // pending, resolved, expired, withdrawn
  int revision = 1;
  std::string created_at;
  SteadyTime created{};
  SteadyTime deadline = SteadyTime::max();
  std::optional<Decision> decision;
  // Its callers may not answer.
  SessionPtr session;
  // What a reader should look at twice: control or invisible characters.
  std::vector<std::string> suspicious;
};
// shared_ptr: the queue, the waiting call and an answer on its way to the disk.
using ApprovalPtr = std::shared_ptr<Approval>;

json::object to_json(const Approval& approval, const Clock& clock);
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

  ApprovalQueue(asio::io_context& loop, const Clock& clock, Journal& journal,
                RuleStore& rules, EventSink& events,
                config::Approvals settings);

  // Sleeps until somebody or something decided. tooManyApprovals and the like
  // come back as a CallError, nobody having been asked. `stop` withdraws.
  Task<Outcome<ApprovalPtr>> ask(Question question, SessionPtr session,
                                 Stop& stop);

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
    bool recorded = false;  // the journal has the decision
    std::string remembered_trouble;
    Entry(asio::io_context& loop, ApprovalPtr what)
        : approval(std::move(what)), decided(loop) {}
  };
  using EntryPtr = std::shared_ptr<Entry>;

  std::optional<Error> may_answer(const Approval& approval,
                                  const Answer& answer,
                                  const Answerer& who) const;
  SteadyTime deadline_for(const Approval& approval) const;
  // Moves it from pending to deciding; the decision is final from here.
  EntryPtr take(const std::string& id, Decision decision);
  // Takes it and wakes its call, which records the decision itself.
  void settle(const std::string& id, Decision decision);
  // The journal has it, or it became a denial.
  Task<void> record(EntryPtr entry);
  // Rules of the chosen option; on trouble the allow counts once.
  void remember(const EntryPtr& entry, const ApprovalOption& option);
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
