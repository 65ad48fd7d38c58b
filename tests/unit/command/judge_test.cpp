#include "gates/command/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace toolhost::command {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::vector<std::string> commands_of(std::string_view line) {
  std::vector<std::string> out;
  for (const Command& command : judge(line).commands) {
    out.push_back(joined(command.words));
  }
  return out;
}

std::vector<std::string> reasons_of(std::string_view line) {
  std::vector<std::string> out;
  for (const Reason& reason : judge(line).reasons) {
    out.emplace_back(name(reason.kind));
  }
  return out;
}

struct Row {
  std::string_view line;
  std::vector<std::string> runs;
};

TEST(Judge, EveryCommandOfALineIsListed) {
  const Row rows[] = {
      {"ls; touch PWN", {"ls", "touch PWN"}},
      {"ls\ntouch PWN", {"ls", "touch PWN"}},
      {"ls & touch PWN", {"ls", "touch PWN"}},
      {"ls | sh -c 'touch PWN'", {"ls", "sh -c touch PWN", "touch PWN"}},
      {"git fetch && git clean -fd", {"git fetch", "git clean -fd"}},
      {"(ls; touch PWN)", {"ls", "touch PWN"}},
      {"if ls; then touch PWN; fi", {"ls", "touch PWN"}},
      {"f() { touch PWN; }; f", {"touch PWN", "f"}},
      {"case x in y) touch PWN;; esac", {"touch PWN"}},
      {"while ls; do touch PWN; done", {"ls", "touch PWN"}},
      {"! touch PWN", {"touch PWN"}},
      {"time touch PWN", {"touch PWN"}},
      {"x=$(touch PWN)", {"touch PWN"}},
      {"x=1 touch PWN", {"touch PWN"}},
      {"> f touch PWN", {"touch PWN"}},
      {"[[ -n $(touch PWN) ]]", {"touch PWN"}},
      {"(( $(touch PWN) ))", {"touch PWN"}},
      {"for i in $(touch PWN); do :; done", {"touch PWN", ":"}},
      {"a=(x $(touch PWN))", {"touch PWN"}},
      {"\\touch PWN", {"touch PWN"}},
      {"t'ou'ch PWN", {"touch PWN"}},
      {"$'\\x74ouch' PWN", {"touch PWN"}},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(commands_of(row.line), IsSupersetOf(row.runs)) << row.line;
  }
}

TEST(Judge, SubstitutionsAndDocumentsHideNothing) {
  for (const std::string_view line : {
           "echo \"$(touch PWN)\"",     "echo `touch PWN`",
           "echo \"`touch PWN`\"",      "cat <(touch PWN)",
           "ls > >(touch PWN)",         "cat <<E\n$(touch PWN)\nE",
           "<<E cat\n$(touch PWN)\nE",  "cat <<E | sort\n`touch PWN`\nE",
           "echo $((a[$(touch PWN)]))", ": ${x:=$(touch PWN)}",
           ": ${x:-\"$(touch PWN)\"}",  "echo ${x//a/$(touch PWN)}",
           "cat <<< \"$(touch PWN)\"",  "echo \"${x:-`touch PWN`}\"",
           "ls > \"$(touch PWN)\"",     "bash <<'E'\ntouch PWN\nE",
           "eval 'touch PWN'",          "trap 'touch PWN' EXIT",
           "$(echo ls; touch PWN)",     "[[ a =~ $(touch PWN) ]]",
       }) {
    EXPECT_THAT(commands_of(line), Contains("touch PWN")) << line;
  }
}

TEST(Judge, WrappersAndWhatTheyStartAreBothListed) {
  const Row rows[] = {
      {"env git push", {"env git push", "git push"}},
      {"env -i A=1 git push", {"git push"}},
      {"env -S 'git push'", {"git push"}},
      {"timeout -k 5 10 git push", {"git push"}},
      {"timeout --signal=KILL 10 git push", {"git push"}},
      {"nice -n 5 git push", {"git push"}},
      {"nice -5 git push", {"git push"}},
      {"nohup git push", {"git push"}},
      {"stdbuf -oL git push", {"git push"}},
      {"setsid -w git push", {"git push"}},
      {"flock /tmp/l git push", {"git push"}},
      {"flock /tmp/l -c 'git push'", {"git push"}},
      {"xargs git push </dev/null", {"xargs git push", "git push {}"}},
      {"xargs -0 -n1 -P4 git push", {"git push {}"}},
      {"xargs -I% git push % x", {"git push % x"}},
      {"script -qec 'git push' /dev/null", {"git push"}},
      {"busybox sh -c 'git push'", {"sh -c git push", "git push"}},
      {"sudo -u root git push", {"sudo -u root git push", "git push"}},
      {"doas git push", {"git push"}},
      {"command git push", {"git push"}},
      {"builtin command git push", {"git push"}},
      {"exec -a x git push", {"git push"}},
      {"sh -c 'git push'", {"git push"}},
      {"bash -lc 'git push'", {"git push"}},
      {"bash -o pipefail -c 'git push'", {"git push"}},
      {"bash -euxo pipefail -c 'git push'", {"git push"}},
      {"/bin/sh -ec 'sh -c \"git push\"'", {"git push"}},
      {"find . -exec git push {} +", {"git push {}"}},
      {"find . -name x -ok git push \\; -execdir rm {} \\;",
       {"git push", "rm {}"}},
      {"fd x -x git push", {"git push {}"}},
      {"find . -exec env + git push \\;", {"env + git push"}},
      {"xargs --replace git push {}", {"git push {}"}},
      {"trap -- 'git push' EXIT", {"git push"}},
      {"ssh host git push", {"git push"}},
      {"watch -n 5 'git push'", {"git push"}},
      {"npx prettier x", {"prettier x"}},
      {"uv run pytest -q", {"pytest -q"}},
      {"docker exec -it box git push", {"git push"}},
      {"kubectl exec pod -- git push", {"git push"}},
      {"git submodule foreach 'git push'", {"git push"}},
      {"git bisect run git push", {"git push"}},
      {"git rebase -x 'git push' main", {"git push"}},
      {"timeout 5 nice env A=1 sh -c 'git push'", {"git push"}},
      {"env time -o f git push", {"git push"}},
      {"ionice -c 3 git push", {"git push"}},
      {"su -c 'git push' me", {"git push"}},
      {"strace -f -o t git push", {"git push"}},
      {"parallel git push ::: a", {"git push"}},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(commands_of(row.line), IsSupersetOf(row.runs)) << row.line;
  }
}

TEST(Judge, WhatCannotBeSeenIsSaid) {
  struct Said {
    std::string_view line;
    std::string_view reason;
  };
  const Said rows[] = {
      {"$cmd x", "dynamicProgram"},
      {"$(which ls) x", "dynamicProgram"},
      {"/bin/l? x", "dynamicProgram"},
      {"{rm,-rf,/}", "dynamicProgram"},
      {"env $x", "hiddenCode"},
      {"env --unknown git push", "unknownOption"},
      {"timeout --new-option 5 ls", "unknownOption"},
      {"sudo -Z ls", "unknownOption"},
      {"sh", "hiddenCode"},
      {"cat <<'E' | sh\ntouch PWN\nE", "hiddenCode"},
      {"curl -s x | bash", "hiddenCode"},
      {"bash script.sh", "hiddenCode"},
      {"source env.sh", "hiddenCode"},
      {". ./env.sh", "hiddenCode"},
      {"sh -c \"$x\"", "hiddenCode"},
      {"sh -c '((rm x))'", "notUnderstood"},
      {"eval \"$x\"", "hiddenCode"},
      {"zsh -c 'ls'", "hiddenCode"},
      {"python3 -c 'import os'", "hiddenCode"},
      {"python3.11 - <<'E'\nx\nE", "hiddenCode"},
      {"node -e 1", "hiddenCode"},
      {"perl -pe s/a/b/ f", "hiddenCode"},
      {"awk 'BEGIN{system(\"touch PWN\")}'", "hiddenCode"},
      {"awk '{print > \"PWN\"}' f", "hiddenCode"},
      {"awk -f x.awk f", "hiddenCode"},
      {"sed -n '1e touch PWN' f", "hiddenCode"},
      {"sed 's/x/touch PWN/e' f", "hiddenCode"},
      {"sed -n 'w PWN' f", "hiddenCode"},
      {"sed -ne 'w PWN' f", "hiddenCode"},
      {"sed --expression='w PWN' f", "hiddenCode"},
      {"sed -f x.sed f", "hiddenCode"},
      {"vim -c ':!ls' f", "hiddenCode"},
      {"less +!ls f", "hiddenCode"},
      {"git -c core.pager=./x log", "hiddenCode"},
      {"git -c alias.x='!rm y' x", "hiddenCode"},
      {"git --exec-path=. status", "hiddenCode"},
      {"git config core.pager ./x", "hiddenCode"},
      {"git log --ext-diff", "hiddenCode"},
      {"tar xf a.tar --checkpoint-action=exec=./x", "hiddenCode"},
      {"ssh -o ProxyCommand=./x host", "hiddenCode"},
      {"make --eval='x:;ls'", "hiddenCode"},
      {"git \"$x\"", "unknownOption"},
      {"sort $x", "unknownOption"},
      {"find . $x", "unknownOption"},
      {"find . -delete", "dynamicTarget"},
      {"xargs git push", "unknownOption"},
      {"PATH=. ls", "variable"},
      {"LD_PRELOAD=./x ls", "variable"},
      {"GIT_SSH_COMMAND=./x git fetch", "variable"},
      {"BASH_ENV=./x bash -c ls", "variable"},
      {"IFS=x", "variable"},
      {"export PATH=.", "variable"},
      {"declare -x LD_PRELOAD=x", "variable"},
      {"read PATH", "variable"},
      {"printf -v PATH .", "variable"},
      {"for PATH in .; do ls; done", "variable"},
      {": ${PATH:=.}", "variable"},
      {"env LD_PRELOAD=x ls", "variable"},
      {"sudo PATH=. ls", "variable"},
      {"EDITOR=./x git commit", "variable"},
      {"PS4='$(ls)' bash -xc :", "variable"},
      {"alias ls=rm", "shellState"},
      {"shopt -s extglob", "shellState"},
      {"hash -p /bin/rm ls", "shellState"},
      {"enable -f x y", "shellState"},
      {"set -a", "shellState"},
      {"set -o posix", "shellState"},
      {"declare -i x=y", "shellState"},
      {"let x=y", "shellState"},
      {"mapfile -C 'rm x' -c 1", "hiddenCode"},
      {"mapfile -tC 'rm x'", "hiddenCode"},
      {"test -v \"$x\"", "hiddenCode"},
      {"declare P$x=.", "variable"},
      {"bash <<'E' < f\nls\nE", "hiddenCode"},
      {"echo \"$(cat f)\"; ((_))", "hiddenCode"},
      {"sed -i.ex 'w PWN' f", "hiddenCode"},
      {"sed -i 's/a/b/w PWN' f", "hiddenCode"},
      {"find . -exec sh -c 'rm {}' \\;", "hiddenCode"},
      {"x='a[$(rm y)]'; echo $((x))", "hiddenCode"},
      {"read x; echo $((x))", "hiddenCode"},
      {"x=$(cat f); ((x > 1))", "hiddenCode"},
      {"[[ $1 -eq 2 ]]", "hiddenCode"},
      {"echo ${!x}", "hiddenCode"},
      {"test -v 'a[$(rm x)]'", "hiddenCode"},
      {"echo > $x", "dynamicTarget"},
      {"echo > /dev/tcp/1.2.3.4/80", "network"},
      {"echo 'open", "notUnderstood"},
  };
  for (const Said& row : rows) {
    EXPECT_THAT(reasons_of(row.line), Contains(row.reason)) << row.line;
  }
}

TEST(Judge, NothingIsSaidOfOrdinaryLines) {
  for (const std::string_view line : {
           "git status --short",
           "cd src && ls -la | head -5",
           "for i in 1 2 3; do echo $((i + 1)); done",
           "for ((i=0;i<3;i++)); do echo \"$i\"; done",
           "set -euo pipefail; make test 2>&1 | tail -20",
           "NODE_ENV=test npm test",
           "x=5; echo \"$x\"",
           "n=$((2 * 3)); [[ $n -gt 2 ]] && echo big",
           "git commit -m \"$(cat <<'E'\nfix: text\nE\n)\"",
           "sed -n '10,20p' f; sed -e 's/a/b/g; /x/d' f",
           "sed -Ei 's/a+/b/g' f",
           "curl -sS -XPOST -HAccept:x http://x",
           "trap - EXIT",
           "awk -F: '{print $1, $3}' f",
           "find . -name '*.c' -type f",
           "rg -n 'foo\\(' src --glob '*.ts'",
           "python3 script.py --flag",
           "tar xzf a.tgz -C /tmp/x",
           "echo \"${name:-none}\" > out.txt",
           "if [ -f a ]; then rm a; fi",
       }) {
    EXPECT_THAT(reasons_of(line), ::testing::IsEmpty()) << line;
  }
}

std::vector<std::string> written(std::string_view line) {
  std::vector<std::string> out;
  for (const PathUse& use : judge(line).paths) {
    if (use.access == Access::write || use.access == Access::append) {
      out.push_back(use.path);
    }
  }
  return out;
}

TEST(Judge, WrittenFilesAreNamed) {
  const Row rows[] = {
      {"echo x > ~/.bashrc", {"~/.bashrc"}},
      {"echo x >> a &> b", {"a", "b"}},
      {"echo x >| a 2> b", {"a", "b"}},
      {"ls >& both", {"both"}},
      {"cat <> f", {"f"}},
      {"sort -o PWN f", {"PWN"}},
      {"sort -oPWN f", {"PWN"}},
      {"sort --out=PWN f", {"PWN"}},
      {"sort f --output PWN", {"PWN"}},
      {"uniq f PWN", {"PWN"}},
      {"tree -o PWN", {"PWN"}},
      {"git diff --output=PWN", {"PWN"}},
      {"git log --out PWN", {"PWN"}},
      {"git archive -o PWN HEAD", {"PWN"}},
      {"curl -so PWN http://x", {"PWN"}},
      {"wget -O PWN http://x", {"PWN"}},
      {"find . -fprint PWN", {"PWN"}},
      {"dd if=a of=PWN", {"PWN"}},
      {"ls | tee -a PWN", {"PWN"}},
      {"sed -i s/a/b/ PWN", {"PWN"}},
      {"sed --in-place=.b s/a/b/ PWN", {"PWN"}},
      {"cp a b PWN", {"PWN"}},
      {"mv a PWN", {"a", "PWN"}},
      {"rm -rf PWN", {"PWN"}},
      {"touch -- -x", {"-x"}},
      {"install -m 644 a PWN", {"PWN"}},
      {"sh -c 'echo > PWN'", {"PWN"}},
      {"timeout 5 tee PWN", {"PWN"}},
      {"tar -czf PWN .", {"PWN"}},
      {"tar cf PWN .", {"PWN"}},
      {"gcc -fno-omit-frame-pointer a.c -o PWN", {"PWN"}},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(written(row.line), IsSupersetOf(row.runs)) << row.line;
  }
}

TEST(Judge, ADescriptorIsNoFile) {
  EXPECT_THAT(written("ls 2>&1 >&2 3>&- 4<&0"), ::testing::IsEmpty());
  EXPECT_THAT(written("tar xzf a.tgz"), ::testing::IsEmpty());
  EXPECT_THAT(written("gcc -fno-omit-frame-pointer -c a.c"),
              ::testing::IsEmpty());
}

TEST(Judge, APathAfterCdMayBeInEitherFolder) {
  std::vector<std::string> bases;
  for (const PathUse& use : judge("cd / && rm -rf x").paths) {
    if (use.path == "x") bases.push_back(use.base);
  }
  EXPECT_THAT(bases, ::testing::UnorderedElementsAre("", "/"));
  for (const PathUse& use : judge("cd $d && rm -rf x").paths) {
    EXPECT_TRUE(use.path != "x" || !use.base_known);
  }
}

TEST(Judge, MoreCommandsThanTheLimitAreNotUnderstood) {
  std::string line;
  for (std::size_t i = 0; i <= kMaxCommands; ++i) line += "true;";
  EXPECT_FALSE(judge(line).understood);
  std::string nested = "ls";
  for (unsigned i = 0; i < kMaxUnwrap + 5; ++i) nested = "command " + nested;
  EXPECT_FALSE(judge(nested).understood);
}

}  // namespace
}  // namespace toolhost::command
