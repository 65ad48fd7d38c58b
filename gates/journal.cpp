#include "gates/journal.hpp"

#include <cassert>

#include "gates/journal_open.hpp"
#include "gates/journal_overlay.hpp"
#include "gates/journal_reader.hpp"
#include "gates/journal_writer.hpp"
#include "protocol/clock.hpp"
#include "providers/support/blocking.hpp"
#include "providers/support/log.hpp"

// g++ 12 sees asio's operator new for coroutine frames inlined, its operator
// delete not, and takes the pair for a mismatch.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace toolhost {
namespace {

// Of one audit body; what is larger is replaced by its size.
constexpr std::size_t kMaxAuditBytes = 64 * 1024;

// What the loop knows about the writer. Shared with reports that are still
// queued on the loop when the journal is destroyed.
struct WriterState {
  JournalOverlay overlay;
  std::string trouble;
  std::size_t waiting = 0;
  std::size_t dropped = 0;
  std::function<void()> recovered;  // empty once the journal is gone
};

void take_report(WriterState& state, JournalReport report) {
  state.overlay.settle(report.settled);
  if (!report.trouble.empty() && state.trouble.empty()) {
    log_error("the journal is in trouble: " + report.trouble);
  }
  state.trouble = std::move(report.trouble);
  state.waiting = report.waiting;
  for (JournalReport::Answer& answer : report.answers) {
    Result<void> result;
    if (answer.error) result = std::move(*answer.error);
    answer.waiter->set(std::move(result));
  }
  if (state.trouble.empty() && state.dropped > 0 && state.recovered) {
    state.recovered();
  }
}

class SqliteJournal final : public Journal {
 public:
  SqliteJournal(asio::io_context& loop, const std::string& file,
                OpenedJournal opened, JournalTables tables)
      : loop_(loop),
        set_aside_(std::move(opened.set_aside)),
        open_approvals_(std::move(opened.approvals)),
        lock_(std::move(opened.lock)),
        reader_(file),
        reading_(loop, 1),
        writer_(loop, file, std::move(tables),
                [state = state_](JournalReport report) {
                  take_report(*state, std::move(report));
                }) {
    state_->recovered = [this] { note_gap(); };
  }

  ~SqliteJournal() override { state_->recovered = nullptr; }

  const std::string& set_aside() const override { return set_aside_; }
  std::vector<JournalApproval> take_open_approvals() override {
    return std::exchange(open_approvals_, {});
  }
  Task<Result<void>> begin(JournalCall call) override;
  Task<Result<void>> ask(JournalApproval approval) override;
  Task<Result<void>> decide(JournalDecision decision) override;
  void begin_soon(JournalCall call) override;
  void close_approvals(std::string call_id) override;
  void complete(std::string call_id, JournalState state,
                std::string completed_at, std::string result) override;
  void audit(AuditRecord record) override;
  Task<Result<std::optional<JournalCall>>> find_call(
      std::string call_id) override;
  Task<Result<std::optional<JournalCall>>> find(
      std::string session_id, std::string idempotency_key) override;
  Task<Result<std::vector<AuditRecord>>> read_audit(std::int64_t after_sequence,
                                                    std::string call_id,
                                                    std::string since_time,
                                                    int limit) override;
  Task<Result<void>> flush() override;
  std::string trouble() const override;

 private:
  Task<Result<void>> write(JournalEntry entry);
  JournalItem item_of(JournalEntry entry);
  void note_gap();

  asio::io_context& loop_;
  const std::string set_aside_;
  std::vector<JournalApproval> open_approvals_;
  const std::shared_ptr<WriterState> state_ = std::make_shared<WriterState>();
  std::uint64_t tickets_ = 0;
  // Given up in the reverse order: writer, reading thread, connection, lock.
  const UniqueFd lock_;
  JournalReader reader_;  // reading thread only
  BlockingPool reading_;
  JournalWriter writer_;
};

JournalItem SqliteJournal::item_of(JournalEntry entry) {
  JournalItem item;
  item.entry = std::move(entry);
  item.ticket = ++tickets_;
  return item;
}

Task<Result<void>> SqliteJournal::write(JournalEntry entry) {
  JournalItem item = item_of(std::move(entry));
  item.waiter = std::make_shared<OneShot<Result<void>>>(loop_);
  const JournalWaiter waiter = item.waiter;
  if (!writer_.push(item, 2)) {
    co_return make_error(Code::overloaded,
                         "cannot write the journal: its queue is full",
                         "The disk does not keep up; try again later.");
  }
  co_await waiter->wait();
  co_return waiter->take();
}

Task<Result<void>> SqliteJournal::begin(JournalCall call) {
  // A repeated call has to be seen while this one is on its way to the disk.
  const std::uint64_t ticket = tickets_ + 1;
  state_->overlay.begun(call, ticket);
  JournalEntry entry = call;
  Result<void> written = co_await write(std::move(entry));
  if (!written) state_->overlay.refused(call, ticket);
  co_return written;
}

Task<Result<void>> SqliteJournal::ask(JournalApproval approval) {
  JournalEntry entry = std::move(approval);
  Result<void> written = co_await write(std::move(entry));
  co_return written;
}

Task<Result<void>> SqliteJournal::decide(JournalDecision decision) {
  JournalEntry entry = std::move(decision);
  Result<void> written = co_await write(std::move(entry));
  co_return written;
}

Task<Result<void>> SqliteJournal::flush() {
  JournalEntry nothing = JournalFlush();
  Result<void> written = co_await write(std::move(nothing));
  co_return written;
}

void SqliteJournal::begin_soon(JournalCall call) {
  JournalItem item = item_of(call);
  if (!writer_.push(item)) {
    ++state_->dropped;
    return;
  }
  state_->overlay.begun(call, tickets_);
}

void SqliteJournal::close_approvals(std::string call_id) {
  JournalClosing closing{std::move(call_id)};
  JournalItem item = item_of(std::move(closing));
  if (!writer_.push(item, 2)) ++state_->dropped;
}

void SqliteJournal::complete(std::string call_id, JournalState state,
                             std::string completed_at, std::string result) {
  auto end = std::make_shared<JournalCompletion>();
  end->call_id = std::move(call_id);
  end->state = state;
  end->completed_at = std::move(completed_at);
  end->result = std::move(result);
  std::shared_ptr<const JournalCompletion> shared = std::move(end);
  JournalItem item = item_of(shared);
  if (!writer_.push(item)) {
    // That it ended is worth more than its result: it does not look as if it
    // ran, or as if nobody knew.
    auto brief = std::make_shared<JournalCompletion>();
    brief->call_id = shared->call_id;
    brief->state = shared->state;
    brief->completed_at = shared->completed_at;
    shared = std::move(brief);
    ++state_->dropped;
    item.entry = shared;
    if (!writer_.push(item, 2)) return;
  }
  state_->overlay.ended(std::move(shared), tickets_);
}

void SqliteJournal::audit(AuditRecord record) {
  if (record.body.size() > kMaxAuditBytes) {
    record.body =
        "{\"omitted\":true,\"bytes\":" + std::to_string(record.body.size()) +
        "}";
  }
  JournalItem item = item_of(std::move(record));
  if (!writer_.push(item)) ++state_->dropped;
}

// Writing works again: the trail says itself that something is missing.
void SqliteJournal::note_gap() {
  const std::size_t lost = std::exchange(state_->dropped, 0);
  log_warn("the journal dropped records count=" + std::to_string(lost));
  AuditRecord record;
  record.time = rfc3339(std::chrono::system_clock::now());
  record.kind = "journal";
  record.body = "{\"dropped\":" + std::to_string(lost) + "}";
  audit(std::move(record));
}

Task<Result<std::optional<JournalCall>>> SqliteJournal::find_call(
    std::string call_id) {
  std::function<Result<std::optional<JournalCall>>()> look =
      [this, call_id = std::move(call_id)] {
        return reader_.find_call(call_id);
      };
  Result<std::optional<JournalCall>> found =
      co_await reading_.run(std::move(look));
  if (found && *found && (*found)->state == JournalState::started) {
    state_->overlay.complete(**found);
  }
  co_return found;
}

Task<Result<std::optional<JournalCall>>> SqliteJournal::find(
    std::string session_id, std::string idempotency_key) {
  Result<std::optional<JournalCall>> found = std::optional<JournalCall>();
  if (idempotency_key.empty()) co_return found;
  // Twice: the end of the call may reach the disk, and leave the overlay,
  // while the first read is under way.
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::optional<JournalCall> noted =
        state_->overlay.find(session_id, idempotency_key);
    if (noted) co_return noted;
    const std::uint64_t before = state_->overlay.settled();
    std::function<Result<std::optional<JournalCall>>()> look =
        [this, session_id, idempotency_key] {
          return reader_.find(session_id, idempotency_key);
        };
    found = co_await reading_.run(std::move(look));
    if (!found || !*found) break;
    JournalCall& call = **found;
    if (call.state == JournalState::started) state_->overlay.complete(call);
    if (call.state != JournalState::started) break;
    if (state_->overlay.settled() == before) break;
  }
  co_return found;
}

Task<Result<std::vector<AuditRecord>>> SqliteJournal::read_audit(
    std::int64_t after_sequence, std::string call_id, std::string since_time,
    int limit) {
  std::function<Result<std::vector<AuditRecord>>()> look =
      [this, after_sequence, call_id = std::move(call_id),
       since_time = std::move(since_time), limit] {
        return reader_.read_audit(after_sequence, call_id, since_time, limit);
      };
  Result<std::vector<AuditRecord>> found =
      co_await reading_.run(std::move(look));
  co_return found;
}

std::string SqliteJournal::trouble() const {
  std::string text = state_->trouble;
  const auto append = [&](const std::string& more) {
    if (!text.empty()) text += ' ';
    text += more;
  };
  if (!text.empty() && state_->waiting > 0) {
    append(std::to_string(state_->waiting) + " records wait for the disk.");
  }
  if (state_->dropped > 0) {
    append(std::to_string(state_->dropped) +
           " records were dropped because the queue was full.");
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(asio::io_context& loop,
                                               const std::string& file,
                                               config::Journal settings) {
  auto opened = open_journal_file(file, settings);
  if (!opened) return opened.error();
  auto tables = JournalTables::prepare(std::move(opened->writer), settings);
  if (!tables) return tables.error();
  return std::unique_ptr<Journal>(std::make_unique<SqliteJournal>(
      loop, file, std::move(*opened), std::move(*tables)));
}

}  // namespace toolhost
