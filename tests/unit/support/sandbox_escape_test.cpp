#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "providers/support/process_tree.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/shell.hpp"
#include "tests/unit/support/sandbox_attempts.hpp"
#include "tests/unit/support/sandbox_world.hpp"

namespace toolhost {
namespace {

using ::testing::HasSubstr;
using toolhost::testing::Attempt;
using toolhost::testing::SandboxWorld;

class SandboxEscape : public ::testing::TestWithParam<Attempt> {
 protected:
  SandboxWorld world;
};

TEST_P(SandboxEscape, IsStoppedByAllLayers) {
  const auto outcome =
      world.run(GetParam().script, world.request(SandboxStrength::full));
  ASSERT_EQ(outcome.refused, "");
  EXPECT_EQ(world.escaped(outcome), "")
      << GetParam().stopped_by << " should stop it:\n"
      << outcome.output;
}

// What Landlock alone cannot stop gets out, and the table says so: a row that
// becomes better than it says fails too.
TEST_P(SandboxEscape, IsKnownWithLandlockAlone) {
  const auto outcome = world.run(GetParam().script,
                                 world.request(SandboxStrength::landlock_only));
  ASSERT_EQ(outcome.refused, "");
  const std::string how = world.escaped(outcome);
  EXPECT_EQ(how.empty(), GetParam().landlock_stops) << how << "\n"
                                                    << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(
    Attempts, SandboxEscape,
    ::testing::ValuesIn(toolhost::testing::attempts().begin(),
                        toolhost::testing::attempts().end()),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace toolhost
