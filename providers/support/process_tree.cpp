#include "providers/support/process_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_set>

#include "providers/support/unique_fd.hpp"

namespace toolhost {
namespace {

constexpr std::size_t kMaxProcesses = 65'536;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

// /proc files change between two reads: the whole of it, or what there was.
std::string slurp(const std::string& path) {
  std::string out;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return out;
  char buffer[4096];
  ssize_t size;
  while ((size = ::read(fd.get(), buffer, sizeof buffer)) > 0) {
    out.append(buffer, static_cast<std::size_t>(size));
  }
  return out;
}

// The numeric entries of a folder of /proc.
std::vector<pid_t> numbers_in(const std::string& folder) {
  std::vector<pid_t> out;
  const Dir dir(::opendir(folder.c_str()));
  if (!dir) return out;
  while (const dirent* entry = ::readdir(dir.get())) {
    const int number = std::atoi(entry->d_name);
    if (number > 0) out.push_back(number);
  }
  return out;
}

// Kernels without CONFIG_PROC_CHILDREN (and gVisor) have no `children` file.
bool has_children_files() {
  static const bool there = [] {
    const std::string self = std::to_string(::getpid());
    const std::string path = "/proc/self/task/" + self + "/children";
    return ::access(path.c_str(), R_OK) == 0;
  }();
  return there;
}

void scan_children(pid_t parent, std::vector<pid_t>& out) {
  for (const pid_t pid : numbers_in("/proc")) {
    ProcessFacts facts;
    if (read_process(pid, facts) && facts.parent == parent) out.push_back(pid);
  }
}

void append_children_of_thread(const std::string& path,
                               std::vector<pid_t>& out) {
  const std::string text = slurp(path);
  const char* at = text.c_str();
  char* end = nullptr;
  for (long pid = std::strtol(at, &end, 10); end != at;
       pid = std::strtol(at, &end, 10)) {
    out.push_back(static_cast<pid_t>(pid));
    at = end;
  }
}

int open_pidfd(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

}  // namespace

bool read_process(pid_t pid, ProcessFacts& out) {
  const std::string text = slurp("/proc/" + std::to_string(pid) + "/stat");
  // The name may hold anything; the last ')' ends it. Fields after it: state
  // is 3, parent 4, start time 22 (proc(5)).
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return false;
  unsigned long long start = 0;
  int parent = 0;
  const int found = std::sscanf(text.c_str() + end + 1,
                                " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
                                "%*u %*u %*d %*d %*d %*d %*d %*d %llu",
                                &out.state, &parent, &start);
  out.parent = parent;
  out.start_time = start;
  return found == 3;
}

std::vector<pid_t> direct_children(pid_t parent) {
  std::vector<pid_t> out;
  if (!has_children_files()) {
    scan_children(parent, out);
    return out;
  }
  const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
  for (const pid_t thread : numbers_in(tasks)) {
    append_children_of_thread(
        tasks + "/" + std::to_string(thread) + "/children", out);
  }
  return out;
}

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found{root};
  std::unordered_set<pid_t> seen{root};
  std::vector<pid_t> living;
  for (std::size_t i = 0; i < found.size() && found.size() < kMaxProcesses;
       ++i) {
    for (const pid_t pid : direct_children(found[i])) {
      if (!seen.insert(pid).second) continue;
      found.push_back(pid);
      ProcessFacts facts;
      if (!read_process(pid, facts)) continue;
      if (facts.state != 'Z' && facts.state != 'X') living.push_back(pid);
    }
  }
  return living;
}

std::size_t signal_descendants(pid_t root, int signal) {
  const std::vector<pid_t> found = descendants(root);
  std::unordered_set<pid_t> tree(found.begin(), found.end());
  tree.insert(root);
  for (const pid_t pid : found) {
    const UniqueFd pidfd(open_pidfd(pid));
    ProcessFacts facts;
    if (!pidfd || !read_process(pid, facts)) continue;
    // An orphan has become a child of `root` meanwhile, which is in the set.
    if (!tree.contains(facts.parent)) continue;
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, 0);
  }
  return found.size();
}

}  // namespace toolhost
