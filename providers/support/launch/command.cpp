#include "providers/support/launch/command.hpp"

#include "providers/support/launch/children.hpp"
#include "providers/support/launch/system.hpp"

namespace toolhost::launch {
namespace {

using SignalSet = std::uint64_t;
constexpr SignalSet bit(int signal) { return SignalSet{1} << (signal - 1); }

// Between two rounds of killing: a process that cannot die now (in a system
// call) must not make us spin. 10 ms.
struct KernelTime {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 10'000'000;
};

void send(const Message& message) {
  long done;
  do {
    done = call(__NR_write, kStatusFd, address(&message), sizeof message);
  } while (done == -kErrIntr);
}

long await_signal(SignalSet awaited, const KernelTime* timeout) {
  return call(__NR_rt_sigtimedwait, address(&awaited), 0, address(timeout),
              sizeof awaited);
}

}  // namespace

void report(Event event, int value) { send(Message{event, value}); }

void report(const Failure& failure) {
  send(Message{Event::failed, failure.number, failure.step, failure.record});
}

[[gnu::noinline]] Started start(const Command& command) {
  volatile int failure = 0;
  const volatile int self = process_id();
  const long pid = vfork_child();
  if (pid == 0) {
    call(__NR_setsid);
    // Without its supervisor a command would be out of reach.
    call(__NR_prctl, PR_SET_PDEATHSIG, kSigKill);
    if (call(__NR_getppid) != self) end_process(127);
    const SignalSet none = 0;
    call(__NR_rt_sigprocmask, kSigSetMask, address(&none), 0, sizeof none);
    failure =
        static_cast<int>(-call(__NR_execve, address(command.program),
                               address(command.argv), address(command.envp)));
    end_process(127);
  }
  Started out;
  out.pid = static_cast<int>(pid);
  out.failure.number = pid < 0 ? static_cast<int>(-pid) : failure;
  return out;
}

void let_go_of_streams() {
  for (int fd = 0; fd < kStatusFd; ++fd) close_fd(fd);
  call(__NR_chdir, address("/"));
}

bool reap(int& command) {
  for (;;) {
    int status = 0;
    const long pid =
        call(__NR_wait4, -1, address(&status), kWaitNoHang | kWaitAll, 0);
    if (pid == 0) return true;
    if (pid < 0) return pid != -kErrChild;
    if (pid == command) {
      report(Event::exited, status);
      command = -1;
    }
  }
}

void supervise(int command) {
  const KernelTime pause;
  bool ending = false;
  while (reap(command)) {
    if (ending) kill_children(command);
    const long signal =
        await_signal(bit(kSigChld) | bit(kSigTerm), ending ? &pause : nullptr);
    if (signal == kSigTerm) ending = true;
  }
}

// SIGTERM is for the commands: the supervisor outside ends us otherwise.
void supervise_inside(int command) {
  while (reap(command)) await_signal(bit(kSigChld), nullptr);
}

bool await_inside(int first) {
  for (;;) {
    int status = 0;
    const long pid =
        call(__NR_wait4, first, address(&status), kWaitNoHang | kWaitAll, 0);
    if (pid == first) return status == 0;
    if (pid < 0) return false;
    const long signal = await_signal(bit(kSigChld) | bit(kSigTerm), nullptr);
    // With it the kernel kills everything in its namespace.
    if (signal == kSigTerm) send_signal(first, kSigKill);
  }
}

}  // namespace toolhost::launch
