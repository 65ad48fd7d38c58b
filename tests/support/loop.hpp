// Runs a Task to its end on a loop of its own; fails the test at a time-out.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <optional>

#include "providers/support/task.hpp"

namespace toolhost::testing {

inline constexpr std::chrono::seconds kTestTimeout{30};

template <class T>
T run(asio::io_context& loop, Task<T> task) {
  std::optional<T> out;
  std::exception_ptr failure;
  bool done = false;
  asio::co_spawn(loop, std::move(task), [&](std::exception_ptr error, T value) {
    failure = error;
    out.emplace(std::move(value));
    done = true;
    loop.stop();
  });
  loop.restart();
  loop.run_for(kTestTimeout);
  if (!done) throw std::runtime_error("the task did not end in time");
  if (failure) std::rethrow_exception(failure);
  return std::move(*out);
}

inline void run(asio::io_context& loop, Task<void> task) {
  std::exception_ptr failure;
  bool done = false;
  asio::co_spawn(loop, std::move(task), [&](std::exception_ptr error) {
    failure = error;
    done = true;
    loop.stop();
  });
  loop.restart();
  loop.run_for(kTestTimeout);
  if (!done) throw std::runtime_error("the task did not end in time");
  if (failure) std::rethrow_exception(failure);
}

}  // namespace toolhost::testing
