// Check: one fact about this machine that decides whether the daemon works.
//
// Serves the method `doctor` and `toolhost doctor`; works with the daemon
// down. Reports, never repairs; each line has one next step.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/paths.hpp"
#include "protocol/error.hpp"

namespace toolhost::doctor {

struct Finding {
  std::string name;    // of the check
  std::string state;   // ok, warn, fail, skip
  std::string detail;  // the fact, one sentence
  std::string hint;    // one next step; empty when ok
};

struct CheckInput {
  config::Paths paths;
  // Set when the configuration could be read.
  config::ConfigPtr config;
  // What parse_config said when it could not.
  std::string config_error;
};

struct Check {
  std::string_view name;
  std::string_view question;  // what it finds out
  std::vector<Finding> (*run)(const CheckInput& input);
};

// Sorted by name; the table in checks.cpp is the feature list.
std::span<const Check> checks();

// Runs those named (all when empty).
std::vector<Finding> run_checks(const CheckInput& input,
                                const std::vector<std::string>& names);

json::object to_json(const Finding& finding);

}  // namespace toolhost::doctor
