#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "providers/builtin/search_glob.hpp"
#include "tests/unit/providers/search_fixture.hpp"

namespace toolhost {
namespace {

using builtin::GlobFilter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SearchTest;

GlobFilter filter(const std::vector<std::string>& globs,
                  bool include_hidden = false) {
  return GlobFilter::parse(globs, include_hidden, "/ws").value();
}

bool matches(const std::string& glob, const std::string& path) {
  return filter({glob}).matches(path);
}

TEST(GlobFilter, MatchesBaseNamesInEveryFolderWithoutASlash) {
  EXPECT_TRUE(matches("*.ts", "a.ts"));
  EXPECT_TRUE(matches("*.ts", "src/deep/a.ts"));
  EXPECT_FALSE(matches("*.ts", "a.tsx"));
  EXPECT_FALSE(matches("src", "src/a.ts"));
}

TEST(GlobFilter, AnchorsAPatternWithASlash) {
  EXPECT_TRUE(matches("src/*.ts", "src/a.ts"));
  EXPECT_FALSE(matches("src/*.ts", "lib/src/a.ts"));
  EXPECT_FALSE(matches("src/*.ts", "src/deep/a.ts"));
  EXPECT_TRUE(matches("/ws/src/*.ts", "src/a.ts"));
  EXPECT_TRUE(matches("./src/*.ts", "src/a.ts"));
  EXPECT_TRUE(matches("/a.ts", "a.ts"));
  EXPECT_FALSE(matches("/a.ts", "src/a.ts"));
}

TEST(GlobFilter, LetsStarsSpanFoldersOnlyWhenDoubled) {
  EXPECT_TRUE(matches("**/*.ts", "a.ts"));
  EXPECT_TRUE(matches("src/**/x/*.ts", "src/a/b/x/x/a.ts"));
  EXPECT_TRUE(matches("src/**", "src/a/b.c"));
  EXPECT_FALSE(matches("src/**", "src"));
  EXPECT_TRUE(matches("src/", "src/a"));
  EXPECT_FALSE(matches("s*c", "s/c"));
  EXPECT_FALSE(matches("a?b", "a/b"));
}

TEST(GlobFilter, KnowsClassesBracesAndCharacters) {
  EXPECT_TRUE(matches("[a-c]x", "bx"));
  EXPECT_FALSE(matches("[!a-c]x", "bx"));
  EXPECT_TRUE(matches("[]]x", "]x"));
  EXPECT_TRUE(matches("?.txt", "é.txt"));
  EXPECT_TRUE(matches("?.txt", "\xff.txt"));
  EXPECT_TRUE(matches("{a,{b,c}d}.ts", "cd.ts"));
  EXPECT_TRUE(matches("\\[x\\].ts", "[x].ts"));
  EXPECT_TRUE(matches("[à-é]", "ç"));
}

TEST(GlobFilter, FindsDotNamesOnlyWhenTheDotIsWritten) {
  EXPECT_FALSE(matches("*", ".env"));
  EXPECT_FALSE(matches("**/*", ".git/config"));
  EXPECT_TRUE(matches(".env*", "a/.env.local"));
  EXPECT_TRUE(matches(".github/**", ".github/a/b.yml"));
  EXPECT_TRUE(filter({"*"}, true).matches(".env"));
}

TEST(GlobFilter, RefusesWhatIsNotAPattern) {
  for (const char* glob : {"[a", "{a,b", "../x"}) {
    const auto out = GlobFilter::parse({glob}, false, "");
    ASSERT_FALSE(out) << glob;
    EXPECT_EQ(out.error().kind, CallErrorKind::invalid_arguments);
  }
  std::string many = "x";
  for (int i = 0; i < 12; ++i) many += "{a,b}";
  EXPECT_FALSE(GlobFilter::parse({many}, false, ""));
}

TEST(GlobFilter, NamesTheFolderAndTheBaseNamesOfItsMatches) {
  EXPECT_EQ(filter({"src/gui/**/*.ts"}).folder(), "src/gui");
  EXPECT_EQ(filter({"*.ts"}).folder(), "");
  EXPECT_EQ(filter({"src/*.ts", "lib/*.ts"}).folder(), "");
  EXPECT_THAT(filter({"src/**/*.{ts,js}"}).base_names(),
              ElementsAre("*.js", "*.ts"));
  EXPECT_THAT(filter({"src/**"}).base_names(), IsEmpty());
  EXPECT_EQ(filter({"a/b.log"}).exact_path(), "a/b.log");
  EXPECT_EQ(filter({"a/*.log"}).exact_path(), "");
}

TEST(GlobFilter, TakesLinearTimeForManyStars) {
  const std::string name(4000, 'a');
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "a*";
  EXPECT_FALSE(matches(glob + "b", name));
}

class GlobTool : public SearchTest {};

TEST_F(GlobTool, ListsFilesInPathOrderAndNoFolders) {
  add("b.ts", "");
  add("a/z.ts", "");
  add("a.ts", "");
  add("dir.ts/x.md", "");
  const ToolOutput out = glob(R"({"pattern":"**/*.ts"})");
  EXPECT_EQ(results(out), "a/z.ts\na.ts\nb.ts\n");
  EXPECT_EQ(fact(out, "files"), 3);
}

TEST_F(GlobTool, LeavesIgnoredAndHiddenFilesOutAndSaysSo) {
  add(".gitignore", "*.log\n");
  add("app.log", "");
  add(".env", "");
  add("a.txt", "");
  EXPECT_EQ(results(glob(R"({"pattern":"**/*"})")), "a.txt\n");
  const ToolOutput none = glob(R"({"pattern":"*.log"})");
  EXPECT_EQ(fact(none, "files"), 0);
  EXPECT_THAT(text(none), HasSubstr("app.log"));
  EXPECT_EQ(results(glob(R"({"pattern":"*.log","includeIgnored":true})")),
            "app.log\n");
  EXPECT_EQ(results(glob(R"({"pattern":".e*"})")), ".env\n");
}

TEST_F(GlobTool, FindsAnIgnoredFileThatIsNamedExactly) {
  add(".gitignore", "*.log\n");
  add("logs/app.log", "");
  EXPECT_EQ(results(glob(R"({"pattern":"logs/app.log"})")), "logs/app.log\n");
}

TEST_F(GlobTool, NeverListsVersionControl) {
  add(".git/config", "");
  add("a.txt", "");
  EXPECT_EQ(results(glob(R"({"pattern":"**/*","includeHidden":true,
                             "includeIgnored":true})")),
            "a.txt\n");
}

TEST_F(GlobTool, SortsTheNewestFirst) {
  for (const int age : {3, 1, 2}) {
    const std::string name = std::to_string(age) + ".txt";
    add(name, "");
    const timespec time{1'000'000 - age, 0};
    const timespec both[2] = {time, time};
    ASSERT_EQ(utimensat(AT_FDCWD, (folder_ / name).c_str(), both, 0), 0);
  }
  const ToolOutput first =
      glob(R"({"pattern":"*.txt","sort":"modified","limit":2})");
  EXPECT_EQ(results(first), "1.txt\n2.txt\n");
  const ToolOutput second =
      glob(R"({"pattern":"*.txt","sort":"modified","limit":2,"cursor":")" +
           cursor(first) + "\"}");
  EXPECT_EQ(results(second), "3.txt\n");
}

TEST_F(GlobTool, PagesThroughEverythingOnce) {
  for (int i = 0; i < 25; ++i) add("d/f" + std::to_string(i) + ".c", "");
  std::string all;
  std::string next;
  int pages = 0;
  do {
    const ToolOutput out =
        glob(R"({"pattern":"*.c","path":"d","limit":10)" +
             (next.empty() ? "}" : R"(,"cursor":")" + next + "\"}"));
    all += results(out);
    next = cursor(out);
  } while (!next.empty() && ++pages < 9);
  EXPECT_EQ(all, results(glob(R"({"pattern":"*.c","path":"d"})")));
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 25);
}

TEST_F(GlobTool, WantsAFolder) {
  add("a.txt", "");
  const ToolOutput out = glob(R"({"pattern":"*","path":"a.txt"})");
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::invalid_arguments);
}

TEST_F(GlobTool, ExplainsABadPattern) {
  const ToolOutput out = glob(R"({"pattern":"src/{a,b"})");
  ASSERT_TRUE(out.error);
  EXPECT_THAT(out.error->message, HasSubstr("not closed"));
}

}  // namespace
}  // namespace toolhost
