// Pipeline: the eighteen steps of one call. See README.md of this folder.
#pragma once

#include "gates/approval_queue.hpp"
#include "gates/call.hpp"
#include "gates/journal.hpp"
#include "gates/rules.hpp"
#include "gates/scheduler.hpp"
#include "gates/session.hpp"
#include "gates/turns.hpp"
#include "providers/registry.hpp"
#include "providers/support/artifacts.hpp"
#include "providers/support/blocking.hpp"

namespace toolhost {

class Hooks;

// The parts that gates use; the daemon owns them.
struct Parts {
  asio::io_context& loop;
  const Clock& clock;
  Registry& registry;
  Sessions& sessions;
  Turns& turns;
  RuleStore& rules;
  ApprovalQueue& approvals;
  Scheduler& scheduler;
  Journal& journal;
  Artifacts& artifacts;
  BlockingPool& blocking;
  EventSink& events;
  // Workers that outlive their call's reply (a tool that ignores a cancel).
  TaskGroup& workers;
  // Folders that only a person changes: config, state, sockets, rules.
  std::vector<std::string> own_folders;
  // nullptr: no hook runs, not even a built-in one.
  Hooks* hooks = nullptr;
  // What commands are confined by; as made: by nothing.
  Confinement confinement{};
};

// The names of the steps in order: what a trace of a passing call reads.
std::span<const std::string_view> gate_names();

class Pipeline {
 public:
  explicit Pipeline(Parts& parts) : parts_(parts) {}

  // Runs the call to its end; afterwards call.result_text is set. `call` is
  // kept alive by a tool that does not stop in time.
  Task<void> run(std::shared_ptr<Call> call);
  // After run() threw: a question of an earlier life must not stay behind.
  Task<void> release(std::shared_ptr<Call> call);

 private:
  Parts& parts_;
};

}  // namespace toolhost
