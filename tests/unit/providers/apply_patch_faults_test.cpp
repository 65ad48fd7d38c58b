// What is left when a system call fails in the middle of a patch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <filesystem>
#include <memory>

#include "providers/builtin/apply_patch_commit.hpp"
#include "providers/support/file_read.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using builtin::FileCommit;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TempDir;
using testing::write_file;

// The n-th call of the table fails; a plain table has no room for state.
struct Faults {
  int calls = 0;
  int fail_at = 0;  // 0: none
  int number = ENOSPC;
  bool no_links = false;
} faults;

bool fails() {
  if (++faults.calls != faults.fail_at) return false;
  errno = faults.number;
  return true;
}

constexpr SystemCalls kFaulty{
    [](int directory, const char* path, int flags, mode_t mode) {
      if (faults.no_links && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
      }
      return fails() ? -1 : ::openat(directory, path, flags, mode);
    },
    [](int fd, const void* bytes, size_t size, off_t offset) -> ssize_t {
      return fails() ? -1 : ::pwrite(fd, bytes, size, offset);
    },
    [](int fd) { return fails() ? -1 : ::fsync(fd); },
    [](int fd, mode_t mode) { return fails() ? -1 : ::fchmod(fd, mode); },
    [](int fd, int mode, off_t offset, off_t size) {
      return fails() ? -1 : ::fallocate(fd, mode, offset, size);
    },
    [](int fd, off_t size) { return fails() ? -1 : ::ftruncate(fd, size); },
    [](int from, const char* path, int to, const char* name, int flags) {
      if (faults.no_links) {
        errno = EPERM;
        return -1;
      }
      return fails() ? -1 : ::linkat(from, path, to, name, flags);
    },
    [](int from, const char* name, int to, const char* new_name) {
      return fails() ? -1 : ::renameat(from, name, to, new_name);
    },
    [](int directory, const char* name, int flags) {
      return ::unlinkat(directory, name, flags);
    }};

// Two files changed, one created in a new folder, one with a second link
// changed, one deleted.
class ApplyPatchFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    faults = {};
    for (const char* name : {"a", "b", "linked", "gone"}) {
      write_file(path(name), std::string("old ") + name);
    }
    fs::create_hard_link(path("linked"), path("twin"));
  }
  void start_again() {
    for (const auto& entry : fs::directory_iterator(dir.path())) {
      fs::remove_all(entry.path());
    }
    SetUp();
  }
  std::string path(const std::string& name) const { return dir / name; }

  FileCommit commit(const std::string& name,
                    std::optional<std::string_view> bytes) {
    FileCommit out;
    out.path = workspace_.resolve(name).value();
    out.bytes = bytes;
    out.expected.calls = &kFaulty;
    struct stat st {};
    if (stat(out.path.physical.c_str(), &st) == 0) {
      out.expected.device = st.st_dev;
      out.expected.inode = st.st_ino;
      out.expected.revision = revision_of(st);
      old_.push_back(std::make_unique<std::string>("old " + name));
      out.old_bytes = *old_.back();
    } else {
      out.expected.create_only = true;
    }
    return out;
  }
  Outcome<std::vector<WriteReport>> run() {
    std::vector<FileCommit> files;
    files.push_back(commit("gone", std::nullopt));
    files.push_back(commit("linked", "new linked"));
    files.push_back(commit("a", "new a, and longer"));
    files.push_back(commit("deep/er/created", "new"));
    files.push_back(commit("b", "new b"));
    return builtin::commit_files(workspace_, files);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir.path()), {}));
  }
  void expect_old() const {
    for (const char* name : {"a", "b", "linked", "gone"}) {
      EXPECT_EQ(read_file(path(name)), std::string("old ") + name);
    }
    EXPECT_EQ(read_file(path("twin")), "old linked");
    EXPECT_FALSE(fs::exists(path("deep")));
    EXPECT_EQ(entries(), 5U);
  }

  TempDir dir;
  Workspace workspace_ = Workspace::open({dir.path()}, false).value();
  std::vector<std::unique_ptr<std::string>> old_;
};

TEST_F(ApplyPatchFaults, WithoutAFaultEverythingIsChanged) {
  const auto reports = run();
  ASSERT_TRUE(reports) << reports.error().message;
  ASSERT_EQ(reports->size(), 5U);
  EXPECT_TRUE((*reports)[1].in_place);
  EXPECT_TRUE((*reports)[3].created);
  EXPECT_EQ(read_file(path("a")), "new a, and longer");
  EXPECT_EQ(read_file(path("b")), "new b");
  EXPECT_EQ(read_file(path("twin")), "new linked");
  EXPECT_EQ(read_file(path("deep/er/created")), "new");
  EXPECT_FALSE(fs::exists(path("gone")));
  EXPECT_EQ(entries(), 5U);
}

TEST_F(ApplyPatchFaults, AFullDiskAtAnyCallLeavesAllOldOrAllNew) {
  int refused = 0;
  for (int at = 1; at < 200; ++at) {
    faults = {};
    faults.fail_at = at;
    const auto reports = run();
    const bool reached = faults.calls >= at;
    if (!reports) {
      ++refused;
      SCOPED_TRACE(at);
      expect_old();
      EXPECT_EQ(reports.error().kind, CallErrorKind::tool_failed);
    } else {
      EXPECT_EQ(read_file(path("a")), "new a, and longer");
      EXPECT_EQ(read_file(path("twin")), "new linked");
      EXPECT_FALSE(fs::exists(path("gone")));
      start_again();
    }
    if (!reached) break;
  }
  EXPECT_GT(refused, 10);
}

TEST_F(ApplyPatchFaults, TheOldFileComesBackItselfNotACopyOfIt) {
  struct stat before {};
  stat(path("a").c_str(), &before);
  // The last rename of the patch: "a" has its new content by then.
  for (int at = 60; at > 0; --at) {
    faults = {};
    faults.fail_at = at;
    if (run()) {
      start_again();
      stat(path("a").c_str(), &before);
      continue;
    }
    struct stat after {};
    stat(path("a").c_str(), &after);
    EXPECT_EQ(revision_of(before), revision_of(after));
    return;
  }
  FAIL() << "no call failed";
}

TEST_F(ApplyPatchFaults, WithoutHardLinksTheOldBytesAreWrittenBack) {
  for (int at = 1; at < 200; ++at) {
    faults = {};
    faults.no_links = true;
    faults.fail_at = at;
    const auto reports = run();
    if (faults.calls < at) break;
    if (reports) {
      start_again();
      continue;
    }
    SCOPED_TRACE(at);
    expect_old();
  }
}

TEST_F(ApplyPatchFaults, AFileThatChangedMeanwhileStopsEverything) {
  std::vector<FileCommit> files;
  files.push_back(commit("a", "new a"));
  files.push_back(commit("b", "new b"));
  write_file(path("b"), "somebody else's");
  const auto reports = builtin::commit_files(workspace_, files);
  ASSERT_FALSE(reports);
  EXPECT_EQ(reports.error().kind, CallErrorKind::path_blocked);
  EXPECT_THAT(reports.error().message, HasSubstr("No file of the patch"));
  EXPECT_EQ(read_file(path("a")), "old a");
  EXPECT_EQ(read_file(path("b")), "somebody else's");
}

TEST_F(ApplyPatchFaults, ARealFullDiskChangesNothing) {
  const std::string small = path("small");
  fs::create_directory(small);
  ASSERT_EQ(::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=256k"), 0)
      << "this suite runs as root";
  write_file(small + "/x", std::string(60 * 1024, 'x'));
  write_file(small + "/y", std::string(60 * 1024, 'y'));
  const std::string large(100 * 1024, 'z');
  std::vector<FileCommit> files;
  files.push_back(commit("small/x", large));
  files.push_back(commit("small/y", large));
  const auto reports = builtin::commit_files(workspace_, files);
  const bool refused = !reports;
  const std::string x = read_file(small + "/x");
  const std::string y = read_file(small + "/y");
  ::umount2(small.c_str(), MNT_DETACH);
  ASSERT_TRUE(refused);
  EXPECT_EQ(x, std::string(60 * 1024, 'x'));
  EXPECT_EQ(y, std::string(60 * 1024, 'y'));
}

}  // namespace
}  // namespace toolhost
