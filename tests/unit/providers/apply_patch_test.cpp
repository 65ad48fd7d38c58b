#include <sys/stat.h>

#include "tests/unit/providers/apply_patch_fixture.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using testing::ApplyPatchTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ApplyPatch : public ApplyPatchTest {};

TEST_F(ApplyPatch, AddsUpdatesMovesAndDeletesInOneStep) {
  add("a.txt", "one\ntwo\nthree\n");
  add("old/name.txt", "x\ny\n");
  add("gone.txt", "bye\n");
  const auto output = patch(
      "*** Add File: sub/new.txt\n+hello\n+world\n"
      "*** Update File: a.txt\n@@\n one\n-two\n+2\n"
      "*** Update File: old/name.txt\n*** Move to: new/name.txt\n@@\n-y\n+Y\n"
      "*** Delete File: gone.txt\n");
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("sub/new.txt"), "hello\nworld\n");
  EXPECT_EQ(on_disk("a.txt"), "one\n2\nthree\n");
  EXPECT_EQ(on_disk("new/name.txt"), "x\nY\n");
  EXPECT_FALSE(exists("old/name.txt"));
  EXPECT_FALSE(exists("gone.txt"));
  EXPECT_EQ(text(output),
            "Applied the patch:\nA sub/new.txt\nM a.txt\n"
            "R old/name.txt -> new/name.txt\nD gone.txt\n");
}

TEST_F(ApplyPatch, ASecondFileThatDoesNotFitKeepsTheFirstFromBeingMade) {
  add("b.txt", "b\n");
  const auto output = patch(
      "*** Add File: a.txt\n+a\n"
      "*** Update File: b.txt\n@@\n-nothing like it\n+x\n");
  EXPECT_EQ(kind(output), CallErrorKind::tool_failed);
  EXPECT_FALSE(exists("a.txt"));
  EXPECT_EQ(on_disk("b.txt"), "b\n");
}

TEST_F(ApplyPatch, AMoveToTheOutsideIsRefusedBeforeTheSourceIsRead) {
  ASSERT_EQ(mkfifo((root + "/a.txt").c_str(), 0600), 0);
  add("b.txt", "x\n");
  const auto output =
      patch("*** Update File: b.txt\n*** Move to: ../../etc/x\n@@\n-q\n+y\n");
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_EQ(on_disk("b.txt"), "x\n");
}

TEST_F(ApplyPatch, AnAddedFileReplacesAnExistingOneAndKeepsItsMode) {
  add("run.sh", "old\n");
  chmod((root + "/run.sh").c_str(), 0750);
  const std::string body = "*** Add File: run.sh\n+new\n";
  EXPECT_THAT(std::string(change(resolved(body), 0).at("diff").as_string()),
              HasSubstr("-old\n+new\n"));
  EXPECT_EQ(change(resolved(body), 0).at("operation"), json::value("modify"));
  ASSERT_FALSE(patch(body).error);
  EXPECT_EQ(on_disk("run.sh"), "new\n");
  EXPECT_EQ(mode("run.sh"), 0750U);
}

TEST_F(ApplyPatch, AFileWithoutFinalNewlineStaysWithoutOne) {
  EXPECT_EQ(patched("a\nb", "@@\n-b\n+c\n"), "a\nc");
  EXPECT_EQ(patched("a\nb", "@@\n-a\n+c\n"), "c\nb");
  EXPECT_EQ(patched("a\nb", "@@\n b\n+c\n"), "a\nb\nc");
}

TEST_F(ApplyPatch, AFinalNewlineComesAndGoesWhenThePatchSaysSo) {
  EXPECT_EQ(patched("a", "@@\n-a\n\\ No newline at end of file\n+b\n"), "b\n");
  EXPECT_EQ(patched("a\n", "@@\n-a\n+b\n\\ No newline at end of file\n"), "b");
}

TEST_F(ApplyPatch, KeepsByteOrderMarkCrlfAndEncoding) {
  EXPECT_EQ(patched("\xef\xbb\xbf"
                    "a\r\nb\r\n",
                    "@@\n-b\n+c\n+d\n"),
            "\xef\xbb\xbf"
            "a\r\nc\r\nd\r\n");
  EXPECT_EQ(patched("1\r\n2\n3\r\n", "@@\n-2\n+x\n"), "1\r\nx\n3\r\n");
  EXPECT_EQ(patched("// \xd6\xd0\xce\xc4\nint x;\n",
                    "@@\n-int x;\n+int y;  // \xe4\xb8\xad\n"),
            "// \xd6\xd0\xce\xc4\nint y;  // \xd6\xd0\n");
  EXPECT_EQ(patched(std::string("\xff\xfe"
                                "a\0\n\0",
                                6),
                    "@@\n-a\n+b\n"),
            std::string("\xff\xfe"
                        "b\0\n\0",
                        6));
}

TEST_F(ApplyPatch, APatchWithCrlfFitsAFileWithLf) {
  add("f", "a\nb\n");
  const auto output =
      call({{"patch",
             "*** Begin Patch\r\n*** Update File: f\r\n@@\r\n-b\r\n+c\r\n"
             "*** End Patch\r\n"}});
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("f"), "a\nc\n");
}

TEST_F(ApplyPatch, AHeaderPicksOneOfSeveralEqualPlaces) {
  const std::string twins = "def a:\n  x\n  y\ndef b:\n  x\n  y\n";
  EXPECT_EQ(patched(twins, "@@ def b\n   x\n-  y\n+  z\n"),
            "def a:\n  x\n  y\ndef b:\n  x\n  z\n");
  EXPECT_EQ(patched(twins, "@@ def a\n   x\n-  y\n+  z\n"),
            "def a:\n  x\n  z\ndef b:\n  x\n  y\n");
}

TEST_F(ApplyPatch, HeadersLeadStepByStep) {
  EXPECT_EQ(patched("class A\n  def f\n    1\nclass B\n  def f\n    1\n",
                    "@@ class B\n@@   def f\n-    1\n+    2\n"),
            "class A\n  def f\n    1\nclass B\n  def f\n    2\n");
}

TEST_F(ApplyPatch, SeveralEqualPlacesAreNeverGuessedAt) {
  const std::string message = refused("a\nx\nb\nx\nc\nx\n", "@@\n-x\n+y\n");
  EXPECT_THAT(message, HasSubstr("occur 3 times"));
  EXPECT_THAT(message, HasSubstr("lines 2, 4, 6"));
}

TEST_F(ApplyPatch, ALineNumberPicksOneOfSeveralEqualPlaces) {
  EXPECT_EQ(patched("x\nx\nx\n", "@@ -2,1 +2,1 @@\n-x\n+y\n"), "x\ny\nx\n");
}

TEST_F(ApplyPatch, ALaterHunkMeansTheLaterPlace) {
  EXPECT_EQ(patched("x\n1\nx\n", "@@\n-1\n+2\n@@\n-x\n+y\n"), "x\n2\ny\n");
}

TEST_F(ApplyPatch, EndOfFileTiesAHunkToTheEndAndLosesNothingBehindIt) {
  EXPECT_EQ(patched("x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n"), "x\ny\nz\n");
  EXPECT_EQ(patched("x\ny\nz\n", "@@\n-z\n+Z\n*** End of File\n@@\n-x\n+X\n"),
            "X\ny\nZ\n");
  EXPECT_EQ(patched("x\ny\nz\n", "-z\n+Z\n*** End of File\n-x\n+X\n"),
            "X\ny\nZ\n");
}

TEST_F(ApplyPatch, AHunkOfAddedLinesOnlyGoesToTheEnd) {
  EXPECT_EQ(patched("a\n", "@@\n+b\n"), "a\nb\n");
  EXPECT_EQ(patched("", "@@\n+b\n"), "b\n");
  EXPECT_THAT(refused("a\nb\n", "@@ a\n+x\n"), HasSubstr("only adds lines"));
}

TEST_F(ApplyPatch, AStaleHunkIsToldTheNearestRegion) {
  const std::string message =
      refused("int a;\n    call(first, second);\nint b;\n",
              "@@\n int a;\n-  call(first, second);\n+  call();\n");
  EXPECT_THAT(message, HasSubstr("f, hunk 1 (line 3 of the patch)"));
  EXPECT_THAT(message, HasSubstr("lines 1-2"));
  EXPECT_THAT(message, HasSubstr("line 2 is indented with 4 spaces, the patch "
                                 "has 2 spaces"));
}

TEST_F(ApplyPatch, AHunkThatWasAppliedBeforeIsToldSo) {
  EXPECT_THAT(refused("a\nnew text\n", "@@\n a\n-old\n+new text\n"),
              HasSubstr("its new lines are there already, at line 1"));
}

TEST_F(ApplyPatch, AllHunksThatDoNotFitAreToldAtOnce) {
  add("a", "1\n");
  add("b", "2\n");
  const auto output = patch(
      "*** Update File: a\n@@\n-x\n+y\n@@\n-z\n+y\n"
      "*** Update File: b\n@@\n-x\n+y\n");
  EXPECT_THAT(text(output), HasSubstr("3 hunks do not fit"));
  EXPECT_THAT(text(output), HasSubstr("a, hunk 2"));
  EXPECT_THAT(text(output), HasSubstr("b, hunk 1"));
  EXPECT_EQ(output.error->details.at("faults").as_array().size(), 3U);
}

TEST_F(ApplyPatch, MillionsOfEqualLinesAndHunksEndInAnAnswer) {
  std::string file;
  for (int i = 0; i < 2'000'000; ++i) file += "a\n";
  std::string hunk = "@@\n";
  for (int i = 0; i < 500; ++i) hunk += " a\n";
  std::string hunks;
  for (int i = 0; i < 100; ++i) hunks += hunk + "-b\n+c\n";
  EXPECT_THAT(refused(file, hunks), HasSubstr("send fewer hunks at once"));
}

TEST_F(ApplyPatch, HunksThatChangeTheSameLineAreRefused) {
  EXPECT_THAT(refused("a\nb\n", "@@\n-b\n+x\n@@\n-b\n+y\n"),
              HasSubstr("that hunk 1 changes, too, at line 2"));
}

TEST_F(ApplyPatch, TypographyAndLineEndSpacesDoNotMatterAndStay) {
  add("f", "say \xe2\x80\x9chi\xe2\x80\x9d  \nold\n");
  const auto output =
      patch("*** Update File: f\n@@\n say \"hi\"\n-old\n+new\n");
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("f"), "say \xe2\x80\x9chi\xe2\x80\x9d  \nnew\n");
  EXPECT_EQ(number(output, "normalisedHunks"), 1);
  EXPECT_THAT(text(output), HasSubstr("apart from Unicode form"));
}

TEST_F(ApplyPatch, TakesAddedLinesLiterally) {
  const std::string tricky = "log(\"$& $$ $1 $' $` \\1 \\0 & %s {0} ${x}\");";
  EXPECT_EQ(patched("a\n", "@@\n-a\n+" + tricky + "\n"), tricky + "\n");
}

TEST_F(ApplyPatch, EmptyKeptLinesMayLackTheirSpace) {
  EXPECT_EQ(patched("a\n\nb\n", "@@\n a\n\n-b\n+c\n\n"), "a\n\nc\n");
}

TEST_F(ApplyPatch, WhatStandsAroundThePatchIsPassedOver) {
  add("f", "a\n");
  const auto output =
      call({{"patch",
             "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: "
             "f\n@@\n-a\n+b\n*** End Patch\nEOF\n"}});
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("f"), "b\n");
}

TEST_F(ApplyPatch, ADamagedFrameIsNamed) {
  EXPECT_THAT(text(call({{"patch", "*** Update File: f\n"}})),
              HasSubstr("no line \"*** Begin Patch\""));
  EXPECT_THAT(text(call({{"patch", "*** Begin Patch\n*** Add File: f\n+a"}})),
              HasSubstr("cut off"));
  EXPECT_THAT(text(patch("")), HasSubstr("empty"));
  EXPECT_THAT(
      text(patch("*** Add File: f\n+a\n*** End Patch\n*** Begin Patch\n")),
      HasSubstr("two patches"));
}

TEST_F(ApplyPatch, ALineThatIsNotUnderstoodIsNamedAndNothingIsLost) {
  EXPECT_THAT(text(patch("*** Frobnicate File: f\n")),
              HasSubstr("Line 2 of the patch"));
  EXPECT_THAT(text(patch("*** Add File: f\n+a\nb\n")),
              HasSubstr("Line 4 of the patch"));
  EXPECT_THAT(refused("a\n", "@@\n-a\n+b\nforgotten\n"),
              HasSubstr("\"forgotten\""));
  EXPECT_FALSE(exists("b"));
}

TEST_F(ApplyPatch, ASectionWithoutChangesIsRefused) {
  add("f", "a\n");
  EXPECT_THAT(text(patch("*** Update File: f\n")),
              HasSubstr("changes nothing"));
  EXPECT_THAT(text(patch("*** Update File: f\n@@ a\n")),
              HasSubstr("has no lines"));
  EXPECT_THAT(refused("a\n", "@@\n-a\n+a\n"), HasSubstr("unchanged"));
}

TEST_F(ApplyPatch, MissingFilesAreNamedWithWhatIsSimilar) {
  add("src/config.cpp", "x\n");
  const auto output = patch("*** Delete File: src/confg.cpp\n");
  EXPECT_THAT(text(output), HasSubstr("src/confg.cpp does not exist"));
  EXPECT_THAT(output.error->hint, HasSubstr("src/config.cpp"));
}

TEST_F(ApplyPatch, LaterSectionsSeeWhatEarlierOnesDid) {
  add("a", "1\n2\n");
  const auto output = patch(
      "*** Update File: a\n@@\n-1\n+one\n"
      "*** Update File: a\n@@\n one\n-2\n+two\n"
      "*** Update File: a\n*** Move to: b\n"
      "*** Add File: a\n+new\n");
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("a"), "new\n");
  EXPECT_EQ(on_disk("b"), "one\ntwo\n");
}

TEST_F(ApplyPatch, AMoveKeepsModeAndBytes) {
  add("run", std::string("\0\1\2", 3));
  chmod((root + "/run").c_str(), 0750);
  const auto output = patch("*** Update File: run\n*** Move to: bin/run\n");
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("bin/run"), std::string("\0\1\2", 3));
  EXPECT_EQ(mode("bin/run"), 0750U);
  EXPECT_FALSE(exists("run"));
}

TEST_F(ApplyPatch, BinaryFilesAreNotPatched) {
  EXPECT_THAT(refused(std::string("a\0b\n", 4), "@@\n-a\n+b\n"),
              HasSubstr("binary"));
}

TEST_F(ApplyPatch, ALinkStaysAndItsTargetIsChanged) {
  add("real", "a\n");
  fs::create_symlink("real", root + "/link");
  ASSERT_FALSE(patch("*** Update File: link\n@@\n-a\n+b\n").error);
  EXPECT_TRUE(fs::is_symlink(root + "/link"));
  EXPECT_EQ(on_disk("real"), "b\n");
}

TEST_F(ApplyPatch, DirectoriesAreRefused) {
  fs::create_directory(root + "/d");
  EXPECT_THAT(text(patch("*** Delete File: d\n")), HasSubstr("a directory"));
  EXPECT_TRUE(patch("*** Add File: .\n+x\n").error);
}

TEST_F(ApplyPatch, APersonSeesEveryFileWithItsDiff) {
  add("a", "1\n");
  add("b", "2\n");
  add("c", "3\n4\n");
  const Resolution shown = resolved(
      "*** Add File: new\n+n\n*** Update File: a\n@@\n-1\n+one\n"
      "*** Delete File: b\n*** Update File: c\n*** Move to: d\n@@\n-3\n+x\n");
  EXPECT_EQ(shown.title, "Patch 5 files: create new, modify a, delete b, …");
  ASSERT_EQ(shown.subject.at("changes").as_array().size(), 5U);
  const auto diff = [&](std::size_t index) {
    return std::string(change(shown, index).at("diff").as_string());
  };
  EXPECT_THAT(diff(0), HasSubstr("--- /dev/null\n+++ b/new\n"));
  EXPECT_THAT(diff(1), HasSubstr("-1\n+one\n"));
  EXPECT_EQ(diff(2), "--- a/b\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-2\n");
  EXPECT_EQ(change(shown, 2).at("operation"), json::value("delete"));
  EXPECT_EQ(change(shown, 3).at("movedTo"), json::value("d"));
  EXPECT_EQ(change(shown, 3).at("complete"), json::value(true));
  EXPECT_EQ(change(shown, 4).at("movedFrom"), json::value("c"));
  EXPECT_THAT(diff(4), HasSubstr("rename from c\nrename to d\n--- a/c\n+++ "
                                 "b/d\n@@ -1,2 +1,2 @@\n-3\n+x\n 4\n"));
}

TEST_F(ApplyPatch, AsksForEveryPathAndDeclaresEveryTarget) {
  add("c", "3\n");
  const Resolution shown = resolved(
      "*** Add File: sub/new\n+n\n*** Update File: c\n*** Move to: d\n");
  std::vector<std::string> asked;
  for (const PermissionAsk& ask : shown.asks) {
    EXPECT_EQ(ask.permission, "edit");
    asked.push_back(ask.pattern);
  }
  EXPECT_THAT(asked, ElementsAre("sub/new", "c", "d"));
  std::vector<std::string> operations;
  for (const WriteTarget& target : shown.targets) {
    operations.push_back(target.operation);
  }
  EXPECT_THAT(operations, ElementsAre("create", "delete", "create"));
  EXPECT_EQ(shown.accesses->size(), 3U);
  EXPECT_EQ(shown.base_revision, shown.targets[1].revision);
}

TEST_F(ApplyPatch, AMoveOntoAFileShowsWhatIsLostThere) {
  add("a", "new\n");
  add("b", "old\n");
  const Resolution shown = resolved("*** Update File: a\n*** Move to: b\n");
  EXPECT_EQ(change(shown, 1).at("operation"), json::value("modify"));
  EXPECT_THAT(std::string(change(shown, 1).at("diff").as_string()),
              HasSubstr("-old\n+new\n"));
  ASSERT_FALSE(patch("*** Update File: a\n*** Move to: b\n").error);
  EXPECT_EQ(on_disk("b"), "new\n");
}

TEST_F(ApplyPatch, WhatIsNotTextIsSaidToBeNotShown) {
  add("x.bin", std::string("\0\1", 2));
  const Resolution shown = resolved("*** Delete File: x.bin\n");
  EXPECT_EQ(change(shown, 0).at("complete"), json::value(false));
  EXPECT_THAT(std::string(change(shown, 0).at("note").as_string()),
              HasSubstr("binary"));
}

TEST_F(ApplyPatch, AFileChangedAfterTheApprovalChangesNothing) {
  add("a", "1\n");
  add("b", "2\n");
  const auto output =
      patch("*** Update File: a\n@@\n-1\n+one\n*** Delete File: b\n",
            [&] { add("b", "2 and more\n"); });
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_EQ(on_disk("a"), "1\n");
  EXPECT_EQ(on_disk("b"), "2 and more\n");
}

TEST_F(ApplyPatch, AFileThatAppearedAfterTheApprovalChangesNothing) {
  add("a", "1\n");
  const auto output =
      patch("*** Update File: a\n@@\n-1\n+one\n*** Add File: n\n+x\n",
            [&] { add("n", "theirs\n"); });
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_EQ(on_disk("a"), "1\n");
  EXPECT_EQ(on_disk("n"), "theirs\n");
}

TEST_F(ApplyPatch, AFolderThatBecameALinkAfterTheApprovalIsNotFollowed) {
  add("d/f", "inside\n");
  testing::write_file(folder / "outside/f", "inside\n");
  const auto output = patch("*** Update File: d/f\n@@\n-inside\n+x\n", [&] {
    fs::rename(root + "/d", root + "/old");
    fs::create_symlink(folder / "outside", root + "/d");
  });
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_EQ(testing::read_file(folder / "outside/f"), "inside\n");
}

TEST_F(ApplyPatch, ResolvingChangesNothing) {
  add("a", "1\n");
  resolved("*** Add File: x/y\n+n\n*** Update File: a\n@@\n-1\n+one\n");
  EXPECT_EQ(on_disk("a"), "1\n");
  EXPECT_EQ(entries(), 1U);
}

}  // namespace
}  // namespace toolhost
