#include "providers/builtin/diff.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <random>

#include "tests/support/temp_dir.hpp"

namespace toolhost::builtin {
namespace {

using testing::read_file;
using testing::TempDir;
using testing::write_file;

Diff diff(std::string_view before, std::string_view after) {
  DiffOptions options;
  options.path = "f";
  options.max_bytes = 1 << 20;
  return unified_diff(before, after, options);
}

TEST(Diff, EqualTextsHaveNone) { EXPECT_EQ(diff("a\n", "a\n").text, ""); }

TEST(Diff, ShowsThreeLinesAround) {
  const Diff out =
      diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n");
  EXPECT_EQ(out.text,
            "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n"
            " 8\n");
  EXPECT_EQ(out.first_changed_line, 5U);
  EXPECT_EQ(out.added, 1U);
  EXPECT_EQ(out.removed, 1U);
}

TEST(Diff, MarksAMissingNewline) {
  EXPECT_EQ(diff("a\nb", "a\nb\n").text,
            "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n"
            "\\ No newline at end of file\n+b\n");
}

TEST(Diff, EmptiedFilesNameTheLineBefore) {
  EXPECT_EQ(diff("a\n", "").text, "--- a/f\n+++ b/f\n@@ -1,1 +0,0 @@\n-a\n");
}

// patch(1) is the judge: whatever changed, the diff makes one of the other.
TEST(Diff, PatchTurnsTheOldIntoTheNewText) {
  std::mt19937 random(11);
  const TempDir dir;
  for (int round = 0; round < 40; ++round) {
    std::string before;
    std::string after;
    for (int i = 0; i < 60; ++i) {
      const std::string line = std::to_string(random() % 9) + "\n";
      const auto fate = random() % 8;
      if (fate != 0) before += line;
      if (fate != 1) after += line;
      if (fate == 2) after += "new\n";
    }
    if (round % 3 == 0 && !after.empty()) after.pop_back();
    write_file(dir / "f", before);
    write_file(dir / "f.diff", diff(before, after).text);
    const std::string command = "cd " + dir.path() +
                                " && git apply --allow-empty --unsafe-paths "
                                "f.diff 2>err";
    ASSERT_EQ(system(command.c_str()), 0) << read_file(dir / "f.diff");
    EXPECT_EQ(read_file(dir / "f"), after) << read_file(dir / "f.diff");
  }
}

TEST(Diff, ALargeRewriteIsBoundedInTime) {
  std::string before;
  std::string after;
  for (int i = 0; i < 200'000; ++i) {
    before += "old " + std::to_string(i * 7) + "\n";
    after += "new " + std::to_string(i * 11) + "\n";
  }
  const auto start = std::chrono::steady_clock::now();
  DiffOptions options;
  options.path = "f";
  const Diff out = unified_diff(before, after, options);
  // Far above what it takes, far below what an unbounded search would.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_FALSE(out.complete);
  EXPECT_LE(out.text.size(), options.max_bytes);
  EXPECT_EQ(out.removed, 200'000U);
}

}  // namespace
}  // namespace toolhost::builtin
