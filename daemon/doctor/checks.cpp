#include <algorithm>
#include <array>
#include <cstring>

#include "daemon/doctor/families.hpp"
#include "protocol/text.hpp"

namespace toolhost::doctor {
namespace {

constexpr std::array<Check, 14> kChecks{{
    {"clock", "Is the time of day believable?", check_clock},
    {"config", "Can the configuration be read?", check_config},
    {"disk", "Is there room for the journal and kept output?", check_disk},
    {"git", "Is git there for the git tools?", check_git},
    {"launcher", "Is the program that starts commands there?", check_launcher},
    {"lock", "Which daemon holds the lock?", check_lock},
    {"openFiles", "May the daemon open enough files?", check_open_files},
    {"path", "Is every folder of PATH safe and there?", check_path},
    {"ripgrep", "Is ripgrep there for grep and glob?", check_ripgrep},
    {"rules", "Can the remembered rules be read?", check_rules},
    {"runtimeDir", "Is the sockets' folder private?", check_runtime_dir},
    {"sandbox", "What could confine commands here?", check_sandbox},
    {"socket", "Does a daemon answer, and where?", check_socket},
    {"systemd", "Are the user units installed?", check_systemd},
}};

bool known(const std::string& name) {
  return std::any_of(kChecks.begin(), kChecks.end(),
                     [&](const Check& check) { return check.name == name; });
}

Finding unknown(const std::string& name) {
  std::string names;
  for (const Check& check : kChecks) {
    names += (names.empty() ? "" : ", ") + std::string(check.name);
  }
  return fail(display_text(utf8_prefix(name, 80)),
              "There is no check of this name.", "Known: " + names + ".");
}

}  // namespace

std::span<const Check> checks() { return kChecks; }

std::vector<Finding> run_checks(const CheckInput& input,
                                const std::vector<std::string>& names) {
  std::vector<Finding> out;
  for (const Check& check : kChecks) {
    const bool wanted = names.empty() || std::find(names.begin(), names.end(),
                                                   check.name) != names.end();
    if (!wanted) continue;
    for (Finding& finding : check.run(input)) {
      out.push_back(std::move(finding));
    }
  }
  for (const std::string& name : names) {
    if (!known(name)) out.push_back(unknown(name));
  }
  return out;
}

json::object to_json(const Finding& finding) {
  json::object out;
  out["name"] = finding.name;
  out["state"] = finding.state;
  out["detail"] = finding.detail;
  if (!finding.hint.empty()) out["hint"] = finding.hint;
  return out;
}

std::string system_text(int number) { return std::strerror(number); }

}  // namespace toolhost::doctor
