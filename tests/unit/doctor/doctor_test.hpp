// DoctorTest: the paths of a daemon that was never started, in a folder of the
// test's own.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "daemon/doctor/check.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/config/environment.hpp"

namespace toolhost::doctor {

class DoctorTest : public ::testing::Test {
 protected:
  DoctorTest() {
    environment_.set("HOME", dir_.path());
    environment_.set("XDG_RUNTIME_DIR", dir_.path());
    for (const char* name :
         {"TOOLHOST_SOCK", "TOOLHOST_CONFIG", "XDG_STATE_HOME",
          "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME",
          "NOTIFY_SOCKET"}) {
      environment_.unset(name);
    }
    input_.paths = config::find_paths("", "").value();
    input_.config = std::make_shared<const config::Config>();
  }

  // The finding of exactly this name.
  Finding only(const std::string& name) const {
    const std::string check = name.substr(0, name.find('.'));
    for (const Finding& finding : run_checks(input_, {check})) {
      if (finding.name == name) return finding;
    }
    return {name, "missing", "", ""};
  }

  void make_runtime_dir(mode_t mode) const {
    ASSERT_EQ(::mkdir(input_.paths.runtime_dir.c_str(), 0700), 0);
    ASSERT_EQ(::chmod(input_.paths.runtime_dir.c_str(), mode), 0);
  }

  toolhost::testing::Environment environment_;
  toolhost::testing::TempDir dir_;
  CheckInput input_;
};

}  // namespace toolhost::doctor
