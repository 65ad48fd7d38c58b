// Environment: variables of one test, put back at its end.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace toolhost::testing {

class Environment {
 public:
  Environment() = default;
  Environment(const Environment&) = delete;
  ~Environment() {
    for (auto saved = saved_.rbegin(); saved != saved_.rend(); ++saved) {
      apply(saved->first, saved->second);
    }
  }

  void set(const std::string& name, const std::string& value) {
    save(name);
    apply(name, value);
  }
  void unset(const std::string& name) {
    save(name);
    apply(name, std::nullopt);
  }

 private:
  void save(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    saved_.emplace_back(
        name, value ? std::optional<std::string>(value) : std::nullopt);
  }
  static void apply(const std::string& name,
                    const std::optional<std::string>& value) {
    if (value) {
      ::setenv(name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }

  std::vector<std::pair<std::string, std::optional<std::string>>> saved_;
};

}  // namespace toolhost::testing
