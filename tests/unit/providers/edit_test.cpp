#include <sys/stat.h>

#include <random>

#include "tests/unit/providers/file_tool_fixture.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class EditTool : public testing::FileToolTest {
 protected:
  EditTool() : FileToolTest(builtin::edit_tool) {}

  static json::object arguments(std::string_view old_text,
                                std::string_view new_text,
                                bool replace_all = false) {
    json::object out;
    out["path"] = "f";
    out["oldText"] = old_text;
    out["newText"] = new_text;
    out["replaceAll"] = replace_all;
    return out;
  }
  ToolOutput edit(std::string_view old_text, std::string_view new_text,
                  bool replace_all = false) {
    return call(arguments(old_text, new_text, replace_all));
  }
  // The file after the edit of a file of these bytes.
  std::string edited(std::string_view file, std::string_view old_text,
                     std::string_view new_text, bool replace_all = false) {
    add("f", file);
    const auto output = edit(old_text, new_text, replace_all);
    EXPECT_FALSE(output.error) << text(output);
    return on_disk("f");
  }
  // The message of an edit that fails and leaves the file as it was.
  std::string refused(std::string_view file, std::string_view old_text,
                      std::string_view new_text, bool replace_all = false) {
    add("f", file);
    const auto output = edit(old_text, new_text, replace_all);
    EXPECT_TRUE(output.error);
    EXPECT_EQ(on_disk("f"), file);
    return text(output);
  }
};

TEST_F(EditTool, ReplacesTheOneMatch) {
  add("f", "one\ntwo\nthree\n");
  const auto output = edit("two", "2");
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("f"), "one\n2\nthree\n");
  EXPECT_EQ(number(output, "replacements"), 1);
  EXPECT_EQ(number(output, "firstChangedLine"), 2);
  EXPECT_EQ(number(output, "bytesWritten"), 12);
  EXPECT_THAT(word(output, "diff"), HasSubstr("-two\n+2\n"));
  EXPECT_EQ(word(output, "path"), root + "/f");
}

TEST_F(EditTool, RefusesAnAmbiguousMatchAndNamesTheLines) {
  const std::string message =
      refused("a\nreturn x\nb\nreturn x\nc\nreturn x\n", "return x", "y");
  EXPECT_THAT(message, HasSubstr("occurs 3 times"));
  EXPECT_THAT(message, HasSubstr("lines 2, 4, 6"));
}

TEST_F(EditTool, OverlappingOccurrencesAreAmbiguous) {
  EXPECT_THAT(refused("aaa", "aa", "b"), HasSubstr("2 times"));
}

TEST_F(EditTool, ReplacesAllWhenAsked) {
  EXPECT_EQ(edited("a b a b a", "a", "xx", true), "xx b xx b xx");
}

// What replacement functions of many libraries would expand.
TEST_F(EditTool, TakesTheReplacementLiterally) {
  const std::string tricky = "log(\"$& $$ $1 $' $` \\1 \\0 & %s {0} ${x}\");";
  EXPECT_EQ(edited("log(\"done\");\n", "log(\"done\");", tricky),
            tricky + "\n");
  EXPECT_EQ(edited("a a", "a", tricky, true), tricky + " " + tricky);
}

TEST_F(EditTool, RandomReplacementsAppearVerbatim) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::string fresh;
    for (int i = 0; i < 40; ++i) {
      fresh += static_cast<char>(random() % 94 + 33);
    }
    EXPECT_EQ(edited("before MARK after", "MARK", fresh),
              "before " + fresh + " after");
  }
}

TEST_F(EditTool, RefusesAnEmptyOldText) {
  for (const bool all : {false, true}) {
    add("f", "abc");
    const auto output = edit("", "X", all);
    ASSERT_TRUE(output.error);
    EXPECT_THAT(text(output), HasSubstr("oldText is empty"));
    EXPECT_THAT(output.error->hint, HasSubstr("write"));
    EXPECT_EQ(on_disk("f"), "abc");
  }
  EXPECT_THAT(refused("", "", "X"), HasSubstr("empty"));
}

TEST_F(EditTool, AnEditThatChangesNothingSaysUnchanged) {
  EXPECT_THAT(refused("abc", "b", "b"), HasSubstr("unchanged"));
}

TEST_F(EditTool, AMissingFileIsNamedAndWriteIsRecommended) {
  const auto output = edit("a", "b");
  EXPECT_EQ(kind(output), CallErrorKind::tool_failed);
  EXPECT_THAT(output.error->hint, HasSubstr("write"));
}

TEST_F(EditTool, TouchesNoByteOutsideTheMatch) {
  const std::string gbk = "const x = 1;\n// \xd6\xd0\xce\xc4\n";
  EXPECT_EQ(edited(gbk, "const x = 1", "const x = 2"),
            "const x = 2;\n// \xd6\xd0\xce\xc4\n");
  EXPECT_EQ(edited("caf\xe9\nx\n\tend", "x", "y"), "caf\xe9\ny\n\tend");
}

TEST_F(EditTool, KeepsTheByteOrderMarkAndTheMissingNewline) {
  EXPECT_EQ(edited("\xef\xbb\xbf"
                   "a\nb",
                   "a", "c"),
            "\xef\xbb\xbf"
            "c\nb");
}

TEST_F(EditTool, EditsUtf16InItsOwnEncoding) {
  EXPECT_EQ(edited(std::string("\xff\xfe"
                               "a\0\n\0b\0",
                               8),
                   "b", "\xf0\x9f\x99\x82"),
            std::string("\xff\xfe"
                        "a\0\n\0=\xd8\x42\xde",
                        10));
}

TEST_F(EditTool, EditsUtf16WithoutAMark) {
  EXPECT_EQ(edited(std::string("a\0b\0c\0\n\0d\0", 10), "b", "xy"),
            std::string("a\0x\0y\0c\0\n\0d\0", 12));
}

TEST_F(EditTool, WritesNewTextInTheEncodingOfTheFile) {
  EXPECT_EQ(edited("x = 1;\n// \xd6\xd0\xce\xc4\n", "x = 1;",
                   "x = 1;  // \xe6\x96\x87"),
            "x = 1;  // \xce\xc4\n// \xd6\xd0\xce\xc4\n");
  EXPECT_EQ(edited("caf\xe9\nx\n", "caf\xc3\xa9", "th\xc3\xa9"), "th\xe9\nx\n");
  EXPECT_EQ(edited("\x93x\x94 caf\xe9\n", "x", "\xe2\x82\xac"),
            "\x93\x80\x94 caf\xe9\n");
}

TEST_F(EditTool, RefusesNewTextThatTheEncodingLacks) {
  EXPECT_THAT(refused("caf\xe9\nx\n", "x", "\xe4\xb8\xad"),
              HasSubstr("iso-8859-1, lacks"));
  EXPECT_THAT(refused("\x82\xa0\x82\xa2 x\n", "x", "\xe3\x81\x82"),
              HasSubstr("encoding is not known"));
}

TEST_F(EditTool, EditsAsciiInAnUnknownEncoding) {
  EXPECT_EQ(edited("\x82\xa0\x82\xa2 x\n", "x", "y"), "\x82\xa0\x82\xa2 y\n");
}

TEST_F(EditTool, DamagedUtf8StaysAsItIs) {
  EXPECT_EQ(edited("\xc3\xa9t\xc3\xa9 \xe9 x\n", "x", "\xc3\xbc"),
            "\xc3\xa9t\xc3\xa9 \xe9 \xc3\xbc\n");
}

TEST_F(EditTool, RefusesUtf16ThatWouldLoseSomething) {
  const std::string lone(
      "\xff\xfe"
      "a\0\x00\xd8",
      6);
  EXPECT_THAT(refused(lone, "a", "b"), HasSubstr("utf-16le"));
}

TEST_F(EditTool, RefusesBinaryFiles) {
  EXPECT_THAT(refused(std::string("a\0b", 3), "a", "b"), HasSubstr("binary"));
}

TEST_F(EditTool, AdaptsLineEndingsToTheRegion) {
  EXPECT_EQ(edited("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb"),
            "a\r\nx\r\nb\r\nc\r\n");
  EXPECT_EQ(edited("a\r\nb\r\n", "b", "b\nc"), "a\r\nb\r\nc\r\n");
  EXPECT_EQ(edited("a\r\nb\r\n", "a\r\nb", "a\r\nc"), "a\r\nc\r\n");
  EXPECT_EQ(edited("a\nb\n", "a\r\nb", "a\r\nc"), "a\nc\n");
}

TEST_F(EditTool, KeepsMixedLineEndingsOutsideAndInside) {
  EXPECT_EQ(edited("1\r\n2\n3\r\n4\n", "2\n3\n4\n", "2\n3\nx\n"),
            "1\r\n2\n3\r\nx\n");
  EXPECT_EQ(edited("lone\rcr\nx\r\ny\n", "y", "z"), "lone\rcr\nx\r\nz\n");
}

TEST_F(EditTool, LfAndCrlfTwinsAreAmbiguous) {
  EXPECT_THAT(refused("a\r\nb\r\n-\na\nb\n", "a\nb", "x"),
              HasSubstr("2 times"));
}

TEST_F(EditTool, AppliesSeveralEditsToTheOriginal) {
  add("f", "a b c\n");
  json::array edits{
      json::object{{"oldText", "c"}, {"newText", "a"}},
      json::object{{"oldText", "a"}, {"newText", "b"}},
      json::object{{"oldText", "b"}, {"newText", "c"}},
  };
  const auto output = call({{"path", "f"}, {"edits", edits}});
  ASSERT_FALSE(output.error) << text(output);
  EXPECT_EQ(on_disk("f"), "b c a\n");
  EXPECT_EQ(number(output, "replacements"), 3);
}

TEST_F(EditTool, RefusesOverlappingEditsAndNamesBoth) {
  add("f", "one two three\n");
  json::array edits{
      json::object{{"oldText", "two three"}, {"newText", "x"}},
      json::object{{"oldText", "one two"}, {"newText", "y"}},
  };
  const auto output = call({{"path", "f"}, {"edits", edits}});
  EXPECT_THAT(text(output), HasSubstr("edits[1] and edits[0] overlap"));
  EXPECT_EQ(on_disk("f"), "one two three\n");
}

TEST_F(EditTool, TouchingEditsAreFine) {
  add("f", "ab");
  json::array edits{json::object{{"oldText", "a"}, {"newText", "1"}},
                    json::object{{"oldText", "b"}, {"newText", "2"}}};
  ASSERT_FALSE(call({{"path", "f"}, {"edits", edits}}).error);
  EXPECT_EQ(on_disk("f"), "12");
}

TEST_F(EditTool, OneBadEditOfSeveralChangesNothing) {
  add("f", "a b\n");
  json::array edits{json::object{{"oldText", "a"}, {"newText", "1"}},
                    json::object{{"oldText", "zzz"}, {"newText", "2"}}};
  const auto output = call({{"path", "f"}, {"edits", edits}});
  EXPECT_THAT(text(output), HasSubstr("edits[1].oldText was not found"));
  EXPECT_EQ(on_disk("f"), "a b\n");
}

TEST_F(EditTool, NeedsOneFormOfArgumentsAndOnlyOne) {
  add("f", "a");
  EXPECT_EQ(kind(call({{"path", "f"}})), CallErrorKind::invalid_arguments);
  EXPECT_EQ(kind(call({{"path", "f"}, {"oldText", "a"}})),
            CallErrorKind::invalid_arguments);
  json::object both = arguments("a", "b");
  both["edits"] = json::array{json::object{{"oldText", "a"}, {"newText", "b"}}};
  EXPECT_EQ(kind(call(both)), CallErrorKind::invalid_arguments);
}

// Never applied, always told.
TEST_F(EditTool, TellsThatOnlyTheIndentationDiffers) {
  const std::string message = refused("if (x) {\n   return 1;\n}\n",
                                      "if (x) {\n    return 1;\n}\n", "y");
  EXPECT_THAT(message, HasSubstr("lines 1-3"));
  EXPECT_THAT(message, HasSubstr("differs in indentation"));
  EXPECT_THAT(message, HasSubstr("line 2 is indented with 3 spaces, oldText "
                                 "has 4 spaces"));
}

TEST_F(EditTool, TellsThatOnlyWhiteSpaceDiffers) {
  EXPECT_THAT(refused("alpha   beta\nalpha\tbeta\n", "alpha beta", "x"),
              HasSubstr("differs in whitespace"));
}

TEST_F(EditTool, TellsWhichWordsDiffer) {
  const std::string message =
      refused("int a = 1;\nint total_count = first + second;\nint b = 2;\n",
              "int total_count = first + third;", "x");
  EXPECT_THAT(message, HasSubstr("lines 2-2"));
  EXPECT_THAT(message, HasSubstr("differs in words"));
  EXPECT_THAT(message, HasSubstr("first + second"));
}

TEST_F(EditTool, TellsThatTheNewTextIsThereAlready) {
  EXPECT_THAT(refused("x\nconst int answer = 42;\n", "const int answer = 41;",
                      "const int answer = 42;"),
              HasSubstr("newText is there already, at line 2"));
}

TEST_F(EditTool, SaysNothingOfNearWhenNothingIs) {
  EXPECT_THAT(refused("aaaa\nbbbb\n", "completely different words", "x"),
              Not(HasSubstr("nearest")));
}

TEST_F(EditTool, ResolvingChangesNothingAndShowsTheDiff) {
  add("f", "one\ntwo\n");
  const auto resolution = resolve(arguments("two", "2"));
  ASSERT_TRUE(resolution);
  EXPECT_EQ(on_disk("f"), "one\ntwo\n");
  EXPECT_EQ(resolution->title, "Edit f");
  EXPECT_THAT(std::string(resolution->subject.at("changes")
                              .as_array()
                              .at(0)
                              .at("diff")
                              .as_string()),
              HasSubstr("-two\n+2\n"));
  EXPECT_EQ(resolution->base_revision, resolution->targets.front().revision);
}

TEST_F(EditTool, AFileChangedAfterTheApprovalIsNotTouched) {
  add("f", "one\ntwo\n");
  const auto output =
      call(arguments("two", "2"), [&] { add("f", "ONE\ntwo\n!"); });
  EXPECT_EQ(kind(output), CallErrorKind::path_blocked);
  EXPECT_THAT(output.error->hint, HasSubstr("Read it again"));
  EXPECT_EQ(on_disk("f"), "ONE\ntwo\n!");
}

TEST_F(EditTool, KeepsModeAndLinks) {
  add("real", "one\n");
  chmod((root + "/real").c_str(), 0750);
  fs::create_symlink("real", root + "/f");
  ASSERT_FALSE(edit("one", "two").error);
  EXPECT_TRUE(fs::is_symlink(root + "/f"));
  struct stat st {};
  stat((root + "/real").c_str(), &st);
  EXPECT_EQ(st.st_mode & 07777, 0750U);
  EXPECT_EQ(on_disk("real"), "two\n");
}

TEST_F(EditTool, RefusesFilesOverTheLimit) {
  add("f", "abc");
  ASSERT_EQ(truncate((root + "/f").c_str(), 17 << 20), 0);
  const auto output = edit("abc", "x");
  EXPECT_THAT(text(output), HasSubstr("larger than 16777216 bytes"));
}

TEST_F(EditTool, RefusesAResultOverTheLimit) {
  add("f", std::string(50'000, 'a'));
  const auto output = edit("a", std::string(1000, 'b'), true);
  EXPECT_THAT(text(output), HasSubstr("would become larger"));
}

TEST_F(EditTool, ALinkToTheOutsideIsRefused) {
  fs::create_symlink("/etc/passwd", root + "/f");
  EXPECT_EQ(kind(edit("root", "x")), CallErrorKind::path_blocked);
}

}  // namespace
}  // namespace toolhost
