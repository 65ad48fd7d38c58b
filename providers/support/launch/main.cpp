// toolhost-launch [--sandbox] PROGRAM ARGV0 [ARG…]: runs one command and keeps
// hold of everything that it starts.
//
// Contract with the daemon (support/child_spawn.cpp): 0-2 are the streams of
// the command, 3 is the status pipe, 4 the plan with --sandbox, and nothing
// else is open; environment and working folder are the command's; every signal
// is blocked and has its default disposition; the death of the daemon arrives
// as SIGTERM.
//
// It is a child subreaper: whoever loses its parent below it becomes its own
// child. It ends when it has no child left, so its end means that the whole
// tree is gone. SIGTERM means: end all of them, then yourself.
//
// With namespaces there are two of us: the supervisor stays outside, where the
// daemon finds it; the first process inside makes the sandbox, confines itself
// and starts the command.
#include "providers/support/launch/command.hpp"
#include "providers/support/launch/confine.hpp"
#include "providers/support/launch/covers.hpp"
#include "providers/support/launch/prove.hpp"
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

constexpr int kKilled = kSigKill;  // as a raw wait status

int failed(const Failure& failure) {
  report(failure);
  return 1;
}

int run_here(const Command& command, const char* plan) {
  if (plan) {
    if (const Failure failure = confine(plan)) return failed(failure);
  }
  const Started started = start(command);
  if (started.failure) return failed(started.failure);
  // First of all: the command may stop us.
  report(Event::started, started.pid);
  let_go_of_streams();
  supervise(started.pid);
  return 0;
}

// The first process inside; its end is not seen as anything but an end.
int run_inside(const Command& command, const char* plan, Ids ids) {
  call(__NR_prctl, PR_SET_PDEATHSIG, kSigKill);
  if (const Failure failure = settle_inside(plan, ids)) return failed(failure);
  if (const Failure failure = confine(plan)) return failed(failure);
  call(__NR_prctl, PR_SET_DUMPABLE, 0);
  const Started started = start(command);
  if (started.failure) return failed(started.failure);
  // First of all: the command may stop us.
  report(Event::started, started.pid);
  let_go_of_streams();
  supervise_inside(started.pid);
  return 0;
}

int run_contained(const Command& command, const char* plan) {
  if (const Failure failure = make_covers(plan)) {
    remove_covers(plan);
    return failed(failure);
  }
  const Ids ids = own_ids();
  const long first = clone_inside(PlanReader::header(plan));
  if (first == 0) end_process(run_inside(command, plan, ids));
  if (first < 0) {
    remove_covers(plan);
    return failed(check(first, Step::namespaces));
  }
  report(Event::inside, static_cast<int>(first));
  call(__NR_prctl, PR_SET_DUMPABLE, 0);
  let_go_of_streams();
  // Killed, it could not tell how the command ended; a second word is ignored.
  if (!await_inside(static_cast<int>(first))) report(Event::exited, kKilled);
  remove_covers(plan);
  return 0;
}

int launch(int argc, char** argv, char** envp) {
  if (argc < 3) return 2;
  if (same_text(argv[1], "--prove")) return prove(argv[2]);
  if (call(__NR_fcntl, kStatusFd, kSetFdFlags, kFdCloseOnExec) != 0) return 2;
  const char* plan = nullptr;
  if (same_text(argv[1], kPlanFlag)) {
    if (argc < 4) return 2;
    plan = read_plan();
    if (!plan) return failed({Step::read_plan, kErrInvalid, 0});
    ++argv;
  }
  if (const long no = call(__NR_prctl, PR_SET_CHILD_SUBREAPER, 1); no != 0) {
    return failed(check(no, Step::execute));
  }
  // The command runs as the same user: it must not write in our status pipe
  // through ptrace or /proc/PID/fd. Whoever makes namespaces has to write in
  // its own /proc first.
  const bool inside = plan && PlanReader::header(plan).wants & kNamespaces;
  if (!inside) call(__NR_prctl, PR_SET_DUMPABLE, 0);
  call(__NR_setsid);
  const Command command = {argv[1], argv + 2, envp};
  return inside ? run_contained(command, plan) : run_here(command, plan);
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
