#include "providers/support/strays.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "providers/support/process_tree.hpp"

namespace toolhost {
namespace {

std::set<pid_t>& supervisors() {
  static std::set<pid_t> pids;
  return pids;
}

}  // namespace

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void add_supervisor(pid_t pid) { supervisors().insert(pid); }

void remove_supervisor(pid_t pid) { supervisors().erase(pid); }

bool kill_strays(std::uint64_t since) {
  bool any = false;
  for (const pid_t pid : direct_children(::getpid())) {
    if (supervisors().contains(pid)) continue;
    ProcessFacts facts;
    if (!read_process(pid, facts) || facts.start_time < since) continue;
    any = true;
    // A child of ours keeps its pid until we have waited for it.
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, WNOHANG);
  }
  return any;
}

}  // namespace toolhost
