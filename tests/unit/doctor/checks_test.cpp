#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "daemon/doctor/check.hpp"
#include "providers/support/sandbox_probe.hpp"
#include "tests/unit/doctor/doctor_test.hpp"

namespace toolhost::doctor {
namespace {

using ::testing::HasSubstr;

using Doctor = DoctorTest;

TEST_F(Doctor, HasItsChecksInOrderWithAQuestionEach) {
  const auto table = checks();
  EXPECT_TRUE(std::is_sorted(
      table.begin(), table.end(),
      [](const Check& a, const Check& b) { return a.name < b.name; }));
  for (const Check& check : table) EXPECT_TRUE(check.question.ends_with('?'));
}

TEST_F(Doctor, RunsEverythingWithTheDaemonDown) {
  std::set<std::string> seen;
  for (const Finding& finding : run_checks(input_, {})) {
    seen.insert(finding.name.substr(0, finding.name.find('.')));
  }
  for (const Check& check : checks()) {
    EXPECT_TRUE(seen.contains(std::string(check.name))) << check.name;
  }
}

TEST_F(Doctor, GivesOneNextStepToEveryTroubleAndNoneElsewhere) {
  for (const Finding& finding : run_checks(input_, {})) {
    const bool trouble = finding.state == "warn" || finding.state == "fail";
    EXPECT_TRUE(trouble || finding.state == "ok" || finding.state == "skip")
        << finding.state;
    EXPECT_EQ(finding.hint.empty(), !trouble) << finding.name;
    EXPECT_TRUE(finding.detail.ends_with('.')) << finding.detail;
  }
}

TEST_F(Doctor, RunsOnlyWhatIsNamed) {
  const auto findings = run_checks(input_, {"clock"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].name, "clock");
  EXPECT_EQ(findings[0].state, "ok");
}

TEST_F(Doctor, SaysThatACheckIsNotKnownAndWhichAre) {
  const auto findings = run_checks(input_, {"clok"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].state, "fail");
  EXPECT_THAT(findings[0].hint, HasSubstr("clock, config"));
}

TEST_F(Doctor, WritesAFindingWithoutAnEmptyHint) {
  const json::object out = to_json(Finding{"a", "ok", "Fine.", ""});
  EXPECT_EQ(json::value(out),
            json::parse(R"({"name":"a","state":"ok","detail":"Fine."})"));
}

TEST_F(Doctor, SaysWhatConfinesCommandsHereOrThatEveryOneAsks) {
  const Finding finding = only("sandbox");
  const SandboxProbe& probe = sandbox_probe();
  EXPECT_THAT(finding.detail, HasSubstr(probe.summary));
  const bool full = probe.strength == SandboxStrength::full;
  EXPECT_EQ(finding.state, full ? "ok" : "warn");
  if (!full) {
    EXPECT_THAT(finding.detail, HasSubstr("every command asks"));
  }
}

TEST_F(Doctor, LooksForTheDiskAboveAFolderThatDoesNotExistYet) {
  const Finding finding = only("disk");
  EXPECT_THAT(finding.detail, HasSubstr("MiB"));
}

}  // namespace
}  // namespace toolhost::doctor
