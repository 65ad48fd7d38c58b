#include <sys/stat.h>

#include "tests/unit/providers/file_tool_fixture.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LsTool : public testing::FileToolTest {
 protected:
  LsTool() : FileToolTest(builtin::ls_tool) {}
  const json::object& entry(const ToolOutput& output, std::size_t index) {
    return fact(output, "entries").as_array().at(index).as_object();
  }
};

TEST_F(LsTool, ListsEntriesByNameWithTheirKinds) {
  add("b.txt", "12345");
  add("a/x", "");
  add(".hidden", "");
  fs::create_symlink("b.txt", root + "/link");
  const auto output = call({});
  EXPECT_EQ(text(output), ".hidden\na/\nb.txt\nlink -> b.txt\n");
  EXPECT_EQ(entry(output, 1).at("kind"), json::value("directory"));
  EXPECT_EQ(entry(output, 2).at("kind"), json::value("file"));
  EXPECT_EQ(entry(output, 2).at("size").to_number<int>(), 5);
  EXPECT_EQ(entry(output, 3).at("kind"), json::value("symlink"));
  EXPECT_EQ(entry(output, 3).at("dangling"), json::value(false));
  EXPECT_EQ(fact(output, "truncated"), json::value(false));
}

TEST_F(LsTool, ADanglingLinkIsAnEntryLikeOthers) {
  fs::create_symlink("nowhere", root + "/dangling");
  add("z", "");
  const auto output = call({});
  EXPECT_EQ(text(output), "dangling -> nowhere (dangling)\nz\n");
  EXPECT_EQ(entry(output, 0).at("dangling"), json::value(true));
}

TEST_F(LsTool, ALinkToTheOutsideIsNamedAndNotLookedAt) {
  fs::create_symlink("/etc/passwd", root + "/p");
  const auto output = call({});
  EXPECT_THAT(text(output), HasSubstr("p -> /etc/passwd (outside"));
  EXPECT_EQ(entry(output, 0).at("outside"), json::value(true));
  EXPECT_FALSE(entry(output, 0).contains("dangling"));
}

TEST_F(LsTool, SaysHowManyEntriesAreLeftOut) {
  for (int i = 0; i < 10; ++i) add("f" + std::to_string(i), "");
  const auto output = call({{"limit", 3}});
  EXPECT_EQ(text(output), "f0\nf1\nf2\n");
  EXPECT_EQ(number(output, "omitted"), 7);
  EXPECT_THAT(note(output), HasSubstr("7 more entries"));
  EXPECT_EQ(fact(call({{"limit", 10}}), "truncated"), json::value(false));
}

TEST_F(LsTool, ListsLargeDirectoriesInOrder) {
  for (int i = 0; i < 600; ++i) add("f" + std::to_string(1000 + i), "");
  const auto output = call({});
  EXPECT_EQ(fact(output, "entries").as_array().size(), 500U);
  EXPECT_EQ(entry(output, 499).at("name"), json::value("f1499"));
  EXPECT_EQ(number(output, "omitted"), 100);
}

TEST_F(LsTool, EscapesNamesThatAreNoText) {
  add("new\nline", "");
  add("bad\xff", "");
  const auto output = call({});
  EXPECT_EQ(text(output), "bad\xef\xbf\xbd\nnew\\u{000A}line\n");
  EXPECT_EQ(entry(output, 0).at("lossy"), json::value(true));
}

TEST_F(LsTool, NamesSpecialFiles) {
  ASSERT_EQ(mkfifo((root + "/p").c_str(), 0600), 0);
  EXPECT_EQ(text(call({})), "p (FIFO)\n");
}

TEST_F(LsTool, RefusesFilesAndMissingFolders) {
  add("f", "");
  EXPECT_THAT(text(call({{"path", "f"}})), HasSubstr("f is not a directory"));
  EXPECT_THAT(text(call({{"path", "g"}})), HasSubstr("does not exist"));
  EXPECT_EQ(kind(call({{"path", ".."}})), CallErrorKind::path_blocked);
}

TEST_F(LsTool, SaysThatADirectoryIsEmpty) {
  EXPECT_THAT(note(call({})), HasSubstr("empty"));
}

}  // namespace
}  // namespace toolhost
