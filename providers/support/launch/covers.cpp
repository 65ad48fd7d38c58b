#include "providers/support/launch/covers.hpp"

#include "providers/support/launch/namespaces.hpp"
#include "providers/support/launch/system.hpp"

namespace toolhost::launch {
namespace {

constexpr int kMaxFolders = 128;
constexpr int kMaxPath = 4096;
constexpr std::uint32_t kSocket = 0140000;
constexpr std::uint32_t kSticky = 01000;
constexpr long kSocketMode = kSocket | kSticky | 0644;
constexpr long kFolderMode = kSticky | 0755;
constexpr long kFileMode = kSticky | 0644;
constexpr long kLockShared = 1;
constexpr long kLockAloneNow = 2 | 4;  // LOCK_EX | LOCK_NB
constexpr int kWouldBlock = 11;
constexpr int kTooMany = 7;        // E2BIG
constexpr int kNotSupported = 95;  // EOPNOTSUPP

// A folder with covers in it, locked as long as we use them.
struct Folder {
  char path[kMaxPath];
  int fd;
};
// Only what is used of it becomes memory.
Folder folders[kMaxFolders];
int folder_count = 0;

bool is_cover(Op op) {
  return op == Op::cover_socket || op == Op::cover_folder ||
         op == Op::cover_file;
}

// The last name of a path; the rest goes to `folder`.
const char* split(const char* path, char (&folder)[kMaxPath]) {
  int slash = 0;
  for (int i = 0; path[i] && i < kMaxPath - 1; ++i) {
    folder[i] = path[i];
    if (path[i] == '/') slash = i;
  }
  folder[slash == 0 ? 1 : slash] = 0;
  return path + slash + 1;
}

// The descriptor of a folder, locked at the first use.
int locked(const char (&path)[kMaxPath]) {
  for (int i = 0; i < folder_count; ++i) {
    if (same_text(folders[i].path, path)) return folders[i].fd;
  }
  if (folder_count == kMaxFolders) return -kTooMany;
  const int fd =
      open_without_links(kAtCwd, path, kReadCloseOnExec | kFolderOnly);
  if (fd < 0) return fd;
  // Waits for one that is just removing. Where locks are not supported, the
  // first to end takes away what is still used; better than nothing.
  call(__NR_flock, fd, kLockShared);
  Folder& added = folders[folder_count++];
  for (int i = 0; (added.path[i] = path[i]) != 0;) ++i;
  added.fd = fd;
  return fd;
}

long make_file(int folder, const char* name) {
  const long fd =
      call(__NR_openat, folder, address(name), kCreateNew, kFileMode);
  if (fd < 0) return fd;
  const long done = call(__NR_write, fd, address(".\n"), 2);
  close_fd(static_cast<int>(fd));
  return done;
}

long make(int folder, const char* name, Op op) {
  if (op == Op::cover_file) return make_file(folder, name);
  if (op == Op::cover_socket) {
    const long made = call(__NR_mknodat, folder, address(name), kSocketMode, 0);
    if (made != -kErrPerm && made != -kNotSupported) return made;
    // A file system without sockets.
  }
  return call(__NR_mkdirat, folder, address(name), kFolderMode);
}

// May a process of our user bring it into being after all, by giving itself
// the permission first?
bool others_own(int folder) {
  Facts facts;
  if (facts_of(folder, facts) != 0) return false;
  return facts.uid != static_cast<std::uint32_t>(own_ids().user);
}

// What exists, whoever made it, is protected as it is.
long cover(int folder, const char* name, Op op) {
  const long made = make(folder, name, op);
  if (made == -kErrExists || made == -kErrReadOnly) return 0;
  if (made == -kErrAccess && others_own(folder)) return 0;
  return made;
}

bool is_ours(const Facts& facts) {
  if ((facts.mode & kSticky) == 0) return false;
  const std::uint32_t kind = facts.mode & 0170000U;
  return kind == kSocket || facts.is_folder() || facts.size <= 2;
}

void remove_from(int folder, const char* name) {
  const int fd = static_cast<int>(
      call(__NR_openat, folder, address(name), kPathOnly | kNoFollow));
  if (fd < 0) return;
  Facts facts;
  const bool ours = facts_of(fd, facts) == 0 && is_ours(facts);
  close_fd(fd);
  // A folder with something in it is not removed.
  if (ours) {
    call(__NR_unlinkat, folder, address(name),
         facts.is_folder() ? kAtRemoveFolder : 0);
  }
}

}  // namespace

Failure make_covers(const char* plan) {
  static char folder[kMaxPath];
  PlanReader reader(plan);
  Record record;
  for (int number = 1; reader.next(record); ++number) {
    if (!is_cover(record.op)) continue;
    const char* name = split(record.text, folder);
    const int at = locked(folder);
    if (at < 0) return check(at, Step::cover, number);
    if (auto failed = check(cover(at, name, record.op), Step::cover, number)) {
      return failed;
    }
  }
  return {};
}

void remove_covers(const char* plan) {
  static char folder[kMaxPath];
  for (int i = 0; i < folder_count; ++i) {
    // Somebody else still needs them, and will remove them.
    if (call(__NR_flock, folders[i].fd, kLockAloneNow) == -kWouldBlock) {
      continue;
    }
    PlanReader reader(plan);
    Record record;
    while (reader.next(record)) {
      if (!is_cover(record.op)) continue;
      const char* name = split(record.text, folder);
      if (same_text(folder, folders[i].path)) {
        remove_from(folders[i].fd, name);
      }
    }
  }
}

}  // namespace toolhost::launch
