#include <sys/mount.h>
#include <sys/xattr.h>

#include "providers/support/file_read.hpp"
#include "tests/unit/support/atomic_write_fixture.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using testing::AtomicWriteTest;
using testing::entries;
using ::testing::HasSubstr;
using testing::read_file;
using testing::status_of;
using testing::write_file;

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

}  // namespace
}  // namespace toolhost
