// The checks, one function each, by family (one file per family).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/doctor/check.hpp"

namespace toolhost::doctor {

using Findings = std::vector<Finding>;

// socket.cpp
Findings check_lock(const CheckInput& input);
Findings check_runtime_dir(const CheckInput& input);
Findings check_socket(const CheckInput& input);

// configuration.cpp
Findings check_config(const CheckInput& input);
Findings check_rules(const CheckInput& input);

// programs.cpp
Findings check_git(const CheckInput& input);
Findings check_launcher(const CheckInput& input);
Findings check_path(const CheckInput& input);
Findings check_ripgrep(const CheckInput& input);

// sandbox.cpp
Findings check_sandbox(const CheckInput& input);

// machine.cpp
Findings check_clock(const CheckInput& input);
Findings check_disk(const CheckInput& input);
Findings check_open_files(const CheckInput& input);

// unit.cpp
Findings check_systemd(const CheckInput& input);

inline Finding ok(std::string name, std::string detail) {
  return {std::move(name), "ok", std::move(detail), ""};
}
inline Finding warn(std::string name, std::string detail, std::string hint) {
  return {std::move(name), "warn", std::move(detail), std::move(hint)};
}
inline Finding fail(std::string name, std::string detail, std::string hint) {
  return {std::move(name), "fail", std::move(detail), std::move(hint)};
}
inline Finding skip(std::string name, std::string detail) {
  return {std::move(name), "skip", std::move(detail), ""};
}

// What the system says about an errno: "Permission denied".
std::string system_text(int number);

}  // namespace toolhost::doctor
