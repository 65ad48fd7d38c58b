#include "tests/support/daemon_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "protocol/json_text.hpp"

namespace toolhost::testing {
namespace {

std::string beside_test(const std::string& name) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path() / name).string();
}

pid_t start_process(const std::vector<std::string>& argv,
                    const std::vector<std::string>& env,
                    const std::vector<std::pair<int, int>>& descriptors) {
  std::vector<char*> args;
  for (const auto& each : argv) args.push_back(const_cast<char*>(each.c_str()));
  args.push_back(nullptr);
  std::vector<char*> variables;
  for (const auto& each : env) {
    variables.push_back(const_cast<char*>(each.c_str()));
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [from, to] : descriptors) {
    posix_spawn_file_actions_adddup2(&actions, from, to);
  }
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, argv.front().c_str(), &actions, nullptr,
                                 args.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + argv.front());
  return pid;
}

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

[[noreturn]] void fail(std::string_view method, const Error& error) {
  throw std::runtime_error(std::string(method) + ": " + error.message + " " +
                           error.hint + " " + json_text(error.details));
}

}  // namespace

RelayProcess::RelayProcess(const std::string& socket) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::runtime_error("socketpair failed");
  }
  pid_ = start_process({beside_test("toolhost_relay"), socket}, {},
                       {{pair[1], 0}, {pair[1], 1}});
  close(pair[1]);
  fd_ = pair[0];
}

RelayProcess::~RelayProcess() {
  vanish();
  if (fd_ >= 0) close(fd_);
}

void RelayProcess::vanish() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  reap(std::exchange(pid_, -1));
}

int connect_socket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw std::runtime_error("the socket path is too long");
  }
  path.copy(address.sun_path, path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address)) {
    close(fd);
    throw std::runtime_error("cannot connect to " + path);
  }
  return fd;
}

void close_fd(int fd) { close(fd); }

void write_bytes(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw std::runtime_error("the daemon closed the connection");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void send_without_waiting(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent =
        send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string read_bytes(int fd, std::chrono::steady_clock::time_point end,
                       bool& ended) {
  const auto left = std::chrono::duration_cast<Milliseconds>(
      end - std::chrono::steady_clock::now());
  pollfd watched{fd, POLLIN, 0};
  if (left.count() <= 0 ||
      poll(&watched, 1, static_cast<int>(left.count())) <= 0) {
    return {};
  }
  std::string bytes(65536, '\0');
  const ssize_t got = read(fd, bytes.data(), bytes.size());
  if (got <= 0) {
    ended = true;
    return {};
  }
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

AgentProcess::AgentProcess(const std::string& socket, const std::string& name,
                           const std::string& workspace)
    : relay_(socket),
      client_(std::make_unique<Client>(relay_.release_fd(), socket)) {
  ClientIdentity identity;
  identity.name = name;
  identity.workspace = workspace;
  auto hello = client_->initialize(identity);
  if (!hello) fail("initialize", hello.error());
  hello_ = std::move(*hello);
}

json::object AgentProcess::call(std::string_view method,
                                const json::object& params) {
  auto reply = client_->call(method, params);
  if (!reply) fail(method, reply.error());
  return std::move(*reply);
}

std::string AgentProcess::error_kind(std::string_view method,
                                     const json::object& params) {
  auto reply = client_->call(method, params);
  return reply ? "" : std::string(info(reply.error().code).kind);
}

json::object AgentProcess::execute(std::string_view tool,
                                   const json::object& arguments) {
  json::object params;
  params["name"] = tool;
  params["arguments"] = arguments;
  return call("execute", params);
}

DaemonProcess::DaemonProcess(const std::string& config) {
  workspace_ = home_ / "work";
  std::filesystem::create_directories(workspace_);
  write_file(config_file(), config);
  std::filesystem::permissions(
      config_file(),
      std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  start();
}

DaemonProcess::~DaemonProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    const bool ended =
        eventually([&] { return waitpid(pid_, nullptr, WNOHANG) == pid_; },
                   Milliseconds(15'000));
    if (!ended) {
      kill(pid_, SIGKILL);
      reap(pid_);
      ADD_FAILURE() << "the daemon did not stop within 15 s";
    }
  }
  if (::testing::Test::HasFailure()) {
    std::cerr << "---- log of the daemon ----\n" << log();
  }
}

std::string DaemonProcess::control_socket() const {
  return home_.path() + "/run/toolhost/toolhost.sock";
}
std::string DaemonProcess::caller_socket() const {
  return home_.path() + "/run/toolhost/caller.sock";
}
std::string DaemonProcess::config_file() const {
  return home_.path() + "/config/toolhost/config.jsonc";
}
std::string DaemonProcess::state_dir() const {
  return home_.path() + "/state/toolhost";
}

void DaemonProcess::start() {
  std::filesystem::create_directories(home_ / "run");
  std::filesystem::permissions(home_ / "run",
                               std::filesystem::perms::owner_all);
  const std::string log_file = home_ / "daemon.log";
  const int log =
      open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const char* sanitizer = std::getenv("ASAN_OPTIONS");
  const char* other = std::getenv("TOOLHOSTD");
  std::vector<std::string> variables{
      "HOME=" + home_.path(),
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "LANG=C.UTF-8",
      "XDG_CONFIG_HOME=" + (home_ / "config"),
      "XDG_STATE_HOME=" + (home_ / "state"),
      "XDG_CACHE_HOME=" + (home_ / "cache"),
      "XDG_RUNTIME_DIR=" + (home_ / "run"),
      "CANARY_API_KEY=never-in-a-child",
      std::string("ASAN_OPTIONS=quarantine_size_mb=1:") +
          (sanitizer ? sanitizer : "")};
  variables.insert(variables.end(), environment_.begin(), environment_.end());
  pid_ = start_process({other ? std::string(other) : beside_test("toolhostd"),
                        "--log-level", "debug"},
                       variables, {{log, 1}, {log, 2}});
  close(log);
  const bool ready = eventually(
      [&] {
        int status = 0;
        if (waitpid(pid_, &status, WNOHANG) == pid_) {
          pid_ = -1;
          throw std::runtime_error("the daemon ended at once:\n" + this->log());
        }
        return Client::connect(control_socket()).has_value();
      },
      Milliseconds(30'000));
  if (!ready)
    throw std::runtime_error("the daemon did not start:\n" + this->log());
}

int DaemonProcess::stop() {
  kill(pid_, SIGTERM);
  return reap(std::exchange(pid_, -1));
}

int DaemonProcess::wait_for_end() {
  int status = 0;
  const bool ended =
      eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; },
                 Milliseconds(30'000));
  if (!ended) throw std::runtime_error("the daemon did not end:\n" + log());
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void DaemonProcess::kill_hard() {
  kill(pid_, SIGKILL);
  reap(std::exchange(pid_, -1));
}

Client DaemonProcess::raw(const std::string& socket) {
  auto client = Client::connect(socket);
  if (!client) fail("connect", client.error());
  return std::move(*client);
}

Client DaemonProcess::control(const std::string& name,
                              std::vector<std::string> roles) {
  Client client = raw(control_socket());
  ClientIdentity identity;
  identity.name = name;
  identity.roles = std::move(roles);
  identity.interactive = true;
  identity.workspace = workspace_;
  auto hello = client.initialize(identity);
  if (!hello) fail("initialize", hello.error());
  return client;
}

std::unique_ptr<AgentProcess> DaemonProcess::agent(const std::string& name) {
  return std::make_unique<AgentProcess>(caller_socket(), name, workspace_);
}

std::string DaemonProcess::log() const {
  std::ifstream in(home_.path() + "/daemon.log");
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::size_t DaemonProcess::resident_kib() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/status");
  std::string word;
  std::size_t value = 0;
  while (in >> word) {
    if (word == "VmRSS:" && in >> value) return value;
  }
  return 0;
}

std::vector<pid_t> DaemonProcess::descendants() const {
  std::vector<pid_t> out;
  std::vector<pid_t> todo{pid_};
  while (!todo.empty()) {
    const std::string tasks = "/proc/" + std::to_string(todo.back()) + "/task";
    todo.pop_back();
    std::error_code ec;
    for (const auto& task : std::filesystem::directory_iterator(tasks, ec)) {
      std::ifstream in(task.path() / "children");
      pid_t child = 0;
      while (in >> child) {
        out.push_back(child);
        todo.push_back(child);
      }
    }
  }
  return out;
}

json::object object(std::string_view text) {
  return json::parse(text).as_object();
}

const json::value& at(const json::value& value, std::string_view path) {
  static const json::value kNull;
  const json::value* here = &value;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string_view key = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (here->is_object()) {
      here = here->get_object().if_contains(key);
    } else if (here->is_array()) {
      std::size_t index = 0;
      std::from_chars(key.data(), key.data() + key.size(), index);
      here = here->get_array().if_contains(index);
    } else {
      here = nullptr;
    }
    if (!here) return kNull;
  }
  return *here;
}

const json::value& at(const json::object& value, std::string_view path) {
  static const json::value kNull;
  const std::size_t end = std::min(path.find('.'), path.size());
  const json::value* here = value.if_contains(path.substr(0, end));
  if (!here) return kNull;
  return at(*here, path.substr(std::min(end + 1, path.size())));
}

std::string text_at(const json::object& value, std::string_view path) {
  const json::value& found = at(value, path);
  return found.is_string() ? std::string(found.get_string()) : "";
}

bool eventually(const std::function<bool()>& condition, Milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    poll(nullptr, 0, 5);
  }
  return true;
}

json::object answer_next(Client& gui, const std::string& option,
                         const std::string& comment) {
  auto asked = gui.next_notification("approval/requested");
  if (!asked) fail("approval/requested", asked.error());
  json::object params;
  params["approvalId"] = at(asked->params, "approval.approvalId");
  params["approvalDigest"] = at(asked->params, "approval.approvalDigest");
  params["optionId"] = option;
  if (!comment.empty()) params["comment"] = comment;
  auto reply = gui.call("approve", params);
  if (!reply) fail("approve", reply.error());
  return asked->params.at("approval").as_object();
}

}  // namespace toolhost::testing
