#include "gates/command/arity.hpp"

#include <gtest/gtest.h>

namespace toolhost::command {
namespace {

std::vector<Argument> words_of(std::string_view line) {
  const Judgement judged = judge(line);
  return judged.commands.empty() ? std::vector<Argument>{}
                                 : judged.commands.front().words;
}

std::string identified(std::string_view line) {
  std::string out;
  for (const std::string& word : identity(words_of(line))) {
    out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

std::string remembered(std::string_view line) {
  const auto pattern = remembered_pattern(words_of(line));
  return pattern ? pattern->pattern : "none";
}

TEST(Arity, TheTableIsLongEnoughToBeUseful) { EXPECT_GE(arity_rows(), 150U); }

TEST(Arity, IdentifyingWords) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"touch a.txt", "touch"},
      {"git commit -m x", "git commit"},
      {"git stash pop", "git stash pop"},
      {"git", "git"},
      {"npm run dev", "npm run dev"},
      {"docker compose up -d", "docker compose up"},
      {"foo bar", "foo"},
      {"pnpm --filter web run build", "pnpm --filter web run build"},
      {"pnpm --filter web typecheck", "pnpm --filter web typecheck"},
      {"npm --workspace a --workspace b run build",
       "npm --workspace a --workspace b run build"},
      {"git -C /r status", "git -C /r status"},
      {"git commit -C /r", "git commit"},
      {"pnpm --filter", "pnpm --filter"},
      {"", ""},
      {"kubectl get pods -n x", "kubectl get"},
      {"kubectl rollout restart deploy/x", "kubectl rollout restart"},
      {"gh pr view 3", "gh pr view"},
      {"aws s3 ls", "aws s3 ls"},
      {"gcloud compute instances list", "gcloud compute instances list"},
      {"cargo build --release", "cargo build"},
      {"cargo add serde", "cargo add serde"},
      {"systemctl --user status x", "systemctl --user status"},
      {"terraform state list", "terraform state list"},
      {"uv pip install x", "uv pip install"},
      {"go mod tidy", "go mod tidy"},
      {"nix flake update", "nix flake update"},
      {"apt-get install x", "apt-get install"},
      {"rustup target add x", "rustup target add"},
  };
  for (const auto& [line, expected] : rows) {
    EXPECT_EQ(identified(line), expected) << line;
  }
}

TEST(Arity, WhatAlwaysRemembers) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"git commit -m x", "git commit *"},
      {"git push origin main", "git push *"},
      {"git -C /r status", "git -C /r status *"},
      {"git --no-pager log -3", "git --no-pager log *"},
      {"ls -la", "ls *"},
      {"cargo build --release", "cargo build *"},
      {"npm test", "npm test *"},
      {"npm run dev", "npm run dev *"},
      {"make all", "make all *"},
      {"docker compose up -d", "docker compose up *"},
      {"/usr/bin/git status", "/usr/bin/git status *"},
      {"node-gyp rebuild", "node-gyp *"},
      {"python3-config --libs", "python3-config *"},
      {"sha256sum x", "sha256sum *"},
      {"7z l x", "7z *"},
      {"base64 x", "base64 *"},
      {"gh pr list", "gh pr list *"},
  };
  for (const auto& [line, expected] : rows) {
    EXPECT_EQ(remembered(line), expected) << line;
  }
}

TEST(Arity, LaunchersNeverBecomeARule) {
  for (const std::string_view line : {"sh -c ls",
                                      "bash x.sh",
                                      "zsh x",
                                      "dash x",
                                      "fish x",
                                      "env ls",
                                      "sudo ls",
                                      "doas ls",
                                      "su me",
                                      "command ls",
                                      "eval ls",
                                      "exec ls",
                                      "find . -name x",
                                      "xargs ls",
                                      "timeout 5 ls",
                                      "nice ls",
                                      "nohup ls",
                                      "watch ls",
                                      "setsid ls",
                                      "stdbuf -oL ls",
                                      "ionice ls",
                                      "ssh host ls",
                                      "npx x",
                                      "bunx x",
                                      "python3 x.py",
                                      "python3.11 -c x",
                                      "python.exe x",
                                      "/usr/bin/python x",
                                      "python script.py",
                                      "py x",
                                      "pypy3 x",
                                      "uvx x",
                                      "uv run x",
                                      "node x.js",
                                      "nodejs x",
                                      "perl x",
                                      "ruby x",
                                      "php x",
                                      "lua x",
                                      "lua5.4 x",
                                      "deno run x",
                                      "bun run x",
                                      "busybox ls",
                                      "docker exec a ls",
                                      "docker run a ls",
                                      "docker compose exec a ls",
                                      "docker compose run a ls",
                                      "kubectl exec a -- ls",
                                      "npm exec x",
                                      "pnpm dlx x",
                                      "yarn dlx x",
                                      "poetry run x",
                                      "pipenv run x",
                                      "bundle exec x",
                                      "go run .",
                                      "cargo run",
                                      "git bisect run x",
                                      "git submodule foreach x",
                                      "git config a b",
                                      "parallel ls",
                                      "flock f ls",
                                      "script -c ls f",
                                      "strace ls",
                                      "gdb x",
                                      "source f",
                                      ". f",
                                      "time -v ls",
                                      "trap ls EXIT",
                                      "vim f",
                                      "osascript x",
                                      "pwsh x",
                                      "systemd-run ls",
                                      "gh api x",
                                      "crontab f",
                                      "tmux new",
                                      "awk x",
                                      "nix run x",
                                      "alias x=y"}) {
    EXPECT_EQ(remembered(line), "none") << line;
  }
}

TEST(Arity, NothingVagueIsRemembered) {
  for (const std::string_view line :
       {"git", "gh pr", "git $x", "git \"commit x\"", "$x y", "git --help-me x",
        "pnpm --silent install", "git -c a=b status", "git 'st*'", "~/bin/x",
        "'a b' c", "\"\" x", "git -p log"}) {
    EXPECT_EQ(remembered(line), "none") << line;
  }
}

TEST(Arity, ProjectRunnersAreMarked) {
  for (const std::string_view line :
       {"npm run dev", "npm test", "make all", "ctest -V", "pytest -q",
        "./build.sh", "scripts/test x", "/tmp/x/ls", "cargo test", "go test",
        "gradle build", "./gradlew build", "docker compose up", "just test x",
        "cmake --build build"}) {
    const auto pattern = remembered_pattern(words_of(line));
    if (line.starts_with("cmake")) {
      // --build is an option in the place of a sub-command.
      EXPECT_FALSE(pattern);
      continue;
    }
    ASSERT_TRUE(pattern) << line;
    EXPECT_TRUE(pattern->project_runner) << line;
  }
  for (const std::string_view line :
       {"git status", "ls x", "/usr/bin/ls x", "docker ps", "npm view x y"}) {
    const auto pattern = remembered_pattern(words_of(line));
    ASSERT_TRUE(pattern) << line;
    EXPECT_FALSE(pattern->project_runner) << line;
  }
}

}  // namespace
}  // namespace toolhost::command
