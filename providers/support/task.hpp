// Task<T>: a coroutine on the loop thread.
//
// Rule of the house (g++ 12 miscompiles the rest): name it, then await it. A
// statement with co_await holds no capturing lambda, no brace list, no
// conditional expression.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

namespace toolhost {

namespace asio = boost::asio;

template <class T>
using Task = asio::awaitable<T>;

// Tasks that somebody joins. Lives on the loop thread; has to be joined (or
// empty) before it is destroyed.
class TaskGroup {
 public:
  explicit TaskGroup(asio::io_context& loop, std::string name = {});
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;

  // Starts the task. An exception that escapes it is logged with `name`: the
  // walls around tools and methods are where exceptions are meant to end.
  void spawn(Task<void> task);

  // Returns when no task is left, those spawned meanwhile included.
  Task<void> join();
  std::size_t size() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // outlives the group in completion handlers
  asio::io_context& loop_;
};

// Returns after `time`.
Task<void> sleep_for(asio::io_context& loop, std::chrono::milliseconds time);

}  // namespace toolhost
