// What is left when a system call fails, the disk is full, or the process is
// killed in the middle.
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "tests/unit/support/atomic_write_fixture.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using testing::AtomicWriteTest;
using testing::entries;
using ::testing::HasSubstr;
using testing::read_file;
using testing::write_file;

// The n-th call of the table fails; a plain table has no room for state.
struct Faults {
  int calls = 0;
  int fail_at = 0;  // 0: none
  bool named_only = false;
  bool short_writes = false;
} faults;

bool fails() {
  if (++faults.calls != faults.fail_at) return false;
  errno = ENOSPC;
  return true;
}

constexpr SystemCalls kFaulty{
    [](int directory, const char* path, int flags, mode_t mode) {
      if (fails()) return -1;
      if (faults.named_only && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
      }
      return ::openat(directory, path, flags, mode);
    },
    [](int fd, const void* bytes, size_t size, off_t offset) -> ssize_t {
      if (fails()) return -1;
      if (faults.short_writes) size = (size + 1) / 2;
      return ::pwrite(fd, bytes, size, offset);
    },
    [](int fd) { return fails() ? -1 : ::fsync(fd); },
    [](int fd, mode_t mode) { return fails() ? -1 : ::fchmod(fd, mode); },
    [](int fd, int mode, off_t offset, off_t size) {
      return fails() ? -1 : ::fallocate(fd, mode, offset, size);
    },
    [](int fd, off_t size) { return fails() ? -1 : ::ftruncate(fd, size); },
    [](int from, const char* path, int to, const char* name, int flags) {
      return fails() ? -1 : ::linkat(from, path, to, name, flags);
    },
    [](int from, const char* name, int to, const char* new_name) {
      return fails() ? -1 : ::renameat(from, name, to, new_name);
    },
    [](int directory, const char* name, int flags) {
      return ::unlinkat(directory, name, flags);
    },
};

struct Scenario {
  const char* name;
  bool exists;
  bool hard_link;
  bool named_only;
};

class EveryFault : public AtomicWriteTest,
                   public ::testing::WithParamInterface<Scenario> {};

// Each system call fails once; after each, the file is old or new and nothing
// else is left.
TEST_P(EveryFault, LeavesTheOldOrTheNewFileAndNothingElse) {
  const Scenario& scenario = GetParam();
  const std::string old_bytes(20'000, 'o');
  const std::string new_bytes(40'000, 'n');
  WriteOptions options;
  options.calls = &kFaulty;
  int errors = 0;
  for (int n = 1;; ++n) {
    const std::string folder = "round" + std::to_string(n);
    const std::string file = dir / (folder + "/f");
    fs::create_directory(dir / folder);
    if (scenario.exists) write_file(file, old_bytes);
    if (scenario.hard_link) fs::create_hard_link(file, dir / (folder + "/h"));
    faults = Faults{0, n, scenario.named_only, true};
    const auto report = write(folder + "/f", new_bytes, options);
    const bool reached = faults.calls >= n;
    const bool there = fs::exists(file);
    EXPECT_TRUE(there || !scenario.exists) << n;
    const std::string now = there ? read_file(file) : "";
    if (report) {
      EXPECT_EQ(now, new_bytes) << n;
    } else {
      ++errors;
      EXPECT_TRUE(now == old_bytes || (!scenario.exists && !there)) << n;
      EXPECT_THAT(report.error().message, HasSubstr("No space left")) << n;
    }
    const std::size_t expected =
        (there ? 1U : 0U) + (scenario.hard_link ? 1U : 0U);
    EXPECT_EQ(entries(dir / folder), expected) << n;
    if (!reached) break;
  }
  EXPECT_GT(errors, 2);
}

INSTANTIATE_TEST_SUITE_P(
    AtomicWrite, EveryFault,
    ::testing::Values(Scenario{"New", false, false, false},
                      Scenario{"NewNamed", false, false, true},
                      Scenario{"Replaced", true, false, false},
                      Scenario{"ReplacedNamed", true, false, true},
                      Scenario{"InPlace", true, true, false}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(AtomicWriteTest, AFileSizeLimitLeavesTheOldFile) {
  write_file(dir / "f", "old");
  const int result = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{8 * 1024, 8 * 1024};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto report = write("f", std::string(1 << 20, 'x'));
    const bool told = !report && report.error().message.find(
                                     "File too large") != std::string::npos;
    return told ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(read_file(dir / "f"), "old");
  EXPECT_EQ(entries(dir.path()), 1U);
}

TEST_F(AtomicWriteTest, AFullDiskLeavesTheOldFile) {
  const std::string disk = dir / "disk";
  fs::create_directory(disk);
  ASSERT_EQ(mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m"), 0)
      << "this suite runs as root";
  write_file(disk + "/f", std::string(300'000, 'o'));
  fs::create_hard_link(disk + "/f", disk + "/h");
  write_file(disk + "/g", std::string(300'000, 'o'));
  const auto in_place = write("disk/f", std::string(2 << 20, 'n'));
  const auto replaced = write("disk/g", std::string(2 << 20, 'n'));
  const std::string f = read_file(disk + "/f");
  const std::string g = read_file(disk + "/g");
  const std::size_t left = entries(disk);
  umount(disk.c_str());
  ASSERT_FALSE(in_place);
  ASSERT_FALSE(replaced);
  EXPECT_THAT(replaced.error().message, HasSubstr("No space left"));
  EXPECT_EQ(f, std::string(300'000, 'o'));
  EXPECT_EQ(g, std::string(300'000, 'o'));
  EXPECT_EQ(left, 3U);
}

// Killed between any two system calls: old or new. (Between the naming of the
// new file and the rename, its hidden name stays behind.)
TEST_F(AtomicWriteTest, KillingItAtAnyPointLeavesTheOldOrTheNewFile) {
  const std::string old_bytes(200'000, 'o');
  const std::string new_bytes(300'000, 'n');
  static int die_at = 0;
  static int calls = 0;
  constexpr auto step = [] {
    if (++calls == die_at) raise(SIGKILL);
  };
  static constexpr auto kStep = step;
  static const SystemCalls kDeadly{
      [](int directory, const char* path, int flags, mode_t mode) {
        kStep();
        return ::openat(directory, path, flags, mode);
      },
      [](int fd, const void* bytes, size_t size, off_t offset) -> ssize_t {
        kStep();
        return ::pwrite(fd, bytes, std::min<size_t>(size, 64 * 1024), offset);
      },
      [](int fd) {
        kStep();
        return ::fsync(fd);
      },
      [](int fd, mode_t mode) {
        kStep();
        return ::fchmod(fd, mode);
      },
      ::fallocate,
      ::ftruncate,
      [](int from, const char* path, int to, const char* name, int flags) {
        kStep();
        return ::linkat(from, path, to, name, flags);
      },
      [](int from, const char* name, int to, const char* new_name) {
        kStep();
        return ::renameat(from, name, to, new_name);
      },
      ::unlinkat};
  int killed = 0;
  for (die_at = 1;; ++die_at) {
    write_file(dir / "f", old_bytes);
    const pid_t child = fork();
    if (child == 0) {
      WriteOptions options;
      options.calls = &kDeadly;
      const auto report = write("f", new_bytes, options);
      _exit(report ? 0 : 1);
    }
    int result = 0;
    waitpid(child, &result, 0);
    const std::string now = read_file(dir / "f");
    EXPECT_TRUE(now == old_bytes || now == new_bytes) << die_at;
    if (WIFEXITED(result)) {
      EXPECT_EQ(WEXITSTATUS(result), 0);
      break;
    }
    ++killed;
  }
  EXPECT_GT(killed, 8);
  EXPECT_LE(entries(dir.path()), 2U);
}

}  // namespace
}  // namespace toolhost
