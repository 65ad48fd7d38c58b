#include "providers/support/child_spawn.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "providers/support/launch/message.hpp"

namespace toolhost {
namespace {

using launch::Event;
using launch::Message;

// A start takes 0.4 ms; this is only there so that the loop never hangs.
constexpr int kStartTimeoutMs = 5000;
// The child moves its descriptors to 0-3: the sources have to be above.
constexpr int kFirstFreeFd = 10;

// Everything that the child needs, made before vfork: between vfork and exec
// there are only system calls.
struct Plan {
  const char* launcher = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  int streams[4] = {-1, -1, -1, -1};  // become 0, 1, 2 and the status pipe
  int cwd_fd = -1;
  const char* cwd = nullptr;
  pid_t parent = -1;
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
  if (plan.cwd_fd >= 0) {
    if (::fchdir(plan.cwd_fd) != 0) fail_in_child(plan, "enter the folder");
  } else if (plan.cwd) {
    if (::chdir(plan.cwd) != 0) fail_in_child(plan, "enter the folder");
  }
  for (int i = 0; i < 4; ++i) {
    if (::dup2(plan.streams[i], i) < 0) fail_in_child(plan, "pass the pipes");
  }
  // The table of descriptors is the child's own copy: ours stay open.
  if (::syscall(SYS_close_range, 4U, ~0U, 0U) != 0) {
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

bool is_executable_file(const std::string& path) {
  struct stat facts = {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

std::string_view path_of(const std::vector<std::string>& env) {
  for (const std::string_view entry : env) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return {};
}

// Relative entries of PATH are skipped: the working folder may be anybody's.
Result<std::string> find_program(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty()) {
    return make_error(Code::internal, "A command without a program.");
  }
  const std::string& name = spec.argv[0];
  if (name.find('/') != std::string::npos) return name;
  std::string_view path = path_of(spec.env);
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), folder.size() + 1));
    if (!folder.starts_with('/')) continue;
    std::string candidate = std::string(folder) + "/" + name;
    if (is_executable_file(candidate)) return candidate;
  }
  return make_error(
      Code::internal,
      "Cannot start \"" + name + "\": it is in no folder of PATH.",
      "Install it, or name it with its absolute path.");
}

Error start_error(const std::string& program, int number) {
  return system_error("Cannot start " + program, number);
}

// The supervisor answers once; nothing to read means that it died.
Result<pid_t> await_start(int status, const std::string& program) {
  pollfd waited{status, POLLIN, 0};
  int ready;
  do {
    ready = ::poll(&waited, 1, kStartTimeoutMs);
  } while (ready < 0 && errno == EINTR);
  Message message{};
  if (ready <= 0 || ::read(status, &message, sizeof message) !=
                        static_cast<ssize_t>(sizeof message)) {
    return make_error(Code::internal,
                      "Cannot start " + program +
                          ": its supervisor (toolhost-launch) " +
                          (ready == 0 ? "did not answer." : "died."),
                      "Run `toolhost doctor`.");
  }
  if (message.event == Event::failed) {
    return start_error(program, message.value);
  }
  return message.value;
}

void reap(pid_t pid) {
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
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
                         const std::string& program) {
  Launched out;
  out.supervisor = supervisor;
  out.pidfd =
      UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, supervisor, 0)));
  const int number = errno;
  if (!out.pidfd) {
    reap(supervisor);
    return start_error(program, number);
  }
  const Result<pid_t> command = await_start(streams.status.ours.get(), program);
  if (!command) {
    reap(supervisor);
    return command.error();
  }
  out.command = *command;
  out.status = std::move(streams.status.ours);
  out.in = std::move(streams.in.ours);
  out.out = std::move(streams.out.ours);
  out.err = std::move(streams.err.ours);
  return out;
}

std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return {};
  const std::string_view whole(path, static_cast<std::size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace

Result<std::string> find_launcher() {
  if (const char* named = std::getenv("TOOLHOST_LAUNCH")) {
    if (is_executable_file(named)) return std::string(named);
    return make_error(Code::internal, std::string("TOOLHOST_LAUNCH names ") +
                                          named +
                                          ", which is not an executable file.");
  }
  const std::string folder = own_folder();
  for (const char* place : {"/", "/../", "/../libexec/toolhost/"}) {
    std::string candidate = folder + place + "toolhost-launch";
    if (is_executable_file(candidate)) return candidate;
  }
  return make_error(
      Code::internal,
      "The program toolhost-launch, under which every command runs, is "
      "missing or not executable (looked beside " +
          folder + ", one folder up and in ../libexec/toolhost).",
      "Install toolhost again, or build it (scripts/build).");
}

Result<Launched> launch_command(const ProcessSpec& spec) {
  const Result<std::string> program = find_program(spec);
  if (!program) return program.error();
  const Result<std::string> launcher = find_launcher();
  if (!launcher) return launcher.error();
  Streams streams;
  if (!open_streams(spec, streams)) return start_error(*program, errno);

  std::vector<std::string> arguments{*launcher, *program};
  arguments.insert(arguments.end(), spec.argv.begin(), spec.argv.end());
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(spec.env);
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
  plan.cwd_fd = cwd.get();
  plan.cwd = spec.cwd.empty() ? nullptr : spec.cwd.c_str();
  plan.parent = ::getpid();
  if (spec.cwd_fd >= 0 && !cwd) return start_error(*program, errno);

  const pid_t supervisor = vfork_launcher(plan);
  if (supervisor < 0) return start_error(*program, errno);
  if (plan.failure != 0) {
    reap(supervisor);
    return plan_error(plan, *program, spec);
  }
  // Ends that we kept would hide the end of the other side.
  for (Pipe* pipe :
       {&streams.in, &streams.out, &streams.err, &streams.status}) {
    pipe->theirs.reset();
  }
  return started(supervisor, streams, *program);
}

}  // namespace toolhost
