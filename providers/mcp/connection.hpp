// Connection: one run of one server: its process, and the requests to it.
//
// A request ends with an answer, an error of the server, at its time limit, at
// its stop, or with the process; never later. What comes for a request that is
// over is dropped. What cannot be understood is counted and kept for
// diagnostics; too much of it ends the run.
//
// Loop thread only. Coroutines of its own keep it alive until its process is
// gone: whoever opens it closes it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "protocol/clock.hpp"
#include "providers/mcp/run_journal.hpp"
#include "providers/mcp/launch.hpp"
#include "providers/mcp/line_splitter.hpp"
#include "providers/mcp/wire.hpp"
#include "providers/support/one_shot.hpp"
#include "providers/support/stop.hpp"

namespace toolhost::mcp {

struct RequestLimits {
  // Without an answer or progress. `any_output`: or anything else it writes.
  Milliseconds silence{60'000};
  bool any_output = false;
  // In all.
  Milliseconds ceiling{600'000};
  // May be null; has to outlive the request.
  Stop* stop = nullptr;
  // params of notifications/progress; empty: no token is sent.
  std::function<void(const json::object&)> progress;
};

struct Answer {
  enum class Kind {
    result,
    error,      // the server says no
    timed_out,  // the server was told to stop
    cancelled,  // the same, at the request's stop
    not_sent,   // the run was over before a byte of it was written
    died,       // the run ended while the server had it: outcome unknown
  };
  Kind kind = Kind::result;
  json::value result;
  RpcError error;
  // A sentence about every kind but result and error.
  std::string why;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  static Result<std::shared_ptr<Connection>> open(asio::io_context& loop,
                                                  const Launch& launch);

  // Called on the loop; may be set until the first message comes.
  std::function<void(const std::string& method, const json::object& params)>
      on_notification;
  // Once, when nothing more can be asked; not at close().
  std::function<void()> on_end;

  // `self` is kept by the coroutine.
  static Task<Answer> request(std::shared_ptr<Connection> self,
                              std::string method, json::object params,
                              RequestLimits limits);
  void notify(std::string_view method, const json::object& params);
  // Members that every request carries in `_meta` from now on.
  void set_meta(json::object meta) { meta_ = std::move(meta); }

  bool alive() const { return !ended_; }
  // Why it is over, in words for a person; empty while it is not.
  const std::string& end_reason() const { return end_reason_; }
  int pid() const { return child_->pid(); }
  const RunJournal& journal() const { return journal_; }

  // Closes its input, waits, SIGTERM, SIGKILL, always for the whole tree.
  // Requests that are open end as died. Returns when the tree is gone.
  static Task<void> close(std::shared_ptr<Connection> self);

 private:
  struct Pending {
    explicit Pending(asio::io_context& loop) : done(loop) {}
    OneShot<Answer> done;
    std::function<void(const json::object&)> progress;
    SteadyTime last_sign;
    bool written = false;
  };
  struct Outgoing {
    std::string text;
    std::shared_ptr<Pending> pending;
  };

  Connection(asio::io_context& loop, std::unique_ptr<ChildProcess> child,
             Secrets secrets);

  static Task<void> read_messages(std::shared_ptr<Connection> self);
  static Task<void> read_errors(std::shared_ptr<Connection> self);
  static Task<void> write_messages(std::shared_ptr<Connection> self);
  static Task<void> watch_exit(std::shared_ptr<Connection> self);
  // Ends the run with this reason, unless a better one comes at once.
  static Task<void> end_soon(std::shared_ptr<Connection> self,
                             std::string reason);

  void take_lines();
  void take_cut_line(const LineSplitter::Line& line);
  void take(Message& message);
  void take_reply(Message& message);
  void take_progress(const json::object& params);
  void send(std::string text, std::shared_ptr<Pending> pending);
  void forget(std::int64_t id, std::string_view reason);
  void end(std::string reason);

  asio::io_context& loop_;
  std::unique_ptr<ChildProcess> child_;
  RunJournal journal_;
  LineSplitter lines_;
  json::object meta_;
  std::map<std::int64_t, std::shared_ptr<Pending>> pending_;
  // Requests that are over; their late answers are no noise.
  std::set<std::int64_t> forgotten_;
  std::deque<Outgoing> queue_;
  std::size_t queued_bytes_ = 0;
  asio::steady_timer wake_writer_;
  OneShot<bool> out_ended_;
  OneShot<bool> over_;  // end() was called
  OneShot<ExitStatus> exit_;
  SteadyTime last_output_;
  std::int64_t next_id_ = 1;
  bool ended_ = false;
  bool ending_ = false;  // end_soon() waits
  bool closing_ = false;
  std::string end_reason_;
};

}  // namespace toolhost::mcp
