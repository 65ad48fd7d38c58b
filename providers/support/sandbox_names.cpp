#include "providers/support/sandbox_names.hpp"

#include <array>

namespace toolhost {
namespace {

using std::string_view;
using Kind = ProtectedKind;
using Treatment = SandboxTreatment;

constexpr auto kProtected = std::to_array<ProtectedName>({
    {".toolhost", Kind::folder, Treatment::kept_out},
    {".claude", Kind::folder, Treatment::kept_out},
    {".codex", Kind::folder, Treatment::kept_out},
    {".cursor", Kind::folder, Treatment::kept_out},
    {".kun", Kind::folder, Treatment::read_only},
    {".agents", Kind::folder, Treatment::kept_out},
    {".ssh", Kind::folder, Treatment::read_only},
    {".husky", Kind::folder, Treatment::read_only},
    {"agents.md", Kind::file, Treatment::ask_only},
    {"claude.md", Kind::file, Treatment::ask_only},
    {".mcp.json", Kind::file, Treatment::read_only},
    {".envrc", Kind::file, Treatment::read_only},
    {".bashrc", Kind::file, Treatment::read_only},
    {".bash_profile", Kind::file, Treatment::read_only},
    {".bash_login", Kind::file, Treatment::read_only},
    {".profile", Kind::file, Treatment::read_only},
    {".zshrc", Kind::file, Treatment::read_only},
    {".zshenv", Kind::file, Treatment::read_only},
    {".zprofile", Kind::file, Treatment::read_only},
    {".zlogin", Kind::file, Treatment::read_only},
    {".gitmodules", Kind::file, Treatment::ask_only},
    {".gitconfig", Kind::file, Treatment::read_only},
    {".npmrc", Kind::file, Treatment::read_only},
    {"config.fish", Kind::file, Treatment::ask_only},
    {"tasks.json", Kind::editor_file, Treatment::kept_out},
    {"settings.json", Kind::editor_file, Treatment::kept_out},
    {"launch.json", Kind::editor_file, Treatment::kept_out},
});

// commondir makes git read configuration and hooks of another folder.
constexpr auto kGit = std::to_array<GitEntry>({
    {"hooks", true},
    {"config", true},
    {"commondir", true},
    {"config.worktree", false},
    {"worktrees", false},
});

constexpr auto kHomeSecrets = std::to_array<string_view>({
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".vault-token",
    ".terraform.d",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".config/gcloud",
    ".config/gh",
    ".config/glab-cli",
    ".config/git/credentials",
    ".config/github-copilot",
    ".config/op",
    ".config/rclone",
    ".config/containers/auth.json",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".mozilla",
    ".thunderbird",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
});

// Root without capabilities still owns its files. /run holds the sockets of
// docker, podman, containerd, the buses, systemd, ssh agents, and ourselves.
constexpr auto kSystemSecrets = std::to_array<string_view>({
    "/run",
    "/var/run",
    "/dev/mqueue",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/krb5.keytab",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/snap/docker",
});

constexpr auto kNetwork = std::to_array<string_view>({
    "/run/systemd/resolve/stub-resolv.conf",
    "/run/systemd/resolve/resolv.conf",
    "/run/NetworkManager/resolv.conf",
    "/run/resolvconf/resolv.conf",
});

}  // namespace

std::span<const ProtectedName> protected_names() { return kProtected; }
std::span<const GitEntry> git_entries() { return kGit; }
std::span<const string_view> secrets_of_home() { return kHomeSecrets; }
std::span<const string_view> secrets_of_system() { return kSystemSecrets; }
std::span<const string_view> needed_by_network() { return kNetwork; }

}  // namespace toolhost
