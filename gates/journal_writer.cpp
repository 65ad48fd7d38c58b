#include "gates/journal_writer.hpp"

#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>

#include "gates/journal_open.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

// Of one transaction: bounds what a failing disk makes us repeat.
constexpr std::size_t kMaxChunk = 1000;
constexpr std::chrono::seconds kRetry{1};
// After a transaction, what nobody waits for is gathered so long: a wake-up for
// each record would cost the loop more than the record.
constexpr std::chrono::milliseconds kGather{5};
// Items between two looks at what is over the limits.
constexpr std::size_t kTrimEvery = 256;

}  // namespace

JournalWriter::JournalWriter(asio::io_context& loop, std::string file,
                             JournalTables tables,
                             std::function<void(JournalReport)> report)
    : loop_(loop),
      file_(std::move(file)),
      tables_(std::move(tables)),
      report_(std::move(report)) {
  // Signals belong to the loop's thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread_.native_handle(), "journal");
}

JournalWriter::~JournalWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool JournalWriter::push(JournalItem& item, std::size_t share) {
  const std::size_t bytes = size_of(item.entry);
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (unwritten_ >= share * kMaxQueued ||
        unwritten_bytes_ + bytes > share * kMaxQueuedBytes) {
      return false;
    }
    ++unwritten_;
    unwritten_bytes_ += bytes;
    // Also how a call ended: somebody may come back for it after a kill.
    if (item.waiter ||
        std::holds_alternative<std::shared_ptr<const JournalCompletion>>(
            item.entry)) {
      urgent_ = true;
    }
    wake = !gathering_ || urgent_;
    queued_.push_back(std::move(item));
  }
  if (wake) wake_.notify_one();
  return true;
}

void JournalWriter::run() {
  while (wait_for_items()) write_chunk();
  if (!taken_.empty()) {
    log_error("the journal could not be written at the end lost=" +
              std::to_string(taken_.size()) + " file=" + file_);
  }
}

// False when everything is done, or given up after a last try.
bool JournalWriter::wait_for_items() {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return stopping_ || !queued_.empty(); };
  if (wrote_ && taken_.empty()) {
    gathering_ = true;
    wake_.wait_for(lock, kGather, [&] { return stopping_ || urgent_; });
    gathering_ = false;
  }
  if (taken_.empty()) {
    wake_.wait(lock, ready);
  } else if (failing_) {
    wake_.wait_for(lock, kRetry, ready);
  }
  for (JournalItem& item : queued_) taken_.push_back(std::move(item));
  queued_.clear();
  urgent_ = false;
  if (!stopping_) return true;
  if (taken_.empty() || (failing_ && last_try_)) return false;
  last_try_ = true;
  return true;
}

void JournalWriter::write_chunk() {
  const std::size_t count = std::min(taken_.size(), kMaxChunk);
  wrote_ = count > 0;
  if (count == 0) return;
  Errors errors(count);
  const std::optional<Error> failure = write(count, errors);
  failing_ = failure.has_value();
  if (failure) {
    keep_for_later(*failure);
  } else {
    settle(count, errors);
    trim_now_and_then(count);
  }
}

// One transaction. `errors` gets what is wrong with single items; the result
// is what is wrong with all of them.
std::optional<Error> JournalWriter::write(std::size_t count, Errors& errors) {
  Connection& connection = tables_.connection();
  int status = connection.run("BEGIN IMMEDIATE");
  for (std::size_t at = 0; at < count && status == SQLITE_OK; ++at) {
    const int stored = tables_.store(taken_[at].entry);
    if (stored == SQLITE_OK) continue;
    if (is_records_fault(stored)) {
      errors[at] = refusal(taken_[at], stored);
    } else {
      status = stored;
    }
  }
  if (status == SQLITE_OK) status = connection.run("COMMIT");
  if (status == SQLITE_OK) return std::nullopt;
  Error failure = connection.error("write", status);
  if (connection.in_transaction()) connection.run("ROLLBACK");
  if (is_damage(status)) mark_journal_damaged(file_);
  return failure;
}

Error JournalWriter::refusal(const JournalItem& item, int status) {
  Connection& connection = tables_.connection();
  const std::string message = connection.message();
  const auto* call = std::get_if<JournalCall>(&item.entry);
  if (call && message.find("idempotency_key") != std::string::npos) {
    return make_error(Code::idempotency_conflict,
                      "the idempotency key of call " + call->call_id +
                          " was used before in this session",
                      "Ask for the earlier call, or use a new key.");
  }
  if (call && message.find("call_id") != std::string::npos) {
    return make_error(Code::internal, "the call " + call->call_id +
                                          " is in the journal already");
  }
  return connection.error("write a record to", status);
}

void JournalWriter::settle(std::size_t count, Errors& errors) {
  JournalReport report;
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < count; ++at) {
    JournalItem& item = taken_[at];
    bytes += size_of(item.entry);
    report.settled = item.ticket;
    if (item.waiter) {
      report.answers.push_back({std::move(item.waiter), std::move(errors[at])});
    } else if (errors[at]) {
      log_warn("a record was not journalled: " + errors[at]->message);
    }
  }
  taken_.erase(taken_.begin(),
               taken_.begin() + static_cast<std::ptrdiff_t>(count));
  forget(count, bytes);
  report.waiting = taken_.size();
  tell(std::move(report));
}

// Whoever waits is refused now; the others' items wait for the disk.
void JournalWriter::keep_for_later(const Error& failure) {
  JournalReport report;
  std::size_t bytes = 0;
  std::deque<JournalItem> kept;
  for (JournalItem& item : taken_) {
    if (!item.waiter) {
      kept.push_back(std::move(item));
      continue;
    }
    bytes += size_of(item.entry);
    report.answers.push_back({std::move(item.waiter), failure});
  }
  const std::size_t refused = taken_.size() - kept.size();
  taken_ = std::move(kept);
  forget(refused, bytes);
  report.trouble = failure.message;
  if (!failure.hint.empty()) report.trouble += ". " + failure.hint;
  report.waiting = taken_.size();
  tell(std::move(report));
}

void JournalWriter::forget(std::size_t items, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  unwritten_ -= items;
  unwritten_bytes_ -= bytes;
}

void JournalWriter::tell(JournalReport report) {
  asio::post(loop_, [tell = report_, report = std::move(report)]() mutable {
    tell(std::move(report));
  });
}

// After the answers: nobody waits for it.
void JournalWriter::trim_now_and_then(std::size_t written) {
  since_trim_ += written;
  if (since_trim_ < kTrimEvery) return;
  Connection& connection = tables_.connection();
  if (connection.run("BEGIN IMMEDIATE") != SQLITE_OK) return;
  const bool more = tables_.trim();
  if (connection.run("COMMIT") != SQLITE_OK && connection.in_transaction()) {
    connection.run("ROLLBACK");
  }
  // What is left is taken on with the next transaction.
  since_trim_ = more ? kTrimEvery : 0;
}

}  // namespace toolhost
