#include "providers/support/atomic_write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include <filesystem>
#include <functional>

#include "providers/support/file_read.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TempDir;
using testing::write_file;

constexpr uid_t kNobody = 65534;

struct stat status_of(const std::string& path) {
  struct stat st {};
  EXPECT_EQ(lstat(path.c_str(), &st), 0) << path;
  return st;
}

std::size_t entries(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), {}));
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

TEST_F(AtomicWriteTest, CreatesAFileAndItsFoldersWithTheUmask) {
  const mode_t old = umask(027);
  const auto report = write("x/y/new.txt", "hello");
  umask(old);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->created);
  EXPECT_FALSE(report->in_place);
  EXPECT_EQ(read_file(dir / "x/y/new.txt"), "hello");
  EXPECT_EQ(status_of(dir / "x/y/new.txt").st_mode & 07777, 0640U);
  EXPECT_EQ(entries(dir / "x/y"), 1U);
  EXPECT_EQ(report->revision, revision_of(status_of(dir / "x/y/new.txt")));
}

TEST_F(AtomicWriteTest, KeepsTheModeAndReplacesTheInode) {
  write_file(dir / "s.sh", "old");
  chmod((dir / "s.sh").c_str(), 04750);
  const ino_t before = status_of(dir / "s.sh").st_ino;
  ASSERT_TRUE(write("s.sh", "new"));
  EXPECT_EQ(status_of(dir / "s.sh").st_mode & 07777, 04750U);
  EXPECT_NE(status_of(dir / "s.sh").st_ino, before);
  EXPECT_EQ(read_file(dir / "s.sh"), "new");
}

TEST_F(AtomicWriteTest, ALinkStaysAndItsTargetIsReplaced) {
  write_file(dir / "real.md", "old");
  fs::create_symlink("real.md", dir / "link.md");
  ASSERT_TRUE(write("link.md", "new"));
  EXPECT_TRUE(fs::is_symlink(dir / "link.md"));
  EXPECT_EQ(read_file(dir / "real.md"), "new");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(dir / "real.md")));
}

TEST_F(AtomicWriteTest, HardLinksKeepTheirFileAndAreReported) {
  write_file(dir / "h1", "old text");
  fs::create_hard_link(dir / "h1", dir / "h2");
  const auto report = write("h1", "new");
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->in_place);
  EXPECT_EQ(report->reason, "it has 2 hard links");
  EXPECT_EQ(read_file(dir / "h2"), "new");
}

TEST_F(AtomicWriteTest, KeepsExtendedAttributes) {
  const std::string path = dir / "f";
  write_file(path, "old");
  if (setxattr(path.c_str(), "user.note", "kept", 4, 0) != 0) {
    ASSERT_EQ(errno, ENOTSUP);  // this file system has none to lose
    return;
  }
  const auto report = write("f", "new");
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->in_place);
  char value[8] = {};
  EXPECT_EQ(getxattr(path.c_str(), "user.note", value, sizeof value), 4);
  EXPECT_STREQ(value, "kept");
}

// The binary form of "user::rw- user:12:r-- group::r-- mask::r-- other::---".
std::string acl_of_twelve() {
  const auto entry = [](int tag, int rights, int id) {
    std::string out;
    for (const int value : {tag, rights}) {
      out += static_cast<char>(value);
      out += '\0';
    }
    for (int i = 0; i < 4; ++i) out += static_cast<char>(id >> (8 * i));
    return out;
  };
  return std::string("\2\0\0\0", 4) + entry(1, 6, -1) + entry(2, 4, 12) +
         entry(4, 4, -1) + entry(16, 4, -1) + entry(32, 0, -1);
}

TEST_F(AtomicWriteTest, KeepsAnAclAndInheritsNone) {
  const std::string acl = acl_of_twelve();
  const std::string with = dir / "with";
  const std::string without = dir / "without";
  write_file(with, "old");
  write_file(without, "old");
  chmod(without.c_str(), 0644);
  if (setxattr(with.c_str(), "system.posix_acl_access", acl.data(), acl.size(),
               0) != 0) {
    ASSERT_EQ(errno, ENOTSUP);
    return;
  }
  ASSERT_EQ(setxattr(dir.path().c_str(), "system.posix_acl_default", acl.data(),
                     acl.size(), 0),
            0);
  ASSERT_TRUE(write("with", "new"));
  ASSERT_TRUE(write("without", "new"));
  std::string value(256, '\0');
  const ssize_t size = getxattr(with.c_str(), "system.posix_acl_access",
                                value.data(), value.size());
  EXPECT_EQ(value.substr(0, static_cast<std::size_t>(std::max(size, {}))), acl);
  EXPECT_LT(getxattr(without.c_str(), "system.posix_acl_access", nullptr, 0),
            0);
  EXPECT_EQ(status_of(without).st_mode & 07777, 0644U);
}

TEST_F(AtomicWriteTest, AForeignOwnerIsKeptByWritingInPlace) {
  ASSERT_EQ(geteuid(), 0U) << "this suite runs as root";
  write_file(dir / "f", "old");
  chmod((dir / "f").c_str(), 0666);
  chmod(dir.path().c_str(), 0777);
  const int result = as_nobody([&] {
    const auto report = write("f", "new");
    if (!report) return 1;
    return report->in_place ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(status_of(dir / "f").st_uid, 0U);
  EXPECT_EQ(read_file(dir / "f"), "new");
  EXPECT_EQ(entries(dir.path()), 1U);
}

TEST_F(AtomicWriteTest, ADirectoryThatCannotBeWrittenMeansInPlace) {
  write_file(dir / "d/f", "old");
  chmod((dir / "d/f").c_str(), 0666);
  chmod((dir / "d").c_str(), 0755);
  chmod(dir.path().c_str(), 0755);
  const int result = as_nobody([&] {
    const auto report = write("d/f", "new");
    return report && report->in_place ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(read_file(dir / "d/f"), "new");
}

TEST_F(AtomicWriteTest, AReadOnlyFileIsRespected) {
  write_file(dir / "f", "old");
  chmod((dir / "f").c_str(), 0444);
  chmod(dir.path().c_str(), 0777);
  const int result = as_nobody([&] {
    const auto report = write("f", "new");
    const bool told = !report && report.error().message.find(
                                     "Permission denied") != std::string::npos;
    return told ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(read_file(dir / "f"), "old");
}

TEST_F(AtomicWriteTest, RefusesWhatIsNotARegularFile) {
  fs::create_directory(dir / "d");
  mkfifo((dir / "p").c_str(), 0600);
  EXPECT_THAT(write("d", "x").error().message, HasSubstr("a directory"));
  EXPECT_THAT(write("p", "x").error().message, HasSubstr("a FIFO"));
}

TEST_F(AtomicWriteTest, AnotherFileUnderTheNameIsRefused) {
  write_file(dir / "f", "old");
  const struct stat st = status_of(dir / "f");
  WriteOptions options;
  options.device = st.st_dev;
  options.inode = st.st_ino;
  write_file(dir / "other", "swapped");
  fs::rename(dir / "other", dir / "f");
  const auto report = write("f", "new", options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, CallErrorKind::path_blocked);
  EXPECT_THAT(report.error().message,
              HasSubstr("changed since it was approved"));
  EXPECT_EQ(read_file(dir / "f"), "swapped");
}

TEST_F(AtomicWriteTest, AChangedRevisionIsRefused) {
  write_file(dir / "f", "old");
  WriteOptions options;
  options.revision = revision_of(status_of(dir / "f"));
  write_file(dir / "f", "older");
  EXPECT_FALSE(write("f", "new", options));
  EXPECT_EQ(read_file(dir / "f"), "older");
}

TEST_F(AtomicWriteTest, AFileThatAppearedIsNotReplaced) {
  write_file(dir / "f", "theirs");
  WriteOptions options;
  options.create_only = true;
  EXPECT_FALSE(write("f", "new", options));
  EXPECT_EQ(read_file(dir / "f"), "theirs");
}

// --- Faults -----------------------------------------------------------------

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

TEST_F(AtomicWriteTest, AMountPointIsWrittenInPlace) {
  write_file(dir / "source", "old");
  write_file(dir / "target", "");
  ASSERT_EQ(mount((dir / "source").c_str(), (dir / "target").c_str(), nullptr,
                  MS_BIND, nullptr),
            0)
      << "this suite runs as root";
  const auto report = write("target", "new");
  umount((dir / "target").c_str());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->in_place);
  EXPECT_EQ(read_file(dir / "source"), "new");
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
