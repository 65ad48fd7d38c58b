#include "daemon/peer.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "providers/support/unique_fd.hpp"

namespace toolhost {
namespace {

// Deeper trees than this are not made by shells and editors, only by who wants
// the walk to end before it meets us.
constexpr std::size_t kMaxAncestry = 128;
// A process of the chain may end while it is walked; its children then have
// another parent, and the walk starts again.
constexpr int kWalks = 5;

struct ProcessFacts {
  ProcessIdentity identity;
  pid_t parent = 0;
};

// The text of /proc/PID/NAME, at most one page.
std::string read_proc(pid_t pid, const char* name) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return {};
  std::array<char, 4096> buffer;
  const ssize_t got = read(fd.get(), buffer.data(), buffer.size());
  if (got <= 0) return {};
  return std::string(buffer.data(), static_cast<std::size_t>(got));
}

// Field `index` (counted from 1) of /proc/PID/stat. The second one, the
// command, may hold spaces and parentheses: the fields after it are counted
// from the last ')'.
std::optional<std::uint64_t> stat_field(std::string_view stat, int index) {
  const std::size_t command = stat.rfind(')');
  if (command == std::string_view::npos) return std::nullopt;
  std::string_view rest = stat.substr(command + 1);
  for (int field = 3;; ++field) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(begin);
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (field == index) {
      std::uint64_t value = 0;
      const auto parsed =
          std::from_chars(rest.data(), rest.data() + end, value);
      if (parsed.ec != std::errc()) return std::nullopt;
      return value;
    }
    rest.remove_prefix(end);
  }
}

std::optional<ProcessFacts> process_facts(pid_t pid) {
  if (pid <= 0) return std::nullopt;
  constexpr int kParent = 4;
  constexpr int kStartTime = 22;
  const std::string stat = read_proc(pid, "stat");
  const auto parent = stat_field(stat, kParent);
  const auto start = stat_field(stat, kStartTime);
  if (!parent || !start) return std::nullopt;
  ProcessFacts out;
  out.identity.pid = pid;
  out.identity.start_time = *start;
  out.parent = static_cast<pid_t>(*parent);
  return out;
}

bool out_of_descriptors(int number) {
  return number == EMFILE || number == ENFILE;
}

enum class Walk { whole, broken, too_long, out_of_descriptors };

// From the process to the first one of its pid namespace.
Walk walk_up(ProcessFacts facts, std::vector<ProcessIdentity>& ancestry) {
  ancestry.assign(1, facts.identity);
  while (facts.parent != 0) {
    if (ancestry.size() == kMaxAncestry) return Walk::too_long;
    errno = 0;
    const auto parent = process_facts(facts.parent);
    if (!parent) {
      return out_of_descriptors(errno) ? Walk::out_of_descriptors
                                       : Walk::broken;
    }
    // Nobody is younger than their child: the pid belongs to another one now.
    if (parent->identity.start_time > facts.identity.start_time) {
      return Walk::broken;
    }
    ancestry.push_back(parent->identity);
    facts = *parent;
  }
  return Walk::whole;
}

Error no_descriptors() {
  return make_error(Code::overloaded, "The daemon has no descriptors left.",
                    "Try again, or close connections.");
}

Error too_deep() {
  return make_error(Code::unauthorized,
                    "The process behind the connection has more than " +
                        std::to_string(kMaxAncestry) + " ancestors.",
                    "Connect from a process that is nested less.");
}

std::string executable_of(pid_t pid) {
  const std::string link = "/proc/" + std::to_string(pid) + "/exe";
  std::array<char, 4096> buffer;
  const ssize_t got = readlink(link.c_str(), buffer.data(), buffer.size());
  if (got <= 0) return {};
  return std::string(buffer.data(), static_cast<std::size_t>(got));
}

}  // namespace

std::optional<ProcessIdentity> identify_process(pid_t pid) {
  const auto facts = process_facts(pid);
  if (!facts) return std::nullopt;
  return facts->identity;
}

Result<Peer> identify_peer(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return system_error("Reading the peer's credentials", errno);
  }
  Peer peer;
  peer.uid = credentials.uid;
  peer.process.pid = credentials.pid;
  for (int walk = 0; walk < kWalks; ++walk) {
    errno = 0;
    const auto facts = process_facts(credentials.pid);
    if (!facts && out_of_descriptors(errno)) return no_descriptors();
    // It ended or lives in a foreign pid namespace: whoever needs an ancestry
    // refuses it.
    if (!facts) return peer;
    peer.process = facts->identity;
    peer.exe = executable_of(credentials.pid);
    const Walk end = walk_up(*facts, peer.ancestry);
    if (end == Walk::whole) return peer;
    if (end == Walk::too_long) return too_deep();
    if (end == Walk::out_of_descriptors) return no_descriptors();
  }
  // Half an ancestry is none: the half that is missing may be ours.
  peer.ancestry.clear();
  return peer;
}

bool descends_from(const Peer& peer, const ProcessIdentity& ancestor) {
  return std::find(peer.ancestry.begin(), peer.ancestry.end(), ancestor) !=
         peer.ancestry.end();
}

std::optional<Error> refuse_user(const Peer& peer,
                                 std::span<const std::uint32_t> allowed) {
  if (peer.uid == geteuid() ||
      std::find(allowed.begin(), allowed.end(), peer.uid) != allowed.end()) {
    return std::nullopt;
  }
  return make_error(
      Code::unauthorized,
      "User " + std::to_string(peer.uid) + " may not use this daemon.",
      "Every user runs a daemon of their own.");
}

}  // namespace toolhost
