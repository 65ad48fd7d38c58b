#include "providers/support/sandbox_probe.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "providers/support/child_program.hpp"
#include "providers/support/child_spawn.hpp"
#include "providers/support/launch/message.hpp"

namespace toolhost {
namespace {

constexpr int kTimeoutMs = 5000;
constexpr unsigned kAbiAlone = 3;
constexpr unsigned kAbiOfSignals = 6;

unsigned landlock_abi() {
  constexpr long kCreateRuleset = 444;
  constexpr long kQueryVersion = 1;
  const long abi = ::syscall(kCreateRuleset, nullptr, 0L, kQueryVersion);
  return abi < 0 ? 0U : static_cast<unsigned>(abi);
}

// A folder that we may write in and the sandbox may not.
class Bait {
 public:
  Bait() {
    for (const char* place : {"/var/tmp", "/tmp"}) {
      // With our pid, so that what is left of it names who left it.
      std::string made = std::string(place) + "/toolhost-probe-" +
                         std::to_string(::getpid()) + "-XXXXXX";
      if (::mkdtemp(made.data())) {
        folder_ = made;
        return;
      }
    }
  }
  Bait(const Bait&) = delete;
  Bait& operator=(const Bait&) = delete;
  ~Bait() {
    if (folder_.empty()) return;
    ::unlink(file().c_str());
    ::rmdir(folder_.c_str());
  }
  std::string file() const {
    return folder_.empty() ? "/toolhost-probe" : folder_ + "/file";
  }

 private:
  std::string folder_;
};

// The raw status of the command, or -1.
int await_exit(const Launched& launched) {
  if (launched.exited) return *launched.exited;
  for (;;) {
    pollfd waited{launched.status.get(), POLLIN, 0};
    const int ready = ::poll(&waited, 1, kTimeoutMs);
    if (ready < 0 && errno == EINTR) continue;
    launch::Message message{};
    if (ready <= 0 || ::read(launched.status.get(), &message, sizeof message) !=
                          static_cast<ssize_t>(sizeof message)) {
      return -1;
    }
    if (message.event == launch::Event::exited) return message.value;
  }
}

std::string what_was_allowed(int code) {
  std::string out;
  const std::array<const char*, 4> words{
      "writing a file outside", "a netlink socket", "ptrace", "capabilities"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!(code & (1 << i))) continue;
    out += (out.empty() ? "" : ", ") + std::string(words[i]);
  }
  return out;
}

// Nothing when it confines; otherwise why it does not.
std::string trial(const SandboxProfile& profile) {
  const Result<std::string> launcher = find_launcher();
  if (!launcher) return launcher.error().message;
  const Bait bait;
  ProcessSpec spec;
  spec.argv = {*launcher, "--prove", bait.file()};
  spec.cwd = "/";
  auto shown = std::make_shared<SandboxProfile>(profile);
  // It may have been built in /tmp.
  shown->revealed.push_back(*launcher);
  spec.sandbox = std::move(shown);
  const Result<Launched> launched = launch_command(spec);
  if (!launched) return launched.error().message;
  const int status = await_exit(*launched);
  if (status != 0) ::kill(launched->supervisor, SIGTERM);
  while (::waitpid(launched->supervisor, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  if (status > 0 && WIFEXITED(status)) {
    return "The sandbox was made but did not stop " +
           what_was_allowed(WEXITSTATUS(status)) + ".";
  }
  return "A program in the sandbox did not end as it should.";
}

std::string sentence(std::string text) {
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string first_line(const char* path) {
  std::ifstream in(path);
  std::string out;
  std::getline(in, out);
  return out;
}

std::string why_no_namespaces() {
  if (first_line("/proc/sys/user/max_user_namespaces") == "0") {
    return "user.max_user_namespaces is 0: raise it with sysctl.";
  }
  if (first_line("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "kernel.unprivileged_userns_clone is 0: set it to 1 with sysctl.";
  }
  if (first_line("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") ==
      "1") {
    return "AppArmor restricts user namespaces: give toolhost-launch a profile "
           "with the rule \"userns,\".";
  }
  if (::access("/.dockerenv", F_OK) == 0 ||
      ::access("/run/.containerenv", F_OK) == 0) {
    return "This is a container whose own profile may forbid namespaces or a "
           "new /proc: allow them for it, or let the container be the border.";
  }
  return "See whether user namespaces are allowed: `unshare -Ur true`.";
}

void describe_full(SandboxProbe& out) {
  out.strength = SandboxStrength::full;
  if (out.landlock_abi > 0) {
    out.summary =
        "Commands are confined by namespaces, seccomp and Landlock (ABI " +
        std::to_string(out.landlock_abi) + ").";
    return;
  }
  out.summary = "Commands are confined by namespaces and seccomp.";
  out.missing.push_back(
      "This kernel has no Landlock, the second lock behind the mounts: add "
      "\"landlock\" to its lsm= parameter.");
}

void describe_landlock(SandboxProbe& out) {
  out.strength = SandboxStrength::landlock_only;
  out.summary = "Commands are confined by Landlock (ABI " +
                std::to_string(out.landlock_abi) +
                ") and seccomp only: inside a writable folder nothing is "
                "protected or hidden.";
  if (out.landlock_abi >= kAbiOfSignals) return;
  out.missing.push_back(
      "Landlock before ABI 6 does not keep a command from "
      "sending signals to your other programs.");
}

}  // namespace

SandboxProbe probe_sandbox() {
  SandboxProbe out;
  out.landlock_abi = landlock_abi();
  SandboxProfile profile;
  profile.landlock_abi = out.landlock_abi;
  profile.network = SandboxNetwork::loopback;
  const std::string full = trial(profile);
  if (full.empty()) {
    describe_full(out);
    return out;
  }
  out.missing.push_back("Without namespaces: " + sentence(full) + " " +
                        why_no_namespaces());
  profile.strength = SandboxStrength::landlock_only;
  profile.network = SandboxNetwork::off;
  // The bait must not be where a command may write.
  profile.own_tmp = false;
  const std::string landlock = trial(profile);
  if (landlock.empty()) {
    describe_landlock(out);
    return out;
  }
  out.missing.push_back("Without Landlock: " + sentence(landlock));
  if (out.landlock_abi < kAbiAlone) {
    out.missing.push_back(
        "Landlock of ABI 3 (Linux 6.2) or later would do as well.");
  }
  out.summary = "Commands cannot be confined on this machine.";
  return out;
}

const SandboxProbe& sandbox_probe() {
  static const SandboxProbe probe = probe_sandbox();
  return probe;
}

std::string_view name_of(SandboxStrength strength) {
  switch (strength) {
    case SandboxStrength::full:
      return "full";
    case SandboxStrength::landlock_only:
      return "landlock-only";
    case SandboxStrength::none:
      break;
  }
  return "none";
}

}  // namespace toolhost
