#include "providers/support/child_spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "providers/support/child_program.hpp"
#include "providers/support/launch/message.hpp"
#include "providers/support/launch/plan.hpp"
#include "providers/support/process_tree.hpp"
#include "providers/support/sandbox_plan.hpp"
#include "providers/support/sandbox_steps.hpp"

namespace toolhost {
namespace {

using launch::Event;
using launch::Message;

// A start takes 0.4 ms; this is only there so that the loop never hangs.
constexpr int kStartTimeoutMs = 5000;
constexpr int kWakeMs = 50;
// The child moves its descriptors to 0-4: the sources have to be above.
constexpr int kFirstFreeFd = 10;

// Everything that the child needs, made before vfork: between vfork and exec
// there are only system calls.
struct Plan {
  const char* launcher = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  // Become 0, 1, 2, the status pipe and the sandbox's plan, if there is one.
  int streams[5] = {-1, -1, -1, -1, -1};
  int cwd_fd = -1;
  const char* cwd = nullptr;
  pid_t parent = -1;
  int priority = 0;  // as setpriority(2)
  // Written by the child, which shares our memory until it executes.
  volatile int failure = 0;
  const char* volatile step = "";
};

#define TOOLHOST_NO_SANITIZE \
  __attribute__((no_sanitize("address"), no_sanitize("undefined"), noinline))

TOOLHOST_NO_SANITIZE void fail_in_child(Plan& plan, const char* step) {
  plan.failure = errno;
  plan.step = step;
  ::_exit(127);
}

TOOLHOST_NO_SANITIZE void become_launcher(Plan& plan) {
  // Handlers do not survive exec, but ignored signals do.
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  for (int signal = 1; signal <= 64; ++signal) {
    ::sigaction(signal, &by_default, nullptr);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != plan.parent) ::_exit(127);
  // Less is always allowed; that it fails would be no reason to run nothing.
  ::setpriority(PRIO_PROCESS, 0, plan.priority);
  if (plan.cwd_fd >= 0) {
    if (::fchdir(plan.cwd_fd) != 0) fail_in_child(plan, "enter the folder");
  } else if (plan.cwd) {
    if (::chdir(plan.cwd) != 0) fail_in_child(plan, "enter the folder");
  }
  unsigned count = 0;
  for (; count < 5 && plan.streams[count] >= 0; ++count) {
    if (::dup2(plan.streams[count], static_cast<int>(count)) < 0) {
      fail_in_child(plan, "pass the pipes");
    }
  }
  // The table of descriptors is the child's own copy: ours stay open.
  if (::syscall(SYS_close_range, count, ~0U, 0U) != 0) {
    fail_in_child(plan, "close the other descriptors");
  }
  ::execve(plan.launcher, plan.argv, plan.envp);
  fail_in_child(plan, "execute the supervisor");
}

// vfork, because fork copies page tables: 17 ms at 500 MB. All signals are
// blocked meanwhile, or a handler of ours could run in the child, in our
// memory; the supervisor wants them blocked anyway.
TOOLHOST_NO_SANITIZE pid_t vfork_launcher(Plan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::vfork();
  if (pid == 0) become_launcher(plan);
  const int saved = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = saved;
  return pid;
}

// As with dup: the smallest free number from kFirstFreeFd on.
UniqueFd lifted(UniqueFd fd) {
  if (!fd || fd.get() >= kFirstFreeFd) return fd;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstFreeFd));
}

struct Pipe {
  UniqueFd ours;
  UniqueFd theirs;
};

// False (errno is set) when there are no descriptors left.
bool open_pipe(Pipe& out, bool we_read) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  out.ours = UniqueFd(ends[we_read ? 0 : 1]);
  out.theirs = lifted(UniqueFd(ends[we_read ? 1 : 0]));
  return out.theirs && ::fcntl(out.ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

struct Streams {
  Pipe in;
  Pipe out;
  Pipe err;
  Pipe status;
};

bool open_streams(const ProcessSpec& spec, Streams& out) {
  if (spec.stdin_pipe) {
    if (!open_pipe(out.in, false)) return false;
  } else {
    out.in.theirs = lifted(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
    if (!out.in.theirs) return false;
  }
  if (!open_pipe(out.out, true) || !open_pipe(out.status, true)) return false;
  return spec.merge_stderr || open_pipe(out.err, true);
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const std::string& text : strings) {
    out.push_back(const_cast<char*>(text.c_str()));
  }
  out.push_back(nullptr);
  return out;
}

Error start_error(const std::string& program, int number) {
  return system_error("Cannot start " + program, number);
}

bool has_namespaces(const std::string& sandbox) {
  return !sandbox.empty() &&
         launch::PlanReader::header(sandbox.data()).wants & launch::kNamespaces;
}

// What the supervisor said. With namespaces two processes speak, in any order.
struct Answer {
  pid_t command = 0;
  pid_t inside = 0;
  std::optional<int> exited;
};

// SIGTERM: a supervisor that lives cleans up first.
void reap(pid_t pid, int signal) {
  ::kill(pid, signal);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// False when there is nothing to read: it died or is stuck. A command may have
// stopped its supervisor before that could say a word: it is woken.
bool read_message(int status, pid_t supervisor, Message& out, bool& in_time) {
  pollfd waited{status, POLLIN, 0};
  int ready = 0;
  for (int left = kStartTimeoutMs; ready == 0 && left > 0; left -= kWakeMs) {
    do {
      ready = ::poll(&waited, 1, kWakeMs);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) ::kill(supervisor, SIGCONT);
  }
  in_time = ready > 0;
  return in_time &&
         ::read(status, &out, sizeof out) == static_cast<ssize_t>(sizeof out);
}

// A supervisor that failed is reaped.
Result<Answer> await_start(int status, pid_t supervisor,
                           const std::string& program,
                           const std::string& sandbox) {
  Answer out;
  const bool two = has_namespaces(sandbox);
  while (out.command == 0 || (two && out.inside == 0)) {
    Message message{};
    bool in_time = true;
    if (!read_message(status, supervisor, message, in_time)) {
      reap(supervisor, SIGKILL);
      return make_error(Code::internal,
                        "Cannot start " + program +
                            ": its supervisor (toolhost-launch) " +
                            (in_time ? "died." : "did not answer."),
                        "Run `toolhost doctor`.");
    }
    if (message.event == Event::failed) {
      reap(supervisor, SIGTERM);
      return start_failure(program, message, sandbox);
    }
    if (message.event == Event::started) out.command = message.value;
    if (message.event == Event::inside) out.inside = message.value;
    if (message.event == Event::exited) out.exited = message.value;
  }
  return out;
}

Error plan_error(const Plan& plan, const std::string& program,
                 const ProcessSpec& spec) {
  const std::string where = spec.cwd.empty() ? "" : " " + spec.cwd;
  return system_error(
      "Cannot start " + program + " (to " + plan.step +
          (plan.step == std::string_view("enter the folder") ? where
                                                             : std::string()) +
          ")",
      plan.failure);
}

Result<Launched> started(pid_t supervisor, Streams& streams,
                         const std::string& program,
                         const std::string& sandbox) {
  Launched out;
  out.supervisor = supervisor;
  out.pidfd =
      UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, supervisor, 0)));
  const int number = errno;
  if (!out.pidfd) {
    reap(supervisor, SIGKILL);
    return start_error(program, number);
  }
  const Result<Answer> answer =
      await_start(streams.status.ours.get(), supervisor, program, sandbox);
  if (!answer) return answer.error();
  out.command = answer->command;
  out.inside = answer->inside;
  out.exited = answer->exited;
  // It told the pid that its own namespace counts.
  if (out.inside > 0) {
    const std::vector<pid_t> children = direct_children(out.inside);
    out.command = children.empty() ? 0 : children.front();
  }
  out.status = std::move(streams.status.ours);
  out.in = std::move(streams.in.ours);
  out.out = std::move(streams.out.ours);
  out.err = std::move(streams.err.ours);
  return out;
}

// The plan of a sandbox as the supervisor reads it: a file without a name.
Result<UniqueFd> plan_file(const std::string& bytes) {
  UniqueFd out =
      lifted(UniqueFd(::memfd_create("toolhost-sandbox", MFD_CLOEXEC)));
  if (!out || ::write(out.get(), bytes.data(), bytes.size()) !=
                  static_cast<ssize_t>(bytes.size())) {
    return system_error("Cannot pass the plan of a sandbox", errno);
  }
  return out;
}

// Programs have to look for temporary files where the sandbox has them.
std::vector<std::string> environment_of(const ProcessSpec& spec) {
  std::vector<std::string> out = spec.env;
  if (!spec.sandbox || !spec.sandbox->own_tmp) return out;
  std::erase_if(out, [](const std::string& entry) {
    return entry.starts_with("TMPDIR=") || entry.starts_with("TMP=") ||
           entry.starts_with("TEMP=");
  });
  const SandboxProfile& profile = *spec.sandbox;
  if (profile.strength != SandboxStrength::full &&
      !profile.tmp_folder.empty()) {
    out.push_back("TMPDIR=" + profile.tmp_folder);
  }
  return out;
}

std::vector<std::string> arguments_of(const ProcessSpec& spec,
                                      const std::string& launcher,
                                      const std::string& program) {
  std::vector<std::string> out{launcher};
  if (spec.sandbox) out.emplace_back(launch::kPlanFlag);
  out.push_back(program);
  out.insert(out.end(), spec.argv.begin(), spec.argv.end());
  return out;
}

}  // namespace

Result<Launched> launch_command(const ProcessSpec& spec) {
  const Result<std::string> program = find_program(spec);
  if (!program) return program.error();
  const Result<std::string> launcher = find_launcher();
  if (!launcher) return launcher.error();
  std::string sandbox;
  UniqueFd sandbox_file;
  if (spec.sandbox) {
    Result<std::string> made = sandbox_plan(*spec.sandbox);
    if (!made) return made.error();
    sandbox = std::move(*made);
    Result<UniqueFd> file = plan_file(sandbox);
    if (!file) return file.error();
    sandbox_file = std::move(*file);
  }
  Streams streams;
  if (!open_streams(spec, streams)) return start_error(*program, errno);

  const std::vector<std::string> arguments =
      arguments_of(spec, *launcher, *program);
  const std::vector<std::string> environment = environment_of(spec);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const UniqueFd cwd =
      spec.cwd_fd < 0
          ? UniqueFd()
          : UniqueFd(::fcntl(spec.cwd_fd, F_DUPFD_CLOEXEC, kFirstFreeFd));
  Plan plan;
  plan.launcher = launcher->c_str();
  plan.argv = argv.data();
  plan.envp = envp.data();
  plan.streams[0] = streams.in.theirs.get();
  plan.streams[1] = streams.out.theirs.get();
  plan.streams[2] =
      (spec.merge_stderr ? streams.out : streams.err).theirs.get();
  plan.streams[3] = streams.status.theirs.get();
  plan.streams[4] = sandbox_file.get();
  plan.cwd_fd = cwd.get();
  plan.cwd = spec.cwd.empty() ? nullptr : spec.cwd.c_str();
  plan.parent = ::getpid();
  plan.priority = ::getpriority(PRIO_PROCESS, 0) + spec.nice;
  if (spec.cwd_fd >= 0 && !cwd) return start_error(*program, errno);

  const pid_t supervisor = vfork_launcher(plan);
  if (supervisor < 0) return start_error(*program, errno);
  if (plan.failure != 0) {
    reap(supervisor, SIGKILL);
    return plan_error(plan, *program, spec);
  }
  // Ends that we kept would hide the end of the other side.
  for (Pipe* pipe :
       {&streams.in, &streams.out, &streams.err, &streams.status}) {
    pipe->theirs.reset();
  }
  return started(supervisor, streams, *program, sandbox);
}

}  // namespace toolhost
