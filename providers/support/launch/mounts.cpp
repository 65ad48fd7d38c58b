#include "providers/support/launch/mounts.hpp"

#include "providers/support/launch/memory_folder.hpp"
#include "providers/support/launch/mount_calls.hpp"

namespace toolhost::launch {
namespace {

constexpr int kMaxCopies = 2048;
constexpr int kTooMany = 7;  // E2BIG
constexpr std::uint64_t kHarmless = kMountNoSuid | kMountNoDevices;

// The devices that a command may use. The others cannot be opened: for root
// its own disk would be among them.
constexpr const char* kDevices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                    "/dev/random", "/dev/urandom", "/dev/tty"};
constexpr int kDeviceCount = sizeof kDevices / sizeof kDevices[0];

// Copies taken before the world became read-only, by number of the record.
int copies[kMaxCopies];
int devices[kDeviceCount];

bool is_absent(long answer) {
  return answer == -kErrNoEntry || answer == -kErrNotFolder ||
         answer == -kErrAccess;
}

bool is_copied_first(Op op) {
  return op == Op::writable || op == Op::reveal || op == Op::tmp;
}

int copy_of(const char* path) {
  const int from = open_without_links(kAtCwd, path, kPathOnly | kNoFollow);
  if (from < 0) return from;
  const int copy = copy_mount(from);
  close_fd(from);
  return copy;
}

Failure copy_first(const char* plan) {
  PlanReader reader(plan);
  Record record;
  for (int number = 1; reader.next(record); ++number) {
    if (number >= kMaxCopies) break;  // the rest needs no copy, or is refused
    copies[number] = -1;
    if (!is_copied_first(record.op) || !*record.text) continue;
    copies[number] = copy_of(record.text);
    if (record.op == Op::reveal && is_absent(copies[number])) continue;
    if (auto failed = check(copies[number], Step::clone_roots, number)) {
      return failed;
    }
    const std::uint64_t attributes =
        record.op == Op::reveal ? kHarmless | kMountReadOnly : kHarmless;
    if (auto failed = check(restrict_mounts(copies[number], "", attributes),
                            Step::clone_roots, number)) {
      return failed;
    }
  }
  for (int i = 0; i < kDeviceCount; ++i) devices[i] = copy_of(kDevices[i]);
  return {};
}

// Lays `copy` over `path`.
long place(int copy, const char* path) {
  const int onto = open_without_links(kAtCwd, path, kPathOnly | kNoFollow);
  if (onto < 0) return onto;
  const long done = place_mount(copy, onto);
  close_fd(onto);
  return done;
}

// A mount of its own on what is there: it can be read-only by itself, and it
// cannot be renamed or removed. Links too are laid over themselves.
long bind_itself(const char* path, std::uint64_t attributes) {
  const int there = open_without_links(kAtCwd, path, kPathOnly | kNoFollow);
  if (there < 0) return there;
  const int copy = copy_mount(there);
  long done = copy;
  if (copy >= 0) {
    done = restrict_mounts(copy, "", attributes);
    if (done >= 0) done = place_mount(copy, there);
    close_fd(copy);
  }
  close_fd(there);
  return done;
}

Failure own_proc() {
  // Read-only: /proc/sys belongs to root, with or without capabilities.
  return check(mount_new("proc", "/proc",
                         kHarmless | kMountNoExecute | kMountReadOnly, ""),
               Step::own_proc);
}

Failure own_devices(MemoryFolder& memory) {
  for (int i = 0; i < kDeviceCount; ++i) {
    if (devices[i] < 0) continue;
    if (auto failed =
            check(place(devices[i], kDevices[i]), Step::own_devices)) {
      return failed;
    }
    close_fd(devices[i]);
  }
  // Terminals of its own: those of the host are the person's.
  const long terminals =
      mount_new("devpts", "/dev/pts", kMountNoSuid | kMountNoExecute,
                "newinstance,ptmxmode=0666,mode=0620");
  if (terminals >= 0) {
    const int made = copy_of("/dev/pts/ptmx");
    if (auto failed = check(place(made, "/dev/ptmx"), Step::own_devices)) {
      return failed;
    }
    close_fd(made);
  } else if (!is_absent(terminals)) {
    return check(terminals, Step::own_devices);
  }
  return memory.lay_writable("shm", "/dev/shm", Step::own_devices);
}

// Makes what `copy` is laid on inside of a /tmp of its own.
void make_place_in_tmp(const char* path, int copy) {
  static char part[4096];
  for (int i = 0; path[i] && i < 4095; ++i) {
    if (i > 0 && path[i] == '/') {
      part[i] = 0;
      call(__NR_mkdirat, kAtCwd, address(part), 0700);
    }
    part[i] = path[i];
    part[i + 1] = 0;
  }
  Facts facts;
  if (facts_of(copy, facts) == 0 && facts.is_folder()) {
    call(__NR_mkdirat, kAtCwd, address(part), 0700);
    return;
  }
  const long file = call(__NR_openat, kAtCwd, address(part), kCreateNew, 0600);
  if (file >= 0) close_fd(static_cast<int>(file));
}

bool is_in_tmp(const char* path) {
  const char tmp[] = "/tmp/";
  for (int i = 0; i < 5; ++i) {
    if (path[i] != tmp[i]) return false;
  }
  return true;
}

Failure own_tmp(MemoryFolder& memory, const Record& record, int number) {
  if (!*record.text) return memory.lay_writable("tmp", "/tmp", Step::own_tmp);
  return check(place(copies[number], "/tmp"), Step::own_tmp, number);
}

Failure place_root(const Record& record, int number, bool tmp_is_own) {
  if (tmp_is_own && is_in_tmp(record.text)) {
    make_place_in_tmp(record.text, copies[number]);
  }
  return check(place(copies[number], record.text), Step::bind_root, number);
}

Failure carry_out(const Record& record, int number, MemoryFolder& memory,
                  bool& tmp_is_own) {
  if (is_copied_first(record.op) && number >= kMaxCopies) {
    return {Step::clone_roots, kTooMany, number};
  }
  switch (record.op) {
    case Op::tmp:
      tmp_is_own = true;
      return own_tmp(memory, record, number);
    case Op::writable:
      return place_root(record, number, tmp_is_own);
    case Op::hide:
      return memory.hide(record.text, number);
    case Op::reveal:
      if (copies[number] < 0) return {};
      memory.make_place(record.text, copies[number]);
      if (tmp_is_own && is_in_tmp(record.text)) {
        make_place_in_tmp(record.text, copies[number]);
      }
      return check(place(copies[number], record.text), Step::reveal, number);
    case Op::pin:
      return check(bind_itself(record.text, kHarmless), Step::pin, number);
    case Op::protect:
      return check(bind_itself(record.text, kHarmless | kMountReadOnly),
                   Step::protect, number);
    case Op::cover_socket:
    case Op::cover_folder:
    case Op::cover_file: {
      // Missing only where nobody of our user can make it.
      const long done = bind_itself(record.text, kHarmless | kMountReadOnly);
      if (done == -kErrNoEntry) return {};
      return check(done, Step::protect, number);
    }
    default:
      return {};
  }
}

}  // namespace

Failure make_world(const char* plan) {
  static char folder[4096];
  Facts before;
  const long size = call(__NR_getcwd, address(folder), sizeof folder);
  if (size < 0) return check(size, Step::enter_folder);
  const int dot = open_without_links(kAtCwd, ".", kPathOnly);
  if (const long known = facts_of(dot, before); known < 0) {
    return check(known, Step::enter_folder);
  }
  close_fd(dot);

  if (auto failed = copy_first(plan)) return failed;
  if (auto failed =
          check(restrict_mounts(kAtCwd, "/", kHarmless | kMountReadOnly),
                Step::read_only_world)) {
    return failed;
  }
  MemoryFolder memory;
  if (auto failed = memory.make()) return failed;
  if (auto failed = own_proc()) return failed;
  if (auto failed = own_devices(memory)) return failed;
  PlanReader reader(plan);
  Record record;
  bool tmp_is_own = false;
  for (int number = 1; reader.next(record); ++number) {
    if (auto failed = carry_out(record, number, memory, tmp_is_own)) {
      return failed;
    }
  }
  memory.close();

  // The folder that we were in is one of the world that we left.
  if (auto failed =
          check(call(__NR_chdir, address(folder)), Step::enter_folder)) {
    return failed;
  }
  Facts now;
  const int here = open_without_links(kAtCwd, ".", kPathOnly);
  const long known = facts_of(here, now);
  close_fd(here);
  if (known < 0 || !before.same_file(now)) {
    return {Step::enter_folder, kErrStale, 0};
  }
  return {};
}

}  // namespace toolhost::launch
