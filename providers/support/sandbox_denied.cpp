#include "providers/support/sandbox_denied.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace toolhost {
namespace {

using std::string_view;

constexpr std::size_t kLookedAt = 16 * 1024;
constexpr std::size_t kMaxLine = 400;

// What the C library, and those who do without it, say.
constexpr string_view kReadOnly[] = {"Read-only file system", "EROFS",
                                     "os error 30"};
constexpr string_view kBusy[] = {"Device or resource busy", "EBUSY",
                                 "os error 16"};
constexpr string_view kNoPermission[] = {"Permission denied", "EACCES",
                                         "os error 13"};
constexpr string_view kMissing[] = {"No such file or directory", "ENOENT"};
constexpr string_view kNotPermitted[] = {"Operation not permitted", "EPERM",
                                         "os error 1)"};
constexpr string_view kNotAFolder[] = {"Not a directory", "ENOTDIR",
                                       "File exists", "EEXIST"};
// Only where the network is: a name that is not known has other causes too.
constexpr string_view kNoNetwork[] = {
    "Network is unreachable",
    "ENETUNREACH",
    "Temporary failure in name resolution",
    "Could not resolve host",
    "Could not resolve hostname",
    "EAI_AGAIN",
    "Temporary failure resolving",
    "unable to resolve host address",
    "Name or service not known",
    "Address family not supported by protocol",
    "dial tcp",
};
// A word of what asked for something that the filter refuses.
constexpr string_view kRefused[] = {
    "ptrace", "unshare", "mount",       "perf_event_open",
    "bpf",    "keyctl",  "io_uring",    "chroot",
    "setns",  "clone",   "personality", "pivot_root"};

bool contains_any(string_view line, std::span<const string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](string_view word) {
    return line.find(word) != string_view::npos;
  });
}

bool same_or_beneath(string_view path, string_view folder) {
  return path == folder ||
         (path.starts_with(folder) && path.size() > folder.size() &&
          path[folder.size()] == '/');
}

bool ends_path(char c) {
  constexpr string_view kEnds = " \t\"'`:;,()[]<>|\r";
  return kEnds.find(c) != string_view::npos;
}

// The last byte of a typographic quote, too.
bool may_precede(char c) {
  return ends_path(c) || c == '=' || static_cast<unsigned char>(c) >= 0x80;
}

// Absolute paths in a line, as programs print them: in quotes, or up to a
// space or colon.
std::vector<string_view> paths_in(string_view line) {
  std::vector<string_view> out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '/' || (at > 0 && !may_precede(line[at - 1]))) {
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !ends_path(line[end])) ++end;
    string_view path = line.substr(at, end - at);
    // A typographic quote, three bytes, and the end of a sentence.
    if (const auto quote = path.find("\xe2\x80"); quote != string_view::npos) {
      path = path.substr(0, quote);
    }
    while (path.size() > 1 && (path.ends_with('.') || path.ends_with('/'))) {
      path.remove_suffix(1);
    }
    if (path.size() > 1) out.push_back(path);
    at = end;
  }
  return out;
}

class Judge {
 public:
  explicit Judge(const SandboxProfile& profile) : profile_(profile) {}

  std::optional<SandboxDenial> of_line(string_view line) const {
    if (auto out = of_network(line)) return out;
    if (auto out = of_hidden(line)) return out;
    if (auto out = of_protected(line)) return out;
    if (auto out = of_read_only(line)) return out;
    if (auto out = of_sockets(line)) return out;
    return of_system_calls(line);
  }

 private:
  bool is_full() const { return profile_.strength == SandboxStrength::full; }

  bool is_writable(string_view path) const {
    if (profile_.own_tmp && same_or_beneath(path, "/tmp")) return true;
    return std::any_of(
        profile_.writable.begin(), profile_.writable.end(),
        [&](const auto& root) { return same_or_beneath(path, root); });
  }

  const std::string* hiding(string_view path) const {
    for (const std::string& one : profile_.hidden) {
      if (same_or_beneath(path, one)) return &one;
    }
    return nullptr;
  }

  // Also by its end: git speaks of ".git/config", from the working folder.
  const std::string* protecting(string_view line) const {
    for (const ProtectedPath& one : profile_.protected_paths) {
      for (const string_view path : paths_in(line)) {
        if (same_or_beneath(path, one.path)) return &one.path;
      }
      for (const std::string& root : profile_.writable) {
        if (!one.path.starts_with(root + "/")) continue;
        const string_view rest = string_view(one.path).substr(root.size() + 1);
        if (has_word(line, rest)) return &one.path;
      }
    }
    return nullptr;
  }

  // `word` as a path of its own, or as the beginning of one.
  static bool has_word(string_view line, string_view word) {
    for (auto at = line.find(word); at != string_view::npos;
         at = line.find(word, at + 1)) {
      const auto end = at + word.size();
      const bool starts = at == 0 || ends_path(line[at - 1]) ||
                          static_cast<unsigned char>(line[at - 1]) >= 0x80;
      const bool ends = end == line.size() || ends_path(line[end]) ||
                        line[end] == '/' ||
                        static_cast<unsigned char>(line[end]) >= 0x80;
      if (starts && ends) return true;
    }
    return false;
  }

  static SandboxDenial made(SandboxLayer layer, string_view path,
                            std::string because, string_view line) {
    SandboxDenial out;
    out.layer = layer;
    out.path = std::string(path);
    out.because = std::move(because);
    out.line = std::string(line.substr(0, kMaxLine));
    return out;
  }

  std::optional<SandboxDenial> of_network(string_view line) const {
    if (profile_.network == SandboxNetwork::host) return std::nullopt;
    if (!contains_any(line, kNoNetwork)) return std::nullopt;
    return made(SandboxLayer::network, {},
                profile_.network == SandboxNetwork::off
                    ? "The sandbox gives this command no network."
                    : "The sandbox gives this command no network but its own "
                      "127.0.0.1.",
                line);
  }

  std::optional<SandboxDenial> of_hidden(string_view line) const {
    if (!contains_any(line, kMissing) && !contains_any(line, kNoPermission) &&
        !contains_any(line, kReadOnly)) {
      return std::nullopt;
    }
    for (const string_view path : paths_in(line)) {
      const std::string* hidden = hiding(path);
      if (!hidden) continue;
      return made(SandboxLayer::files, path,
                  "The sandbox hides " + *hidden +
                      ", because it holds secrets or sockets.",
                  line);
    }
    return std::nullopt;
  }

  std::optional<SandboxDenial> of_protected(string_view line) const {
    if (!is_full() ||
        (!contains_any(line, kReadOnly) && !contains_any(line, kBusy) &&
         !contains_any(line, kNotAFolder))) {
      return std::nullopt;
    }
    const std::string* path = protecting(line);
    if (!path) return std::nullopt;
    return made(SandboxLayer::files, *path,
                "The sandbox keeps " + *path +
                    " as it is, because it decides what git, editors or "
                    "agents run.",
                line);
  }

  std::optional<SandboxDenial> of_read_only(string_view line) const {
    const bool read_only = is_full() && contains_any(line, kReadOnly);
    const bool refused = !is_full() && contains_any(line, kNoPermission);
    if (!read_only && !refused) return std::nullopt;
    bool inside = false;
    for (const string_view path : paths_in(line)) {
      if (is_writable(path)) {
        inside = true;
        continue;
      }
      // Programs of the system appear in messages, too: "/bin/bash: …".
      if (line.starts_with(path)) continue;
      return made(SandboxLayer::files, path,
                  "The sandbox makes everything outside of the workspace "
                  "read-only.",
                  line);
    }
    // A relative path: only the mounts say EROFS.
    if (!read_only || inside) return std::nullopt;
    return made(SandboxLayer::files, {},
                "The sandbox makes everything outside of the workspace "
                "read-only.",
                line);
  }

  std::optional<SandboxDenial> of_sockets(string_view line) const {
    if (profile_.unix_sockets && is_full()) return std::nullopt;
    if (!contains_any(line, kNoPermission)) return std::nullopt;
    if (!has_word(line, "socket")) return std::nullopt;
    return made(SandboxLayer::sockets, {},
                "The sandbox lets this command make no Unix sockets, which "
                "lead to other programs.",
                line);
  }

  static std::optional<SandboxDenial> of_system_calls(string_view line) {
    if (!contains_any(line, kNotPermitted)) return std::nullopt;
    for (const string_view word : kRefused) {
      if (!has_word(line, word)) continue;
      return made(
          SandboxLayer::system_calls, {},
          "The sandbox refuses the system call \"" + std::string(word) + "\".",
          line);
    }
    return std::nullopt;
  }

  const SandboxProfile& profile_;
};

}  // namespace

std::optional<SandboxDenial> sandbox_denied(const ExitStatus& status,
                                            std::string_view output,
                                            const SandboxProfile& profile) {
  if (status.code == 0 || status.signal != 0) return std::nullopt;
  if (profile.strength == SandboxStrength::none) return std::nullopt;
  if (output.size() > kLookedAt)
    output.remove_prefix(output.size() - kLookedAt);
  const Judge judge(profile);
  // What was said last is the likeliest cause.
  while (!output.empty()) {
    const auto end = output.find_last_not_of('\n');
    if (end == std::string_view::npos) break;
    output = output.substr(0, end + 1);
    const auto before = output.rfind('\n');
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    if (auto out = judge.of_line(output.substr(start))) return out;
    output = output.substr(0, start);
  }
  return std::nullopt;
}

std::string_view name_of(SandboxLayer layer) {
  switch (layer) {
    case SandboxLayer::files:
      return "files";
    case SandboxLayer::network:
      return "network";
    case SandboxLayer::sockets:
      return "sockets";
    case SandboxLayer::system_calls:
      break;
  }
  return "system-calls";
}

}  // namespace toolhost
