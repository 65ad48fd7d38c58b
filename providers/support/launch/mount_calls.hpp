// The system calls of the mount API, named.
#pragma once

#include "providers/support/launch/system.hpp"

namespace toolhost::launch {

inline constexpr std::uint64_t kMountReadOnly = 1;
inline constexpr std::uint64_t kMountNoSuid = 2;
inline constexpr std::uint64_t kMountNoDevices = 4;
inline constexpr std::uint64_t kMountNoExecute = 8;
inline constexpr long kRecursive = 0x8000;

// A copy of the mount, and of those below it, that lies nowhere yet.
inline int copy_mount(int fd) {
  constexpr long kClone = 1;
  constexpr long kCloseOnExec = 02000000;
  return static_cast<int>(
      call(__NR_open_tree, fd, address(""),
           kClone | kCloseOnExec | kRecursive | kAtEmptyPath));
}

// `attributes` for a mount and all below it. Private: what the host mounts
// later does not appear.
inline long restrict_mounts(int fd, const char* path,
                            std::uint64_t attributes) {
  constexpr std::uint64_t kPrivate = 1 << 18;
  const struct {
    std::uint64_t set;
    std::uint64_t clear;
    std::uint64_t propagation;
    std::uint64_t user_namespace;
  } change = {attributes, 0, kPrivate, 0};
  return call(__NR_mount_setattr, fd, address(path), kRecursive | kAtEmptyPath,
              address(&change), sizeof change);
}

// Lays the copy `tree` over what `onto` is.
inline long place_mount(int tree, int onto) {
  constexpr long kFromEmpty = 4;
  constexpr long kOntoEmpty = 0x40;
  return call(__NR_move_mount, tree, address(""), onto, address(""),
              kFromEmpty | kOntoEmpty);
}

inline long mount_new(const char* kind, const char* path, std::uint64_t flags,
                      const char* options) {
  return call(__NR_mount, address(kind), address(path), address(kind),
              static_cast<long>(flags), address(options));
}

}  // namespace toolhost::launch
