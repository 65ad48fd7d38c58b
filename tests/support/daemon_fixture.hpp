// DaemonFixture: a whole Daemon in a TempDir, in this process and thread, and
// raw client sockets to it.
//
// Clients run the daemon's loop while they wait, so a test may look at the
// daemon's parts at any moment. Nothing here sleeps; a wait ends the test
// after kTestTimeout.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "daemon/daemon.hpp"
#include "providers/support/unique_fd.hpp"
#include "tests/support/loop.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost::testing {

class DaemonFixture;

class RawClient {
 public:
  RawClient(DaemonFixture& fixture, UniqueFd fd);
  RawClient(RawClient&&) = default;

  // Bytes as they are; returns when the socket has taken them.
  void send(std::string_view bytes);
  void send_line(const json::object& message);
  // The next line; throws at end of stream or time-out.
  json::object receive();
  // True when the daemon has closed and nothing is left to read.
  bool at_end();

  // Sends with an id of its own and returns the whole reply; notifications
  // that come before it wait in `events`.
  json::object request(std::string_view method, json::object params = {});
  // The same, when the result or the error is what matters; throws on the
  // other one.
  json::object result(std::string_view method, json::object params = {});
  json::object error(std::string_view method, json::object params = {});
  // Without waiting: the id.
  std::int64_t start(std::string_view method, json::object params = {});
  // Waits for the reply to this id.
  json::object reply(std::int64_t id);
  // The next notification of this method, others skipped.
  json::object event(std::string_view method);
  json::object initialize(json::object more = {});

  std::deque<json::object> events;

  int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }
  // No more is sent; replies are still read.
  void close_sending();

 private:
  // False at the end of the stream; true when something may have come.
  bool fill();
  bool read_some();

  DaemonFixture* fixture_;
  UniqueFd fd_;
  std::string held_;
  std::deque<json::object> replies_;
  std::int64_t next_id_ = 1;
  bool ended_ = false;
};

class DaemonFixture {
 public:
  explicit DaemonFixture(config::Config config = {});
  ~DaemonFixture();
  DaemonFixture(const DaemonFixture&) = delete;

  // A fresh socket, nothing sent.
  RawClient connect(SocketKind kind = SocketKind::control);
  // An initialised one; `more` are further members of initialize's params.
  RawClient client(SocketKind kind = SocketKind::control,
                   json::object more = {});

  // Runs the loop until the condition holds; throws after kTestTimeout.
  void run_until(const std::function<bool()>& condition);
  // Runs what is ready, and waits a moment for more.
  void turn();
  template <class T>
  T run(Task<T> task) {
    return testing::run(loop, std::move(task));
  }

  TempDir folder;
  asio::io_context loop;
  std::unique_ptr<Daemon> daemon;
};

// Its parts under `folder`, as find_paths would name them.
config::Paths paths_in(const TempDir& folder);

}  // namespace toolhost::testing
