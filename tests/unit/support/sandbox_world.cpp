#include "tests/unit/support/sandbox_world.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "providers/support/child_spawn.hpp"
#include "providers/support/launch/message.hpp"
#include "providers/support/sandbox_probe.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {
namespace {

namespace fs = std::filesystem;

constexpr char kSecret[] = "LEAKED-SECRET\n";
constexpr char kPrecious[] = "precious\n";

UniqueFd listening_unix(const std::string& name) {
  UniqueFd out(
      ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (::bind(out.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(out.get(), 8) != 0) {
    throw std::runtime_error("cannot listen at " + name);
  }
  return out;
}

UniqueFd bound_inet(int type, int& port) {
  UniqueFd out(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(out.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(out.get(), reinterpret_cast<sockaddr*>(&address), &size) !=
          0) {
    throw std::runtime_error("cannot bind");
  }
  if (type == SOCK_STREAM) ::listen(out.get(), 8);
  port = ntohs(address.sin_port);
  return out;
}

bool somebody_came(const UniqueFd& listener) {
  const UniqueFd peer(
      ::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return static_cast<bool>(peer);
}

constexpr int kTimeoutMs = 30'000;

// False at the end, or when nothing comes any more.
bool read_some(int fd, std::string& out) {
  pollfd waited{fd, POLLIN, 0};
  if (::poll(&waited, 1, kTimeoutMs) <= 0) return false;
  char bytes[4096];
  const ssize_t size = ::read(fd, bytes, sizeof bytes);
  if (size <= 0) return false;
  out.append(bytes, static_cast<std::size_t>(size));
  return true;
}

// What the supervisor says until it ends.
int raw_status(const Launched& launched) {
  int out = launched.exited.value_or(-1);
  std::string text;
  while (read_some(launched.status.get(), text)) {
  }
  for (std::size_t at = 0; at + sizeof(launch::Message) <= text.size();
       at += sizeof(launch::Message)) {
    launch::Message message;
    std::memcpy(&message, text.data() + at, sizeof message);
    if (message.event == launch::Event::exited && out < 0) out = message.value;
  }
  return out;
}

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

}  // namespace

SandboxWorld::SandboxWorld() {
  std::string made = "/var/tmp/toolhost-sandbox-XXXXXX";
  if (!::mkdtemp(made.data())) throw std::runtime_error("mkdtemp");
  base_ = made;
  make_files();
  open_sockets();
}

SandboxWorld::~SandboxWorld() {
  if (segment_ >= 0) ::shmctl(segment_, IPC_RMID, nullptr);
  ::unlink(shared_file_.c_str());
  std::error_code ignored;
  fs::remove_all(base_, ignored);
}

void SandboxWorld::make_files() {
  write_file(workspace() + "/file", "a file\n");
  const ShellResult made = shell(
      "cd " + in_quotes(workspace()) +
      " && git init -q . && git config user.name n && git config user.email e"
      " && git add . && git commit -q -m first");
  if (made.status != 0) throw std::runtime_error(made.output);
  write_file(outside() + "/precious", kPrecious);
  write_file(home() + "/.ssh/id", kSecret);
  write_file(home() + "/.netrc", kSecret);
  write_file(home() + "/.config/gh/hosts.yml", kSecret);
  write_file(base_ + "/own/state", kSecret);
  fs::create_directories(base_ + "/run");
  shared_file_ = "/dev/shm/toolhost-" + base_.substr(base_.size() - 6);
  write_file(shared_file_, kSecret);
  segment_ = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  if (void* at = ::shmat(segment_, nullptr, 0);
      at != reinterpret_cast<void*>(-1)) {
    std::memcpy(at, kSecret, sizeof kSecret);
    ::shmdt(at);
  }
}

void SandboxWorld::open_sockets() {
  tcp_ = bound_inet(SOCK_STREAM, tcp_port_);
  udp_ = bound_inet(SOCK_DGRAM, udp_port_);
  abstract_name_ = "toolhost" + base_;
  abstract_ = listening_unix(std::string(1, '\0') + abstract_name_);
  pathname_ = listening_unix(outside() + "/socket");
  in_runtime_dir_ = listening_unix(base_ + "/run/bus");
}

SandboxRequest SandboxWorld::request(SandboxStrength strength) const {
  SandboxRequest out;
  out.strength = strength;
  out.landlock_abi = sandbox_probe().landlock_abi;
  out.roots = {workspace()};
  out.own_folders = {base_ + "/own"};
  out.home = home();
  out.runtime_dir = base_ + "/run";
  if (strength == SandboxStrength::landlock_only) {
    out.accept_unprotected = true;
    out.network = SandboxNetwork::off;
  }
  return out;
}

ProcessSpec SandboxWorld::spec(const std::string& script,
                               const SandboxRequest& request) const {
  ProcessSpec out;
  out.argv = {"/bin/bash", "-c", script};
  out.cwd = workspace();
  out.merge_stderr = true;
  out.env = {"PATH=/usr/bin:/bin:/usr/sbin:/sbin",
             "LC_ALL=C",
             "WS=" + workspace(),
             "OUT=" + outside(),
             "HOME=" + home(),
             "RUN=" + base_ + "/run",
             "OWN=" + base_ + "/own",
             "HOSTPID=" + std::to_string(::getpid()),
             "TCP=" + std::to_string(tcp_port_),
             "UDP=" + std::to_string(udp_port_),
             "ABSTRACT=" + abstract_name_,
             "SHM=" + shared_file_,
             "SEGMENT=" + std::to_string(segment_)};
  const Result<SharedSandbox> profile = profile_for(request);
  if (!profile) throw std::runtime_error(profile.error().message);
  out.sandbox = *profile;
  return out;
}

SandboxWorld::Outcome SandboxWorld::run(const std::string& script,
                                        const SandboxRequest& request) const {
  return run_in(script, spec(script, request).sandbox);
}

SandboxWorld::Outcome SandboxWorld::run_in(const std::string& script,
                                           SharedSandbox sandbox) const {
  ProcessSpec confined = spec(script, request(SandboxStrength::full));
  confined.sandbox = std::move(sandbox);
  Outcome out;
  const Result<Launched> launched = launch_command(confined);
  if (!launched) {
    out.refused = launched.error().message;
    return out;
  }
  while (read_some(launched->out.get(), out.output)) {
  }
  // The end of the command; what it left behind has to end with this.
  ::kill(launched->supervisor, SIGTERM);
  const int raw = raw_status(*launched);
  out.status.code = WIFEXITED(raw) ? WEXITSTATUS(raw) : 0;
  out.status.signal = WIFSIGNALED(raw) ? WTERMSIG(raw) : 0;
  ::waitpid(launched->supervisor, nullptr, 0);
  return out;
}

std::string SandboxWorld::escaped(const Outcome& outcome) {
  if (outcome.output.find("ESCAPED") != std::string::npos) return "it says so";
  if (outcome.output.find("LEAKED") != std::string::npos) return "a secret";
  if (read_file(outside() + "/precious") != kPrecious) return "a file outside";
  struct stat facts = {};
  ::stat((outside() + "/precious").c_str(), &facts);
  if ((facts.st_mode & 07777) != 0644) return "the mode of a file outside";
  for (const auto& entry : fs::recursive_directory_iterator(base_)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const std::string path = entry.path().string();
    if (read_file(path).find("PWNED") != std::string::npos) return path;
    if ((entry.status().permissions() & fs::perms::set_uid) !=
        fs::perms::none) {
      return "a set-user-ID file";
    }
  }
  if (somebody_came(tcp_)) return "TCP";
  if (somebody_came(abstract_)) return "an abstract socket";
  if (somebody_came(pathname_)) return "a socket outside";
  if (somebody_came(in_runtime_dir_)) return "a socket of the runtime folder";
  char byte;
  if (::recv(udp_.get(), &byte, 1, 0) >= 0) return "UDP";
  return {};
}

}  // namespace toolhost::testing
