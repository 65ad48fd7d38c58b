// BlockingPool: plain functions that may block, off the loop.
//
// Values in, value out, a stop flag if it may take long; the function never
// sees asio. A hand-over may cost two wake-ups (about 40 us on an idle
// machine), so what is surely short (a stat, a 100 KB read) stays inline.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <exception>
#include <variant>

#include "providers/support/one_shot.hpp"
#include "providers/support/task.hpp"

namespace toolhost {

class BlockingPool {
 public:
  // Two threads: one slow disk must not starve every other call.
  explicit BlockingPool(asio::io_context& loop, std::size_t threads = 2)
      : loop_(loop), pool_(threads) {}
  ~BlockingPool() { pool_.join(); }

  // Runs `work` on the pool; what it throws is thrown here.
  template <class R>
  Task<R> run(std::function<R()> work) {
    using Answer = std::variant<std::exception_ptr, R>;
    auto cell = std::make_shared<OneShot<std::shared_ptr<Answer>>>(loop_);
    start<R, Answer>(std::move(work), cell);
    co_await cell->wait();
    const std::shared_ptr<Answer> answer = cell->value();
    if (answer->index() == 0) std::rethrow_exception(std::get<0>(*answer));
    co_return std::move(std::get<1>(*answer));
  }

 private:
  template <class R, class Answer>
  void start(std::function<R()> work,
             std::shared_ptr<OneShot<std::shared_ptr<Answer>>> cell) {
    // The cell belongs to the loop: its last owner must not be a worker, so
    // it travels back in the message.
    asio::post(pool_, [this, work = std::move(work),
                       cell = std::move(cell)]() mutable {
      auto answer = std::make_shared<Answer>();
      try {
        answer->template emplace<1>(work());
      } catch (...) {
        answer->template emplace<0>(std::current_exception());
      }
      work = nullptr;
      asio::post(loop_, [cell = std::move(cell), answer = std::move(answer)] {
        cell->set(answer);
      });
    });
  }

  asio::io_context& loop_;
  asio::thread_pool pool_;
};

}  // namespace toolhost
