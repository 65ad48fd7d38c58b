#include "providers/builtin/bash_run.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "protocol/text.hpp"
#include "providers/builtin/bash_background.hpp"

namespace toolhost::builtin {
namespace {

// From SIGTERM to SIGKILL.
constexpr Milliseconds kGrace{1000};
// After the shell's end, for what is still in the pipe; not prolonged by new
// output, so a silent and a chatty child in the background behave alike.
constexpr Milliseconds kDrain{250};
// Progress is told ten times a second at most, and so much each time: who
// wants all of a flood reads the artifact.
constexpr Milliseconds kProgressEvery{100};
constexpr std::size_t kProgressBytes = 32 * 1024;
// A process that has closed its pipe still needs a moment to be gone. They are
// looked at again instead of waited for: those that stay, on purpose, would be
// waited for in vain, and those that go are nobody's children that we know.
constexpr Milliseconds kSettle{5};
constexpr int kSettleRounds = 3;

SteadyTime now() { return std::chrono::steady_clock::now(); }

OutputSpool::MakeArtifact artifact_maker(const ExecutionContext& context) {
  return [&context] {
    return context.artifacts.create(context.session_id,
                                    context.tool.config.tools.bash.spill_bytes);
  };
}

}  // namespace

CommandRun::CommandRun(const ExecutionContext& context,
                       std::unique_ptr<ChildProcess> child, Milliseconds limit)
    : context_(context),
      child_(std::move(child)),
      start_(now()),
      limit_(limit),
      spool_(context.tool.config.tools.bash.head_bytes,
             context.tool.config.tools.bash.tail_bytes,
             artifact_maker(context)),
      wake_(context.loop) {}

Task<CommandResult> CommandRun::finish() {
  TaskGroup group(context_.loop, "bash");
  group.spawn(pump());
  group.spawn(watch());
  std::function<void()> wake = [this] { wake_.cancel(); };
  const Stop::Registration stop = context_.stop.on_request(std::move(wake));
  co_await await_end();

  CommandResult result;
  result.limit = limit_;
  if (!child_->exited()) {
    result.cancelled = context_.stop.requested();
    result.timed_out = !result.cancelled;
    co_await child_->end_tree(kGrace);
  }
  co_await drain();
  result.duration = std::chrono::duration_cast<Milliseconds>(now() - start_);
  closing_ = true;
  child_->interrupt_reads();
  co_await group.join();
  flush_progress(true);
  spool_.finish();
  result.status = child_->exited().value_or(ExitStatus());
  co_await settle(result.living);
  if (!result.living.empty()) {
    result.background_refused = !keep_in_background(
        context_.loop, context_.session_id, std::move(child_));
  }
  co_return result;
}

Task<void> CommandRun::pump() {
  std::string bytes;
  while (!closing_) {
    bytes.clear();
    if (!co_await child_->read_out(bytes)) break;
    if (!bytes.empty()) take(bytes);
  }
  output_ended_ = true;
  wake_.cancel();
}

Task<void> CommandRun::watch() {
  co_await child_->wait();
  wake_.cancel();
}

Task<void> CommandRun::await_end() {
  const SteadyTime deadline = start_ + limit_;
  while (!child_->exited() && !context_.stop.requested() && now() < deadline) {
    wake_.expires_at(std::min(deadline, flush_at_));
    co_await wake_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (now() >= flush_at_) flush_progress(false);
  }
}

Task<void> CommandRun::drain() {
  const SteadyTime deadline = now() + kDrain;
  while (!output_ended_ && now() < deadline) {
    wake_.expires_at(deadline);
    co_await wake_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

Task<void> CommandRun::settle(std::vector<int>& living) {
  living = child_->living();
  for (int round = 0; round < kSettleRounds && !living.empty(); ++round) {
    co_await sleep_for(context_.loop, kSettle);
    living = child_->living();
  }
}

void CommandRun::take(std::string_view bytes) {
  if (context_.progress) {
    if (untold_.empty()) untold_offset_ = spool_.total();
    untold_ += bytes;
    if (untold_.size() > kProgressBytes) {
      const std::size_t rest = utf8_suffix(untold_, kProgressBytes).size();
      untold_offset_ += untold_.size() - rest;
      untold_.erase(0, untold_.size() - rest);
    }
    if (flush_at_ == SteadyTime::max()) {
      flush_at_ = std::max(now(), last_flush_ + kProgressEvery);
      wake_.cancel();
    }
  }
  spool_.append(bytes);
}

void CommandRun::flush_progress(bool last) {
  flush_at_ = SteadyTime::max();
  // A character that is not complete waits for its rest.
  const std::size_t held = last ? 0 : utf8_incomplete_tail(untold_);
  if (untold_.size() == held) return;
  Progress progress;
  progress.output = untold_.substr(0, untold_.size() - held);
  progress.offset = untold_offset_;
  untold_offset_ += progress.output.size();
  untold_.erase(0, progress.output.size());
  last_flush_ = now();
  context_.progress(std::move(progress));
}

}  // namespace toolhost::builtin
