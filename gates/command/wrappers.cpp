#include "gates/command/wrappers.hpp"

#include <algorithm>
#include <array>

namespace toolhost::command {
namespace {

using enum WrapperKind;

// Sorted by program and sub. Columns: program, sub, flags, values, long flags,
// long values, text options, skip, kind, transparent.
constexpr Wrapper kWrappers[] = {
    {".", "", "", "", "", "", "", 0, source},
    {"ash", "", "", "", "", "", "", 0, shell},
    {"bash", "", "", "", "", "", "", 0, shell},
    {"builtin", "", "", "", "", "", "", 0, words, true},
    {"bundle", "exec", "", "", "keep-file-descriptors", "gemfile", "", 0,
     words},
    {"bunx", "", "", "p", "bun silent verbose", "package", "", 0, words},
    {"busybox", "", "", "", "", "", "", 0, words},
    {"catchsegv", "", "", "", "", "", "", 0, words, true},
    {"chroot", "", "", "", "skip-chdir", "userspec groups", "", 1, words},
    {"chrt", "", "abfiorRv", "TPD", "batch fifo idle other rr", "", "", 1,
     words, true},
    {"command", "", "pvV", "", "", "", "", 0, words, true},
    {"conda", "run", "", "np", "no-capture-output live-stream",
     "name prefix cwd", "", 0, words},
    {"corepack", "", "", "", "", "", "", 0, words},
    {"csh", "", "", "", "", "", "", 0, other_shell},
    {"dash", "", "", "", "", "", "", 0, shell},
    {"dbus-run-session", "", "", "", "", "config-file dbus-daemon", "", 0,
     words},
    {"direnv", "exec", "", "", "", "", "", 1, words},
    {"doas", "", "nsL", "uC", "", "", "", 0, assignments},
    {"docker", "exec", "dit", "euw", "detach interactive tty privileged",
     "env env-file user workdir detach-keys", "", 1, words},
    {"docker", "run", "dit", "euwvpmlch",
     "rm detach interactive tty init privileged read-only no-healthcheck",
     "env env-file user workdir volume publish name network memory cpus mount "
     "platform entrypoint hostname label pull add-host",
     "", 1, words},
    {"dumb-init", "", "c", "", "single-child", "rewrite", "", 0, words},
    {"eatmydata", "", "", "", "", "", "", 0, words},
    {"elvish", "", "", "", "", "", "", 0, other_shell},
    {"entr", "", "acdnprsxz", "", "", "", "", 0, words},
    {"env", "", "i0v", "uC", "ignore-environment null debug", "unset chdir", "",
     0, assignments, true},
    {"eval", "", "", "", "", "", "", 0, eval, true},
    {"exec", "", "cl", "a", "", "", "", 0, words, true},
    {"fakeroot", "", "u", "lisb", "unknown-is-real", "lib faked", "", 0, words},
    {"fd", "", "", "", "", "", "", 0, fd},
    {"fdfind", "", "", "", "", "", "", 0, fd},
    {"find", "", "", "", "", "", "", 0, find},
    {"firejail", "", "", "", "quiet noprofile", "", "", 0, words},
    {"fish", "", "", "", "", "", "", 0, other_shell},
    {"flock", "", "sxenuFov", "wE",
     "shared exclusive unlock nonblock close no-fork verbose",
     "timeout wait conflict-exit-code", "c", 1, words},
    {"gosu", "", "", "", "", "", "", 1, words},
    {"ionice", "", "t", "cn", "ignore", "class classdata", "", 0, words, true},
    {"ksh", "", "", "", "", "", "", 0, shell},
    {"kubectl", "exec", "iqt", "cn", "stdin tty quiet", "container namespace",
     "", 1, words},
    {"linux32", "", "", "", "", "", "", 0, words},
    {"linux64", "", "", "", "", "", "", 0, words},
    {"ltrace", "", "bcCfhirStT", "aADelnopsuwx", "", "", "", 0, words},
    {"mise", "exec", "", "C", "", "cd", "", 0, words},
    {"mksh", "", "", "", "", "", "", 0, shell},
    {"nice", "", "", "n", "", "adjustment", "", 0, words, true},
    {"nix", "develop", "", "", "", "", "", 0, words},
    {"nix-shell", "", "", "", "", "", "", 0, words},
    {"nohup", "", "", "", "", "", "", 0, words, true},
    {"npm", "exec", "y", "p", "yes no", "package workspace", "c", 0, words},
    {"npm", "x", "y", "p", "yes no", "package workspace", "c", 0, words},
    {"npx", "", "yq", "p", "yes no quiet no-install ignore-existing",
     "package workspace", "c", 0, words},
    {"nsenter", "", "", "", "", "", "", 0, words},
    {"nu", "", "", "", "", "", "", 0, other_shell},
    {"numactl", "", "ls", "iCNmpP", "", "interleave cpunodebind membind", "", 0,
     words, true},
    {"opam", "exec", "", "", "", "switch", "", 0, words},
    {"osascript", "", "", "", "", "", "", 0, other_shell},
    {"parallel", "", "ktuvX0", "jnNI",
     "keep-order line-buffer bar ungroup will-cite", "jobs max-args", "", 0,
     appended},
    {"perf", "record", "ag", "eFo", "", "output", "", 0, words},
    {"perf", "stat", "adv", "eor", "", "", "", 0, words},
    {"pipenv", "run", "", "", "", "", "", 0, words},
    {"pipx", "run", "", "", "", "spec", "", 0, words},
    {"pnpm", "dlx", "", "", "", "package", "", 0, words},
    {"pnpm", "exec", "rc", "", "recursive parallel", "", "", 0, words},
    {"podman", "exec", "dit", "euw", "detach interactive tty privileged",
     "env user workdir", "", 1, words},
    {"podman", "run", "dit", "euwvpm", "rm detach interactive tty init",
     "env user workdir volume publish name network entrypoint", "", 1, words},
    {"poetry", "run", "", "", "", "", "", 0, words},
    {"powershell", "", "", "", "", "", "", 0, other_shell},
    {"prlimit", "", "", "", "", "", "", 0, words},
    {"proot", "", "", "", "", "", "", 0, words},
    {"proxychains", "", "q", "f", "", "", "", 0, words},
    {"proxychains4", "", "q", "f", "", "", "", 0, words},
    {"pwsh", "", "", "", "", "", "", 0, other_shell},
    {"rbash", "", "", "", "", "", "", 0, shell},
    {"rlwrap", "", "", "", "", "", "", 0, words},
    {"rtk", "", "", "", "", "", "", 0, words},
    {"run0", "", "", "", "", "", "", 0, words},
    {"runuser", "", "l", "ugGs", "login", "user group shell", "c", 0, words},
    {"rustup", "run", "", "", "install", "", "", 1, words},
    {"script", "", "aefq", "EIOBTtmo", "append return flush quiet",
     "log-in log-out log-io log-timing", "c", 1, other_shell},
    {"setarch", "", "R", "", "", "", "", 1, words},
    {"setpriv", "", "", "", "no-new-privs", "reuid regid", "", 0, words},
    {"setsid", "", "cfw", "", "ctty fork wait", "", "", 0, words, true},
    {"sh", "", "", "", "", "", "", 0, shell},
    {"source", "", "", "", "", "", "", 0, source},
    {"ssh", "", "46AaCfGgKkMNnqTtVvXxYy", "BbcDEeFIiJLlmOopQRSWw", "", "", "",
     1, joined_text},
    {"stdbuf", "", "", "ioe", "", "input output error", "", 0, words, true},
    {"strace", "", "fFqtTvVxyCcdhikrtwDYz", "aeopsSuPIObX",
     "follow-forks summary-only", "output trace", "", 0, words},
    {"su", "", "lmp", "gGsw", "login", "group shell", "c", 1, other_shell},
    {"sudo", "", "AbEHnPSkKBisv", "ugpCDRTrthU",
     "preserve-env non-interactive set-home login shell background stdin",
     "user group chdir host prompt", "", 0, assignments},
    {"sudoedit", "", "", "", "", "", "", 0, words},
    {"systemd-run", "", "tPqGrSd", "upHM",
     "user pty pipe wait scope quiet collect same-dir",
     "unit property description slice uid gid working-directory setenv", "", 0,
     words},
    {"taskset", "", "ac", "", "all-tasks cpu-list", "", "", 1, words, true},
    {"tclsh", "", "", "", "", "", "", 0, other_shell},
    {"tcsh", "", "", "", "", "", "", 0, other_shell},
    {"time", "", "apqvV", "fo", "append portability quiet verbose",
     "format output", "", 0, words, true},
    {"timeout", "", "v", "ks", "preserve-status foreground verbose",
     "kill-after signal", "", 1, words, true},
    {"tini", "", "sgv", "pe", "", "", "", 0, words},
    {"torsocks", "", "", "", "", "", "", 0, words},
    {"toybox", "", "", "", "", "", "", 0, words},
    {"trap", "", "", "", "", "", "", 0, trap},
    {"unbuffer", "", "p", "", "", "", "", 0, words, true},
    {"unshare", "", "mupinUCTrfc", "SGRw", "fork map-root-user", "", "", 0,
     words},
    {"uv", "run", "", "p", "frozen locked no-sync isolated",
     "with python extra group project directory", "", 0, words},
    {"uvx", "", "", "p", "", "from with python", "", 0, words},
    {"valgrind", "", "", "", "", "", "", 0, words},
    {"watch", "", "bcdegtrpwx", "nq",
     "beep color differences errexit no-title exec precise chgexit", "interval",
     "", 0, joined_text},
    {"wsl", "", "", "", "", "", "", 0, other_shell},
    {"xargs", "", "0rtpox", "adEILnPs",
     "null no-run-if-empty verbose interactive exit open-tty replace",
     "arg-file delimiter max-args max-procs max-lines max-chars", "", 0,
     appended},
    {"xvfb-run", "", "a", "efnps", "auto-servernum", "server-args", "", 0,
     words},
    {"yarn", "dlx", "q", "p", "quiet", "package", "", 0, words},
    {"yarn", "exec", "", "", "", "", "", 0, words},
    {"yash", "", "", "", "", "", "", 0, shell},
    {"zsh", "", "", "", "", "", "", 0, other_shell},
};

// Builtins that change nothing but the shell that runs them.
constexpr std::string_view kHarmless[] = {
    ":",     "[",    "break",   "cd",       "continue", "declare", "dirs",
    "echo",  "exit", "export",  "false",    "getopts",  "local",   "popd",
    "pushd", "pwd",  "read",    "readonly", "return",   "set",     "shift",
    "test",  "true", "typeset", "unset",    "wait"};

constexpr std::string_view kVersioned[] = {
    "python", "pypy",  "pip", "perl",  "ruby", "php", "lua",    "node",
    "nodejs", "tclsh", "gcc", "clang", "bash", "ksh", "luajit", "deno",
    "gawk",   "mawk",  "awk", "vim",   "java", "go",  "guile",  "dash"};

bool before(const Wrapper& row,
            std::pair<std::string_view, std::string_view> at) {
  return std::pair(row.program, row.sub) < at;
}

template <std::size_t N>
bool in(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

const Wrapper* find_wrapper(std::string_view program, std::string_view sub) {
  static_assert(std::is_sorted(std::begin(kWrappers), std::end(kWrappers),
                               [](const Wrapper& a, const Wrapper& b) {
                                 return std::pair(a.program, a.sub) <
                                        std::pair(b.program, b.sub);
                               }));
  for (const std::string_view second : {std::string_view(), sub}) {
    const auto* const row =
        std::lower_bound(std::begin(kWrappers), std::end(kWrappers),
                         std::pair(program, second), before);
    if (row != std::end(kWrappers) && row->program == program &&
        row->sub == second) {
      return row;
    }
  }
  return nullptr;
}

bool is_transparent(std::string_view program) {
  for (const std::string_view folder : {"/bin/", "/usr/bin/"}) {
    if (program.starts_with(folder)) program.remove_prefix(folder.size());
  }
  const Wrapper* const row = find_wrapper(program, "");
  return (row && row->transparent) || in(kHarmless, program);
}

bool is_versioned(std::string_view name) { return in(kVersioned, name); }

}  // namespace toolhost::command
