// More than 400 lines because the state of a child and the handlers that share
// it cannot be told apart: its end is the end of the last of them.
#include "providers/support/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <boost/process/v2/process.hpp>
#include <cstring>

#include "protocol/clock.hpp"
#include "providers/support/child_spawn.hpp"
#include "providers/support/launch/message.hpp"
#include "providers/support/log.hpp"
#include "providers/support/one_shot.hpp"
#include "providers/support/process_tree.hpp"
#include "providers/support/strays.hpp"

namespace toolhost {
namespace {

using asio::posix::stream_descriptor;
using std::chrono::milliseconds;

// One turn of a reader; all readers share the buffer, on the loop thread.
constexpr std::size_t kReadBytes = 64 * 1024;
// 64 KiB each time: about 1.3 MiB/s.
constexpr milliseconds kDiscardPause{50};
// How often the signals are repeated while a tree is being ended.
constexpr milliseconds kRepeatKill{20};
constexpr milliseconds kRepeatStrays{5};
constexpr milliseconds kGiveUp{5000};
// A supervisor that only has to kill and to reap is done long before.
constexpr milliseconds kSupervisorPatience{1000};

ExitStatus to_exit_status(int raw) {
  ExitStatus out;
  if (WIFSIGNALED(raw)) {
    out.signal = WTERMSIG(raw);
  } else {
    out.code = WEXITSTATUS(raw);
  }
  return out;
}

// Once in the life of the process that starts children.
void prepare_process() {
  static const bool done = [] {
    // A child that closed its end must not end us.
    struct sigaction now = {};
    ::sigaction(SIGPIPE, nullptr, &now);
    if (now.sa_handler == SIG_DFL) ::signal(SIGPIPE, SIG_IGN);
    // Orphans of a supervisor that was killed come to us, not to init.
    adopt_orphans();
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

// Shared by the object and the handlers that are waiting: it lives until the
// supervisor was reaped, which ends the last handler.
struct ChildProcess::State : std::enable_shared_from_this<State> {
  State(asio::io_context& context, Launched launched, UniqueFd pidfd_copy,
        UniqueFd handle_fd)
      : loop(context),
        supervisor(launched.supervisor),
        command(launched.command),
        inside(launched.inside),
        pidfd(std::move(launched.pidfd)),
        in(context),
        out(context),
        err(context),
        status(context),
        ended(context, pidfd_copy.release()),
        handle(context.get_executor(), launched.supervisor,
               handle_fd.release()),
        exit(context),
        stray_timer(context),
        discard_timer(context) {
    adopt(in, launched.in);
    adopt(out, launched.out);
    adopt(err, launched.err);
    adopt(status, launched.status);
    if (launched.exited) exit.set(to_exit_status(*launched.exited));
    ProcessFacts facts;
    if (read_process(supervisor, facts)) start_time = facts.start_time;
    add_supervisor(supervisor);
  }

  static void adopt(stream_descriptor& stream, UniqueFd& fd) {
    if (fd) stream.assign(fd.release());
  }
  static void close(stream_descriptor& stream) {
    boost::system::error_code ignored;
    stream.close(ignored);
  }

  void watch() {
    watch_status();
    watch_supervisor();
  }

  // Boost's own async_wait calls a blocking waitpid when the pidfd was readable
  // once, and the reactor may hand us an event of the descriptor that had this
  // number before: then the loop would stand still until this child ends. So
  // the handle is asked, and waited for again.
  void watch_supervisor() {
    ended.async_wait(stream_descriptor::wait_read,
                     [self = shared_from_this()](auto error) {
                       if (error) return;
                       int raw = 0;
                       boost::system::error_code failed;
                       if (self->handle.running(raw, failed)) {
                         return self->watch_supervisor();
                       }
                       close(self->ended);
                       self->on_supervisor_end(failed ? SIGKILL : raw);
                     });
  }

  void watch_status() {
    status.async_wait(stream_descriptor::wait_read,
                      [self = shared_from_this()](auto error) {
                        if (!error && self->read_status()) {
                          self->watch_status();
                        }
                      });
  }

  // False when nothing more will come.
  bool read_status() {
    launch::Message message{};
    while (status.is_open() && !exit.ready()) {
      const ssize_t size =
          ::read(status.native_handle(), &message, sizeof message);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
      if (size != static_cast<ssize_t>(sizeof message)) return false;
      if (message.event == launch::Event::exited) {
        exit.set(to_exit_status(message.value));
      }
    }
    return false;
  }

  void on_supervisor_end(int raw) {
    read_status();
    remove_supervisor(supervisor);
    supervisor_ended = true;
    if (raw == 0 && exit.ready()) return on_gone();
    // Somebody killed it, perhaps the command itself (kill -9 $PPID).
    log_warn("a supervisor was killed; ending what it held pid=" +
             std::to_string(command));
    stray_deadline = std::chrono::steady_clock::now() + kGiveUp;
    end_strays();
  }

  void end_strays() {
    if (!kill_strays(start_time)) return on_gone();
    if (std::chrono::steady_clock::now() > stray_deadline) {
      log_error("processes of a killed supervisor could not be ended pid=" +
                std::to_string(command));
      return on_gone();
    }
    stray_timer.expires_after(kRepeatStrays);
    stray_timer.async_wait([self = shared_from_this()](auto error) {
      if (!error) self->end_strays();
    });
  }

  void on_gone() {
    gone = true;
    pidfd.reset();
    close(status);
    give_up_on_exit();
    for (asio::steady_timer* timer : waiters) timer->cancel();
    if (const auto told = std::exchange(when_gone, nullptr)) told();
  }

  // One read, a pause, and again: a chatty process cannot keep us busy.
  void discard() {
    if (!out.is_open()) return;
    out.async_wait(stream_descriptor::wait_read,
                   [self = shared_from_this()](auto error) {
                     if (!error && self->read_now(self->out, nullptr)) {
                       self->pause_discard();
                     }
                   });
  }

  void pause_discard() {
    discard_timer.expires_after(kDiscardPause);
    discard_timer.async_wait([self = shared_from_this()](auto error) {
      if (!error) self->discard();
    });
  }

  // False at the end.
  bool read_now(stream_descriptor& stream, std::string* to) {
    static std::array<char, kReadBytes> buffer;
    if (!stream.is_open()) return false;
    const ssize_t size =
        ::read(stream.native_handle(), buffer.data(), buffer.size());
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (size <= 0) {
      close(stream);
      return false;
    }
    if (to) to->append(buffer.data(), static_cast<std::size_t>(size));
    return true;
  }

  // For a command whose end nobody can tell any more.
  void give_up_on_exit() {
    ExitStatus killed;
    killed.signal = SIGKILL;
    exit.set(killed);
  }

  std::vector<pid_t> living() const {
    if (supervisor_ended) return {};
    std::vector<pid_t> found = descendants(supervisor);
    std::erase(found, inside);
    return found;
  }

  void signal_supervisor(int signal) {
    if (!pidfd || supervisor_ended) return;
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0);
  }

  void signal_tree(int signal) {
    if (supervisor_ended) return;
    signal_descendants(supervisor, signal);
    // A stopped process hears nothing but SIGKILL.
    if (signal == SIGTERM) signal_descendants(supervisor, SIGCONT);
  }

  void kill_tree() {
    if (supervisor_ended) return;
    signal_supervisor(SIGTERM);
    signal_supervisor(SIGCONT);
    signal_tree(SIGKILL);
  }

  asio::io_context& loop;
  pid_t supervisor;
  pid_t command;
  pid_t inside;  // 0 without namespaces
  UniqueFd pidfd;
  stream_descriptor in;
  stream_descriptor out;
  stream_descriptor err;
  stream_descriptor status;
  stream_descriptor ended;  // readable when the supervisor has ended
  boost::process::v2::basic_process_handle<asio::any_io_executor> handle;
  OneShot<ExitStatus> exit;
  // Timers of those who wait for `gone`.
  std::vector<asio::steady_timer*> waiters;
  asio::steady_timer stray_timer;
  asio::steady_timer discard_timer;
  std::function<void()> when_gone;
  SteadyTime stray_deadline;
  std::uint64_t start_time = 0;
  bool supervisor_ended = false;
  bool discarding = false;
  bool gone = false;

  // Returns when the tree is gone or at `deadline`.
  static Task<bool> gone_until(std::shared_ptr<State> state,
                               SteadyTime deadline) {
    asio::steady_timer timer(state->loop, deadline);
    state->waiters.push_back(&timer);
    while (!state->gone && std::chrono::steady_clock::now() < deadline) {
      co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    std::erase(state->waiters, &timer);
    co_return state->gone;
  }

  static Task<bool> read_from(std::shared_ptr<State> state,
                              stream_descriptor& stream, std::string& out) {
    if (!stream.is_open()) co_return false;
    const auto [error] = co_await stream.async_wait(
        stream_descriptor::wait_read, asio::as_tuple(asio::use_awaitable));
    if (error == asio::error::operation_aborted) co_return true;
    if (error) co_return false;
    co_return state->read_now(stream, &out);
  }
};

ChildProcess::ChildProcess(std::shared_ptr<State> state)
    : state_(std::move(state)) {}

Result<std::unique_ptr<ChildProcess>> ChildProcess::spawn(
    asio::io_context& loop, const ProcessSpec& spec) {
  prepare_process();
  Result<Launched> launched = launch_command(spec);
  if (!launched) return launched.error();
  // Boost's handle owns a pidfd of its own, and so does the reactor.
  UniqueFd handle_fd(::fcntl(launched->pidfd.get(), F_DUPFD_CLOEXEC, 0));
  UniqueFd pidfd_copy(::fcntl(launched->pidfd.get(), F_DUPFD_CLOEXEC, 0));
  const pid_t supervisor = launched->supervisor;
  try {
    if (!handle_fd || !pidfd_copy) {
      throw boost::system::system_error(errno, boost::system::system_category(),
                                        "dup");
    }
    auto state =
        std::make_shared<State>(loop, std::move(*launched),
                                std::move(pidfd_copy), std::move(handle_fd));
    state->watch();
    return std::unique_ptr<ChildProcess>(new ChildProcess(std::move(state)));
  } catch (const boost::system::system_error& error) {
    // No descriptors or no memory for the reactor: take the start back.
    ::kill(supervisor, SIGTERM);
    ::waitpid(supervisor, nullptr, 0);
    remove_supervisor(supervisor);
    return system_error("Cannot watch " + spec.argv[0], error.code().value());
  }
}

ChildProcess::~ChildProcess() {
  state_->when_gone = nullptr;
  state_->discard_timer.cancel();
  if (!state_->gone) state_->kill_tree();
  State::close(state_->in);
  State::close(state_->out);
  State::close(state_->err);
}

int ChildProcess::pid() const { return state_->command; }

Task<bool> ChildProcess::read_out(std::string& out) {
  return State::read_from(state_, state_->out, out);
}

Task<bool> ChildProcess::read_err(std::string& out) {
  return State::read_from(state_, state_->err, out);
}

void ChildProcess::interrupt_reads() {
  boost::system::error_code ignored;
  state_->out.cancel(ignored);
  state_->err.cancel(ignored);
}

Task<Result<void>> ChildProcess::write_in(std::string bytes) {
  const auto state = state_;
  const std::string what = "Cannot write to the standard input of process " +
                           std::to_string(state->command);
  if (!state->in.is_open()) co_return system_error(what, EBADF);
  const auto buffer = asio::buffer(bytes);
  const auto [error, size] = co_await asio::async_write(
      state->in, buffer, asio::as_tuple(asio::use_awaitable));
  if (error) co_return system_error(what, error.value());
  co_return Result<void>();
}

void ChildProcess::close_in() { State::close(state_->in); }

Task<ExitStatus> ChildProcess::wait() {
  const auto state = state_;
  co_await state->exit.wait();
  co_return state->exit.value();
}

std::optional<ExitStatus> ChildProcess::exited() const {
  if (!state_->exit.ready()) return std::nullopt;
  return state_->exit.value();
}

std::vector<int> ChildProcess::living() const { return state_->living(); }

void ChildProcess::release(std::function<void()> when_gone) {
  state_->when_gone = std::move(when_gone);
  if (!std::exchange(state_->discarding, true)) state_->discard();
  // Also when it is gone already: never from inside this call.
  if (state_->gone) {
    asio::post(state_->loop, [state = state_] {
      if (const auto told = std::exchange(state->when_gone, nullptr)) told();
    });
  }
}

void ChildProcess::kill_tree() { state_->kill_tree(); }

Task<bool> ChildProcess::end_tree(std::chrono::milliseconds grace) {
  const auto state = state_;
  const SteadyTime start = std::chrono::steady_clock::now();
  if (!state->gone) state->signal_tree(SIGTERM);
  if (co_await State::gone_until(state, start + grace)) co_return true;
  const SteadyTime killed = std::chrono::steady_clock::now();
  for (SteadyTime now = killed; now < killed + kGiveUp;
       now = std::chrono::steady_clock::now()) {
    state->kill_tree();
    // It may be stopped or traced: then its tree is ended without it.
    if (now > killed + kSupervisorPatience &&
        descendants(state->supervisor).empty()) {
      state->signal_supervisor(SIGKILL);
    }
    if (co_await State::gone_until(state, now + kRepeatKill)) co_return true;
  }
  log_error(
      "processes could not be ended pid=" + std::to_string(state->command) +
      " left=" + std::to_string(descendants(state->supervisor).size()));
  state->give_up_on_exit();
  co_return false;
}

}  // namespace toolhost
