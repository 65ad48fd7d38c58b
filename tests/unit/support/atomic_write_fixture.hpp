// AtomicWriteTest: a folder in which files are written atomically, also by
// another user and by processes that die.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>

#include "providers/support/atomic_write.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

inline constexpr uid_t kNobody = 65534;

inline struct stat status_of(const std::string& path) {
  struct stat st {};
  EXPECT_EQ(lstat(path.c_str(), &st), 0) << path;
  return st;
}

inline std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder), {}));
}

class AtomicWriteTest : public ::testing::Test {
 protected:
  Outcome<WriteReport> write(const std::string& name, std::string_view bytes,
                             const WriteOptions& options = {}) {
    const auto path = workspace().resolve(name);
    if (!path) return path.error();
    return write_atomically(workspace(), *path, bytes, options);
  }
  Workspace workspace() { return Workspace::open({dir.path()}, false).value(); }

  // Runs `body` in a process of its own, as a user who is not root.
  static int as_nobody(const std::function<int()>& body) {
    return in_child([&] {
      const bool dropped =
          geteuid() != 0 || (setresgid(kNobody, kNobody, kNobody) == 0 &&
                             setresuid(kNobody, kNobody, kNobody) == 0);
      return dropped ? body() : 99;
    });
  }
  static int in_child(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    int result = 0;
    waitpid(child, &result, 0);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128;
  }

  TempDir dir;
};

}  // namespace toolhost::testing
