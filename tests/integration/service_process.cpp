#include "tests/integration/service_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace toolhost::testing {
namespace {

constexpr int kFirstFd = 3;  // SD_LISTEN_FDS_START
constexpr int kLimitMs = 20'000;

std::vector<std::string> environment_in(const std::string& home,
                                        const ServiceOptions& options) {
  std::vector<std::string> out{"HOME=" + home,
                               "PATH=/usr/local/bin:/usr/bin:/bin",
                               "XDG_CONFIG_HOME=" + home + "/config",
                               "XDG_STATE_HOME=" + home + "/state",
                               "XDG_CACHE_HOME=" + home + "/cache",
                               "XDG_RUNTIME_DIR=" + home + "/run"};
  out.insert(out.end(), options.environment.begin(), options.environment.end());
  return out;
}

void hand_over(const ServiceOptions& options) {
  std::vector<int> high;
  // Out of the way first: a source may be somebody's target.
  for (const auto& [name, fd] : options.sockets) {
    high.push_back(fcntl(fd, F_DUPFD, 100));
  }
  std::string names;
  for (std::size_t i = 0; i < high.size(); ++i) {
    dup2(high[i], kFirstFd + static_cast<int>(i));
    close(high[i]);
    names += (i == 0 ? "" : ":") + options.sockets[i].first;
  }
  setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
  setenv("LISTEN_FDS", std::to_string(high.size()).c_str(), 1);
  setenv("LISTEN_FDNAMES", names.c_str(), 1);
}

[[noreturn]] void become(const std::vector<std::string>& argv,
                         const std::string& home,
                         const ServiceOptions& options) {
  clearenv();
  for (const std::string& each : environment_in(home, options)) {
    const std::size_t end = each.find('=');
    setenv(each.substr(0, end).c_str(), each.c_str() + end + 1, 1);
  }
  const std::string file = home + "/service.log";
  const int log = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(log, 1);
  dup2(log, 2);
  close(log);
  if (!options.sockets.empty()) hand_over(options);
  std::vector<char*> args;
  for (const auto& each : argv) args.push_back(const_cast<char*>(each.c_str()));
  args.push_back(nullptr);
  execvp(args.front(), args.data());
  _exit(127);
}

int bound(int type, const std::string& path) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot bind " + path);
  }
  return fd;
}

}  // namespace

ServiceProcess::ServiceProcess(std::string home, const ServiceOptions& options)
    : home_(std::move(home)) {
  for (const char* folder : {"/run", "/config"}) {
    std::filesystem::create_directories(home_ + folder);
  }
  chmod((home_ + "/run").c_str(), 0700);
  const char* other = std::getenv("TOOLHOSTD");
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  std::vector<std::string> argv = options.launcher;
  argv.push_back(other ? other : (self.parent_path() / "toolhostd").string());
  pid_ = fork();
  if (pid_ == 0) become(argv, home_, options);
}

ServiceProcess::~ServiceProcess() {
  if (pid_ <= 0) return;
  signal(SIGKILL);
  join();
}

void ServiceProcess::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

bool ServiceProcess::runs() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
  return pid_ > 0;
}

int ServiceProcess::join() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string ServiceProcess::log() const {
  std::ifstream in(home_ + "/service.log");
  return std::string(std::istreambuf_iterator<char>(in), {});
}

int listen_at(const std::string& path) {
  const int fd = bound(SOCK_STREAM, path);
  listen(fd, 64);
  return fd;
}

int notify_socket(const std::string& path) { return bound(SOCK_DGRAM, path); }

std::string next_datagram(int fd) {
  pollfd watched{fd, POLLIN, 0};
  if (poll(&watched, 1, kLimitMs) <= 0) return {};
  char text[4096];
  const ssize_t got = recv(fd, text, sizeof text, 0);
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "";
}

}  // namespace toolhost::testing
