// Over 400 lines because each kind of answer of the tool is shown once.
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <filesystem>

#include "protocol/text.hpp"
#include "tests/unit/providers/search_fixture.hpp"

namespace toolhost {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SearchTest;

class GrepTool : public SearchTest {};

TEST_F(GrepTool, ShowsLinesWithTheirIndentationInPathAndLineOrder) {
  add("b.txt", "needle\n");
  std::string lines;
  for (int i = 1; i <= 12; ++i) lines += i % 3 == 0 ? "  needle\n" : "hay\n";
  add("a/z.txt", lines);
  add("a.txt", "needle\n");
  const ToolOutput out = grep(R"({"pattern":"needle"})");
  EXPECT_EQ(results(out),
            "a/z.txt\n3:  needle\n6:  needle\n9:  needle\n12:  needle\n\n"
            "a.txt\n1:needle\n\nb.txt\n1:needle\n");
  EXPECT_EQ(fact(out, "matches"), 6);
  EXPECT_EQ(fact(out, "files"), 3);
  EXPECT_EQ(fact(out, "partial"), false);
}

TEST_F(GrepTool, TakesAPatternThatLooksLikeAnOption) {
  add("a.txt", "x --pre=/bin/sh y\n");
  EXPECT_EQ(results(grep(R"({"pattern":"--pre=/bin/sh"})")),
            "a.txt\n1:x --pre=/bin/sh y\n");
}

TEST_F(GrepTool, KeepsNamesWithColonsDigitsAndLineEndsApart) {
  add("we:12:ird", "needle\n");
  add("two\nlines", "needle\n");
  const std::string out = results(grep(R"({"pattern":"needle"})"));
  EXPECT_THAT(out, HasSubstr("we:12:ird\n1:needle"));
  EXPECT_THAT(out, HasSubstr("two\\u{000A}lines\n1:needle"));
}

TEST_F(GrepTool, ShowsNamesAndLinesThatAreNotUtf8) {
  add("bad\xffname", "caf\xe9 needle\n");
  const ToolOutput out = grep(R"({"pattern":"needle"})");
  EXPECT_EQ(fact(out, "matches"), 1);
  std::string frame;
  append_content(frame, out.content);
  EXPECT_TRUE(is_utf8(frame));
}

TEST_F(GrepTool, ExplainsLookAround) {
  add("a.txt", "x\n");
  const ToolOutput out = grep(R"j({"pattern":"x(?=y)"})j");
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::invalid_arguments);
  EXPECT_THAT(out.error->message, HasSubstr("look-around"));
  EXPECT_THAT(out.error->hint, HasSubstr("not supported"));
}

TEST_F(GrepTool, ExplainsAnOpenGroup) {
  add("a.txt", "x\n");
  const ToolOutput out = grep(R"({"pattern":"f(x"})");
  ASSERT_TRUE(out.error);
  EXPECT_THAT(out.error->message, HasSubstr("unclosed group"));
  EXPECT_THAT(out.error->hint, HasSubstr("literal: true"));
}

TEST_F(GrepTool, ExplainsAnUnknownType) {
  add("a.txt", "x\n");
  const ToolOutput out = grep(R"({"pattern":"x","type":"cplusplus"})");
  ASSERT_TRUE(out.error);
  EXPECT_THAT(out.error->message, HasSubstr("cplusplus"));
}

TEST_F(GrepTool, TakesTextLiterally) {
  add("a.txt", "f(x\nfx\n");
  EXPECT_EQ(results(grep(R"({"pattern":"f(x","literal":true})")),
            "a.txt\n1:f(x\n");
}

TEST_F(GrepTool, IgnoresCaseWhenAsked) {
  add("a.txt", "Needle\n");
  EXPECT_EQ(fact(grep(R"({"pattern":"needle"})"), "matches"), 0);
  EXPECT_EQ(fact(grep(R"({"pattern":"needle","ignoreCase":true})"), "matches"),
            1);
}

TEST_F(GrepTool, MatchesAcrossLinesWhenAsked) {
  add("a.txt", "one\ntwo\nthree\n");
  const ToolOutput refused = grep(R"({"pattern":"one\\ntwo"})");
  ASSERT_TRUE(refused.error);
  EXPECT_THAT(refused.error->hint, HasSubstr("multiline: true"));
  EXPECT_EQ(results(grep(R"({"pattern":"one.two","multiline":true})")),
            "a.txt\n1:one\n2:two\n");
}

TEST_F(GrepTool, TellsWhatIgnoreRulesAndDotsLeaveOut) {
  add(".gitignore", "*.log\nnode_modules/\n");
  add("tracked.txt", "MARK\n");
  add("app.log", "MARK\n");
  add(".env", "MARK\n");
  add(".github/x.yml", "MARK\n");
  add("node_modules/p/i.js", "MARK\n");
  const ToolOutput out = grep(R"({"pattern":"MARK"})");
  EXPECT_EQ(results(out), "tracked.txt\n1:MARK\n");
  const json::object& skipped = fact(out, "skipped").as_object();
  EXPECT_EQ(skipped.at("ignored").at("count"), 2);
  EXPECT_EQ(skipped.at("hidden").at("count"), 3);
  EXPECT_THAT(text(out), AllOf(HasSubstr("app.log"), HasSubstr(".env"),
                               HasSubstr("includeIgnored: true")));
}

TEST_F(GrepTool, SearchesIgnoredAndHiddenFilesWhenAsked) {
  add(".gitignore", "*.log\n");
  add("app.log", "MARK\n");
  add(".env", "MARK\n");
  add(".git/config", "MARK\n");
  EXPECT_EQ(results(grep(R"({"pattern":"MARK","includeIgnored":true})")),
            "app.log\n1:MARK\n");
  EXPECT_EQ(results(grep(R"({"pattern":"MARK","includeHidden":true})")),
            ".env\n1:MARK\n");
}

TEST_F(GrepTool, AlwaysSearchesAFileThatIsNamed) {
  add(".gitignore", "*.log\n");
  add("app.log", "MARK\n");
  add(".git/config", "MARK\n");
  EXPECT_EQ(results(grep(R"({"pattern":"MARK","path":"app.log"})")),
            "app.log\n1:MARK\n");
  EXPECT_EQ(results(grep(R"({"pattern":"MARK","path":".git/config"})")),
            ".git/config\n1:MARK\n");
}

TEST_F(GrepTool, TellsWhatWasLeftOutWhenAGlobFindsNothing) {
  add(".gitignore", "*.log\n");
  add("app.log", "MARK\n");
  const ToolOutput out = grep(R"({"pattern":"MARK","glob":"*.log"})");
  EXPECT_EQ(fact(out, "matches"), 0);
  EXPECT_THAT(text(out), HasSubstr("app.log"));
}

TEST_F(GrepTool, NarrowsByGlobsWithoutBringingBackIgnoredFiles) {
  add(".gitignore", "gen.ts\n!keep.js\n");
  add("keep.js", "MARK\n");
  add("src/a.ts", "MARK\n");
  add("src/gen.ts", "MARK\n");
  add("src/b.js", "MARK\n");
  add("test/a.ts", "MARK\n");
  const auto files = [this](const std::string& glob) {
    return results(
        grep(R"({"pattern":"MARK","outputMode":"files","glob":)" + glob + "}"));
  };
  EXPECT_EQ(files(R"("*.ts")"), "src/a.ts\ntest/a.ts\n");
  EXPECT_EQ(files(R"("src/**/*.ts")"), "src/a.ts\n");
  EXPECT_EQ(files(R"("{src,test}/*.{ts,js}")"),
            "src/a.ts\nsrc/b.js\ntest/a.ts\n");
  EXPECT_EQ(files(R"(["*.ts","!test"])"), "src/a.ts\n");
  EXPECT_EQ(files(R"(["*.ts","src/*.js"])"), "src/a.ts\nsrc/b.js\ntest/a.ts\n");
}

TEST_F(GrepTool, JoinsTypeAndGlob) {
  add("src/a.py", "MARK\n");
  add("src/a.js", "MARK\n");
  add("lib/a.py", "MARK\n");
  EXPECT_EQ(results(grep(
                R"({"pattern":"MARK","type":"py","glob":"src/**",
                    "outputMode":"files"})")),
            "src/a.py\n");
}

TEST_F(GrepTool, CountsLinesPerFile) {
  add("a.txt", "x\nx\ny\n");
  add("b.txt", "x\n");
  const ToolOutput out = grep(R"({"pattern":"x","outputMode":"count"})");
  EXPECT_EQ(results(out), "a.txt:2\nb.txt:1\n");
  EXPECT_EQ(fact(out, "matches"), 3);
}

TEST_F(GrepTool, ShowsContextOnceWhereMatchesAreNear) {
  add("a.txt", "1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10\n");
  EXPECT_EQ(results(grep(R"({"pattern":"x","context":1})")),
            "a.txt\n2-2\n3:x3\n4-4\n5:x5\n6-6\n--\n9-9\n10:x10\n");
}

TEST_F(GrepTool, PagesThroughEverythingOnceAndInOrder) {
  for (int file = 0; file < 7; ++file) {
    std::string lines;
    for (int i = 0; i < 30; ++i) lines += "needle " + std::to_string(i) + "\n";
    add("f" + std::to_string(file) + ".txt", lines);
  }
  const std::string query = R"({"pattern":"needle","limit":50)";
  std::string all = results(grep(R"({"pattern":"needle","limit":1000})"));
  std::string next;
  std::size_t lines = 0;
  int pages = 0;
  do {
    const ToolOutput out =
        grep(query + (next.empty() ? "}" : R"(,"cursor":")" + next + "\"}"));
    const std::string page = results(out);
    for (std::size_t at = 0; (at = page.find(":needle", at)) != page.npos;
         ++at) {
      ++lines;
    }
    EXPECT_EQ(fact(out, "matches"), 210);
    next = cursor(out);
    ++pages;
  } while (!next.empty() && pages < 20);
  EXPECT_EQ(lines, 210U);
  EXPECT_EQ(pages, 5);
}

TEST_F(GrepTool, RefusesACursorOfAnotherQuery) {
  add("a.txt", "x\nx\ny\ny\n");
  const std::string next = cursor(grep(R"({"pattern":"x","limit":1})"));
  ASSERT_FALSE(next.empty());
  const ToolOutput other =
      grep(R"({"pattern":"y","limit":1,"cursor":")" + next + "\"}");
  ASSERT_TRUE(other.error);
  EXPECT_EQ(other.error->kind, CallErrorKind::invalid_arguments);
  const ToolOutput same =
      grep(R"({"pattern":"x","limit":1,"cursor":")" + next + "\"}");
  EXPECT_EQ(results(same), "a.txt\n2:x\n");
}

TEST_F(GrepTool, ShowsALongLineAroundItsMatch) {
  std::string line;
  for (int i = 0; i < 500'000; ++i) line += "\xc3\xa9";
  add("min.json", line + "needle" + std::string(2'000'000, 'x'));
  const ToolOutput out = grep(R"({"pattern":"needle"})");
  const std::string shown = results(out);
  EXPECT_THAT(shown, HasSubstr("1:[column 1000001] …"));
  EXPECT_THAT(shown, HasSubstr("éneedlex"));
  EXPECT_LT(shown.size(), 1200U);
  EXPECT_TRUE(is_utf8(shown));
}

TEST_F(GrepTool, CutsLongContextLines) {
  add("a.txt", std::string(300'000, 'y') + "\nneedle\n");
  const std::string shown =
      results(grep(R"({"pattern":"needle","context":2})"));
  EXPECT_THAT(shown, HasSubstr("yyy…\n2:needle"));
  EXPECT_LT(shown.size(), 1100U);
}

TEST_F(GrepTool, BoundsAPageInBytesAndCountsAll) {
  config_.tools.search.max_bytes = 10'000;
  std::string lines;
  for (int i = 0; i < 200'000; ++i) lines += "a hit in a long list\n";
  add("a.txt", lines);
  const ToolOutput out = grep(R"({"pattern":"hit","limit":5000})");
  EXPECT_LT(text(out).size(), 12'000U);
  EXPECT_GE(fact(out, "matches").to_number<std::int64_t>(), 200'000);
  EXPECT_EQ(fact(out, "truncated"), true);
}

TEST_F(GrepTool, ShowsAnEntryThatIsLargerThanThePage) {
  config_.tools.search.max_bytes = 10;
  add("a.txt", "needle and more than ten bytes\n");
  EXPECT_THAT(results(grep(R"({"pattern":"needle"})")),
              HasSubstr("1:needle and more"));
}

TEST_F(GrepTool, SkipsLinksLoopsAndPipes) {
  add("real.txt", "needle\n");
  ASSERT_EQ(symlink("/nope", (folder_ / "dead").c_str()), 0);
  ASSERT_EQ(symlink(".", (folder_ / "loop").c_str()), 0);
  ASSERT_EQ(symlink("/", (folder_ / "root").c_str()), 0);
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  const ToolOutput out = grep(R"({"pattern":"needle"})");
  EXPECT_EQ(results(out), "real.txt\n1:needle\n");
  EXPECT_EQ(fact(out, "partial"), false);
}

TEST_F(GrepTool, RefusesToSearchAPipe) {
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  const ToolOutput out = grep(R"({"pattern":"x","path":"fifo"})");
  ASSERT_TRUE(out.error);
  EXPECT_THAT(out.error->message, HasSubstr("FIFO"));
}

TEST_F(GrepTool, RefusesAPathOutsideTheWorkspace) {
  const ToolOutput out = grep(R"({"pattern":"root","path":"/etc"})");
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::path_blocked);
}

TEST_F(GrepTool, SaysThatAPathIsMissing) {
  const ToolOutput out = grep(R"({"pattern":"x","path":"nowhere"})");
  ASSERT_TRUE(out.error);
  EXPECT_THAT(out.error->message, HasSubstr("nowhere"));
}

TEST_F(GrepTool, LeavesBinaryFilesOutUnlessNamed) {
  using namespace std::string_literals;
  add("bin.dat", "abc\0needle\n"s);
  add("a.txt", "needle\n");
  EXPECT_EQ(results(grep(R"({"pattern":"needle"})")), "a.txt\n1:needle\n");
  const ToolOutput named = grep(R"({"pattern":"needle","path":"bin.dat"})");
  EXPECT_EQ(fact(named, "binaryFiles"), 1);
  EXPECT_THAT(text(named), Not(HasSubstr("No match")));
}

TEST_F(GrepTool, EndsAtItsTimeLimitWithWhatItHas) {
  timeout_ = Milliseconds(1);
  add("a.txt", std::string(30'000'000, 'a'));
  const ToolOutput out = grep(R"({"pattern":"b"})");
  EXPECT_EQ(fact(out, "partial"), true);
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::timed_out);
}

TEST_F(GrepTool, EndsWhenItIsStopped) {
  add("a.txt", "x\n");
  stop_.request("The caller cancelled the call.");
  const ToolOutput out = grep(R"({"pattern":"x"})");
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::cancelled);
}

TEST_F(GrepTool, SaysHowToGetRipgrepWhenItIsMissing) {
  add("a.txt", "x\n");
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  const ToolOutput out = grep(R"({"pattern":"x"})");
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(out.error);
  EXPECT_EQ(out.error->kind, CallErrorKind::tool_failed);
  EXPECT_THAT(out.error->hint, HasSubstr("install ripgrep"));
}

// ripgrep as somebody else made it: fails half-way, with results.
class GrepWithFakeRipgrep : public GrepTool {
 protected:
  void fake(const std::string& script) {
    const std::string path = programs_ / "rg";
    testing::write_file(path, "#!/bin/sh\n" + script);
    chmod(path.c_str(), 0700);
    setenv("PATH", (programs_.path() + ":" + old_path_).c_str(), 1);
  }
  ~GrepWithFakeRipgrep() override { setenv("PATH", old_path_.c_str(), 1); }

 private:
  testing::TempDir programs_;
  std::string old_path_ = std::getenv("PATH");
};

TEST_F(GrepWithFakeRipgrep, KeepsMatchesWhenSomePlacesFail) {
  fake(R"(printf './a.txt\0001:1:0:needle\n'
echo './d: Permission denied (os error 13)' >&2
exit 2
)");
  const ToolOutput out = grep(R"({"pattern":"needle"})");
  EXPECT_FALSE(out.error);
  EXPECT_EQ(results(out), "a.txt\n1:needle\n");
  EXPECT_EQ(fact(out, "partial"), true);
  const json::array& causes = fact(out, "causes").as_array();
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].at("reason"), "Permission denied");
  EXPECT_EQ(causes[0].at("count"), 1);
}

TEST_F(GrepWithFakeRipgrep, DoesNotSayNoMatchAfterAnIncompleteWalk) {
  fake("echo './d: Permission denied (os error 13)' >&2\nexit 2\n");
  const ToolOutput out = grep(R"({"pattern":"needle"})");
  EXPECT_THAT(text(out), HasSubstr("No match in what could be searched"));
}

TEST_F(GrepWithFakeRipgrep, KillsItsWholeTreeAtTheTimeLimit) {
  timeout_ = Milliseconds(400);
  fake(R"(printf './a.txt\0001:1:0:needle\n'
sleep 300 & echo $! >child
wait
)");
  const ToolOutput out = grep(R"({"pattern":"needle"})");
  EXPECT_FALSE(out.error);
  EXPECT_EQ(fact(out, "partial"), true);
  EXPECT_EQ(results(out), "a.txt\n1:needle\n");
  const int child = std::stoi(testing::read_file(folder_ / "child"));
  EXPECT_EQ(kill(child, 0), -1);
}

TEST_F(GrepWithFakeRipgrep, StartsAgainWithoutNotesWhenTheyAreTooMany) {
  fake(R"(case "$*" in *--debug*)
  yes 'DEBUG|x: ignoring ./o: Ignore(IgnoreMatch(Hidden))' | head -9999 >&2
esac
printf './a.txt\0001:1:0:needle\n'
)");
  const ToolOutput out = grep(R"({"pattern":"needle"})");
  EXPECT_EQ(fact(out, "matches"), 1);
  EXPECT_EQ(fact(out, "partial"), false);
  EXPECT_TRUE(fact(out, "skipped").is_null());
}

TEST_F(GrepWithFakeRipgrep, TriesAgainWithOneThreadWhenThereAreNone) {
  fake(R"(case "$*" in
*--threads=1*) printf './a.txt\0001:1:0:needle\n' ;;
*) echo 'rg: Resource temporarily unavailable (os error 11)' >&2; exit 2 ;;
esac
)");
  EXPECT_EQ(fact(grep(R"({"pattern":"needle"})"), "matches"), 1);
}

TEST_F(GrepTool, AsksForItsPatternAndTouchesItsFolder) {
  std::vector<std::string> roots{folder_.path()};
  const Workspace workspace = Workspace::open(std::move(roots), false).value();
  const ToolContext context{workspace, folder_.path(), SandboxMode::read_only,
                            config_};
  json::object arguments;
  arguments["pattern"] = "needle";
  arguments["path"] = ".";
  const Resolution out = builtin::grep_tool.resolve(arguments, context).value();
  ASSERT_EQ(out.asks.size(), 1U);
  EXPECT_EQ(out.asks[0].permission, "grep");
  EXPECT_EQ(out.asks[0].pattern, "needle");
  ASSERT_EQ(out.accesses->size(), 1U);
  EXPECT_EQ(out.accesses->front().operation, Access::Operation::search);
  EXPECT_EQ(out.accesses->front().path, folder_.path());
  EXPECT_TRUE(out.accesses->front().recursive);
}

}  // namespace
}  // namespace toolhost
