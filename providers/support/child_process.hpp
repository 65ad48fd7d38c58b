// ChildProcess: the one way to start a program, and to end all of it.
//
// Every child runs under a small static supervisor (toolhost-launch) that is a
// child subreaper: whatever the command forks, detaches or double-forks stays
// below the supervisor, so that the whole tree can be found and ended. The
// command gets its own session without a terminal, default signals, no other
// descriptors, and exactly the environment given here. In a sandbox with a PID
// namespace the kernel itself holds the tree: nothing can leave it.
//
// Loop thread only.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/error.hpp"
#include "providers/support/sandbox_profile.hpp"
#include "providers/support/task.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

struct ProcessSpec {
  // argv[0] is an absolute path, or a name looked up in the PATH of `env`.
  std::vector<std::string> argv;
  // "NAME=value", the whole environment.
  std::vector<std::string> env;
  // Opened by the caller (already checked), or by name when there is none.
  std::string cwd;
  int cwd_fd = -1;
  // false: standard input is /dev/null.
  bool stdin_pipe = false;
  // true: both streams arrive through one pipe, in the order written.
  bool merge_stderr = false;
  // Added to our own niceness: what reads a whole tree must not take the
  // processor from the loop, which serves everybody.
  int nice = 0;
  // Null: unconfined. With a sandbox, TMPDIR follows it.
  SharedSandbox sandbox;
};

struct ExitStatus {
  int code = 0;    // when signal is 0
  int signal = 0;  // the signal that ended it
  bool success() const { return code == 0 && signal == 0; }
};

class ChildProcess {
 public:
  // Fails with the system's words when the program cannot be started.
  static Result<std::unique_ptr<ChildProcess>> spawn(asio::io_context& loop,
                                                     const ProcessSpec& spec);
  // Ends the tree (SIGKILL) if it still lives; does not wait.
  ~ChildProcess();

  // The pid of the command itself; 0 if a confined one ended at once.
  int pid() const;

  // Appends what is there to `out` (at most 64 KiB a turn). False at end of
  // file. Returns early with true and nothing added at interrupt_reads(),
  // which wakes only who waits at that moment: look at your state first.
  Task<bool> read_out(std::string& out);
  Task<bool> read_err(std::string& out);
  void interrupt_reads();

  // Writes all of it, or fails (the child closed its end, or ended).
  Task<Result<void>> write_in(std::string bytes);
  void close_in();

  // Returns when the command itself has ended, whatever its children do.
  Task<ExitStatus> wait();
  std::optional<ExitStatus> exited() const;

  // Living descendants, the command included while it lives, the first process
  // of a sandbox not.
  std::vector<int> living() const;

  // SIGTERM to every descendant, SIGKILL after `grace` until none is left.
  // True when the tree is gone; false if something could not be ended within
  // grace + 5 s (it is logged).
  Task<bool> end_tree(std::chrono::milliseconds grace);
  // SIGKILL to every descendant now; end_tree makes sure.
  void kill_tree();

  // For a tree that goes on after its command: what it still writes is read
  // and thrown away (at most about 1 MiB/s), so that it never blocks, and
  // `when_gone` is called once, when nothing is left (it may destroy this
  // object). Nobody may be reading.
  void release(std::function<void()> when_gone);

 private:
  struct State;
  explicit ChildProcess(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// The environment of children: an allow list from our own environment (PATH,
// HOME, USER, LOGNAME, SHELL, TMPDIR, LANG, LC_*, TZ, XDG_CACHE_HOME,
// XDG_CONFIG_HOME, XDG_DATA_HOME, and `extra` names), TERM=dumb, NO_COLOR=1,
// and git, pagers, editors and password prompts made unable to wait for a
// person. No token, socket or agent variable gets in.
std::vector<std::string> child_environment(
    const std::vector<std::string>& extra = {});

}  // namespace toolhost
