#include "gates/command/parser.hpp"

#include <gtest/gtest.h>

namespace toolhost::command {
namespace {

bool understood(std::string_view text) { return parse(text).tree.has_value(); }

TEST(Parser, UnderstandsWhatAgentsWrite) {
  for (const std::string_view line : {
           "",
           "# only a comment",
           "ls",
           "git status --short && git diff | head -50",
           "cd src; make -j4 2>&1 | tee build.log",
           "for f in *.c; do gcc -c \"$f\" || exit 1; done",
           "for ((i=0; i<3; i++)); do echo $i; done",
           "while read -r line; do echo \"$line\"; done < in.txt",
           "until ping -c1 host; do sleep 1; done",
           "if [ -f a ]; then cat a; elif [[ -d b ]]; then ls b; else :; fi",
           "case $1 in start|stop) run \"$1\";; *) usage;; esac",
           "f() { echo \"$@\"; }; f a b",
           "function g { ls; }",
           "(cd a && ls) > out 2>&1 &",
           "{ ls; pwd; } | wc -l",
           "echo \"a $(date +%s) b\" `id -u` $((1 + 2)) ${HOME:-/root}",
           "cat <<'EOF' > f\n$(not run)\nEOF",
           "cat <<EOF\n$(run) $x `too`\nEOF\necho after",
           "cat <<-A <<B\n\tone\n\tA\ntwo\nB",
           "git commit -m \"$(cat <<'EOF'\nfix: it's \"quoted\"\nEOF\n)\"",
           "diff <(sort a) <(sort b)",
           "tar cz . > >(ssh host 'cat > b.tgz')",
           "a=(1 2 \"x y\") b=3 c+=d e[0]=4",
           "declare -a x=(1 2)",
           "echo {a,b}.txt ~/x a?c [ab]* $'tab\\t'",
           "grep -c x <<< \"$text\"",
           "[[ $x =~ ^v([0-9]+)$ && ! -f \"$y\" ]]",
           "((x += 1)) || true",
           "ls \\\n  -l \\\n  -a",
           "time -p make; ! grep x y",
           "ls # a 'quote in a comment",
           "exec 3<>f 4>&- 5<&3",
           "x=$(cat <<E\nbody\nE\n)",
       }) {
    EXPECT_TRUE(understood(line)) << line << "\n" << parse(line).trouble.reason;
  }
}

TEST(Parser, RefusesWhatItCannotPromiseToReadAsBashDoes) {
  for (const std::string_view line : {
           "echo 'open",
           "echo \"open",
           "echo $(open",
           "echo `open",
           "echo ${open",
           "echo $((1 + 2)",
           "ls |",
           "ls &&",
           "| ls",
           "ls ;; ls",
           "; ls",
           "ls & ; ls",
           "if ls; then fi",
           "if ls; fi",
           "do ls; done",
           "(ls",
           "ls)",
           "{ ls }",
           "for x in a b do ls; done",
           "case x in a) ls",
           "coproc ls",
           "select x in a; do ls; done",
           "ls {fd}> f",
           "echo $\"text\"",
           "echo $[1+2]",
           "echo ${x@P}",
           "echo @(a|b)",
           "ls !(a)",
           "a[ # ]=$(rm)\n1]=x",
           "a[1;rm x]=2",
           "cat <<E\nno end",
           "cat <<E",
           "cat <<E $(ls\n)\nE",
           "cat <<E 'a\nb'\nE",
           "cat <<$(x)\n$(x)",
           "((ls); (ls))",
           "!\\\n rm x",
           "r\\\nm x",
           "echo a<(ls)",
           "ls\r\nrm x",
           "ls \x1b[2K",
           "ls\u00a0-l",
           "ls\u2003-l",
           "ls \\",
           "f() ls",
           "[[ a b c ]]",
           "[[ -f ]]",
           "[[ $x =~ a|b) ]]",
           "[[ $x =~ (a|b ]]",
           "echo \"$$(\" ; rm x \")\"",
           "echo $(time { ls; })",
           "echo o[[k",
           "x=(a (b))",
       }) {
    const Parsed parsed = parse(line);
    EXPECT_FALSE(parsed.tree) << line;
    EXPECT_FALSE(parsed.trouble.reason.empty()) << line;
    EXPECT_LE(parsed.trouble.offset, line.size()) << line;
  }
}

TEST(Parser, TakesQuotesOffAndKeepsWhatIsDecidedLater) {
  const Parsed parsed = parse("r'm' -\"r\"f \\/x \"$y z\" a$'\\t'b *.c");
  ASSERT_TRUE(parsed.tree);
  const std::vector<Word>& words = parsed.tree->root.children.front().words;
  ASSERT_EQ(words.size(), 6U);
  EXPECT_EQ(words[0].text, "rm");
  EXPECT_EQ(words[1].text, "-rf");
  EXPECT_EQ(words[2].text, "/x");
  EXPECT_EQ(words[3].text, "$y z");
  EXPECT_EQ(words[3].static_prefix(), "");
  EXPECT_FALSE(words[3].many);
  EXPECT_EQ(words[4].text, "a\tb");
  EXPECT_TRUE(words[4].is_static());
  EXPECT_EQ(words[5].holes.front().kind, HoleKind::glob);
  EXPECT_TRUE(words[5].many);
}

TEST(Parser, AnAssignmentIsNoProgram) {
  const Parsed parsed = parse("A=1 B+=2 c[0]=3 'D=4' E=5");
  ASSERT_TRUE(parsed.tree);
  const Node& node = parsed.tree->root.children.front();
  ASSERT_EQ(node.assignments.size(), 3U);
  EXPECT_EQ(node.assignments[1].name(), "B");
  EXPECT_EQ(node.assignments[2].name(), "c");
  EXPECT_EQ(node.assignments[2].value(), "3");
  ASSERT_EQ(node.words.size(), 2U);
  EXPECT_EQ(node.words[0].text, "D=4");
}

TEST(Parser, AQuotedDelimiterKeepsTheBodyLiteral) {
  const Parsed literal = parse("cat <<'E'\n$(a)\nE");
  ASSERT_TRUE(literal.tree);
  EXPECT_TRUE(literal.tree->documents.front().nested.empty());
  EXPECT_EQ(literal.tree->documents.front().text, "$(a)\n");
  const Parsed open = parse("cat <<E\n$(a)\nE");
  ASSERT_TRUE(open.tree);
  EXPECT_EQ(open.tree->documents.front().nested.size(), 1U);
}

TEST(Parser, IsBoundedInDepthSizeAndNumber) {
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "$(";
  EXPECT_EQ(parse("echo " + deep).trouble.reason, "it is nested too deeply");
  std::string shells = "ls";
  for (int i = 0; i < 200; ++i) shells = "( " + shells + " )";
  EXPECT_EQ(parse(shells).trouble.reason, "it is nested too deeply");
  EXPECT_EQ(parse(std::string(1 << 20, 'a')).trouble.reason, "it is too long");
  std::string many;
  for (std::size_t i = 0; i <= kMaxNodes; ++i) many += "a ";
  EXPECT_EQ(parse(many).trouble.reason, "it has too many words");
  std::string ticks = "id";
  for (int i = 0; i < 12; ++i) {
    std::string next = "`";
    for (const char c : ticks)
      next += c == '`' || c == '\\' ? "\\" : "", next += c;
    ticks = "echo " + next + "`";
  }
  EXPECT_TRUE(understood(ticks) || !parse(ticks).trouble.reason.empty());
}

TEST(Parser, ALongHereDocumentIsNoTrouble) {
  std::string body;
  for (int i = 0; i < 2000; ++i) body += "a line of text; with $(no) `code`\n";
  EXPECT_TRUE(understood("cat > f <<'EOF'\n" + body + "EOF\n"));
}

}  // namespace
}  // namespace toolhost::command
