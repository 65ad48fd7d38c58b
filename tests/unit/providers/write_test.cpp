#include <sys/stat.h>

#include "tests/unit/providers/file_tool_fixture.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::write_file;

class WriteTool : public testing::FileToolTest {
 protected:
  WriteTool() : FileToolTest(builtin::write_tool) {}
  static json::object arguments(const std::string& path,
                                const std::string& content) {
    return {{"path", path}, {"content", content}};
  }
  static const json::object& change(const Resolution& resolution) {
    return resolution.subject.at("changes").as_array().at(0).as_object();
  }
};

TEST_F(WriteTool, CreatesAFileWithItsFolders) {
  const auto output = call(arguments("a/b/c.txt", "hello\n"));
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("a/b/c.txt"), "hello\n");
  EXPECT_EQ(fact(output, "created"), json::value(true));
  EXPECT_EQ(number(output, "bytesWritten"), 6);
  EXPECT_EQ(word(output, "relativePath"), "a/b/c.txt");
  EXPECT_FALSE(word(output, "revision").empty());
}

TEST_F(WriteTool, ReplacesAFileAndKeepsItsMode) {
  add("run.sh", "old");
  chmod((root + "/run.sh").c_str(), 0750);
  const auto output = call(arguments("run.sh", ""));
  ASSERT_FALSE(output.error);
  EXPECT_EQ(on_disk("run.sh"), "");
  EXPECT_EQ(fact(output, "created"), json::value(false));
  EXPECT_EQ(fact(output, "inPlace"), json::value(false));
  struct stat st {};
  stat((root + "/run.sh").c_str(), &st);
  EXPECT_EQ(st.st_mode & 07777, 0750U);
}

TEST_F(WriteTool, TellsThatAHardLinkWasWrittenInPlace) {
  add("h1", "old");
  fs::create_hard_link(root + "/h1", root + "/h2");
  const auto output = call(arguments("h1", "new"));
  EXPECT_EQ(fact(output, "inPlace"), json::value(true));
  EXPECT_THAT(text(output), HasSubstr("2 hard links"));
  EXPECT_EQ(on_disk("h2"), "new");
}

TEST_F(WriteTool, ShowsAPersonTheDifference) {
  add("a.txt", "one\ntwo\nthree\n");
  const auto resolution = resolve(arguments("a.txt", "one\n2\nthree\n"));
  ASSERT_TRUE(resolution);
  EXPECT_EQ(resolution->title, "Write a.txt");
  EXPECT_EQ(resolution->subject.at("type"), json::value("files"));
  const json::object& shown = change(*resolution);
  EXPECT_EQ(shown.at("operation"), json::value("modify"));
  EXPECT_EQ(shown.at("complete"), json::value(true));
  EXPECT_EQ(shown.at("diff"), json::value("--- a/a.txt\n+++ b/a.txt\n"
                                          "@@ -1,3 +1,3 @@\n one\n-two\n+2\n"
                                          " three\n"));
  EXPECT_FALSE(resolution->base_revision.empty());
  EXPECT_EQ(resolution->targets.front().revision, resolution->base_revision);
  EXPECT_NE(resolution->targets.front().inode, 0U);
}

TEST_F(WriteTool, ShowsANewFileAsCreated) {
  const auto resolution = resolve(arguments("sub/new.txt", "hi"));
  ASSERT_TRUE(resolution);
  EXPECT_EQ(resolution->title, "Create sub/new.txt");
  EXPECT_EQ(change(*resolution).at("operation"), json::value("create"));
  EXPECT_THAT(std::string(change(*resolution).at("diff").as_string()),
              HasSubstr("--- /dev/null\n+++ b/sub/new.txt\n@@ -0,0 +1,1 @@\n"
                        "+hi\n\\ No newline at end of file\n"));
  EXPECT_FALSE(fs::exists(root + "/sub"));
}

TEST_F(WriteTool, SaysHowMuchOfALongDifferenceIsLeftOut) {
  std::string content;
  for (int i = 0; i < 20'000; ++i)
    content += "line " + std::to_string(i) + "\n";
  const auto resolution = resolve(arguments("big.txt", content));
  ASSERT_TRUE(resolution);
  const json::object& shown = change(*resolution);
  EXPECT_EQ(shown.at("complete"), json::value(false));
  EXPECT_LE(shown.at("diff").as_string().size(), 64U * 1024);
  EXPECT_GT(shown.at("omittedLines").to_number<int>(), 10'000);
}

TEST_F(WriteTool, SaysThatBinaryContentIsReplaced) {
  add("a.bin", std::string("\0\1\2", 3));
  const auto resolution = resolve(arguments("a.bin", "text\n"));
  ASSERT_TRUE(resolution);
  EXPECT_EQ(change(*resolution).at("complete"), json::value(false));
  EXPECT_THAT(std::string(change(*resolution).at("note").as_string()),
              HasSubstr("binary"));
}

TEST_F(WriteTool, AsksForTheExactPathAndRemembersNoWildcards) {
  const auto plain = resolve(arguments("src/a.txt", ""));
  EXPECT_EQ(plain->asks.front().permission, "edit");
  EXPECT_EQ(plain->asks.front().pattern, "src/a.txt");
  EXPECT_EQ(plain->asks.front().remember, "src/a.txt");
  const auto wild = resolve(arguments("src/*", ""));
  EXPECT_EQ(wild->asks.front().pattern, "src/*");
  EXPECT_EQ(wild->asks.front().remember, "");
}

TEST_F(WriteTool, RefusesDirectoriesAndSpecialFiles) {
  fs::create_directory(root + "/d");
  ASSERT_EQ(mkfifo((root + "/p").c_str(), 0600), 0);
  EXPECT_THAT(text(call(arguments("d", "x"))), HasSubstr("a directory"));
  EXPECT_THAT(text(call(arguments("p", "x"))), HasSubstr("a FIFO"));
  EXPECT_EQ(kind(call(arguments("..", "x"))), CallErrorKind::path_blocked);
  EXPECT_TRUE(call(arguments(".", "x")).error);
}

TEST_F(WriteTool, RefusesALinkToTheOutsideEvenIfItDangles) {
  fs::create_symlink(folder / "new", root + "/out");
  EXPECT_EQ(kind(call(arguments("out", "x"))), CallErrorKind::path_blocked);
  EXPECT_FALSE(fs::exists(folder / "new"));
}

TEST_F(WriteTool, ADanglingLinkInsideIsFilled) {
  fs::create_symlink("sub/new", root + "/in");
  ASSERT_FALSE(call(arguments("in", "x")).error);
  EXPECT_EQ(on_disk("sub/new"), "x");
  EXPECT_TRUE(fs::is_symlink(root + "/in"));
}

TEST_F(WriteTool, KeepsAByteOrderMarkAndUtf16) {
  add("bom.txt", "\xef\xbb\xbfold");
  add("wide.txt", std::string("\xff\xfe"
                              "a\0",
                              4));
  ASSERT_FALSE(call(arguments("bom.txt", "new")).error);
  ASSERT_FALSE(call(arguments("wide.txt", "b\xf0\x9f\x99\x82")).error);
  EXPECT_EQ(on_disk("bom.txt"), "\xef\xbb\xbfnew");
  EXPECT_EQ(on_disk("wide.txt"), std::string("\xff\xfe"
                                             "b\0=\xd8\x42\xde",
                                             8));
}

TEST_F(WriteTool, AFileSwappedAfterTheApprovalIsNotTouched) {
  add("a.txt", "approved");
  add("b.txt", "other");
  const auto output = call(arguments("a.txt", "new"), [&] {
    fs::rename(root + "/b.txt", root + "/a.txt");
  });
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_THAT(text(output), HasSubstr("since it was approved"));
  EXPECT_EQ(on_disk("a.txt"), "other");
}

TEST_F(WriteTool, AFileThatAppearedAfterTheApprovalIsNotTouched) {
  const auto output =
      call(arguments("a.txt", "new"), [&] { add("a.txt", "theirs"); });
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_EQ(on_disk("a.txt"), "theirs");
}

TEST_F(WriteTool, ALinkRetargetedAfterTheApprovalIsNotFollowed) {
  add("a.txt", "a");
  add("b.txt", "b");
  fs::create_symlink("a.txt", root + "/link");
  const auto output = call(arguments("link", "new"), [&] {
    fs::remove(root + "/link");
    fs::create_symlink("b.txt", root + "/link");
  });
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_EQ(on_disk("a.txt"), "a");
  EXPECT_EQ(on_disk("b.txt"), "b");
}

TEST_F(WriteTool, AFolderThatBecameALinkAfterTheApprovalIsNotFollowed) {
  add("d/f", "inside");
  write_file(folder / "outside/f", "secret");
  const auto output = call(arguments("d/f", "new"), [&] {
    fs::rename(root + "/d", root + "/old");
    fs::create_symlink(folder / "outside", root + "/d");
  });
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_EQ(testing::read_file(folder / "outside/f"), "secret");
}

}  // namespace
}  // namespace toolhost
