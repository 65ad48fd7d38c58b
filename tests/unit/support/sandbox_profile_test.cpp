#include "providers/support/sandbox_profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "providers/support/launch/plan.hpp"
#include "providers/support/sandbox_git.hpp"
#include "providers/support/sandbox_names.hpp"
#include "providers/support/sandbox_plan.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using toolhost::testing::shell;
using toolhost::testing::TempDir;
using toolhost::testing::write_file;

auto is(const std::string& path, WhenMissing when_missing) {
  return AllOf(Field(&ProtectedPath::path, path),
               Field(&ProtectedPath::when_missing, when_missing));
}
auto named(const std::string& path) {
  return Field(&ProtectedPath::path, path);
}

class ProtectGit : public ::testing::Test {
 protected:
  void repository(const std::string& folder) {
    const auto done =
        shell("git init -q " + folder + " && cd " + folder +
              " && git config user.name n && git config user.email e && "
              "git commit -q --allow-empty -m first");
    ASSERT_EQ(done.status, 0) << done.output;
  }
  auto paths(const std::string& folder) {
    return protect_git(folder).protected_paths;
  }

  TempDir root;
};

TEST_F(ProtectGit, AFolderWithoutARepositoryKeepsOneFromBeingMade) {
  EXPECT_THAT(paths(root.path()),
              ElementsAre(is(root / ".git", WhenMissing::folder)));
}

TEST_F(ProtectGit, HooksAndConfigurationAreProtected) {
  repository(root.path());
  const auto found = paths(root.path());
  EXPECT_THAT(found, Contains(is(root / ".git/hooks", WhenMissing::nothing)));
  EXPECT_THAT(found, Contains(is(root / ".git/config", WhenMissing::nothing)));
  EXPECT_THAT(found,
              Contains(is(root / ".git/commondir", WhenMissing::git_file)));
}

TEST_F(ProtectGit, MissingHooksAreKeptFromBeingMade) {
  repository(root.path());
  fs::remove_all(root / ".git/hooks");
  EXPECT_THAT(paths(root.path()),
              Contains(is(root / ".git/hooks", WhenMissing::folder)));
}

TEST_F(ProtectGit, WhatTheConfigurationRunsOrIncludesIsProtected) {
  repository(root.path());
  write_file(root / "shared/gitconfig", "");
  shell("cd " + root.path() +
        " && git config core.hooksPath .githooks/ && "
        "git config include.path ../shared/gitconfig");
  const auto found = paths(root.path());
  EXPECT_THAT(found, Contains(is(root / ".githooks", WhenMissing::folder)));
  EXPECT_THAT(found, Contains(named(root / "shared/gitconfig")));
}

TEST_F(ProtectGit, RepositoriesInFoldersAreFound) {
  repository(root / "a/b");
  EXPECT_THAT(paths(root.path()), Contains(named(root / "a/b/.git/hooks")));
}

TEST_F(ProtectGit, ASubmoduleIsProtectedWhereItReallyIs) {
  TempDir other;
  repository(other.path());
  repository(root.path());
  const auto done = shell("cd " + root.path() +
                          " && git -c protocol.file.allow=always "
                          "submodule -q add " +
                          other.path() + " sub");
  ASSERT_EQ(done.status, 0) << done.output;
  const auto found = paths(root.path());
  EXPECT_THAT(found, Contains(named(root / "sub/.git")));
  EXPECT_THAT(found, Contains(named(root / ".git/modules/sub/hooks")));
  EXPECT_THAT(found, Contains(named(root / ".git/modules/sub/config")));
}

TEST_F(ProtectGit, ALinkedRepositoryIsProtectedAsALinkAndInPlace) {
  repository(root / "real");
  fs::rename(root / "real/.git", root / "store");
  fs::create_directory_symlink(root / "store", root / ".git");
  const auto found = paths(root.path());
  EXPECT_THAT(found, Contains(named(root / ".git")));
  EXPECT_THAT(found, Contains(named(root / "store/hooks")));
}

TEST_F(ProtectGit, AWorktreeMayWriteInTheRepositoryThatNamesIt) {
  repository(root / "main");
  shell("cd " + root / "main" + " && git worktree add -q ../tree");
  const GitProtection found = protect_git(root / "tree");
  EXPECT_THAT(found.writable, ElementsAre(root / "main/.git"));
  EXPECT_THAT(found.protected_paths, Contains(named(root / "main/.git/hooks")));
  EXPECT_THAT(found.protected_paths,
              Contains(named(root / "main/.git/worktrees/tree/commondir")));
}

TEST_F(ProtectGit, AFileThatJustNamesAFolderOpensNothing) {
  repository(root / "main");
  shell("cd " + root / "main" + " && git worktree add -q ../tree");
  fs::create_directories(root / "thief");
  fs::copy_file(root / "tree/.git", root / "thief/.git");
  EXPECT_THAT(protect_git(root / "thief").writable, IsEmpty());
  write_file(root / "other/.git", "gitdir: /etc\n");
  EXPECT_THAT(protect_git(root / "other").writable, IsEmpty());
}

class ProfileFor : public ::testing::Test {
 protected:
  ProfileFor() {
    request.strength = SandboxStrength::full;
    request.landlock_abi = 7;
    request.home = home.path();
    request.roots = {root.path()};
  }
  SandboxProfile made() { return **profile_for(request); }

  TempDir home;
  TempDir root;
  SandboxRequest request;
};

TEST_F(ProfileFor, SettingsOfAgentsAreProtectedPresentOrNot) {
  write_file(root / ".claude/settings.json", "{}");
  const auto found = made().protected_paths;
  EXPECT_THAT(found, Contains(is(root / ".claude", WhenMissing::nothing)));
  EXPECT_THAT(found, Contains(is(root / ".cursor", WhenMissing::socket)));
  EXPECT_THAT(found, Contains(is(root / ".vscode", WhenMissing::socket)));
  EXPECT_THAT(found, Not(Contains(named(root / "AGENTS.md"))));
}

TEST_F(ProfileFor, ALinkIsProtectedWithWhatItLeadsTo) {
  write_file(root / "shared/x", "");
  fs::create_directory_symlink("shared", root / ".claude");
  const auto found = made().protected_paths;
  EXPECT_THAT(found, Contains(named(root / ".claude")));
  EXPECT_THAT(found, Contains(named(root / "shared")));
}

TEST_F(ProfileFor, SecretsAreHiddenWhereTheirLinksLead) {
  write_file(home / "keys/id", "");
  fs::create_directory_symlink("keys", home / ".ssh");
  EXPECT_THAT(made().hidden, Contains(home / "keys"));
}

TEST_F(ProfileFor, WhatDoesNotExistIsNotHidden) {
  EXPECT_THAT(made().hidden, Not(Contains(home / ".ssh")));
}

TEST_F(ProfileFor, WhatLiesInAHiddenFolderIsHiddenOnce) {
  write_file(home / "own/state/x", "");
  request.own_folders = {home / "own", home / "own/state"};
  const auto hidden = made().hidden;
  EXPECT_THAT(hidden, Contains(home / "own"));
  EXPECT_THAT(hidden, Not(Contains(home / "own/state")));
}

TEST_F(ProfileFor, ReadingOnlyHasNoRoots) {
  request.kind = SandboxKind::read_only;
  EXPECT_THAT(made().writable, IsEmpty());
  EXPECT_THAT(made().protected_paths, IsEmpty());
}

TEST_F(ProfileFor, ALoopbackNeedsNamespaces) {
  EXPECT_EQ(made().network, SandboxNetwork::loopback);
  request.strength = SandboxStrength::landlock_only;
  EXPECT_EQ(made().network, SandboxNetwork::off);
}

TEST(ProtectedNames, AreLowerCaseAndUnique) {
  std::vector<std::string> seen;
  for (const ProtectedName& row : protected_names()) {
    const std::string name(row.name);
    EXPECT_TRUE(std::none_of(name.begin(), name.end(),
                             [](char c) { return c >= 'A' && c <= 'Z'; }));
    EXPECT_THAT(seen, Not(Contains(name)));
    seen.push_back(name);
  }
}

// The records of a plan, as "OP PATH".
std::vector<std::string> records(const std::string& plan) {
  std::vector<std::string> out;
  launch::PlanReader reader(plan.data());
  launch::Record record;
  while (reader.next(record)) {
    out.push_back(std::to_string(static_cast<int>(record.op)) + " " +
                  record.text);
  }
  return out;
}

SandboxProfile small() {
  SandboxProfile out;
  out.writable = {"/w/inner/root", "/w"};
  out.protected_paths = {{"/w/a/b/hooks", {}}};
  out.hidden = {"/h"};
  return out;
}

TEST(SandboxPlan, LaysWhatLiesInsideAfterWhatItLiesOn) {
  const auto found = records(*sandbox_plan(small()));
  EXPECT_THAT(found,
              ElementsAre("5 ", "4 /w", "4 /w/inner/root", "8 /w/a",
                          "8 /w/inner", "8 /w/a/b", "9 /w/a/b/hooks", "7 /h"));
}

TEST(SandboxPlan, SaysWhichPathARecordIsAbout) {
  const std::string plan = *sandbox_plan(small());
  EXPECT_EQ(path_of_record(plan, 2), "/w");
  EXPECT_EQ(path_of_record(plan, 8), "/h");
  EXPECT_EQ(path_of_record(plan, 0), "");
  EXPECT_EQ(path_of_record(plan, 99), "");
  EXPECT_EQ(path_of_record("", 1), "");
}

TEST(SandboxPlan, RefusesWhatIsTooLong) {
  SandboxProfile profile = small();
  profile.hidden.push_back("/" + std::string(5000, 'x'));
  EXPECT_THAT(sandbox_plan(profile).error().message, HasSubstr("too long"));
  profile = small();
  profile.hidden.assign(1000, "/" + std::string(500, 'x'));
  EXPECT_THAT(sandbox_plan(profile).error().message, HasSubstr("too many"));
}

TEST(ReadableAround, LeavesOutExactlyWhatIsHidden) {
  TempDir folder;
  write_file(folder / "a/secret/x", "");
  write_file(folder / "a/open", "");
  write_file(folder / "b/x", "");
  const auto found = *readable_around({folder / "a/secret"});
  EXPECT_THAT(found, Contains(folder / "a/open"));
  EXPECT_THAT(found, Contains(folder / "b"));
  EXPECT_THAT(found, Not(Contains(folder / "a")));
  EXPECT_THAT(found, Not(Contains(folder / "a/secret")));
  EXPECT_THAT(found, Not(Contains(folder.path())));
}

}  // namespace
}  // namespace toolhost
