#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "tests/unit/providers/file_tool_fixture.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReadTool : public testing::FileToolTest {
 protected:
  ReadTool() : FileToolTest(builtin::read_tool) {}

  ToolOutput read(const std::string& path) { return call({{"path", path}}); }
  ToolOutput lines(const std::string& path, std::int64_t offset) {
    return call({{"path", path}, {"offset", offset}});
  }
  ToolOutput lines(const std::string& path, std::int64_t offset,
                   std::int64_t limit) {
    return call({{"path", path}, {"offset", offset}, {"limit", limit}});
  }
  // Lines "1\n" to "count\n".
  static std::string numbered(int count) {
    std::string out;
    for (int i = 1; i <= count; ++i) out += std::to_string(i) + "\n";
    return out;
  }
};

TEST_F(ReadTool, ReturnsTheLinesAsTheyAre) {
  add("a.txt", "one\n\ttwo  \n\nfour");
  const auto output = read("a.txt");
  EXPECT_EQ(text(output), "one\n\ttwo  \n\nfour");
  EXPECT_EQ(number(output, "startLine"), 1);
  EXPECT_EQ(number(output, "endLine"), 4);
  EXPECT_EQ(number(output, "totalLines"), 4);
  EXPECT_EQ(number(output, "byteSize"), 16);
  EXPECT_EQ(fact(output, "truncated"), json::value(false));
  EXPECT_TRUE(fact(output, "nextOffset").is_null());
  EXPECT_EQ(word(output, "relativePath"), "a.txt");
  EXPECT_TRUE(output.paged);
  EXPECT_EQ(output.content.size(), 1U);
}

TEST_F(ReadTool, ATrailingNewlineIsNoLineOfItsOwn) {
  add("a.txt", "one\ntwo\n");
  EXPECT_EQ(number(read("a.txt"), "totalLines"), 2);
}

TEST_F(ReadTool, AnEmptyFileHasNoLines) {
  add("a.txt", "");
  const auto output = read("a.txt");
  EXPECT_EQ(text(output), "");
  EXPECT_EQ(number(output, "totalLines"), 0);
  EXPECT_EQ(number(output, "endLine"), 0);
  EXPECT_THAT(note(output), HasSubstr("empty"));
}

TEST_F(ReadTool, ReturnsAWindowAndWhereToGoOn) {
  add("a.txt", numbered(100));
  const auto output = lines("a.txt", 10, 3);
  EXPECT_EQ(text(output), "10\n11\n12\n");
  EXPECT_EQ(number(output, "startLine"), 10);
  EXPECT_EQ(number(output, "endLine"), 12);
  EXPECT_EQ(number(output, "totalLines"), 100);
  EXPECT_EQ(number(output, "nextOffset"), 13);
  EXPECT_EQ(word(output, "truncatedBy"), "limit");
  EXPECT_THAT(note(output), HasSubstr("10-12 of 100"));
}

TEST_F(ReadTool, AWindowToTheEndIsNotTruncated) {
  add("a.txt", numbered(5));
  const auto output = lines("a.txt", 4, 2);
  EXPECT_EQ(text(output), "4\n5\n");
  EXPECT_EQ(fact(output, "truncated"), json::value(false));
  EXPECT_TRUE(fact(output, "nextOffset").is_null());
}

TEST_F(ReadTool, AnOffsetBehindTheEndIsEmpty) {
  add("a.txt", numbered(5));
  const auto output = lines("a.txt", 9);
  EXPECT_FALSE(output.error);
  EXPECT_EQ(text(output), "");
  EXPECT_EQ(number(output, "endLine"), 8);
  EXPECT_THAT(note(output), HasSubstr("5 lines"));
}

TEST_F(ReadTool, ANegativeOffsetReadsTheEnd) {
  add("a.txt", numbered(1000));
  const auto output = lines("a.txt", -3);
  EXPECT_EQ(text(output), "998\n999\n1000\n");
  EXPECT_EQ(number(output, "startLine"), 998);
  EXPECT_EQ(number(output, "totalLines"), 1000);
  EXPECT_EQ(text(lines("a.txt", -3, 1)), "998\n");
  EXPECT_EQ(number(lines("a.txt", -5000), "startLine"), 1);
}

TEST_F(ReadTool, TheLineLimitOfTheConfigPages) {
  config_.tools.read.max_lines = 4;
  add("a.txt", numbered(10));
  const auto output = read("a.txt");
  EXPECT_EQ(text(output), "1\n2\n3\n4\n");
  EXPECT_EQ(word(output, "truncatedBy"), "lines");
  EXPECT_EQ(number(output, "nextOffset"), 5);
}

TEST_F(ReadTool, TheByteLimitKeepsWholeLines) {
  config_.tools.read.max_bytes = 1024;
  std::string file;
  for (int i = 0; i < 100; ++i) file += std::string(99, 'x') + "\n";
  add("a.txt", file);
  const auto output = read("a.txt");
  EXPECT_EQ(text(output).size(), 1000U);
  EXPECT_EQ(word(output, "truncatedBy"), "bytes");
  EXPECT_EQ(number(output, "nextOffset"), 11);
  EXPECT_EQ(number(output, "totalLines"), 100);
  const auto tail = lines("a.txt", -50);
  EXPECT_EQ(number(tail, "startLine"), 91);
  EXPECT_EQ(word(tail, "truncatedBy"), "bytes");
}

TEST_F(ReadTool, EveryPageContinuesTheOneBefore) {
  config_.tools.read.max_bytes = 4096;
  std::string file;
  for (int i = 0; i < 5000; ++i) {
    file += std::string(static_cast<std::size_t>(i * 7919 % 251), 'a') + "\n";
  }
  add("a.txt", file);
  std::string all;
  std::int64_t offset = 1;
  while (offset > 0) {
    const auto output = lines("a.txt", offset);
    all += text(output);
    offset = number(output, "nextOffset");
  }
  EXPECT_EQ(all, file);
}

TEST_F(ReadTool, ShowsCrlfAsLfAndSaysSo) {
  add("a.txt", "one\r\ntwo\r\n");
  add("b.txt", "one\r\ntwo\nth\rree\n");
  EXPECT_EQ(text(read("a.txt")), "one\ntwo\n");
  EXPECT_EQ(word(read("a.txt"), "lineEndings"), "crlf");
  EXPECT_EQ(text(read("b.txt")), "one\ntwo\nth\rree\n");
  EXPECT_EQ(word(read("b.txt"), "lineEndings"), "mixed");
}

TEST_F(ReadTool, DecodesWhatAByteOrderMarkNames) {
  add("bom.txt", "\xef\xbb\xbfhi\n");
  add("le.txt", std::string("\xff\xfeh\0i\0\n\0=\xd8\x42\xde", 12));
  add("be.txt", std::string("\xfe\xff\0h\0i\0\n", 8));
  EXPECT_EQ(text(read("bom.txt")), "hi\n");
  EXPECT_EQ(word(read("bom.txt"), "encoding"), "utf-8-bom");
  EXPECT_EQ(text(read("le.txt")), "hi\n\xf0\x9f\x99\x82");
  EXPECT_EQ(word(read("le.txt"), "encoding"), "utf-16le");
  EXPECT_EQ(text(read("be.txt")), "hi\n");
}

TEST_F(ReadTool, CountsWhatIsNotUtf8) {
  add("a.c", "x\n// \xc3\xa9t\xc3\xa9 \xe9\n");
  const auto output = read("a.c");
  EXPECT_EQ(word(output, "encoding"), "utf-8");
  EXPECT_EQ(fact(output, "lossy"), json::value(true));
  EXPECT_THAT(text(output), HasSubstr("\xef\xbf\xbd"));
  EXPECT_GT(number(output, "replacedBytes"), 0);
  EXPECT_THAT(note(output), HasSubstr("U+FFFD"));
}

TEST_F(ReadTool, RefusesBinaryFilesAndNamesTheKind) {
  add("prog", std::string("\x7f"
                          "ELF\2\1\1\0\0\0\0",
                          11));
  add("x.bin", std::string("ab\0cd", 5));
  EXPECT_EQ(kind(read("prog")), CallErrorKind::tool_failed);
  EXPECT_THAT(text(read("prog")), HasSubstr("ELF"));
  EXPECT_THAT(text(read("prog")), HasSubstr("11 bytes"));
  EXPECT_THAT(text(read("x.bin")), HasSubstr("binary"));
}

TEST_F(ReadTool, ALaterNulIsShown) {
  add("a.txt", std::string(9000, 'x') + std::string("\0y\n", 3));
  EXPECT_EQ(text(read("a.txt")).size(), 9003U);
}

TEST_F(ReadTool, CutsALineThatIsTooLong) {
  add("a.txt", "first\n" + std::string(200'000, 'x') + "\nlast\n");
  const auto output = read("a.txt");
  EXPECT_THAT(text(output), StartsWith("first\nxxx"));
  EXPECT_THAT(text(output), HasSubstr("[line 2 has 200000 bytes; the first "
                                      "65536 are shown]\nlast\n"));
  EXPECT_EQ(number(output, "totalLines"), 3);
  const json::object& cut =
      fact(output, "cutLines").as_array().at(0).as_object();
  EXPECT_EQ(cut.at("line").to_number<int>(), 2);
  EXPECT_EQ(cut.at("bytes").to_number<int>(), 200'000);
}

TEST_F(ReadTool, ALineOverTheWholeLimitIsCutBetweenCharacters) {
  config_.tools.read.max_bytes = 1024;
  std::string line;
  for (int i = 0; i < 1000; ++i) line += "\xe2\x82\xac";
  add("a.txt", line + "\nnext\n");
  const auto output = read("a.txt");
  EXPECT_EQ(fact(output, "lossy"), json::value(false));
  EXPECT_THAT(text(output), HasSubstr("[line 1 has 3000 bytes"));
  EXPECT_EQ(number(output, "nextOffset"), 2);
}

TEST_F(ReadTool, ReadsALittleOfAFiveGigabyteFile) {
  add("big.log", numbered(100'000));
  ASSERT_EQ(truncate((root + "/big.log").c_str(), 5LL << 30), 0);
  const auto output = lines("big.log", 10, 11);
  EXPECT_THAT(text(output), StartsWith("10\n11\n"));
  EXPECT_EQ(number(output, "endLine"), 20);
  EXPECT_EQ(number(output, "nextOffset"), 21);
  EXPECT_TRUE(fact(output, "totalLines").is_null());
}

TEST_F(ReadTool, ReadsTheEndOfAHugeFile) {
  add("big.log", numbered(10'000));
  ASSERT_EQ(truncate((root + "/big.log").c_str(), 5LL << 30), 0);
  const int fd = ::open((root + "/big.log").c_str(), O_WRONLY | O_APPEND);
  ASSERT_EQ(::write(fd, "\nx\ny\nz\n", 7), 7);
  close(fd);
  const auto output = lines("big.log", -2);
  EXPECT_EQ(text(output), "y\nz\n");
  EXPECT_TRUE(fact(output, "startLine").is_null());
}

TEST_F(ReadTool, AnEndlessLineIsCutWithBoundedWork) {
  add("one.txt", std::string(10'000, 'x'));
  ASSERT_EQ(truncate((root + "/one.txt").c_str(), 800 << 20), 0);
  const auto output = read("one.txt");
  EXPECT_LT(text(output).size(), 100'000U);
  EXPECT_EQ(fact(output, "truncated"), json::value(true));
}

TEST_F(ReadTool, EndsWhenTheCallIsCancelled) {
  add("big.log", numbered(10'000));
  ASSERT_EQ(truncate((root + "/big.log").c_str(), 5LL << 30), 0);
  stop_.request("The caller cancelled the call.");
  EXPECT_EQ(kind(lines("big.log", 1'000'000)), CallErrorKind::cancelled);
}

TEST_F(ReadTool, RefusesSpecialFilesAtOnceAndNamesTheType) {
  ASSERT_EQ(mkfifo((root + "/live.pipe").c_str(), 0600), 0);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (root + "/sock").c_str(),
               sizeof address.sun_path - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  fs::create_directory(root + "/sub");
  EXPECT_THAT(text(read("live.pipe")), HasSubstr("a FIFO"));
  EXPECT_THAT(text(read("sock")), HasSubstr("a socket"));
  const auto directory = read("sub");
  EXPECT_THAT(text(directory), HasSubstr("a directory"));
  EXPECT_THAT(directory.error->hint, HasSubstr("ls"));
  close(fd);
}

TEST_F(ReadTool, DevicesAreOutsideAndRefusedEvenAsARoot) {
  fs::create_symlink("/dev/zero", root + "/z");
  EXPECT_EQ(kind(read("z")), CallErrorKind::path_blocked);
  ASSERT_EQ(mknod((root + "/null").c_str(), S_IFCHR | 0666, makedev(1, 5)), 0)
      << "this suite runs as root";
  EXPECT_THAT(text(read("null")), HasSubstr("a character device"));
}

TEST_F(ReadTool, ALinkToTheOutsideIsRefused) {
  fs::create_symlink("/etc/passwd", root + "/p");
  fs::create_symlink("a.txt", root + "/in");
  add("a.txt", "inside\n");
  EXPECT_EQ(kind(read("p")), CallErrorKind::path_blocked);
  EXPECT_EQ(text(read("in")), "inside\n");
}

TEST_F(ReadTool, NamesWhatIsSimilarToAMissingFile) {
  add("src/config.cpp", "x");
  const auto output = read("src/confg.cpp");
  EXPECT_EQ(kind(output), CallErrorKind::tool_failed);
  EXPECT_THAT(text(output), HasSubstr("src/confg.cpp does not exist"));
  EXPECT_THAT(output.error->hint, HasSubstr("src/config.cpp"));
}

TEST_F(ReadTool, NamesWhatIsSimilarToAMissingFolder) {
  add("source/deep/a.cpp", "x");
  const auto output = read("sourec/deep/a.cpp");
  EXPECT_THAT(output.error->hint, HasSubstr("folder sourec does not exist"));
  EXPECT_THAT(output.error->hint, HasSubstr("Similar names: source."));
}

TEST_F(ReadTool, FailsWhenTheExpectedRevisionIsGone) {
  add("a.txt", "one\n");
  const std::string revision = word(read("a.txt"), "revision");
  EXPECT_FALSE(call({{"path", "a.txt"}, {"expectedRevision", revision}}).error);
  EXPECT_FALSE(call({{"path", "a.txt"}, {"expectedRevision", ""}}).error);
  add("a.txt", "one more\n");
  const auto output = call({{"path", "a.txt"}, {"expectedRevision", revision}});
  EXPECT_EQ(kind(output), CallErrorKind::tool_failed);
  EXPECT_TRUE(output.error->details.contains("revision"));
}

TEST_F(ReadTool, DeclaresAReadOfThePhysicalFile) {
  add("real.txt", "x");
  fs::create_symlink("real.txt", root + "/link");
  const auto resolution = resolve({{"path", "link"}});
  ASSERT_TRUE(resolution);
  ASSERT_EQ(resolution->accesses->size(), 1U);
  EXPECT_EQ(resolution->accesses->front().path, root + "/real.txt");
  EXPECT_EQ(resolution->asks.front().permission, "read");
  EXPECT_EQ(resolution->asks.front().pattern, "real.txt");
  EXPECT_TRUE(resolution->targets.empty());
}

// The kernel's files tell no size, or a wrong one.
TEST_F(ReadTool, ReadsFilesOfTheKernel) {
  root = "/proc/self";
  const auto status = read("status");
  ASSERT_FALSE(status.error) << text(status);
  EXPECT_THAT(text(status), HasSubstr("Pid:"));
  EXPECT_THAT(text(lines("status", -1)), HasSubstr("\n"));
  EXPECT_TRUE(read("mem").error);
}

TEST_F(ReadTool, ReadsSysFilesToTheirRealEnd) {
  root = "/sys/kernel";
  const auto output = read("uevent_seqnum");
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(number(output, "totalLines"), 1);
  EXPECT_EQ(number(lines("uevent_seqnum", -1), "totalLines"), 1);
}

}  // namespace
}  // namespace toolhost
