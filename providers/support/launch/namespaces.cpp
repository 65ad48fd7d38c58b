#include "providers/support/launch/namespaces.hpp"

#include "providers/support/launch/system.hpp"

namespace toolhost::launch {
namespace {

constexpr long kNewMounts = 0x00020000;
constexpr long kNewIpc = 0x08000000;
constexpr long kNewUser = 0x10000000;
constexpr long kNewPids = 0x20000000;
constexpr long kNewNetwork = 0x40000000;

struct Text {
  char bytes[64] = {};
  int size = 0;

  void add(const char* part) {
    while (*part && size < 63) bytes[size++] = *part++;
  }
  void add(int number) {
    char digits[12] = {};
    int at = 11;
    auto left = static_cast<unsigned>(number);
    do {
      digits[--at] = static_cast<char>('0' + left % 10);
      left /= 10;
    } while (left != 0);
    add(digits + at);
  }
};

long write_file(const char* path, const Text& text) {
  const long fd = call(__NR_openat, kAtCwd, address(path), kWriteOnly);
  if (fd < 0) return fd;
  const long done = call(__NR_write, fd, address(text.bytes), text.size);
  close_fd(static_cast<int>(fd));
  return done;
}

// "ID ID 1": one id, the same on both sides.
long write_map(const char* path, int id) {
  Text text;
  text.add(id);
  text.add(" ");
  text.add(id);
  text.add(" 1");
  return write_file(path, text);
}

}  // namespace

Ids own_ids() {
  return {static_cast<int>(call(__NR_geteuid)),
          static_cast<int>(call(__NR_getegid))};
}

// Always with a user namespace, also for root: one way for everybody, and what
// the kernel grants in it reaches nothing outside.
long clone_inside(const PlanHeader& header) {
  long flags = kNewUser | kNewMounts | kNewPids | kNewIpc | kSigChld;
  if (header.wants & kOwnNetwork) flags |= kNewNetwork;
  return call(__NR_clone, flags);
}

Failure map_own_ids(Ids ids) {
  Text deny;
  deny.add("deny");
  // Without it the kernel refuses a group map of an ordinary user.
  if (auto failed =
          check(write_file("/proc/self/setgroups", deny), Step::user_map)) {
    return failed;
  }
  if (auto failed =
          check(write_map("/proc/self/uid_map", ids.user), Step::user_map)) {
    return failed;
  }
  return check(write_map("/proc/self/gid_map", ids.group), Step::user_map);
}

Failure bring_loopback_up() {
  constexpr long kInet = 2;
  constexpr long kDatagram = 2 | 02000000;  // SOCK_DGRAM | SOCK_CLOEXEC
  constexpr long kSetInterfaceFlags = 0x8914;
  constexpr short kUp = 1;
  // struct ifreq
  struct {
    char name[16] = "lo";
    short flags = kUp;
    char rest[22] = {};
  } request;
  const long fd = call(__NR_socket, kInet, kDatagram, 0);
  if (fd < 0) return check(fd, Step::loopback);
  const long done = call(__NR_ioctl, fd, kSetInterfaceFlags, address(&request));
  close_fd(static_cast<int>(fd));
  return check(done, Step::loopback);
}

}  // namespace toolhost::launch
