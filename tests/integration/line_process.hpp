// LineProcess: a program that takes and gives one JSON object a line.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::testing {

class LineProcess {
 public:
  // Found in PATH; `environment` ("NAME=value") is added to the test's own.
  LineProcess(const std::vector<std::string>& argv,
              const std::vector<std::string>& environment = {});
  // Closes its input and waits for its end.
  ~LineProcess();
  LineProcess(LineProcess&&) = delete;

  void send(const std::string& line);
  // The next object; throws when none comes in 60 s.
  json::object next();
  // The next object that has this member; others are skipped.
  json::object next_with(const std::string& member);
  // Its exit status after its input was closed.
  int close();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string held_;
};

}  // namespace toolhost::testing
