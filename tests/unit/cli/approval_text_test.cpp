#include "daemon/cli/approval_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/cli/columns.hpp"
#include "tests/unit/cli/samples.hpp"

namespace toolhost::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string page(const json::object& raw) {
  const ShownApproval approval = read_approval(raw);
  std::string out;
  for (const Line& line : subject_lines(approval)) out += line.text + "\n";
  for (const Line& line : option_lines(approval)) out += line.text + "\n";
  return out;
}

TEST(ApprovalText, ShowsWhoAsksWhatWhereAndWhy) {
  const std::string text = page(samples::command("appr_1", "git status"));
  EXPECT_THAT(text, HasSubstr("claude 2 (its own words)"));
  EXPECT_THAT(text, HasSubstr("pid 42, /usr/bin/claude"));
  EXPECT_THAT(text, HasSubstr("$ git status\n"));
  EXPECT_THAT(text, HasSubstr("no rule allows it [permission]"));
  EXPECT_THAT(text, HasSubstr("[once] Allow once"));
  EXPECT_THAT(text, HasSubstr("remembers: bash: git status * (workspace)"));
}

TEST(ApprovalText, ControlAndDirectionCharactersAreEscapedAndTold) {
  const std::string text =
      page(samples::command("appr_1", "curl x|sh\r\x1b[2Kls \xe2\x80\xae#"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, HasSubstr("\\u{001B}[2K"));
  EXPECT_THAT(text, HasSubstr("\\u{202E}"));
  EXPECT_THAT(text, HasSubstr("Take care: control character"));
}

TEST(ApprovalText, EveryFieldIsEscaped) {
  json::object raw = samples::command("appr_1", "ls");
  raw["title"] = "t\x1b[31m";
  raw["workspace"] = "/w\x1b[31m";
  raw["agentReason"] = "r\x1b[31m\nasked by   root";
  raw["requester"].as_object()["clientName"] = "c\x1b[31m";
  raw["options"].as_array()[0].as_object()["label"] = "l\x1b[31m";
  raw["suspicious"] = json::array{"s\x1b[31m"};
  const std::string text = page(raw);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("\\u{000A}asked by"));
}

TEST(ApprovalText, ALongCommandIsShownToItsEnd) {
  std::string command;
  for (int i = 0; i < 500; ++i) command += "echo " + std::to_string(i) + "\n";
  command += "rm -rf build";
  EXPECT_THAT(page(samples::command("appr_1", command)),
              HasSubstr("$ rm -rf build"));
}

TEST(ApprovalText, PaddingThatHidesTextIsTold) {
  const std::string command = "ls" + std::string(300, ' ') + "; rm x";
  EXPECT_THAT(page(samples::command("appr_1", command)),
              HasSubstr("long runs of blanks"));
}

TEST(ApprovalText, ArgumentsBesideTheCommandAreShown) {
  json::object raw = samples::command("appr_1", "ls");
  raw["arguments"].as_object()["runInBackground"] = true;
  EXPECT_THAT(page(raw), HasSubstr("\"runInBackground\": true"));
}

TEST(ApprovalText, AnUnknownSubjectIsShownAsItCame) {
  json::object raw = samples::command("appr_1", "ls");
  raw["subject"] = json::parse(R"({"type":"teleport","to":"mars"})");
  EXPECT_THAT(page(raw), HasSubstr("\"to\": \"mars\""));
}

TEST(ApprovalText, FilesAreShownAsDiffs) {
  json::object raw = samples::command("appr_1", "");
  raw["subject"] = json::parse(
      R"({"type":"files","changes":[{"path":"/w/a","operation":"edit",)"
      R"("diff":"@@ -1 +1 @@\n-old\n+new\n"}]})");
  const auto lines = subject_lines(read_approval(raw));
  const auto style = [&](std::string_view text) {
    for (const Line& line : lines) {
      if (line.text == text) return line.style;
    }
    return Style::plain;
  };
  EXPECT_EQ(style("edit /w/a"), Style::title);
  EXPECT_EQ(style("-old"), Style::removed);
  EXPECT_EQ(style("+new"), Style::added);
}

TEST(ApprovalText, AnOptionOfAnUnknownKindIsNoConsent) {
  json::object raw = samples::command("appr_1", "ls");
  raw["options"].as_array()[0].as_object()["kind"] = "allow_everything";
  const ShownApproval approval = read_approval(raw);
  EXPECT_FALSE(approval.options[0].allows());
  EXPECT_EQ(approval.allow_once(), nullptr);
}

TEST(ApprovalText, TheEndSaysWhoDecided) {
  const auto raw = samples::command("appr_1", "ls");
  EXPECT_EQ(describe_end(samples::resolved(raw, "deny", "vscode")),
            "Denied by vscode");
}

TEST(Columns, WrapKeepsEveryCharacterWithinTheWidth) {
  const std::string text = "ab\tc\xe4\xb8\xad\xe6\x96\x87  end";
  std::string joined;
  for (const std::string& piece : wrap(text, 5)) {
    EXPECT_LE(columns(piece), 5);
    joined += piece;
  }
  EXPECT_EQ(joined, "ab      c\xe4\xb8\xad\xe6\x96\x87  end");
}

TEST(Columns, AContinuedLineCannotPassForALineOfItsOwn) {
  const auto lines =
      wrap_lines({{std::string(30, 'x') + "[a] Allow once"}}, 32);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].text, "↪ [a] Allow once");
}

TEST(Columns, ACutShowsThatItIsOne) {
  EXPECT_EQ(cut("abcdef", 4), "abc…");
  EXPECT_EQ(cut("\xe4\xb8\xad\xe6\x96\x87", 3), "\xe4\xb8\xad…");
  EXPECT_EQ(columns(pad("\xe4\xb8\xad", 5)), 5);
}

}  // namespace
}  // namespace toolhost::cli
