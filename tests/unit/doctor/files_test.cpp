#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load.hpp"
#include "daemon/doctor/program_search.hpp"
#include "tests/unit/doctor/doctor_test.hpp"

namespace toolhost::doctor {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class FileChecks : public DoctorTest {
 protected:
  void write(const std::string& path, const std::string& text, mode_t mode) {
    toolhost::testing::write_file(path, text);
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
};

TEST_F(FileChecks, IsContentWithoutAnyFile) {
  EXPECT_THAT(only("config").detail, HasSubstr("built-in defaults"));
  EXPECT_EQ(only("rules").state, "ok");
}

TEST_F(FileChecks, RepeatsWhatIsWrongWithTheConfiguration) {
  const auto parsed = config::parse_config("{\n\"limit\": 1}", "/c.jsonc");
  ASSERT_FALSE(parsed);
  input_.config = nullptr;
  input_.config_error = parsed.error().message;
  const Finding finding = only("config");
  EXPECT_EQ(finding.state, "fail");
  EXPECT_THAT(finding.detail, HasSubstr("/c.jsonc:2:1: limit"));
}

TEST_F(FileChecks, WarnsWhenNobodyIsAsked) {
  auto config = config::parse_config(R"({"preset": "full-access"})", "/c");
  input_.config = std::make_shared<const config::Config>(config.value());
  EXPECT_EQ(only("config.access").state, "warn");
}

TEST_F(FileChecks, FindsTheLineOfABrokenRulesFile) {
  write(input_.paths.rules_file, "{\n  \"rules\": [,]\n}", 0600);
  const Finding finding = only("rules");
  EXPECT_EQ(finding.state, "fail");
  EXPECT_THAT(finding.detail, HasSubstr("rules.jsonc:2:13"));
  EXPECT_THAT(finding.detail, HasSubstr("No remembered permission counts"));
}

TEST_F(FileChecks, RefusesRulesThatOthersCanWrite) {
  write(input_.paths.rules_file, "[]", 0622);
  EXPECT_EQ(only("rules").state, "fail");
  write(input_.paths.rules_file, "[] // fine", 0600);
  EXPECT_EQ(only("rules").state, "ok");
}

TEST_F(FileChecks, FindsProgramsAsExecWould) {
  environment_.set("PATH", "relative::" + dir_.path() + "/a:" + dir_.path());
  EXPECT_EQ(find_program("rg"), "");
  EXPECT_EQ(only("ripgrep").state, "fail");
  EXPECT_EQ(only("git").state, "warn");
  write(dir_ / "a/rg", "#!/bin/sh\n", 0600);
  write(dir_ / "rg", "#!/bin/sh\n", 0700);
  EXPECT_EQ(find_program("rg"), dir_ / "rg");
  EXPECT_THAT(only("ripgrep").detail, HasSubstr(dir_ / "rg"));
}

TEST_F(FileChecks, WarnsOfFoldersInPathThatOthersFill) {
  const std::string folder = dir_ / "bin";
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  environment_.set("PATH", folder);
  EXPECT_EQ(only("path").state, "ok");
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  EXPECT_THAT(only("path").detail, HasSubstr("everybody can write"));
  environment_.set("PATH", folder + ":.");
  EXPECT_EQ(run_checks(input_, {"path"}).size(), 2U);
  environment_.set("PATH", dir_ / "nothing");
  EXPECT_EQ(only("path").state, "fail");
}

TEST_F(FileChecks, NamesBothPlacesOfTheLauncher) {
  const Finding finding = only("launcher");
  if (finding.state == "ok") {
    EXPECT_THAT(finding.detail, HasSubstr("toolhost-launch"));
  } else {
    EXPECT_EQ(finding.state, "fail");
    EXPECT_THAT(finding.detail, HasSubstr("libexec/toolhost/toolhost-launch"));
  }
}

TEST_F(FileChecks, WarnsOfALowLimitOfOpenFiles) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 256;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const Finding finding = only("openFiles");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(finding.state, "warn");
  EXPECT_THAT(finding.detail, HasSubstr("256"));
}

class UnitCheck : public FileChecks {
 protected:
  UnitCheck() {
    write(dir_ / "bin/systemctl", "", 0700);
    environment_.set("PATH", dir_ / "bin");
  }
  const std::string units_ = dir_ / ".config/systemd/user/";
};

TEST_F(UnitCheck, IsSkippedWithoutSystemd) {
  environment_.set("PATH", dir_.path());
  EXPECT_EQ(only("systemd").state, "skip");
}

TEST_F(UnitCheck, SeesAnInstalledUnitAndItsKillMode) {
  write(units_ + "toolhost.service", "[Service]\nKillMode=mixed\n", 0600);
  EXPECT_EQ(only("systemd.service").state, "ok");
  write(units_ + "toolhost.service", "[Service]\n", 0600);
  EXPECT_THAT(only("systemd.service").detail,
              HasSubstr("KillMode=control-group"));
}

TEST_F(UnitCheck, SeesWhetherASocketIsEnabled) {
  write(units_ + "toolhost.socket", "[Socket]\n", 0600);
  const Finding before = only("systemd.toolhost.socket");
  EXPECT_EQ(before.state, "warn");
  EXPECT_THAT(before.hint, EndsWith("enable --now toolhost.socket"));
  write(units_ + "sockets.target.wants/toolhost.socket", "", 0600);
  EXPECT_EQ(only("systemd.toolhost.socket").state, "ok");
}

}  // namespace
}  // namespace toolhost::doctor
