#include "providers/support/workspace.hpp"

#include <fcntl.h>
#include <pwd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "protocol/text.hpp"
#include "providers/support/beneath.hpp"
#include "providers/support/path_walk.hpp"

namespace toolhost {

namespace {

CallError blocked(std::string message, std::string hint = {}) {
  return make_call_error(CallErrorKind::path_blocked, std::move(message),
                         std::move(hint));
}

// A path as it may be shown in a message: bounded, and without tricks.
std::string in_quotes(std::string_view path) {
  constexpr std::size_t kShown = 512;
  std::string out = display_text(utf8_prefix(path, kShown));
  if (path.size() > kShown) out += "…";
  return "\"" + out + "\"";
}

// Held for the life of the process: everything is opened from here.
int file_system_root() {
  static const int fd = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return fd;
}

std::string below(const std::string& path, const std::string& root) {
  if (path == root || path.empty()) return ".";
  return path.substr(root == "/" ? 1 : root.size() + 1);
}

UniqueFd open_physical(const std::string& path, int flags, mode_t mode = 0) {
  return open_beneath(file_system_root(), below(path, "/"), flags, mode);
}

// Fills in what is there; false if nothing is, or a link is in the way.
bool identify(ResolvedPath& path) {
  const UniqueFd found = open_physical(path.physical, O_PATH);
  struct stat st {};
  path.exists = found && fstat(found.get(), &st) == 0;
  if (!path.exists) return false;
  path.mode = st.st_mode;
  path.device = st.st_dev;
  path.inode = st.st_ino;
  return true;
}

CallError open_error(const ResolvedPath& path, int number) {
  if (number == ELOOP || number == EXDEV || number == EAGAIN) {
    return blocked("The path " + in_quotes(path.given) +
                       " changed while it was being opened: a part of " +
                       in_quotes(path.physical) + " became a link.",
                   "Try again once nothing else moves files there.");
  }
  CallError error =
      make_call_error(CallErrorKind::tool_failed,
                      in_quotes(path.shown) +
                          " cannot be opened: " + std::strerror(number) + ".");
  error.details["errno"] = number;
  return error;
}

std::string home_folder() {
  const char* home = std::getenv("HOME");
  if (home && *home == '/') return home;
  const passwd* user = getpwuid(geteuid());
  return user && user->pw_dir ? user->pw_dir : "";
}

Outcome<std::string> lexical_path(std::string_view path,
                                  std::string_view start) {
  if (path == "~" || path.starts_with("~/")) {
    const std::string home = home_folder();
    if (home.empty() || home.front() != '/') {
      return blocked(
          "\"~\" cannot be used: the daemon's user has no home "
          "folder.",
          "Give an absolute path.");
    }
    return fold_path(fold_path({}, home), path.substr(1).empty()
                                              ? std::string_view()
                                              : path.substr(2));
  }
  return fold_path(fold_path({}, start), path);
}

std::optional<CallError> unusable(std::string_view path) {
  if (path.empty()) {
    return blocked("The path is empty.", "Give a file or folder name.");
  }
  if (path.find('\0') != std::string_view::npos) {
    return blocked("The path " + in_quotes(path) + " holds a NUL byte.");
  }
  if (path.size() > kMaxPathBytes) {
    return blocked("The path has " + std::to_string(path.size()) +
                   " bytes; the limit is " + std::to_string(kMaxPathBytes) +
                   ".");
  }
  return std::nullopt;
}

}  // namespace

Outcome<Workspace> Workspace::open(std::vector<std::string> roots,
                                   bool full_access) {
  Workspace out;
  out.full_access_ = full_access;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (auto no = unusable(roots[i])) return *no;
    if (roots[i].front() != '/') {
      return blocked("The workspace " + in_quotes(roots[i]) +
                     " is not an absolute path.");
    }
    // A session's root is physical already: one system call proves that.
    std::string folder = fold_path({}, roots[i]);
    if (!open_physical(folder, O_PATH | O_DIRECTORY)) {
      auto physical = follow_links(folder);
      if (!physical) return physical.error();
      folder = std::move(physical->path);
      if (!open_physical(folder, O_PATH | O_DIRECTORY)) {
        if (i > 0 && errno == ENOENT) continue;
        return blocked("The workspace " + in_quotes(roots[i]) +
                           " cannot be opened: " + std::strerror(errno) + ".",
                       "Name a folder that exists.");
      }
    }
    out.roots_.push_back(std::move(folder));
  }
  return out;
}

// Finds the root that holds `path.physical`.
bool Workspace::place(ResolvedPath& path) const {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (!is_beneath(path.physical, roots_[i])) continue;
    path.root = static_cast<int>(i);
    path.beneath = below(path.physical, roots_[i]);
    path.shown = i == 0 ? path.beneath : path.physical;
    return true;
  }
  path.root = -1;
  path.beneath = below(path.physical, "/");
  path.shown = path.physical;
  return full_access_;
}

Outcome<ResolvedPath> Workspace::resolve(std::string_view path,
                                         std::string_view cwd) const {
  if (auto no = unusable(path)) return *no;
  ResolvedPath out;
  out.given = path;
  if (cwd.empty() && !roots_.empty()) cwd = roots_.front();
  auto lexical = lexical_path(path, cwd);
  if (!lexical) return lexical.error();
  out.lexical = std::move(*lexical);

  // Nearly every path has no link in it: one system call proves that.
  out.physical = out.lexical;
  bool allowed = place(out);
  if (!identify(out)) {
    auto physical = follow_links(out.lexical);
    if (!physical) return physical.error();
    out.physical = std::move(physical->path);
    allowed = place(out);
    if (allowed && !identify(out)) out.exists = physical->exists;
  }
  if (!allowed) return outside(out);
  return out;
}

Outcome<UniqueFd> Workspace::open(const ResolvedPath& path, int flags,
                                  mode_t mode) const {
  flags |= O_NOFOLLOW | O_CLOEXEC;
  const bool reader = (flags & (O_ACCMODE | O_PATH)) == O_RDONLY;
  if (reader) flags |= O_NONBLOCK | O_NOCTTY;
  UniqueFd fd = open_physical(path.physical, flags, mode);
  if (!fd) return open_error(path, errno);
  return fd;
}

Outcome<UniqueFd> Workspace::open_parent(const ResolvedPath& path, bool create,
                                         std::string& name) const {
  if (path.beneath == ".") {
    return blocked("The path " + in_quotes(path.given) +
                   " is a root of the workspace, not a file in it.");
  }
  const std::size_t slash = path.physical.rfind('/');
  name = path.physical.substr(slash + 1);
  const std::string parent = path.physical.substr(0, slash);
  // Missing folders are made below the root, never the root itself.
  if (create && path.root >= 0) {
    const std::string& root = roots_[static_cast<std::size_t>(path.root)];
    const UniqueFd base = open_physical(root, O_PATH | O_DIRECTORY);
    if (!base) return open_error(path, errno);
    UniqueFd fd = make_directories(base.get(), below(parent, root));
    if (!fd) return open_error(path, errno);
    return fd;
  }
  UniqueFd fd = create
                    ? make_directories(file_system_root(), below(parent, "/"))
                    : open_physical(parent, O_PATH | O_DIRECTORY);
  if (!fd) return open_error(path, errno);
  return fd;
}

CallError Workspace::outside(const ResolvedPath& path) const {
  std::string message = "The path " + in_quotes(path.given);
  if (path.physical != path.given) {
    message += " leads to " + in_quotes(path.physical) + ", which";
  }
  message += roots_.empty() ? " is refused: this session has no workspace."
                            : " is outside the workspace. Its roots are ";
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    message += (i == 0 ? "" : ", ") + in_quotes(roots_[i]);
  }
  if (!roots_.empty()) message += ".";
  CallError error = blocked(std::move(message),
                            "Use a path below one of the roots, or ask the "
                            "person to add the folder to the session.");
  error.details["path"] = path.given;
  error.details["resolved"] = path.physical;
  return error;
}

bool is_beneath(std::string_view path, std::string_view root) {
  if (root == "/") return !path.empty() && path.front() == '/';
  return path.starts_with(root) &&
         (path.size() == root.size() || path[root.size()] == '/');
}

std::string_view file_type_name(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a regular file";
    case S_IFDIR:
      return "a directory";
    case S_IFLNK:
      return "a symbolic link";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    case S_IFCHR:
      return "a character device";
    case S_IFBLK:
      return "a block device";
    default:
      return "of an unknown file type";
  }
}

}  // namespace toolhost
