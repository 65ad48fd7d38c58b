#include "providers/support/task.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cassert>

#include "providers/support/log.hpp"

namespace toolhost {

struct TaskGroup::State {
  State(asio::io_context& loop, std::string group)
      : name(std::move(group)),
        idle(loop, asio::steady_timer::time_point::max()) {}

  std::string name;
  std::size_t live = 0;
  asio::steady_timer idle;
};

TaskGroup::TaskGroup(asio::io_context& loop, std::string name)
    : state_(std::make_shared<State>(loop, std::move(name))), loop_(loop) {}

TaskGroup::~TaskGroup() = default;

void TaskGroup::spawn(Task<void> task) {
  ++state_->live;
  asio::co_spawn(loop_, std::move(task),
                 [state = state_](std::exception_ptr failure) {
                   if (failure) {
                     try {
                       std::rethrow_exception(failure);
                     } catch (const std::exception& error) {
                       log_error("a task of " + state->name +
                                 " ended with an exception: " + error.what());
                     }
                   }
                   if (--state->live == 0) state->idle.cancel();
                 });
}

Task<void> TaskGroup::join() {
  const auto state = state_;
  while (state->live > 0) {
    co_await state->idle.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

std::size_t TaskGroup::size() const { return state_->live; }

Task<void> sleep_for(asio::io_context& loop, std::chrono::milliseconds time) {
  asio::steady_timer timer(loop, time);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace toolhost
