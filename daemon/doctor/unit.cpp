// The systemd user units, by their files; systemd itself is not asked.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "daemon/doctor/families.hpp"
#include "daemon/doctor/program_search.hpp"

namespace toolhost::doctor {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

// Where a user manager looks, the first wins (systemd.unit(5)).
std::vector<std::string> unit_folders() {
  const std::string home = variable("HOME", "");
  return {
      variable("XDG_CONFIG_HOME", home + "/.config") + "/systemd/user",
      "/etc/systemd/user",
      variable("XDG_RUNTIME_DIR", "/run/user/" + std::to_string(::geteuid())) +
          "/systemd/user",
      "/run/systemd/user",
      variable("XDG_DATA_HOME", home + "/.local/share") + "/systemd/user",
      "/usr/local/lib/systemd/user",
      "/usr/lib/systemd/user",
      "/lib/systemd/user"};
}

std::string find_unit(const std::string& name) {
  for (const std::string& folder : unit_folders()) {
    std::string file = folder + "/" + name;
    struct stat status;
    if (::stat(file.c_str(), &status) == 0) return file;
  }
  return {};
}

// The last value of a setting in a unit file, or empty.
std::string value_in(const std::string& file, std::string_view key) {
  std::ifstream in(file);
  std::string out;
  // A device or a huge file in its place is not read to the end.
  int left = 1000;
  for (std::string line; left-- > 0 && std::getline(in, line);) {
    if (line.starts_with(key)) out = line.substr(key.size());
  }
  return out;
}

bool enabled(const std::string& socket) {
  return !find_unit("sockets.target.wants/" + socket).empty();
}

Finding service() {
  const std::string file = find_unit("toolhost.service");
  if (file.empty()) {
    return skip("systemd.service",
                "toolhost.service is not installed; toolhostd has to be "
                "started by hand.");
  }
  const std::string mode = value_in(file, "KillMode=");
  if (mode != "mixed") {
    return warn("systemd.service",
                file +
                    " has KillMode=" + (mode.empty() ? "control-group" : mode) +
                    "; running calls are killed before the daemon can end "
                    "them.",
                "Install the unit file of this version again.");
  }
  return ok("systemd.service", file + " is installed.");
}

Finding socket(const std::string& unit) {
  const std::string name = "systemd." + unit;
  const std::string file = find_unit(unit);
  if (file.empty()) return skip(name, unit + " is not installed.");
  if (enabled(unit)) return ok(name, file + " is enabled.");
  return warn(name, file + " is installed, but not enabled.",
              "systemctl --user enable --now " + unit);
}

}  // namespace

Findings check_systemd(const CheckInput&) {
  if (find_program("systemctl").empty()) {
    return {skip("systemd", "systemctl is not on PATH.")};
  }
  Findings out{service(), socket("toolhost.socket"),
               socket("toolhost-caller.socket")};
  if (const char* notify = std::getenv("NOTIFY_SOCKET"); notify && *notify) {
    out.push_back(ok("systemd.notify", "systemd started this process."));
  }
  return out;
}

}  // namespace toolhost::doctor
