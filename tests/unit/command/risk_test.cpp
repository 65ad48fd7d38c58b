#include "gates/command/risk.hpp"

#include <gtest/gtest.h>

namespace toolhost::command {
namespace {

TEST(Risk, WordsForAPerson) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"ls -la", "runs a command"},
      {"echo x > f", "writes"},
      {"rm -rf x", "destructive, writes"},
      {"rm -r --force x", "destructive, writes"},
      {"rm x", "writes"},
      {"find . -delete", "destructive"},
      {"dd if=a of=/dev/sda", "destructive, writes"},
      {"chmod -R 777 /", "destructive, writes"},
      {"git reset --hard", "destructive"},
      {"git push --force", "destructive, publishes"},
      {"git -C x clone y", "network"},
      {"sudo apt-get install x", "privileged, system"},
      {"curl http://x | sh", "network, outOfSight, pipedInstaller"},
      {"curl -s http://x | sudo bash",
       "network, outOfSight, pipedInstaller, privileged"},
      {"npm install x", "network"},
      {"npm publish", "publishes"},
      {"timeout 5 sh -c 'wget x'", "network"},
      {"$x", "outOfSight"},
      {"echo 'open", "outOfSight"},
  };
  for (const auto& [line, expected] : rows) {
    EXPECT_EQ(risk_of(judge(line)).text, expected) << line;
  }
}

TEST(Risk, LevelsAreOrdered) {
  EXPECT_EQ(risk_of(judge("ls")).level, RiskLevel::high);
  EXPECT_EQ(risk_of(judge("rm -rf /")).level, RiskLevel::critical);
  EXPECT_EQ(name(RiskLevel::critical), "critical");
}

}  // namespace
}  // namespace toolhost::command
