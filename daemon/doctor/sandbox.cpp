// What confines commands on this machine: found out by confining one, then what
// stands in the way of the layers that are missing.
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <optional>

#include "daemon/doctor/families.hpp"
#include "providers/support/sandbox_probe.hpp"

namespace toolhost::doctor {
namespace {

// Not in the headers of Debian 12's libc; the same on every architecture.
constexpr long kLandlockCreateRuleset = 444;
constexpr std::uint32_t kLandlockVersion = 1;  // a flag: only tell the ABI

std::optional<long> number_in(const char* file) {
  std::ifstream in(file);
  long out = 0;
  if (in >> out) return out;
  return {};
}

Finding landlock() {
  const long abi =
      ::syscall(kLandlockCreateRuleset, nullptr, 0, kLandlockVersion);
  if (abi >= 1) {
    return ok("sandbox.landlock",
              "The kernel has Landlock ABI " + std::to_string(abi) + ".");
  }
  return warn("sandbox.landlock",
              "The kernel has no Landlock: " + system_text(errno) + ".",
              "Add landlock to the kernel's lsm= list, or use a kernel from "
              "5.13 on.");
}

// Three switches can forbid them; files that do not exist forbid nothing.
Finding user_namespaces() {
  struct Switch {
    const char* file;
    long forbids;
  };
  constexpr Switch kSwitches[] = {
      {"/proc/sys/user/max_user_namespaces", 0},
      {"/proc/sys/kernel/unprivileged_userns_clone", 0},
      {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1}};
  for (const auto& one : kSwitches) {
    if (number_in(one.file) == one.forbids) {
      return warn(
          "sandbox.userNamespaces",
          std::string("User namespaces are forbidden by ") + one.file + ".",
          "Ask the administrator whether they may be allowed.");
    }
  }
  struct stat status;
  if (::stat("/proc/self/ns/user", &status) != 0) {
    return warn("sandbox.userNamespaces", "The kernel has no user namespaces.",
                "Use a kernel that has them.");
  }
  return ok("sandbox.userNamespaces", "User namespaces may be made.");
}

}  // namespace

Findings check_sandbox(const CheckInput&) {
  const SandboxProbe& probe = sandbox_probe();
  Findings out;
  if (probe.strength == SandboxStrength::full) {
    out.push_back(ok("sandbox", probe.summary));
  } else {
    out.push_back(warn("sandbox", probe.summary + " So every command asks.",
                       "Read a command to its end before you allow it."));
  }
  for (const std::string& each : probe.missing) {
    out.push_back(warn("sandbox.missing", each, "See the findings below."));
  }
  out.push_back(landlock());
  out.push_back(user_namespaces());
  return out;
}

}  // namespace toolhost::doctor
