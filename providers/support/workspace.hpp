// Workspace: the roots that file tools may touch, and opening beneath them.
//
// Resolution and use are one operation: a path is resolved to a root and to
// where it physically leads, and that physical path is opened from "/" with
// RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS. A component that becomes a link in
// between makes the open fail; it never leads outside. (Roots are held by
// name, not by descriptor: one that is removed and cloned again stays usable.)
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

// Where a path leads.
struct ResolvedPath {
  std::string given;     // as the caller wrote it
  std::string lexical;   // absolute, "." and ".." folded, links not followed
  std::string physical;  // absolute, every link followed (<= 40 hops)
  // Which root holds `physical`; -1: outside (only with full access).
  int root = -1;
  // `physical` below its root ("." for the root itself), or below "/".
  std::string beneath;
  // For people and models: relative to the primary root when inside it.
  std::string shown;
  bool exists = false;
  // What was there when it was resolved; zero if it does not exist.
  mode_t mode = 0;
  dev_t device = 0;
  ino_t inode = 0;
};

class Workspace {
 public:
  Workspace() = default;
  // `roots[0]` is the primary root; each has to be an existing directory given
  // by an absolute path. `full_access` lets paths lead outside.
  // An additional root that is gone is left out.
  static Outcome<Workspace> open(std::vector<std::string> roots,
                                 bool full_access);

  const std::string& primary() const { return roots_.front(); }
  const std::vector<std::string>& roots() const { return roots_; }
  bool full_access() const { return full_access_; }
  bool empty() const { return roots_.empty(); }

  // Relative paths start at `cwd` (absolute, or empty for the primary root);
  // "~" is the home folder. No side effects. The last components need not
  // exist. Refuses (pathBlocked) NUL bytes, empty paths, paths over 4096
  // bytes, link loops, and whatever leads outside the roots, with the
  // resolved path in the message.
  Outcome<ResolvedPath> resolve(std::string_view path,
                                std::string_view cwd = {}) const;

  // Opens what `path` resolved to. Flags get O_CLOEXEC | O_NOFOLLOW; a reader
  // gets O_NONBLOCK, so that a FIFO cannot hang it. The error says what the
  // system said (or that the path changed since it was resolved).
  Outcome<UniqueFd> open(const ResolvedPath& path, int flags,
                         mode_t mode = 0666) const;

  // The directory that holds it, opened the same way (O_PATH | O_DIRECTORY);
  // missing directories are created when `create`. `name` gets the last
  // component. Renames and temporary files use this descriptor.
  Outcome<UniqueFd> open_parent(const ResolvedPath& path, bool create,
                                std::string& name) const;

 private:
  bool place(ResolvedPath& path) const;
  CallError outside(const ResolvedPath& path) const;

  std::vector<std::string> roots_;  // physical
  bool full_access_ = false;
};

// True if `path` is `root` or below it; whole components, both physical.
bool is_beneath(std::string_view path, std::string_view root);

// "a FIFO", "a directory", "a character device", … for messages.
std::string_view file_type_name(mode_t mode);

}  // namespace toolhost
