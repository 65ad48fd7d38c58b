// toolhost-launch PROGRAM ARGV0 [ARG…]: runs one command and keeps hold of
// everything that it starts.
//
// Contract with the daemon (support/child_spawn.cpp): 0-2 are the streams of
// the command, 3 is the status pipe and nothing else is open; environment and
// working folder are the command's; every signal is blocked and has its
// default disposition; the death of the daemon arrives as SIGTERM.
//
// It is a child subreaper: whoever loses its parent below it becomes its own
// child. It ends when it has no child left, so its end means that the whole
// tree is gone. SIGTERM means: end all of them, then yourself.
#include "providers/support/launch/children.hpp"
#include "providers/support/launch/message.hpp"
#include "providers/support/launch/system.hpp"

// The compiler may call these for what looks like a loop of theirs.
extern "C" void* memset(void* to, int value, std::size_t size) {
  auto* at = static_cast<volatile char*>(to);
  while (size-- > 0) *at++ = static_cast<char>(value);
  return to;
}
extern "C" void* memcpy(void* to, const void* from, std::size_t size) {
  auto* at = static_cast<volatile char*>(to);
  const auto* source = static_cast<const char*>(from);
  while (size-- > 0) *at++ = *source++;
  return to;
}

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

// A daemon that is gone cannot be told anything: failures do not matter.
void report(Event event, int value) {
  const Message message{event, value};
  long done;
  do {
    done = call(__NR_write, kStatusFd, address(&message), sizeof message);
  } while (done == -kErrIntr);
}

struct Started {
  int pid = -1;
  int failure = 0;  // an errno
};

[[gnu::noinline]] Started start(const char* program, char** argv, char** envp) {
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
    failure = static_cast<int>(
        -call(__NR_execve, address(program), address(argv), address(envp)));
    end_process(127);
  }
  Started out;
  out.pid = static_cast<int>(pid);
  out.failure = pid < 0 ? static_cast<int>(-pid) : failure;
  return out;
}

// Waits for whoever has ended. False when there is no child left.
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
  const SignalSet awaited = bit(kSigChld) | bit(kSigTerm);
  const KernelTime pause;
  bool ending = false;
  while (reap(command)) {
    if (ending) kill_children(command);
    const long signal = call(__NR_rt_sigtimedwait, address(&awaited), 0,
                             ending ? address(&pause) : 0, sizeof awaited);
    if (signal == kSigTerm) ending = true;
  }
}

int launch(int argc, char** argv, char** envp) {
  if (argc < 3) return 2;
  if (call(__NR_fcntl, kStatusFd, kSetFdFlags, kFdCloseOnExec) != 0) return 2;
  if (const long no = call(__NR_prctl, PR_SET_CHILD_SUBREAPER, 1); no != 0) {
    report(Event::failed, static_cast<int>(-no));
    return 1;
  }
  // The command runs as the same user: it must not write in our status pipe
  // through ptrace or /proc/PID/fd.
  call(__NR_prctl, PR_SET_DUMPABLE, 0);
  call(__NR_setsid);
  const Started started = start(argv[1], argv + 2, envp);
  if (started.failure != 0) {
    report(Event::failed, started.failure);
    return 1;
  }
  // The command's pipes have to end with the command, and its folder must not
  // be kept busy by us.
  for (int fd = 0; fd < kStatusFd; ++fd) close_fd(fd);
  call(__NR_chdir, address("/"));
  report(Event::started, started.pid);
  supervise(started.pid);
  return 0;
}

}  // namespace
}  // namespace toolhost::launch

// The kernel starts us here with argc, argv, a null, and the environment on
// the stack.
extern "C" [[noreturn, gnu::used]] void launch_from_stack(long* stack) {
  const int argc = static_cast<int>(stack[0]);
  auto** argv = reinterpret_cast<char**>(stack + 1);
  toolhost::launch::end_process(
      toolhost::launch::launch(argc, argv, argv + argc + 1));
}

#if defined(__x86_64__)
asm(".globl _start\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call launch_from_stack\n");
#else
asm(".globl _start\n"
    "_start:\n"
    "  mov x29, xzr\n"
    "  mov x0, sp\n"
    "  bl launch_from_stack\n");
#endif
