// What a confined process may see and do: plain data, made by policy
// (profile_for), carried out by toolhost-launch.
//
// Nothing of it is best effort. What the launcher cannot do ends the start
// with the step and the system's word for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost {

// Which layers confine; what a machine is able to (sandbox_probe.hpp).
enum class SandboxStrength {
  none,
  // Landlock and seccomp: no mounts of its own. Nothing inside a writable root
  // can be protected or hidden; no local network; no PID namespace.
  landlock_only,
  // Namespaces first, Landlock (where the kernel has it) and seccomp inside.
  full,
};

enum class SandboxNetwork {
  off,       // none
  loopback,  // 127.0.0.1 of its own, where tests can serve; full only
  host,      // the network of the machine
};

// What lies at a protected path while the command runs, if nothing does now.
enum class WhenMissing {
  nothing,   // it exists; a start fails if it is gone
  socket,    // a socket of nobody: cheap, and git does not see it
  folder,    // an empty folder, where git would mind a socket
  git_file,  // a file that says ".", for git's commondir
};

struct ProtectedPath {
  std::string path;
  WhenMissing when_missing = WhenMissing::nothing;
};

// As setrlimit(2), hard and soft.
struct ResourceLimit {
  int resource = 0;
  std::uint64_t value = 0;
};

// All paths are absolute and physical; a link where a path has none is a
// failed start.
struct SandboxProfile {
  SandboxStrength strength = SandboxStrength::full;
  SandboxNetwork network = SandboxNetwork::off;
  // AF_UNIX sockets. A read-only mount does not keep a command from connecting,
  // and sockets lie in many folders: editors, agents, servers. socketpair(2)
  // always works. Landlock alone never allows them.
  bool unix_sockets = false;

  // Everything else is read-only. A root does not have to be a folder.
  std::vector<std::string> writable;
  // Read-only although they lie in a writable root. Neither they nor a folder
  // above them can be renamed.
  std::vector<ProtectedPath> protected_paths;
  // Seem empty. Those that do not exist are passed over.
  std::vector<std::string> hidden;
  // Visible, read-only, although they lie in a hidden path or in /tmp.
  std::vector<std::string> revealed;

  // /tmp and TMPDIR: a folder of the session, or, when empty, one that lives
  // in memory and ends with the command. False: /tmp is as any other path.
  bool own_tmp = true;
  std::string tmp_folder;

  std::vector<ResourceLimit> limits;

  // Landlock's ABI on this machine; 0: it has none. Rules are made for it.
  unsigned landlock_abi = 0;
  // Landlock alone cannot enforce `protected_paths`: without this consent the
  // start is refused.
  bool accept_unprotected = false;
};

using SharedSandbox = std::shared_ptr<const SandboxProfile>;

enum class SandboxKind {
  read_only,        // nothing but tmp is writable
  workspace_write,  // the roots are
};

struct SandboxRequest {
  SandboxKind kind = SandboxKind::workspace_write;
  SandboxNetwork network = SandboxNetwork::loopback;
  // Of the probe. `none` is an error: ask the person instead.
  SandboxStrength strength = SandboxStrength::none;
  unsigned landlock_abi = 0;
  bool accept_unprotected = false;
  bool unix_sockets = false;

  std::vector<std::string> roots;          // of the session
  std::vector<std::string> also_writable;  // caches, by configuration
  std::vector<std::string> also_hidden;
  // Of the daemon: configuration, state, sockets, cache. Hidden whole.
  std::vector<std::string> own_folders;
  std::string home;                   // the user's; required
  std::string runtime_dir;            // $XDG_RUNTIME_DIR, or empty
  std::string tmp_folder;             // of the session, or empty
  std::vector<ResourceLimit> limits;  // beside no core files
};

// The profile of a session, now: it looks at the roots (which repositories are
// there, what their configuration names), so it is made for each command. A
// root that is the whole machine, a folder of the daemon or a link is an
// error. Blocks on the file system: 0.2 ms for a small workspace, 1 ms for one
// of some hundred folders.
Result<SharedSandbox> profile_for(const SandboxRequest& request);

}  // namespace toolhost
