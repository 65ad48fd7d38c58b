#include "providers/support/launch/memory_folder.hpp"

#include "providers/support/launch/mount_calls.hpp"

namespace toolhost::launch {
namespace {

constexpr int kMaxHidden = 200;
constexpr std::uint64_t kEmpty =
    kMountReadOnly | kMountNoSuid | kMountNoDevices | kMountNoExecute;

// The hidden folders, in the order of their numbers.
const char* hidden_paths[kMaxHidden];

struct Name {
  char text[8] = {'h', 0, 0, 0, 0, 0, 0, 0};

  explicit Name(int number) {
    text[1] = static_cast<char>('0' + number / 100 % 10);
    text[2] = static_cast<char>('0' + number / 10 % 10);
    text[3] = static_cast<char>('0' + number % 10);
  }
};

// What of `path` comes after `folder`, without the slash; null if it is not
// beneath it.
const char* beneath(const char* path, const char* folder) {
  while (*folder && *folder == *path) ++folder, ++path;
  return *folder == 0 && *path == '/' ? path + 1 : nullptr;
}

bool is_absent(long answer) {
  return answer == -kErrNoEntry || answer == -kErrNotFolder ||
         answer == -kErrAccess;
}

// Lays a copy of `name` in `folder` over `onto`.
long lay(int folder, const char* name, int onto, std::uint64_t attributes) {
  const int from = open_without_links(folder, name, kPathOnly);
  if (from < 0) return from;
  const int copy = copy_mount(from);
  close_fd(from);
  if (copy < 0) return copy;
  long done = restrict_mounts(copy, "", attributes);
  if (done >= 0) done = place_mount(copy, onto);
  close_fd(copy);
  return done;
}

}  // namespace

Failure MemoryFolder::make() {
  if (auto failed =
          check(mount_new("tmpfs", "/proc", kMountNoSuid | kMountNoDevices,
                          "mode=0755,size=25%"),
                Step::private_memory)) {
    return failed;
  }
  fd_ = open_without_links(kAtCwd, "/proc", kPathOnly);
  if (fd_ < 0) return check(fd_, Step::private_memory);
  const long file = call(__NR_openat, fd_, address("file"), kCreateNew, 0444);
  if (file < 0) return check(file, Step::private_memory);
  close_fd(static_cast<int>(file));
  return {};
}

void MemoryFolder::close() {
  close_fd(fd_);
  fd_ = -1;
}

Failure MemoryFolder::lay_writable(const char* name, const char* path,
                                   Step step) {
  const int onto = open_without_links(kAtCwd, path, kPathOnly | kFolderOnly);
  if (is_absent(onto)) return {};
  if (onto < 0) return check(onto, step);
  long done = call(__NR_mkdirat, fd_, address(name), 01777);
  if (done >= 0) done = lay(fd_, name, onto, kMountNoSuid | kMountNoDevices);
  close_fd(onto);
  return check(done, step);
}

Failure MemoryFolder::hide(const char* path, int record) {
  constexpr int kTooMany = 7;  // E2BIG
  const int onto = open_without_links(kAtCwd, path, kPathOnly);
  if (is_absent(onto)) return {};
  if (onto < 0) return check(onto, Step::hide, record);
  Facts facts;
  long done = facts_of(onto, facts);
  if (done >= 0 && !facts.is_folder()) {
    done = lay(fd_, "file", onto, kEmpty);
  } else if (done >= 0 && hidden_ == kMaxHidden) {
    done = -kTooMany;
  } else if (done >= 0) {
    const Name name(hidden_);
    hidden_paths[hidden_++] = path;
    done = call(__NR_mkdirat, fd_, address(name.text), 0555);
    if (done >= 0) done = lay(fd_, name.text, onto, kEmpty);
  }
  close_fd(onto);
  return check(done, Step::hide, record);
}

void MemoryFolder::make_place(const char* path, int copy) {
  const char* rest = nullptr;
  int number = hidden_;
  while (!rest && --number >= 0) rest = beneath(path, hidden_paths[number]);
  if (!rest) return;
  int folder = open_without_links(fd_, Name(number).text, kPathOnly);
  static char part[4096];
  int size = 0;
  for (; *rest && size < 4095; ++rest) {
    if (*rest != '/') {
      part[size++] = *rest;
      continue;
    }
    part[size] = 0;
    size = 0;
    call(__NR_mkdirat, folder, address(part), 0555);
    const int next = open_without_links(folder, part, kPathOnly);
    close_fd(folder);
    folder = next;
  }
  part[size] = 0;
  Facts facts;
  if (facts_of(copy, facts) == 0 && facts.is_folder()) {
    call(__NR_mkdirat, folder, address(part), 0555);
  } else {
    const long file =
        call(__NR_openat, folder, address(part), kCreateNew, 0444);
    if (file >= 0) close_fd(static_cast<int>(file));
  }
  close_fd(folder);
}

}  // namespace toolhost::launch
