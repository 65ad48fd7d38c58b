#include "providers/support/artifacts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using toolhost::testing::read_file;
using toolhost::testing::TempDir;
using toolhost::testing::write_file;

constexpr std::uint64_t kNoLimit = 1 << 20;

class ArtifactsTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Artifacts>> open(std::uint64_t max_bytes = 1 << 20,
                                          int max_count = 10) {
    config::Artifacts limits;
    limits.max_bytes = max_bytes;
    limits.max_count = max_count;
    return Artifacts::open(folder() + "/", limits);
  }
  std::string folder() const { return temp.path() + "/state/artifacts"; }

  // A finished one.
  std::string keep(Artifacts& store, const std::string& bytes) {
    ArtifactWriter writer = store.create("sess_a", kNoLimit).value();
    writer.append(bytes);
    return writer.id();
  }

  TempDir temp;
};

TEST_F(ArtifactsTest, GivesBackWhatWasWrittenInWindows) {
  const auto store = open().value();
  const std::string id = keep(*store, "0123456789");
  const ArtifactWindow window = store->read(id, 2, 3).value();
  EXPECT_EQ(window.bytes, "234");
  EXPECT_EQ(window.next_offset, 5U);
  EXPECT_EQ(window.total, 10U);
  EXPECT_TRUE(window.finished);
  EXPECT_FALSE(window.end);
  EXPECT_TRUE(store->read(id, 5, 100).value().end);
}

TEST_F(ArtifactsTest, ReadsWhileItIsWritten) {
  const auto store = open().value();
  ArtifactWriter writer = store->create("sess_a", kNoLimit).value();
  writer.append("part");
  const ArtifactWindow window = store->read(writer.id(), 0, 100).value();
  EXPECT_EQ(window.bytes, "part");
  EXPECT_FALSE(window.finished);
  EXPECT_FALSE(window.end);
}

TEST_F(ArtifactsTest, SaysThatAnOffsetIsBehindTheEnd) {
  const auto store = open().value();
  const std::string id = keep(*store, "abc");
  const auto window = store->read(id, 4, 1);
  ASSERT_FALSE(window);
  EXPECT_EQ(window.error().code, Code::invalid_params);
}

TEST_F(ArtifactsTest, AnUnknownIdIsNotFound) {
  const auto store = open().value();
  EXPECT_EQ(store->read("art_../../etc/passwd", 0, 1).error().code,
            Code::artifact_not_found);
  EXPECT_FALSE(store->owner("art_x"));
}

TEST_F(ArtifactsTest, KnowsTheSessionItBelongsTo) {
  const auto store = open().value();
  EXPECT_EQ(store->owner(keep(*store, "x")), "sess_a");
}

TEST_F(ArtifactsTest, FilesAndFolderArePrivate) {
  const mode_t before = ::umask(0);
  const auto store = open().value();
  const std::string id = keep(*store, "x");
  ::umask(before);
  struct stat facts = {};
  ASSERT_EQ(::stat(folder().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
  ASSERT_EQ(::stat((folder() + "/" + id).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
}

TEST_F(ArtifactsTest, RefusesAFolderThatOthersMayEnter) {
  std::filesystem::create_directories(folder());
  ::chmod(folder().c_str(), 0755);
  const auto store = open();
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().message, HasSubstr("open to others"));
}

TEST_F(ArtifactsTest, RefusesALinkInPlaceOfTheFolder) {
  std::filesystem::create_directories(temp / "state");
  std::filesystem::create_directories(temp / "elsewhere");
  std::filesystem::create_symlink(temp / "elsewhere", folder());
  EXPECT_FALSE(open());
}

TEST_F(ArtifactsTest, RemovesWhatAnEarlierRunLeftAndNothingElse) {
  const std::string old = folder() + "/art_abcdefghijklmnopqrstuvwxyz";
  write_file(old, "old");
  write_file(folder() + "/notes.txt", "mine");
  ::chmod(folder().c_str(), 0700);
  const auto store = open().value();
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_EQ(read_file(folder() + "/notes.txt"), "mine");
}

TEST_F(ArtifactsTest, StopsAtTheLimitAndSaysSo) {
  const auto store = open().value();
  ArtifactWriter writer = store->create("sess_a", 4).value();
  writer.append("abc");
  EXPECT_FALSE(writer.cut());
  writer.append("def");
  EXPECT_TRUE(writer.cut());
  EXPECT_EQ(writer.bytes(), 4U);
  EXPECT_EQ(store->read(writer.id(), 0, 9).value().bytes, "abcd");
}

TEST_F(ArtifactsTest, TheOldestFinishedMakesRoomForANewOne) {
  const auto store = open(1 << 20, 2).value();
  const ArtifactWriter running = store->create("sess_a", kNoLimit).value();
  const std::string old = keep(*store, "old");
  const std::string fresh = keep(*store, "new");
  EXPECT_FALSE(store->owner(old));
  EXPECT_TRUE(store->owner(fresh));
  EXPECT_TRUE(store->owner(running.id()));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/" + old));
}

TEST_F(ArtifactsTest, RefusesWhenEveryPlaceIsBeingWritten) {
  const auto store = open(1 << 20, 1).value();
  const ArtifactWriter running = store->create("sess_a", kNoLimit).value();
  const auto second = store->create("sess_a", kNoLimit);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::quota_exceeded);
}

TEST_F(ArtifactsTest, TheOldestFinishedMakesRoomForBytes) {
  const auto store = open(10, 10).value();
  const std::string old = keep(*store, "12345");
  const std::string newer = keep(*store, "12345");
  const std::string newest = keep(*store, "1");
  EXPECT_FALSE(store->owner(old));
  EXPECT_TRUE(store->owner(newer));
  EXPECT_EQ(store->read(newest, 0, 9).value().bytes, "1");
}

TEST_F(ArtifactsTest, TwoThatAreBeingWrittenNeverExceedTheWhole) {
  const auto store = open(10, 10).value();
  ArtifactWriter one = store->create("sess_a", kNoLimit).value();
  ArtifactWriter two = store->create("sess_a", kNoLimit).value();
  one.append("1234567");
  two.append("1234567");
  EXPECT_EQ(one.bytes() + two.bytes(), 10U);
  EXPECT_TRUE(two.cut());
}

TEST_F(ArtifactsTest, AClosedSessionTakesItsArtifactsAlong) {
  const auto store = open().value();
  ArtifactWriter writer = store->create("sess_a", kNoLimit).value();
  writer.append("x");
  store->remove_session("sess_a");
  EXPECT_FALSE(store->owner(writer.id()));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/" + writer.id()));
  writer.append("y");
  EXPECT_TRUE(writer.cut());
}

// RLIMIT_FSIZE is a full disk that needs no file system of its own.
TEST_F(ArtifactsTest, AFullDiskCutsAndLeavesWhatWasWritten) {
  const auto store = open().value();
  ArtifactWriter writer = store->create("sess_a", kNoLimit).value();
  const auto before_signal = ::signal(SIGXFSZ, SIG_IGN);
  rlimit before = {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100;
  ::setrlimit(RLIMIT_FSIZE, &small);
  writer.append(std::string(250, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, before_signal);
  EXPECT_TRUE(writer.cut());
  EXPECT_EQ(writer.bytes(), 100U);
  const std::string id = writer.id();
  { const ArtifactWriter finished(std::move(writer)); }
  const ArtifactWindow window = store->read(id, 0, 1000).value();
  EXPECT_EQ(window.total, 100U);
  EXPECT_TRUE(window.end);
}

}  // namespace
}  // namespace toolhost
