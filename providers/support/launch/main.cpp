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
//
// Static, without libstdc++: a start costs 0.1 ms instead of 0.5.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "providers/support/launch/message.hpp"

namespace {

using toolhost::launch::Event;
using toolhost::launch::kStatusFd;
using toolhost::launch::Message;

pid_t command = -1;

// A daemon that is gone cannot be told anything: failures do not matter.
void report(Event event, int value) {
  const Message message{event, value};
  ssize_t done;
  do {
    done = write(kStatusFd, &message, sizeof message);
  } while (done < 0 && errno == EINTR);
}

// vfork: no page tables are copied and the error of execve is seen at once.
[[gnu::noinline]] int start(const char* program, char** argv) {
  volatile int failure = 0;
  const pid_t self = getpid();
  const pid_t pid = vfork();
  if (pid == 0) {
    setsid();
    // Without its supervisor a command would be out of reach.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(program, argv, environ);
    failure = errno;
    _exit(127);
  }
  if (pid < 0) return errno;
  command = pid;
  return failure;
}

// For kernels without /proc/PID/task/TID/children: looks at every process.
void kill_children_by_scan() {
  DIR* proc = opendir("/proc");
  if (!proc) {
    // Blind: the command's own group is all that can be named.
    if (command > 0) kill(-command, SIGKILL);
    return;
  }
  const pid_t self = getpid();
  while (const dirent* entry = readdir(proc)) {
    const int pid = atoi(entry->d_name);
    if (pid <= 0) continue;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    char text[512];
    const ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    if (size <= 0) continue;
    text[size] = 0;
    // The name may hold anything; the last ')' ends it.
    const char* rest = strrchr(text, ')');
    char state = 0;
    int parent = 0;
    if (rest && sscanf(rest + 1, " %c %d", &state, &parent) == 2 &&
        parent == self) {
      kill(pid, SIGKILL);
    }
  }
  closedir(proc);
}

// Direct children only: their children become ours when they die, and a pid
// of ours cannot be used again before we have waited for it.
void kill_children() {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return kill_children_by_scan();
  char text[4096];
  int pid = 0;
  for (;;) {
    const ssize_t size = read(fd, text, sizeof text);
    if (size <= 0) break;
    for (ssize_t i = 0; i < size; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        pid = pid * 10 + (text[i] - '0');
      } else {
        if (pid > 0) kill(pid, SIGKILL);
        pid = 0;
      }
    }
  }
  close(fd);
}

// Waits for whoever has ended. False when there is no child left.
bool reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
    if (pid == 0) return true;
    if (pid < 0) return errno != ECHILD;
    if (pid == command) {
      report(Event::exited, status);
      command = -1;
    }
  }
}

void let_go() {
  // The command's pipes have to end with the command, and its folder must not
  // be kept busy by us.
  for (int fd = 0; fd < kStatusFd; ++fd) close(fd);
  if (chdir("/") != 0) return;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (fcntl(kStatusFd, F_SETFD, FD_CLOEXEC) != 0) return 2;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    report(Event::failed, errno);
    return 1;
  }
  // The command runs as the same user: it must not write in our status pipe
  // through ptrace or /proc/PID/fd.
  prctl(PR_SET_DUMPABLE, 0);
  setsid();
  if (const int failure = start(argv[1], argv + 2)) {
    report(Event::failed, failure);
    return 1;
  }
  let_go();
  report(Event::started, command);

  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  // Between two rounds of killing: a process that cannot die now (in a system
  // call) must not make us spin.
  const timespec pause{0, 10'000'000};
  bool ending = false;
  while (reap()) {
    if (ending) kill_children();
    const int signal = ending ? sigtimedwait(&awaited, nullptr, &pause)
                              : sigwaitinfo(&awaited, nullptr);
    if (signal == SIGTERM) ending = true;
  }
  return 0;
}
