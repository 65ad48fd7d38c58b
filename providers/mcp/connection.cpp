#include "providers/mcp/connection.hpp"

#include <boost/asio/co_spawn.hpp>

#include "protocol/json_text.hpp"
#include "protocol/message.hpp"
#include "providers/support/log.hpp"

namespace toolhost::mcp {
namespace {

// A server that reads nothing must not make us keep everything.
constexpr std::size_t kMaxQueue = 64U << 20;
constexpr std::size_t kMaxForgotten = 1000;
// Between its end and ours: what it wrote last may still be in the pipe.
constexpr Milliseconds kLastWords{300};
// For a server to end by itself once its input is closed, and after SIGTERM.
constexpr Milliseconds kCloseGrace{2000};

void start(asio::io_context& loop, Task<void> task) {
  asio::co_spawn(loop, std::move(task), [](std::exception_ptr failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      log_error(std::string("a task of an mcp server ended with an "
                            "exception: ") +
                error.what());
    }
  });
}

std::string words_of(const ExitStatus& status) {
  if (status.signal != 0) {
    return "was ended by signal " + std::to_string(status.signal);
  }
  return "ended with exit code " + std::to_string(status.code);
}

Answer over(Answer::Kind kind, std::string why) {
  Answer out;
  out.kind = kind;
  out.why = std::move(why);
  return out;
}

}  // namespace

Connection::Connection(asio::io_context& loop,
                       std::unique_ptr<ChildProcess> child, Secrets secrets)
    : loop_(loop),
      child_(std::move(child)),
      journal_(std::move(secrets)),
      wake_writer_(loop, asio::steady_timer::time_point::max()),
      out_ended_(loop),
      over_(loop),
      exit_(loop),
      last_output_(std::chrono::steady_clock::now()) {}

Result<std::shared_ptr<Connection>> Connection::open(asio::io_context& loop,
                                                     const Launch& launch) {
  auto child = ChildProcess::spawn(loop, launch.process);
  if (!child) return child.error();
  std::shared_ptr<Connection> self(
      new Connection(loop, std::move(*child), launch.secrets));
  start(loop, read_messages(self));
  start(loop, read_errors(self));
  start(loop, write_messages(self));
  start(loop, watch_exit(self));
  return self;
}

Task<void> Connection::read_messages(std::shared_ptr<Connection> self) {
  std::string bytes;
  while (co_await self->child_->read_out(bytes)) {
    self->last_output_ = std::chrono::steady_clock::now();
    // Read on to the end, so that it can end; kept is nothing any more.
    if (!self->ended_) self->lines_.append(bytes);
    bytes.clear();
    self->take_lines();
  }
  if (const auto rest = self->lines_.unfinished(); !rest.empty()) {
    self->journal_.note("it ended in the middle of a line: " +
                        std::string(rest.substr(0, RunJournal::kNoteBytes)));
  }
  self->out_ended_.set(true);
  // The exit code says more, and comes at once if it comes.
  co_await end_soon(self, "closed its standard output");
}

Task<void> Connection::end_soon(std::shared_ptr<Connection> self,
                                std::string reason) {
  // Two would move each other's time.
  if (std::exchange(self->ending_, true)) {
    co_await self->over_.wait();
    co_return;
  }
  const SteadyTime last = std::chrono::steady_clock::now() + kLastWords;
  while (!self->over_.ready() && std::chrono::steady_clock::now() < last) {
    co_await self->over_.wait_until(last);
  }
  self->end(std::move(reason));
}

Task<void> Connection::read_errors(std::shared_ptr<Connection> self) {
  std::string bytes;
  while (co_await self->child_->read_err(bytes)) {
    self->last_output_ = std::chrono::steady_clock::now();
    self->journal_.error_output(bytes);
    bytes.clear();
  }
}

Task<void> Connection::write_messages(std::shared_ptr<Connection> self) {
  while (!self->ended_) {
    if (self->queue_.empty()) {
      co_await self->wake_writer_.async_wait(
          asio::as_tuple(asio::use_awaitable));
      continue;
    }
    Outgoing next = std::move(self->queue_.front());
    self->queue_.pop_front();
    self->queued_bytes_ -= next.text.size();
    if (next.pending) next.pending->written = true;
    std::string text = std::move(next.text);
    const Result<void> written =
        co_await self->child_->write_in(std::move(text));
    if (written) continue;
    // It may have answered before it closed its end.
    co_await end_soon(self, "does not read its standard input any more");
  }
}

Task<void> Connection::watch_exit(std::shared_ptr<Connection> self) {
  const ExitStatus status = co_await self->child_->wait();
  self->exit_.set(status);
  const SteadyTime last = std::chrono::steady_clock::now() + kLastWords;
  while (!self->out_ended_.ready() && std::chrono::steady_clock::now() < last) {
    co_await self->out_ended_.wait_until(last);
  }
  self->end(words_of(status));
}

Task<Answer> Connection::request(std::shared_ptr<Connection> self,
                                 std::string method, json::object params,
                                 RequestLimits limits) {
  if (self->ended_) {
    co_return over(Answer::Kind::not_sent, "it " + self->end_reason_);
  }
  const std::int64_t id = self->next_id_++;
  const auto pending = std::make_shared<Pending>(self->loop_);
  const SteadyTime begun = std::chrono::steady_clock::now();
  pending->last_sign = begun;
  json::object meta = self->meta_;
  if (limits.progress) {
    meta["progressToken"] = id;
    pending->progress = std::move(limits.progress);
  }
  if (!meta.empty()) params["_meta"] = std::move(meta);
  self->pending_.emplace(id, pending);
  self->send(request_text(std::to_string(id), method, params), pending);
  std::optional<Stop::Registration> registration;
  if (limits.stop) {
    const auto wake = [pending] { pending->done.poke(); };
    registration.emplace(limits.stop->on_request(wake));
  }
  while (!pending->done.ready()) {
    if (limits.stop && limits.stop->requested()) {
      self->forget(id, limits.stop->reason());
      co_return over(Answer::Kind::cancelled, limits.stop->reason());
    }
    SteadyTime sign = pending->last_sign;
    if (limits.any_output) sign = std::max(sign, self->last_output_);
    const SteadyTime deadline =
        std::min(sign + limits.silence, begun + limits.ceiling);
    if (std::chrono::steady_clock::now() >= deadline) {
      self->forget(id, "The time limit was reached.");
      const bool silent = deadline < begun + limits.ceiling;
      const Milliseconds limit = silent ? limits.silence : limits.ceiling;
      co_return over(Answer::Kind::timed_out,
                     "it gave no answer" +
                         std::string(silent ? " and no sign of life" : "") +
                         " for " + std::to_string(limit.count()) + " ms");
    }
    co_await pending->done.wait_until(deadline);
  }
  self->pending_.erase(id);
  co_return pending->done.take();
}

void Connection::notify(std::string_view method, const json::object& params) {
  if (ended_) return;
  std::string text;
  append_json(text, params);
  send(notification_text(method, text), nullptr);
}

void Connection::send(std::string text, std::shared_ptr<Pending> pending) {
  text += '\n';
  queued_bytes_ += text.size();
  queue_.push_back(Outgoing{std::move(text), std::move(pending)});
  if (queued_bytes_ > kMaxQueue) {
    return end("reads too slowly: more than 64 MiB wait for it");
  }
  wake_writer_.cancel();
}

void Connection::forget(std::int64_t id, std::string_view reason) {
  pending_.erase(id);
  forgotten_.insert(id);
  if (forgotten_.size() > kMaxForgotten) forgotten_.erase(forgotten_.begin());
  json::object params;
  params["requestId"] = id;
  params["reason"] = reason;
  notify("notifications/cancelled", params);
}

void Connection::end(std::string reason) {
  if (std::exchange(ended_, true)) return;
  end_reason_ = std::move(reason);
  over_.set(true);
  queue_.clear();
  wake_writer_.cancel();
  for (const auto& [id, pending] : std::exchange(pending_, {})) {
    pending->done.set(
        over(pending->written ? Answer::Kind::died : Answer::Kind::not_sent,
             "it " + end_reason_));
  }
  const auto told = std::exchange(on_end, nullptr);
  if (!closing_ && told) told();
}

Task<void> Connection::close(std::shared_ptr<Connection> self) {
  self->closing_ = true;
  self->end("was stopped");
  self->child_->close_in();
  const SteadyTime last = std::chrono::steady_clock::now() + kCloseGrace;
  while (!self->exit_.ready() && std::chrono::steady_clock::now() < last) {
    co_await self->exit_.wait_until(last);
  }
  co_await self->child_->end_tree(kCloseGrace);
}

}  // namespace toolhost::mcp
