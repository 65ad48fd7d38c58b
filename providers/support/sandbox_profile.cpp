#include "providers/support/sandbox_profile.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "providers/support/sandbox_cover.hpp"
#include "providers/support/sandbox_git.hpp"
#include "providers/support/sandbox_names.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using std::string_view;

// Where a root would lie beneath a mount of the sandbox itself.
constexpr string_view kOfTheSandbox[] = {"/proc", "/sys", "/dev", "/run"};

bool same_or_beneath(string_view path, string_view folder) {
  return path == folder ||
         (path.starts_with(folder) && path[folder.size()] == '/');
}

// Empty when there is no such path.
std::string physical(const std::string& path) {
  std::error_code error;
  const fs::path out = fs::canonical(path, error);
  return error ? std::string() : out.string();
}

Error bad_root(const std::string& root, const std::string& why) {
  return make_error(
      Code::invalid_params,
      "Cannot make a sandbox for the folder " + root + ": " + why + ".",
      "Choose another workspace, or run the command without a "
      "sandbox.");
}

Result<void> check_root(const SandboxRequest& request,
                        const std::string& root) {
  const std::string real = physical(root);
  if (real.empty()) return bad_root(root, "it does not exist");
  if (real != root) {
    return bad_root(root, "it is reached through a link, to " + real);
  }
  if (root == "/") return bad_root(root, "it is the whole machine");
  for (const string_view place : kOfTheSandbox) {
    if (same_or_beneath(root, place)) {
      return bad_root(root,
                      "in a sandbox " + std::string(place) + " is another one");
    }
  }
  for (const std::string& own : request.own_folders) {
    if (same_or_beneath(root, own)) {
      return bad_root(root, "it belongs to the daemon itself");
    }
  }
  return {};
}

// A command has our user and nothing more: what it could not read or enter
// anyway, nor make readable, needs no mount.
bool is_reachable(const std::string& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) return false;
  return facts.st_uid == ::geteuid() || ::access(path.c_str(), R_OK) == 0 ||
         ::access(path.c_str(), X_OK) == 0;
}

void add_hidden(SandboxProfile& out, const std::string& path) {
  // Where a link leads; the link itself tells nothing.
  const std::string real = physical(path);
  if (real.empty() || real == "/" || !is_reachable(real)) return;
  out.hidden.push_back(real);
}

void hide(SandboxProfile& out, const SandboxRequest& request) {
  for (const string_view path : secrets_of_system()) {
    add_hidden(out, std::string(path));
  }
  for (const string_view name : secrets_of_home()) {
    add_hidden(out, request.home + "/" + std::string(name));
  }
  for (const std::string& own : request.own_folders) add_hidden(out, own);
  for (const std::string& more : request.also_hidden) add_hidden(out, more);
  if (!request.runtime_dir.empty()) add_hidden(out, request.runtime_dir);
  std::sort(out.hidden.begin(), out.hidden.end());
  // What lies in a hidden folder is hidden.
  std::vector<std::string> least;
  for (std::string& path : out.hidden) {
    if (!least.empty() && same_or_beneath(path, least.back())) continue;
    least.push_back(std::move(path));
  }
  out.hidden = std::move(least);
}

void protect_name(SandboxProfile& out, const std::string& root,
                  const ProtectedName& row) {
  if (row.treatment == SandboxTreatment::ask_only) return;
  const bool in_editor = row.kind == ProtectedKind::editor_file;
  const std::string path =
      root + (in_editor ? "/.vscode" : "/" + std::string(row.name));
  if (really_exists(path)) {
    out.protected_paths.push_back({path, WhenMissing::nothing});
    const std::string target = physical(path);
    if (!target.empty() && target != path && same_or_beneath(target, root)) {
      out.protected_paths.push_back({target, WhenMissing::nothing});
    }
  } else if (row.treatment == SandboxTreatment::kept_out) {
    out.protected_paths.push_back({path, WhenMissing::socket});
  }
}

void protect(SandboxProfile& out, const std::string& root) {
  for (const ProtectedName& row : protected_names()) {
    protect_name(out, root, row);
  }
  const GitProtection git = protect_git(root);
  out.protected_paths.insert(out.protected_paths.end(),
                             git.protected_paths.begin(),
                             git.protected_paths.end());
  out.writable.insert(out.writable.end(), git.writable.begin(),
                      git.writable.end());
}

void remove_repeated(SandboxProfile& out) {
  auto& paths = out.protected_paths;
  std::sort(paths.begin(), paths.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  paths.erase(std::unique(paths.begin(), paths.end(),
                          [](const auto& a, const auto& b) {
                            return a.path == b.path;
                          }),
              paths.end());
  std::sort(out.writable.begin(), out.writable.end());
  out.writable.erase(std::unique(out.writable.begin(), out.writable.end()),
                     out.writable.end());
}

}  // namespace

Result<SharedSandbox> profile_for(const SandboxRequest& request) {
  if (request.strength == SandboxStrength::none) {
    return make_error(Code::internal, "This machine cannot confine a command.",
                      "Run `toolhost doctor`: it says what is missing.");
  }
  auto out = std::make_shared<SandboxProfile>();
  out->strength = request.strength;
  out->landlock_abi = request.landlock_abi;
  out->accept_unprotected = request.accept_unprotected;
  out->unix_sockets = request.unix_sockets;
  // A core would be written, or piped to a program of the host, outside.
  out->limits = {{RLIMIT_CORE, 0}};
  out->limits.insert(out->limits.end(), request.limits.begin(),
                     request.limits.end());
  out->tmp_folder = request.tmp_folder;
  out->network = request.network;
  // A loopback of its own needs a network namespace.
  if (request.network == SandboxNetwork::loopback &&
      request.strength != SandboxStrength::full) {
    out->network = SandboxNetwork::off;
  }
  if (request.kind == SandboxKind::workspace_write) {
    for (const std::string& root : request.roots) {
      if (const auto bad = check_root(request, root); !bad) return bad.error();
      out->writable.push_back(root);
      protect(*out, root);
    }
    for (const std::string& more : request.also_writable) {
      if (const auto bad = check_root(request, more); !bad) return bad.error();
      out->writable.push_back(more);
    }
    remove_repeated(*out);
  }
  hide(*out, request);
  if (request.network == SandboxNetwork::host) {
    for (const string_view path : needed_by_network()) {
      const std::string real = physical(std::string(path));
      if (!real.empty()) out->revealed.push_back(real);
    }
  }
  for (const std::string& root : out->writable) {
    for (const std::string& secret : out->hidden) {
      if (!same_or_beneath(root, secret)) continue;
      return bad_root(root, "it lies in " + secret + ", which is hidden");
    }
  }
  return SharedSandbox(std::move(out));
}

}  // namespace toolhost
