// CommandRun: one running command, from its start to what can be told of it.
//
// Completion is keyed on the end of the shell, never on the end of its output:
// a child in the background may hold the pipe for ever.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/clock.hpp"
#include "providers/execution.hpp"
#include "providers/support/child_process.hpp"
#include "providers/support/output_spool.hpp"

namespace toolhost::builtin {

struct CommandResult {
  ExitStatus status;
  bool timed_out = false;
  bool cancelled = false;
  Milliseconds limit{0};  // the one that applied
  Milliseconds duration{0};
  // Processes that it left running; empty when it was ended by us.
  std::vector<int> living;
  // There were too many background commands: `living` was killed.
  bool background_refused = false;
};

class CommandRun {
 public:
  CommandRun(const ExecutionContext& context,
             std::unique_ptr<ChildProcess> child, Milliseconds limit);

  // Reads until the command ends, is cancelled or runs out of time; then, for
  // a short fixed time, what is left of its output.
  Task<CommandResult> finish();
  const OutputSpool& output() const { return spool_; }

 private:
  Task<void> pump();
  Task<void> watch();
  Task<void> await_end();
  Task<void> drain();
  Task<void> settle(std::vector<int>& living);
  void take(std::string_view bytes);
  void flush_progress(bool last);

  const ExecutionContext& context_;
  std::unique_ptr<ChildProcess> child_;
  SteadyTime start_;
  Milliseconds limit_;
  OutputSpool spool_;
  // Wakes finish(): an end, a request to stop, output to tell.
  asio::steady_timer wake_;
  bool output_ended_ = false;
  bool closing_ = false;
  // Output that was not told yet: the newest part of it.
  std::string untold_;
  std::uint64_t untold_offset_ = 0;
  SteadyTime flush_at_ = SteadyTime::max();
  SteadyTime last_flush_{};
};

}  // namespace toolhost::builtin
