// JournalWriter: the thread that writes, and its bounded queue.
//
// It takes whatever is queued, writes it as one transaction and tells the
// loop. What somebody waits for is answered with the error when the disk does
// not take it, and is never written later. What nobody waits for is kept and
// tried again, about once a second, until the disk is back.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gates/journal_records.hpp"
#include "providers/support/one_shot.hpp"

namespace toolhost {

using JournalWaiter = std::shared_ptr<OneShot<Result<void>>>;

struct JournalItem {
  JournalEntry entry;
  JournalWaiter waiter;      // null: nobody waits
  std::uint64_t ticket = 0;  // rises in the order of hand-over
};

// What the loop hears about a transaction.
struct JournalReport {
  struct Answer {
    JournalWaiter waiter;
    std::optional<Error> error;
  };
  std::vector<Answer> answers;
  // Every ticket up to this one is settled (on disk, refused or given up).
  std::uint64_t settled = 0;
  // Why the last transaction failed; empty if it did not.
  std::string trouble;
  std::size_t waiting = 0;  // kept for another try
};

class JournalWriter {
 public:
  // Audit records and calls without an effect beyond this are dropped; the
  // ends of calls may take twice as much.
  static constexpr std::size_t kMaxQueued = 20'000;
  static constexpr std::size_t kMaxQueuedBytes = 64U << 20;

  // `report` is called on the loop thread; it may outlive the writer.
  JournalWriter(asio::io_context& loop, std::string file, JournalTables tables,
                std::function<void(JournalReport)> report);
  // Writes what is queued, then ends the thread.
  ~JournalWriter();

  // False, and the item stays where it is, if the queue is full: more than
  // `share` times the bounds.
  bool push(JournalItem& item, std::size_t share = 1);

 private:
  using Errors = std::vector<std::optional<Error>>;

  void run();
  bool wait_for_items();
  void write_chunk();
  std::optional<Error> write(std::size_t count, Errors& errors);
  Error refusal(const JournalItem& item, int status);
  void settle(std::size_t count, Errors& errors);
  void keep_for_later(const Error& failure);
  void forget(std::size_t items, std::size_t bytes);
  void tell(JournalReport report);
  void trim_now_and_then(std::size_t written);

  asio::io_context& loop_;
  const std::string file_;
  JournalTables tables_;
  const std::function<void(JournalReport)> report_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<JournalItem> queued_;  // guarded
  bool urgent_ = false;             // guarded: somebody waits for an item
  bool gathering_ = false;          // guarded
  bool wrote_ = false;              // writing thread only
  std::size_t unwritten_ = 0;       // guarded: queued and taken
  std::size_t unwritten_bytes_ = 0;
  bool stopping_ = false;  // guarded

  std::deque<JournalItem> taken_;  // writer thread
  bool failing_ = false;           // writer thread
  bool last_try_ = false;          // writer thread
  std::size_t since_trim_ = 0;     // writer thread
  std::thread thread_;             // last: starts when all else is there
};

}  // namespace toolhost
