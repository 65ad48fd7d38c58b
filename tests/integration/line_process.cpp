#include "tests/integration/line_process.hpp"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

constexpr Milliseconds kLimit{60'000};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) {
    out.push_back(const_cast<char*>(word.c_str()));
  }
  out.push_back(nullptr);
  return out;
}

}  // namespace

LineProcess::LineProcess(const std::vector<std::string>& argv,
                         const std::vector<std::string>& environment) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::runtime_error("socketpair failed");
  }
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    variables.emplace_back(*each);
  }
  variables.insert(variables.end(), environment.begin(), environment.end());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pair[1], 0);
  posix_spawn_file_actions_adddup2(&actions, pair[1], 1);
  const int failed =
      posix_spawnp(&pid_, argv.front().c_str(), &actions, nullptr,
                   pointers(argv).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close_fd(pair[1]);
  fd_ = pair[0];
  if (failed != 0) throw std::runtime_error("cannot start " + argv.front());
}

LineProcess::~LineProcess() { close(); }

int LineProcess::close() {
  if (pid_ <= 0) return 0;
  ::shutdown(fd_, SHUT_WR);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  close_fd(std::exchange(fd_, -1));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void LineProcess::send(const std::string& line) {
  write_bytes(fd_, line + "\n");
}

json::object LineProcess::next() {
  const auto end = std::chrono::steady_clock::now() + kLimit;
  for (;;) {
    const std::size_t line = held_.find('\n');
    if (line != std::string::npos) {
      json::object out = object(held_.substr(0, line));
      held_.erase(0, line + 1);
      return out;
    }
    bool ended = false;
    const std::string bytes = read_bytes(fd_, end, ended);
    if (bytes.empty()) {
      throw std::runtime_error(ended ? "it has ended" : "nothing came");
    }
    held_ += bytes;
  }
}

json::object LineProcess::next_with(const std::string& member) {
  for (;;) {
    json::object out = next();
    if (out.contains(member)) return out;
  }
}

}  // namespace toolhost::testing
