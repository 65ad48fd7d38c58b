// FakeDaemon: a listening socket with scripted answers, on a thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "protocol/error.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

class FakeDaemon {
 public:
  using Answer = std::function<Result<json::object>(const json::object&)>;

  // An error with this makes the daemon silent about that request.
  static Error silence() {
    Error error;
    error.details["silent"] = true;
    return error;
  }

  // Answers `initialize` and `subscribe` by itself.
  FakeDaemon();
  ~FakeDaemon();

  void on(const std::string& method, Answer answer);
  // Sent behind every following reply of this method.
  void notify_after(const std::string& method, const std::string& line);
  // Closes every connection; the socket stays.
  void drop_connections();

  const std::string& path() const { return path_; }
  // Params of the requests of this method so far.
  std::vector<json::object> seen(const std::string& method);

 private:
  void accept_loop();
  void serve(int fd);
  std::string answer(std::string_view frame);

  TempDir dir_;
  std::string path_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  std::mutex mutex_;
  std::map<std::string, Answer> answers_;
  std::map<std::string, std::string> after_;
  std::vector<std::pair<std::string, json::object>> seen_;
  std::vector<int> connections_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace toolhost::testing
