// OneShot<T>: a value that arrives once, and the coroutines that wait for it.
//
// Loop thread only. A steady_timer is the waiter: a channel of capacity one
// accepts two values while a receiver waits.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>

#include "providers/support/task.hpp"

namespace toolhost {

template <class T>
class OneShot {
 public:
  explicit OneShot(asio::io_context& loop)
      : timer_(loop, asio::steady_timer::time_point::max()) {}

  // False (and nothing changes) if a value is there already.
  bool set(T value) {
    if (value_) return false;
    value_ = std::move(value);
    timer_.cancel();
    return true;
  }

  bool ready() const { return value_.has_value(); }
  const T& value() const { return *value_; }
  T take() { return std::move(*value_); }

  // Returns when the value is there. Any number of coroutines may wait.
  Task<void> wait() {
    while (!value_) {
      co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }

  // Returns at the value or at a poke. Any number of coroutines may wait.
  Task<void> next() {
    if (value_) co_return;
    co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
  }

  // Wakes the waiters without a value, so that they look at their own state.
  void poke() { timer_.cancel(); }

  // Returns at the value, at a poke, or at the deadline, whichever is first.
  // Only for a single waiter: it moves the timer that all share.
  Task<void> wait_until(asio::steady_timer::time_point deadline) {
    if (value_) co_return;
    timer_.expires_at(deadline);
    co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
  }

 private:
  asio::steady_timer timer_;
  std::optional<T> value_;
};

}  // namespace toolhost
