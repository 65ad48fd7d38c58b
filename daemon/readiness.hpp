// Readiness: which of many sockets can be read or written, watched by one
// descriptor of the loop.
//
// Asio 1.81 tries every read once more after it has succeeded, and keeps an
// operation per read: together more than a small request costs. Here a ready
// socket is one entry of one epoll_wait, and one call. Level-triggered, so
// nothing is lost by reading only once. Loop thread only.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "protocol/error.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

class Readiness {
 public:
  class Watcher {
   public:
    // `events` are epoll's: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR. May add and
    // remove watchers, itself too. Must not throw.
    virtual void ready(std::uint32_t events) = 0;

   protected:
    ~Watcher() = default;
  };
  // Names a watched descriptor; never used twice, so that a late event cannot
  // reach a successor. 0 is nobody.
  using Id = std::uint64_t;

  explicit Readiness(asio::io_context& loop);

  // `interest`: EPOLLIN and EPOLLOUT; a hang-up is told always. The watcher
  // has to be removed before it or the descriptor goes.
  Result<Id> add(int fd, Watcher& watcher, std::uint32_t interest);
  void change(Id id, std::uint32_t interest);
  void remove(Id id);

  // Serves until stop().
  Task<void> run();
  void stop();

  // Where a watcher reads to; its content is only its own until it returns.
  std::span<char> buffer() { return buffer_; }

 private:
  struct Entry {
    int fd;
    Watcher* watcher;
  };
  void take();

  asio::posix::stream_descriptor events_;
  std::unordered_map<Id, Entry> watchers_;
  std::vector<char> buffer_;
  Id last_ = 0;
  bool stopped_ = false;
};

}  // namespace toolhost
