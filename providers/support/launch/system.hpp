// System calls without a C library, for toolhost-launch.
//
// A program without libc has five pages to fault in instead of a hundred: its
// start costs a quarter of that of a static glibc program, and it is part of
// every command. Each function returns the kernel's answer; -4095…-1 are
// negated errno values. The numbers of flags are those of the kernel's headers,
// which cannot be included beside each other or are too old in Debian 12.
#pragma once

#include <asm/unistd.h>
#include <linux/prctl.h>

#include <cstddef>
#include <cstdint>

namespace toolhost::launch {

inline constexpr int kSigKill = 9;
inline constexpr int kSigTerm = 15;
inline constexpr int kSigChld = 17;
inline constexpr int kErrPerm = 1;
inline constexpr int kErrNoEntry = 2;
inline constexpr int kErrIntr = 4;
inline constexpr int kErrChild = 10;
inline constexpr int kErrAccess = 13;
inline constexpr int kErrExists = 17;
inline constexpr int kErrNotFolder = 20;
inline constexpr int kErrInvalid = 22;
inline constexpr int kErrReadOnly = 30;
inline constexpr int kErrNoSystemCall = 38;
inline constexpr int kErrStale = 116;
inline constexpr int kErrNotSupported = 95;
inline constexpr int kWaitNoHang = 1;
inline constexpr int kWaitAll = 0x40000000;
inline constexpr int kReadCloseOnExec = 02000000;  // O_RDONLY | O_CLOEXEC
#if defined(__aarch64__)
inline constexpr int kFolderOnly = 040000;  // O_DIRECTORY
inline constexpr int kNoFollow = 0100000;   // O_NOFOLLOW
#else
inline constexpr int kFolderOnly = 0200000;
inline constexpr int kNoFollow = 0400000;
#endif
inline constexpr int kPathOnly = 010000000 | 02000000;  // O_PATH | O_CLOEXEC
inline constexpr int kCreateNew = 0301;      // O_CREAT | O_EXCL | O_WRONLY
inline constexpr int kWriteOnly = 02000001;  // O_WRONLY | O_CLOEXEC
inline constexpr int kAtCwd = -100;
inline constexpr int kAtEmptyPath = 0x1000;
inline constexpr int kAtRemoveFolder = 0x200;
inline constexpr int kSetFdFlags = 2;  // F_SETFD
inline constexpr int kFdCloseOnExec = 1;
inline constexpr int kSigSetMask = 2;

[[gnu::always_inline]] inline long call(long number, long a = 0, long b = 0,
                                        long c = 0, long d = 0, long e = 0) {
#if defined(__x86_64__)
  long out;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  asm volatile("syscall"
               : "=a"(out)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return out;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
               : "memory");
  return x0;
#else
#error "toolhost-launch knows the system calls of x86_64 and aarch64 only"
#endif
}

[[gnu::always_inline]] inline long address(const volatile void* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Shares memory and stack with the child until that one executes. Inlined, so
// that the child has no return address to overwrite.
[[gnu::always_inline]] inline long vfork_child() {
  constexpr long kVm = 0x100;
  constexpr long kVfork = 0x4000;
  return call(__NR_clone, kVm | kVfork | kSigChld);
}

[[noreturn, gnu::always_inline]] inline void end_process(int code) {
  for (;;) call(__NR_exit_group, code);
}

inline int process_id() { return static_cast<int>(call(__NR_getpid)); }
inline void send_signal(int pid, int signal) { call(__NR_kill, pid, signal); }
inline void close_fd(int fd) { call(__NR_close, fd); }
inline int open_for_reading(const char* path) {
  return static_cast<int>(
      call(__NR_openat, kAtCwd, address(path), kReadCloseOnExec));
}
inline long read_fd(int fd, char* to, std::size_t size) {
  return call(__NR_read, fd, address(to), static_cast<long>(size));
}

// Opens `path` beneath `folder` without following any link: who can write in a
// folder on the way cannot lead us elsewhere.
inline int open_without_links(int folder, const char* path, int flags) {
  struct {
    std::uint64_t flags;
    std::uint64_t mode;
    std::uint64_t resolve;
  } how = {static_cast<std::uint64_t>(flags), 0, 0x04};  // RESOLVE_NO_SYMLINKS
  return static_cast<int>(
      call(__NR_openat2, folder, address(path), address(&how), sizeof how));
}

// Type, permissions and identity. The layout is the kernel's statx.
struct Facts {
  std::uint32_t mask, block_size;
  std::uint64_t attributes;
  std::uint32_t links, uid, gid;
  std::uint16_t mode, spare0;
  std::uint64_t inode, size, blocks, attributes_mask;
  std::uint64_t times[8];
  std::uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
  std::uint64_t mount, spare[13];

  bool is_folder() const { return (mode & 0170000) == 0040000; }
  bool is_link() const { return (mode & 0170000) == 0120000; }
  bool same_file(const Facts& other) const {
    return inode == other.inode && dev_major == other.dev_major &&
           dev_minor == other.dev_minor;
  }
};
static_assert(sizeof(Facts) == 256);

inline long facts_of(int fd, Facts& out) {
  constexpr long kBasic = 0x7ff;
  return call(__NR_statx, fd, address(""), kAtEmptyPath, kBasic, address(&out));
}

inline bool same_text(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

}  // namespace toolhost::launch
