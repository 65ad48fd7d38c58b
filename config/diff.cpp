#include "config/diff.hpp"

#include "config/settings.hpp"

namespace toolhost::config {

std::vector<std::string> changed_keys(const Config& a, const Config& b) {
  std::vector<std::string> out;
  for (const Setting& setting : settings()) {
    if (write_setting(setting, a) != write_setting(setting, b)) {
      out.emplace_back(setting.key);
    }
  }
  return out;
}

std::vector<std::string> needs_restart(const Config& a, const Config& b) {
  std::vector<std::string> out;
  for (const Setting& setting : settings()) {
    if (setting.reload == Reload::restart &&
        write_setting(setting, a) != write_setting(setting, b)) {
      out.emplace_back(setting.key);
    }
  }
  return out;
}

}  // namespace toolhost::config
