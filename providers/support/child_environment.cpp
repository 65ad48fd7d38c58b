#include <algorithm>
#include <array>
#include <string_view>

#include "providers/support/child_process.hpp"

namespace toolhost {
namespace {

using std::string_view;

constexpr std::array kPassed{
    string_view("HOME"),
    string_view("LANG"),
    string_view("LOGNAME"),
    string_view("PATH"),
    string_view("SHELL"),
    string_view("TMPDIR"),
    string_view("TZ"),
    string_view("USER"),
    string_view("XDG_CACHE_HOME"),
    string_view("XDG_CONFIG_HOME"),
    string_view("XDG_DATA_HOME"),
};

// What never passes, not even by configuration: ways back to the session bus,
// the agents and ourselves, and files that a shell runs before the command.
constexpr std::array kNever{
    string_view("BASH_ENV"),       string_view("ENV"),
    string_view("BASHOPTS"),       string_view("SHELLOPTS"),
    string_view("PROMPT_COMMAND"), string_view("XDG_RUNTIME_DIR"),
    string_view("SSH_AUTH_SOCK"),  string_view("SSH_AGENT_PID"),
    string_view("GPG_AGENT_INFO"), string_view("NOTIFY_SOCKET"),
    string_view("LISTEN_FDS"),     string_view("LISTEN_PID"),
    string_view("LISTEN_FDNAMES"),
};
constexpr std::array kNeverPrefix{
    string_view("BASH_FUNC_"),
    string_view("DBUS_"),
    string_view("TOOLHOST_"),
};

// Nobody can answer: programs that would ask have to fail at once and say so.
// Set last, so that nothing that was passed on turns the questions on again;
// as environment they also win over the user's git configuration.
constexpr std::array kFixed{
    string_view("TERM=dumb"),
    string_view("NO_COLOR=1"),
    string_view("DEBIAN_FRONTEND=noninteractive"),
    // Not `true`: an editor that succeeds without a change would let
    // `git rebase -i` run as if somebody had agreed to its list.
    string_view("EDITOR=/bin/false"),
    string_view("VISUAL=/bin/false"),
    string_view("GIT_EDITOR=/bin/false"),
    string_view("GIT_SEQUENCE_EDITOR=/bin/false"),
    // A merge that needs no decision takes its prepared message.
    string_view("GIT_MERGE_AUTOEDIT=no"),
    string_view("PAGER=cat"),
    string_view("GIT_PAGER=cat"),
    string_view("MANPAGER=cat"),
    string_view("SYSTEMD_PAGER=cat"),
    string_view("GIT_TERMINAL_PROMPT=0"),
    string_view("GIT_ASKPASS=/bin/false"),
    string_view("SSH_ASKPASS=/bin/false"),
    // `never` still reads the terminal, which a child does not have.
    string_view("SSH_ASKPASS_REQUIRE=never"),
    string_view("SUDO_ASKPASS=/bin/false"),
};

// A daemon that was started without PATH still has to find the tools.
constexpr string_view kDefaultPath =
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

template <class Names>
bool has(const Names& names, string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool never(string_view name) {
  if (has(kNever, name)) return true;
  return std::any_of(kNeverPrefix.begin(), kNeverPrefix.end(),
                     [&](string_view it) { return name.starts_with(it); });
}

string_view name_of(string_view entry) {
  return entry.substr(0, entry.find('='));
}

bool is_fixed(string_view name) {
  return std::any_of(kFixed.begin(), kFixed.end(),
                     [&](string_view it) { return name_of(it) == name; });
}

}  // namespace

std::vector<std::string> child_environment(
    const std::vector<std::string>& extra) {
  std::vector<std::string> out;
  bool path = false;
  for (char** entry = environ; entry && *entry; ++entry) {
    const string_view text(*entry);
    const string_view name = name_of(text);
    if (never(name) || is_fixed(name)) continue;
    if (!has(kPassed, name) && !name.starts_with("LC_") && !has(extra, name)) {
      continue;
    }
    if (name == "PATH") path = true;
    out.emplace_back(text);
  }
  if (!path) out.emplace_back(kDefaultPath);
  for (const string_view entry : kFixed) out.emplace_back(entry);
  return out;
}

}  // namespace toolhost
