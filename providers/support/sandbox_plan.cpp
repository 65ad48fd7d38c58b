#include "providers/support/sandbox_plan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string_view>

#include "providers/support/launch/plan.hpp"

namespace toolhost {
namespace {

using launch::Op;
using std::string_view;

// What a command may write to, whatever its roots are.
constexpr std::array<string_view, 7> kDevices{
    "/dev/null",    "/dev/zero", "/dev/full", "/dev/random",
    "/dev/urandom", "/dev/tty",  "/dev/shm"};
// Only where they are the command's own: those of the host are terminals in
// which a person types.
constexpr std::array<string_view, 2> kTerminals{"/dev/ptmx", "/dev/pts"};
// Before it a rename between folders was always refused.
constexpr unsigned kLeastAbi = 2;
// Before it files could be cut to nothing.
constexpr unsigned kLeastAbiAlone = 3;
constexpr unsigned kAbiOfScopes = 6;

bool beneath(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() + 1 && path.starts_with(folder) &&
         path[folder.size()] == '/';
}

std::string parent_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

std::ptrdiff_t depth_of(const std::string& path) {
  return std::count(path.begin(), path.end(), '/');
}

// What is laid on what has to come after it.
bool lies_before(const std::string& a, const std::string& b) {
  const auto left = depth_of(a);
  const auto right = depth_of(b);
  return left != right ? left < right : a < b;
}

std::vector<std::string> by_depth(std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end(), lies_before);
  return paths;
}

Error not_possible(const std::string& what) {
  return make_error(Code::internal, "Cannot confine the command: " + what + ".",
                    "Run it without a sandbox, which asks, or see `toolhost "
                    "doctor` for what is missing on this machine.");
}

class Writer {
 public:
  void add(Op op, string_view text) {
    const launch::RecordHead head{op,
                                  static_cast<std::uint16_t>(text.size() + 1)};
    if (text.size() > 4095) too_long_ = true;
    bytes_.append(reinterpret_cast<const char*>(&head), sizeof head);
    bytes_.append(text);
    bytes_ += '\0';
  }

  Result<std::string> finish(std::uint32_t wants, unsigned landlock_min) {
    launch::PlanHeader header{};
    header.size = static_cast<std::uint32_t>(sizeof header + bytes_.size());
    header.wants = wants;
    header.landlock_min = landlock_min;
    if (too_long_ || header.size > launch::kMaxPlan) {
      return not_possible("its paths are too long or too many");
    }
    std::string out(reinterpret_cast<const char*>(&header), sizeof header);
    return out + bytes_;
  }

 private:
  std::string bytes_;
  bool too_long_ = false;
};

// Folders between a writable root and what must stay where it is in it:
// renamed, they would take it along.
std::set<std::string> pins_of(const SandboxProfile& profile) {
  std::set<std::string> out;
  const auto pin_above = [&](const std::string& path) {
    for (const std::string& root : profile.writable) {
      if (!beneath(path, root)) continue;
      for (std::string at = parent_of(path); beneath(at, root);
           at = parent_of(at)) {
        out.insert(at);
      }
    }
  };
  for (const ProtectedPath& one : profile.protected_paths) pin_above(one.path);
  for (const std::string& root : profile.writable) pin_above(root);
  for (const std::string& root : profile.writable) out.erase(root);
  for (const ProtectedPath& one : profile.protected_paths) out.erase(one.path);
  return out;
}

Op op_of(WhenMissing when_missing) {
  switch (when_missing) {
    case WhenMissing::socket:
      return Op::cover_socket;
    case WhenMissing::folder:
      return Op::cover_folder;
    case WhenMissing::git_file:
      return Op::cover_file;
    case WhenMissing::nothing:
      break;
  }
  return Op::protect;
}

void add_mounts(Writer& out, const SandboxProfile& profile) {
  if (profile.own_tmp) out.add(Op::tmp, profile.tmp_folder);
  for (const std::string& root : by_depth(profile.writable)) {
    out.add(Op::writable, root);
  }
  // A path, then what lies in it.
  std::vector<std::pair<std::string, Op>> binds;
  for (const std::string& pin : pins_of(profile)) {
    binds.emplace_back(pin, Op::pin);
  }
  for (const ProtectedPath& one : profile.protected_paths) {
    binds.emplace_back(one.path, op_of(one.when_missing));
  }
  std::sort(binds.begin(), binds.end(), [](const auto& a, const auto& b) {
    return lies_before(a.first, b.first);
  });
  for (const auto& [path, op] : binds) out.add(op, path);
  for (const std::string& path : by_depth(profile.hidden)) {
    out.add(Op::hide, path);
  }
  for (const std::string& path : profile.revealed) out.add(Op::reveal, path);
}

void add_writing_rules(Writer& out, const SandboxProfile& profile) {
  for (const std::string& root : profile.writable) {
    out.add(Op::may_write, root);
  }
  for (const string_view device : kDevices) out.add(Op::may_write, device);
}

void add_limits(Writer& out, const SandboxProfile& profile) {
  for (const ResourceLimit& limit : profile.limits) {
    out.add(Op::limit,
            std::to_string(limit.resource) + " " + std::to_string(limit.value));
  }
}

std::uint32_t network_wants(const SandboxProfile& profile) {
  switch (profile.network) {
    case SandboxNetwork::off:
      return launch::kOwnNetwork | launch::kDenyTcp;
    case SandboxNetwork::loopback:
      return launch::kOwnNetwork | launch::kLoopback | launch::kInetSockets;
    case SandboxNetwork::host:
      break;
  }
  return launch::kInetSockets | launch::kRouteSockets;
}

Result<std::string> plan_of_all_layers(const SandboxProfile& profile) {
  Writer out;
  std::uint32_t wants = launch::kNamespaces | launch::kSharedMemory;
  wants |= network_wants(profile);
  // The names of abstract sockets belong to the network namespace: with the
  // host's, Landlock has to keep them away, or nobody.
  if (profile.unix_sockets && (profile.network != SandboxNetwork::host ||
                               profile.landlock_abi >= kAbiOfScopes)) {
    wants |= launch::kUnixSockets;
  }
  add_mounts(out, profile);
  const bool landlock = profile.landlock_abi >= kLeastAbi;
  if (landlock) {
    add_writing_rules(out, profile);
    for (const string_view path : kTerminals) out.add(Op::may_write, path);
    if (profile.own_tmp) out.add(Op::may_write, "/tmp");
  }
  add_limits(out, profile);
  return out.finish(wants, landlock ? profile.landlock_abi : 0);
}

Result<std::string> plan_of_landlock(const SandboxProfile& profile) {
  if (profile.landlock_abi < kLeastAbiAlone) {
    return not_possible(
        "this kernel's Landlock (ABI " + std::to_string(profile.landlock_abi) +
        ") does not keep files from being truncated; 3 is needed");
  }
  if (profile.network == SandboxNetwork::loopback) {
    return not_possible("a loopback of its own needs a network namespace");
  }
  if (!profile.protected_paths.empty() && !profile.accept_unprotected) {
    return not_possible("Landlock alone cannot protect " +
                        profile.protected_paths.front().path +
                        " inside a writable folder");
  }
  for (const std::string& secret : profile.hidden) {
    for (const std::string& root : profile.writable) {
      if (!beneath(secret, root)) continue;
      return not_possible("Landlock alone cannot hide " + secret +
                          " inside a writable folder");
    }
  }
  Writer out;
  add_writing_rules(out, profile);
  if (profile.own_tmp) {
    out.add(Op::may_write,
            profile.tmp_folder.empty() ? "/tmp" : profile.tmp_folder);
  }
  std::vector<std::string> hidden = profile.hidden;
  hidden.emplace_back("/dev");  // but for the devices above
  const Result<std::vector<std::string>> readable = readable_around(hidden);
  if (!readable) return readable.error();
  for (const std::string& path : *readable) out.add(Op::may_read, path);
  for (const std::string& path : profile.revealed) out.add(Op::may_read, path);
  add_limits(out, profile);
  std::uint32_t wants = launch::kReadRules;
  if (profile.network == SandboxNetwork::host) {
    wants |= network_wants(profile);
  } else {
    wants |= launch::kDenyTcp;
  }
  return out.finish(wants, profile.landlock_abi);
}

}  // namespace

Result<std::string> sandbox_plan(const SandboxProfile& profile) {
  switch (profile.strength) {
    case SandboxStrength::full:
      return plan_of_all_layers(profile);
    case SandboxStrength::landlock_only:
      return plan_of_landlock(profile);
    case SandboxStrength::none:
      break;
  }
  return not_possible("no layer was chosen");
}

std::string path_of_record(const std::string& plan, int record) {
  if (record <= 0 || plan.size() < sizeof(launch::PlanHeader)) return {};
  launch::PlanReader reader(plan.data());
  launch::Record found;
  for (int i = 0; i < record; ++i) {
    if (!reader.next(found)) return {};
  }
  return found.text;
}

}  // namespace toolhost
