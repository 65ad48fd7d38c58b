#include "providers/support/path_walk.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace toolhost {
namespace {

// Components still to walk, the next one at the back.
using Pending = std::vector<std::string>;

void push_components(Pending& pending, std::string_view path) {
  Pending parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  pending.insert(pending.end(), parts.rbegin(), parts.rend());
}

void pop_component(std::string& path) {
  path.resize(path.rfind('/'));  // "/a" becomes "": the root
}

CallError blocked(std::string message) {
  return make_call_error(CallErrorKind::path_blocked, std::move(message));
}

// Reads the link at `path` and queues what it points to.
Outcome<void> follow(std::string& current, const std::string& path,
                     Pending& pending) {
  std::array<char, kMaxPathBytes> target;
  const ssize_t size = readlink(path.c_str(), target.data(), target.size());
  if (size <= 0 || static_cast<std::size_t>(size) == target.size()) {
    return blocked(
        "The link " + path + " cannot be followed: " +
        (size < 0 ? std::strerror(errno) : "its target is too long") + ".");
  }
  const std::string_view where(target.data(), static_cast<std::size_t>(size));
  if (where.front() == '/') current.clear();
  push_components(pending, where);
  return {};
}

}  // namespace

std::string fold_path(std::string base, std::string_view path) {
  if (base == "/" || (!path.empty() && path.front() == '/')) base.clear();
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!base.empty()) pop_component(base);
    } else {
      base += '/';
      base += part;
    }
  }
  return base.empty() ? "/" : base;
}

Outcome<PhysicalPath> follow_links(const std::string& lexical) {
  Pending pending;
  push_components(pending, lexical);
  std::string current;  // physical; "" is the root
  int hops = 0;
  bool exists = true;
  bool stepped_up = false;
  while (!pending.empty()) {
    const std::string part = std::move(pending.back());
    pending.pop_back();
    if (part == ".") continue;
    stepped_up = part == "..";
    if (stepped_up) {
      if (!current.empty()) pop_component(current);
      continue;
    }
    const std::string next = current + "/" + part;
    if (next.size() > kMaxPathBytes) {
      return blocked("The path " + lexical.substr(0, 256) +
                     " becomes longer than 4096 bytes when its links are "
                     "followed.");
    }
    struct stat st {};
    exists = lstat(next.c_str(), &st) == 0;
    if (!exists && errno != ENOENT && errno != ENOTDIR) {
      // Unknown is not "no link": refuse rather than guess.
      return blocked("The path " + lexical + " cannot be followed at " + next +
                     ": " + std::strerror(errno) + ".");
    }
    if (!exists || !S_ISLNK(st.st_mode)) {
      current = next;
      continue;
    }
    if (++hops > kMaxLinkHops) {
      return blocked("The path " + lexical + " goes through more than " +
                     std::to_string(kMaxLinkHops) +
                     " links; they probably form a loop.");
    }
    if (auto done = follow(current, next, pending); !done) return done.error();
  }
  PhysicalPath out;
  out.path = current.empty() ? "/" : std::move(current);
  struct stat st {};
  out.exists = stepped_up ? lstat(out.path.c_str(), &st) == 0 : exists;
  return out;
}

}  // namespace toolhost
