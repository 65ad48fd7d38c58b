#include "config/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "config/diff.hpp"
#include "config/load.hpp"
#include "protocol/json_text.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Setting& setting(std::string_view key) {
  const auto table = settings();
  return *std::find_if(table.begin(), table.end(),
                       [&](const Setting& row) { return row.key == key; });
}

// The line of CONFIG.md that describes a key.
std::string line_of(const std::string& document, std::string_view key) {
  const auto begin = document.find("\n| `" + std::string(key) + "` |");
  if (begin == std::string::npos) return {};
  return document.substr(begin + 1, document.find('\n', begin + 1) - begin - 1);
}

std::string config_md() {
  return toolhost::testing::read_file(toolhost::testing::source_tree() /
                                      "config/CONFIG.md");
}

TEST(Settings, HaveUniqueKeysAndASentenceEach) {
  std::set<std::string_view> keys;
  for (const Setting& row : settings()) {
    EXPECT_TRUE(keys.insert(row.key).second) << row.key;
    EXPECT_TRUE(row.meaning.ends_with('.')) << row.key;
  }
}

TEST(Settings, AllowTheirOwnDefaults) {
  for (const Setting& row : settings()) {
    Config config;
    const auto fault = read_setting(row, write_setting(row, Config{}), config);
    EXPECT_FALSE(fault) << row.key << " " << fault->what;
    EXPECT_THAT(changed_keys(config, Config{}), IsEmpty()) << row.key;
  }
}

TEST(Settings, WriteWhatTheyReadForEveryWord) {
  for (const Setting& row : settings()) {
    for (const std::string_view word : row.words) {
      Config config;
      ASSERT_FALSE(read_setting(row, json::value(word), config)) << row.key;
      EXPECT_EQ(write_setting(row, config), json::value(word)) << row.key;
    }
  }
}

TEST(Settings, LeaveTheConfigurationAloneOnAFault) {
  Config config;
  const json::value rules = {{{"permission", "a"}, {"action", "allow"}}, 5};
  EXPECT_TRUE(read_setting(setting("rules"), rules, config));
  EXPECT_THAT(config.rules, IsEmpty());
}

TEST(Settings, BoundTheLengthOfLists) {
  Config config;
  json::array many(257, json::value("/a"));
  const auto fault = read_setting(setting("trustedWorkspaces"), many, config);
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->what, HasSubstr("257 items; at most 256"));
}

TEST(Settings, RefuseTheUserIdThatMeansNobody) {
  Config config;
  EXPECT_TRUE(
      read_setting(setting("allowedUids"), json::array{4294967295}, config));
  EXPECT_FALSE(
      read_setting(setting("allowedUids"), json::array{4294967294}, config));
}

TEST(DefaultConfig, IsEqualToTheBuiltInDefaults) {
  const Config config = parse_config(kDefaultConfig, "default.jsonc").value();
  EXPECT_THAT(changed_keys(config, Config{}), IsEmpty());
}

TEST(DefaultConfig, NamesEveryKey) {
  const Config nothing_missing =
      parse_config(kDefaultConfig, "default.jsonc").value();
  for (const Setting& row : settings()) {
    const auto dot = row.key.rfind('.');
    const std::string last(
        dot == std::string_view::npos ? row.key : row.key.substr(dot + 1));
    EXPECT_THAT(std::string(kDefaultConfig), HasSubstr("\"" + last + "\": "))
        << row.key;
  }
}

TEST(ConfigDocument, NamesEveryKeyWithDefaultMeaningAndReload) {
  const std::string document = config_md();
  for (const Setting& row : settings()) {
    const std::string line = line_of(document, row.key);
    ASSERT_FALSE(line.empty()) << row.key << " is missing in CONFIG.md";
    const std::string value = json_text(write_setting(row, Config{}));
    EXPECT_THAT(line, HasSubstr("| `" + value + "` |")) << row.key;
    EXPECT_THAT(line, HasSubstr(std::string(row.meaning))) << row.key;
    EXPECT_THAT(line, HasSubstr("| " + std::string(name(row.reload)) + " |"))
        << row.key;
    EXPECT_THAT(line, HasSubstr(allowed(row).substr(1))) << row.key;
  }
}

TEST(ConfigDiff, NamesWhatChanged) {
  Config changed;
  changed.log.level = "debug";
  changed.limits.ring_events = 100;
  changed.rules.push_back({"bash", "*", RuleAction::deny});
  EXPECT_THAT(changed_keys(Config{}, changed),
              ElementsAre("limits.ringEvents", "rules", "log.level"));
}

TEST(ConfigDiff, NamesWhatWaitsForARestart) {
  Config changed;
  changed.log.level = "debug";
  changed.limits.ring_events = 100;
  changed.journal.sync_full = true;
  EXPECT_THAT(needs_restart(Config{}, changed),
              ElementsAre("limits.ringEvents", "journal.sync"));
}

}  // namespace
}  // namespace toolhost::config
