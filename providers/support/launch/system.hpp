// System calls without a C library, for toolhost-launch.
//
// A program without libc has five pages to fault in instead of a hundred: its
// start costs a quarter of that of a static glibc program, and it is part of
// every command. Each function returns the kernel's answer; -4095…-1 are
// negated errno values.
#pragma once

#include <asm/unistd.h>
#include <linux/prctl.h>

#include <cstddef>
#include <cstdint>

namespace toolhost::launch {

// From the kernel's headers, which cannot be included beside libc's.
inline constexpr int kSigKill = 9;
inline constexpr int kSigTerm = 15;
inline constexpr int kSigChld = 17;
inline constexpr int kErrIntr = 4;
inline constexpr int kErrChild = 10;
inline constexpr int kWaitNoHang = 1;
inline constexpr int kWaitAll = 0x40000000;
inline constexpr int kReadCloseOnExec = 02000000;  // O_RDONLY | O_CLOEXEC
inline constexpr int kAtCwd = -100;
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

}  // namespace toolhost::launch
