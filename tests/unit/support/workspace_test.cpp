#include "providers/support/workspace.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "providers/support/atomic_write.hpp"
#include "providers/support/beneath.hpp"
#include "providers/support/file_read.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::read_file;
using testing::TempDir;
using testing::write_file;

// w/proj is the workspace; beside it lie a sibling with the same prefix and a
// folder that nothing may reach.
class WorkspaceTest : public ::testing::Test {
 protected:
  WorkspaceTest() {
    write_file(root + "/a", "inside");
    write_file(root + "/sub/b", "inside");
    write_file(w / "proj-evil/s", "evil");
    write_file(w / "outside/secret", "secret");
    fs::create_symlink(w / "outside", root + "/up");
    fs::create_symlink(w / "outside/secret", root + "/p");
    fs::create_symlink("sub", root + "/in");
    fs::create_symlink("../proj/a", root + "/round");
    fs::create_symlink(w / "outside/new", root + "/dangling-out");
    fs::create_symlink("sub/new", root + "/dangling-in");
    fs::create_symlink("loop2", root + "/loop1");
    fs::create_symlink("loop1", root + "/loop2");
    fs::create_symlink(root, w / "alias");
  }

  Workspace open(bool full_access = false) {
    return Workspace::open({root}, full_access).value();
  }

  TempDir w;
  std::string root = w / "proj";
};

struct Spelling {
  const char* path;      // $W and $R stand for the folder and the root
  const char* physical;  // below $W; empty: refused
};

// Case by case: what a path means, whatever its spelling.
constexpr std::array kSpellings{
    Spelling{"a", "proj/a"},
    Spelling{"./a", "proj/a"},
    Spelling{"././/a", "proj/a"},
    Spelling{"sub/../a", "proj/a"},
    Spelling{"sub/./b", "proj/sub/b"},
    Spelling{"sub//b", "proj/sub/b"},
    Spelling{"sub/", "proj/sub"},
    Spelling{".", "proj"},
    Spelling{"./", "proj"},
    Spelling{"sub/..", "proj"},
    Spelling{"missing", "proj/missing"},
    Spelling{"missing/deep/er", "proj/missing/deep/er"},
    Spelling{"missing/../a", "proj/a"},
    Spelling{"..foo", "proj/..foo"},
    Spelling{"...", "proj/..."},
    Spelling{"in/b", "proj/sub/b"},
    Spelling{"in/new", "proj/sub/new"},
    Spelling{"round", "proj/a"},
    Spelling{"dangling-in", "proj/sub/new"},
    Spelling{"../proj/a", "proj/a"},
    Spelling{"../proj", "proj"},
    Spelling{"../alias/a", "proj/a"},
    Spelling{"$R/a", "proj/a"},
    Spelling{"$R", "proj"},
    Spelling{"$R/", "proj"},
    Spelling{"/$R/./a", "proj/a"},
    Spelling{"$R/../proj/a", "proj/a"},
    Spelling{"$W/alias/sub/b", "proj/sub/b"},
    Spelling{"$W/alias", "proj"},
    Spelling{"$R/in/../a", "proj/a"},
    Spelling{"..", ""},
    Spelling{"../", ""},
    Spelling{"../proj-evil/s", ""},
    Spelling{"../projX", ""},
    Spelling{"../pro", ""},
    Spelling{"$W/proj-evil/s", ""},
    Spelling{"$W/proj-evil", ""},
    Spelling{"$W/proj/../proj-evil/s", ""},
    Spelling{"/$W/proj-evil/./s", ""},
    Spelling{"$W/projX", ""},
    Spelling{"$W", ""},
    Spelling{"/", ""},
    Spelling{"//", ""},
    Spelling{"/..", ""},
    Spelling{"/etc/passwd", ""},
    Spelling{"../../../../../../../../etc/passwd", ""},
    Spelling{"sub/../../outside/secret", ""},
    Spelling{"up", ""},
    Spelling{"up/secret", ""},
    Spelling{"up/new", ""},
    Spelling{"up/missing/new", ""},
    Spelling{"./up/../up/secret", ""},
    Spelling{"p", ""},
    Spelling{"$R/p", ""},
    Spelling{"$W/alias/p", ""},
    Spelling{"$W/alias/up/secret", ""},
    Spelling{"dangling-out", ""},
    Spelling{"loop1", ""},
    Spelling{"loop1/x", ""},
    Spelling{"", ""},
};

TEST_F(WorkspaceTest, JudgesEverySpellingByWhereItLeads) {
  const Workspace workspace = open();
  for (const Spelling& row : kSpellings) {
    std::string path = row.path;
    for (const auto& [mark, value] :
         {std::pair{"$W", w.path()}, std::pair{"$R", root}}) {
      const std::size_t at = path.find(mark);
      if (at != std::string::npos) path.replace(at, 2, value);
    }
    const auto resolved = workspace.resolve(path);
    if (*row.physical == '\0') {
      ASSERT_FALSE(resolved) << path << " led to " << resolved->physical;
      EXPECT_EQ(resolved.error().kind, CallErrorKind::path_blocked) << path;
    } else {
      ASSERT_TRUE(resolved) << path << ": " << resolved.error().message;
      EXPECT_EQ(resolved->physical, w / row.physical) << path;
    }
  }
}

TEST_F(WorkspaceTest, NamesTheGivenAndTheResolvedPathAndTheRoots) {
  const auto no = open().resolve("up/secret");
  ASSERT_FALSE(no);
  EXPECT_THAT(no.error().message, HasSubstr("\"up/secret\""));
  EXPECT_THAT(no.error().message, HasSubstr(w / "outside/secret"));
  EXPECT_THAT(no.error().message, HasSubstr(root));
}

TEST_F(WorkspaceTest, ShowsPathsBelowThePrimaryRoot) {
  const auto path = open().resolve(root + "/in/b");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->shown, "sub/b");
  EXPECT_EQ(path->lexical, root + "/in/b");
  EXPECT_TRUE(path->exists);
  EXPECT_NE(path->inode, 0U);
}

TEST_F(WorkspaceTest, StartsAtTheWorkingDirectory) {
  const auto path = open().resolve("../a", root + "/sub");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->shown, "a");
}

TEST_F(WorkspaceTest, ExpandsTheHomeFolder) {
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  ::setenv("HOME", root.c_str(), 1);
  const auto path = open().resolve("~/sub/b");
  const auto other = open().resolve("~other");
  ::setenv("HOME", home.c_str(), 1);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->shown, "sub/b");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->shown, "~other");
}

TEST_F(WorkspaceTest, RefusesNulBytesAndLongPaths) {
  const Workspace workspace = open();
  EXPECT_FALSE(workspace.resolve(std::string_view("a\0b", 3)));
  EXPECT_FALSE(workspace.resolve(std::string(5000, 'x')));
  EXPECT_FALSE(workspace.resolve(std::string(300, 'x')));
}

TEST_F(WorkspaceTest, FollowsFortyLinksAndNoMore) {
  fs::create_symlink("a", root + "/l0");
  for (int i = 1; i <= 41; ++i) {
    fs::create_symlink("l" + std::to_string(i - 1),
                       root + "/l" + std::to_string(i));
  }
  EXPECT_TRUE(open().resolve("l39"));
  const auto no = open().resolve("l40");
  ASSERT_FALSE(no);
  EXPECT_THAT(no.error().message, HasSubstr("40 links"));
}

TEST_F(WorkspaceTest, AllowsTheWholeDiskAsARoot) {
  const auto workspace = Workspace::open({"/"}, false);
  ASSERT_TRUE(workspace);
  const auto path = workspace->resolve(root + "/p");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->physical, w / "outside/secret");
  EXPECT_TRUE(workspace->open(*path, O_RDONLY));
}

TEST_F(WorkspaceTest, LeavesOutAnAdditionalRootThatIsGone) {
  const auto workspace = Workspace::open({root, w / "gone"}, false);
  ASSERT_TRUE(workspace);
  EXPECT_EQ(workspace->roots().size(), 1U);
  EXPECT_FALSE(Workspace::open({w / "gone"}, false));
}

TEST_F(WorkspaceTest, ReachesAdditionalRoots) {
  const auto workspace = Workspace::open({root, w / "outside"}, false);
  ASSERT_TRUE(workspace);
  const auto path = workspace->resolve("up/secret");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->root, 1);
  EXPECT_EQ(path->shown, w / "outside/secret");
}

TEST_F(WorkspaceTest, FullAccessLeadsOutsideAndStillFollowsNoNewLink) {
  const Workspace workspace = open(true);
  const auto path = workspace.resolve("../outside/secret");
  ASSERT_TRUE(path);
  EXPECT_EQ(path->root, -1);
  EXPECT_TRUE(workspace.open(*path, O_RDONLY));
  fs::rename(w / "outside", w / "moved");
  fs::create_symlink("moved", w / "outside");
  const auto fd = workspace.open(*path, O_RDONLY);
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error().kind, CallErrorKind::path_blocked);
}

TEST_F(WorkspaceTest, AComponentThatBecameALinkIsRefusedWhenOpened) {
  const Workspace workspace = open();
  const auto path = workspace.resolve("sub/b");
  ASSERT_TRUE(path);
  fs::rename(root + "/sub", root + "/old");
  fs::create_symlink(w / "outside", root + "/sub");
  for (const int flags : {O_RDONLY, O_PATH, O_WRONLY | O_CREAT}) {
    const auto fd = workspace.open(*path, flags);
    ASSERT_FALSE(fd);
    EXPECT_EQ(fd.error().kind, CallErrorKind::path_blocked);
    EXPECT_THAT(fd.error().message, HasSubstr("changed while it was being"));
  }
  std::string name;
  EXPECT_FALSE(workspace.open_parent(*path, true, name));
}

TEST_F(WorkspaceTest, AReplacedRootIsOpenedAfresh) {
  const Workspace workspace = open();
  fs::rename(root, w / "old");
  write_file(root + "/a", "new");
  const auto path = workspace.resolve("a");
  ASSERT_TRUE(path);
  const auto file = open_regular(workspace, *path);
  ASSERT_TRUE(file);
  EXPECT_EQ(read_whole(*file, *path, 100).value(), "new");
}

TEST_F(WorkspaceTest, MakesMissingFoldersBelowTheRoot) {
  const Workspace workspace = open();
  const auto path = workspace.resolve("x/y/z");
  ASSERT_TRUE(path);
  std::string name;
  EXPECT_FALSE(workspace.open_parent(*path, false, name));
  EXPECT_TRUE(workspace.open_parent(*path, true, name));
  EXPECT_EQ(name, "z");
  EXPECT_TRUE(fs::is_directory(root + "/x/y"));
}

TEST_F(WorkspaceTest, TheStepwiseWalkFollowsNoLinkEither) {
  const UniqueFd fd(::open(root.c_str(), O_PATH | O_DIRECTORY));
  EXPECT_TRUE(open_stepwise(fd.get(), "sub/b", O_RDONLY));
  EXPECT_TRUE(open_stepwise(fd.get(), ".", O_PATH | O_DIRECTORY));
  for (const char* path : {"up/secret", "p", "in/b", "round"}) {
    for (const int flags : {O_RDONLY, O_PATH}) {
      errno = 0;
      EXPECT_FALSE(open_stepwise(fd.get(), path, flags)) << path;
      EXPECT_EQ(errno, ELOOP) << path;
    }
  }
}

TEST_F(WorkspaceTest, KnowsWholeComponents) {
  EXPECT_TRUE(is_beneath("/w/proj", "/w/proj"));
  EXPECT_TRUE(is_beneath("/w/proj/a", "/w/proj"));
  EXPECT_FALSE(is_beneath("/w/proj-evil", "/w/proj"));
  EXPECT_FALSE(is_beneath("/w", "/w/proj"));
  EXPECT_TRUE(is_beneath("/anything", "/"));
}

// Somebody swaps a directory with a link to the outside all the time, while
// files below it are read and written by name.
TEST_F(WorkspaceTest, ASwappedDirectoryNeverLeadsOutsideInTenThousandRounds) {
  write_file(root + "/d/f", "inside");
  write_file(w / "outside/f", "secret");
  fs::create_symlink(w / "outside", root + "/swap");
  std::atomic<bool> stop{false};
  std::thread attacker([&] {
    const std::string a = root + "/d";
    const std::string b = root + "/swap";
    while (!stop.load()) {
      renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
    }
  });
  const Workspace workspace = open();
  int read = 0;
  int written = 0;
  for (int round = 0; round < 10'000; ++round) {
    const auto path = workspace.resolve("d/f");
    if (!path) continue;
    if (round % 8 != 0) {
      const auto file = open_regular(workspace, *path);
      if (!file) continue;
      ++read;
      ASSERT_EQ(read_whole(*file, *path, 100).value(), "inside");
    } else if (write_atomically(workspace, *path, "inside", {})) {
      ++written;
    }
  }
  stop.store(true);
  attacker.join();
  EXPECT_GT(read, 0);
  EXPECT_GT(written, 0);
  EXPECT_EQ(read_file(w / "outside/f"), "secret");
  EXPECT_EQ(std::distance(fs::directory_iterator(w / "outside"), {}), 2);
}

}  // namespace
}  // namespace toolhost
