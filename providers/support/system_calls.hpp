// The system calls that can lose a file, as a table: tests make the n-th of
// them fail and look at what is left.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace toolhost {

struct SystemCalls {
  int (*openat)(int directory, const char* path, int flags, mode_t mode);
  ssize_t (*pwrite)(int fd, const void* bytes, size_t size, off_t offset);
  int (*fsync)(int fd);
  int (*fchmod)(int fd, mode_t mode);
  int (*fallocate)(int fd, int mode, off_t offset, off_t length);
  int (*ftruncate)(int fd, off_t length);
  int (*linkat)(int from, const char* path, int to, const char* name,
                int flags);
  int (*renameat)(int from, const char* name, int to, const char* new_name);
  int (*unlinkat)(int directory, const char* name, int flags);
};

inline constexpr SystemCalls kSystemCalls{
    [](int directory, const char* path, int flags, mode_t mode) {
      return ::openat(directory, path, flags, mode);
    },
    ::pwrite,
    ::fsync,
    ::fchmod,
    ::fallocate,
    ::ftruncate,
    ::linkat,
    ::renameat,
    ::unlinkat};

}  // namespace toolhost
