#include "daemon/readiness.hpp"

#include <sys/epoll.h>

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>

namespace toolhost {
namespace {

// At a time; the rest waits for the next turn of the loop.
constexpr std::size_t kEventsPerTurn = 128;
// About what a socket between two processes holds.
constexpr std::size_t kBufferBytes = 128U << 10;

}  // namespace

Readiness::Readiness(asio::io_context& loop)
    : events_(loop, epoll_create1(EPOLL_CLOEXEC)), buffer_(kBufferBytes) {}

Result<Readiness::Id> Readiness::add(int fd, Watcher& watcher,
                                     std::uint32_t interest) {
  epoll_event event{};
  event.events = interest;
  event.data.u64 = last_ + 1;
  if (epoll_ctl(events_.native_handle(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return system_error("Watching a connection", errno);
  }
  watchers_.emplace(++last_, Entry{fd, &watcher});
  return last_;
}

void Readiness::change(Id id, std::uint32_t interest) {
  const auto found = watchers_.find(id);
  if (found == watchers_.end()) return;
  epoll_event event{};
  event.events = interest;
  event.data.u64 = id;
  epoll_ctl(events_.native_handle(), EPOLL_CTL_MOD, found->second.fd, &event);
}

void Readiness::remove(Id id) {
  const auto found = watchers_.find(id);
  if (found == watchers_.end()) return;
  epoll_ctl(events_.native_handle(), EPOLL_CTL_DEL, found->second.fd, nullptr);
  watchers_.erase(found);
}

Task<void> Readiness::run() {
  const auto token = asio::as_tuple(asio::use_awaitable);
  while (!stopped_) {
    const auto [ec] = co_await events_.async_wait(
        asio::posix::stream_descriptor::wait_read, token);
    if (ec || stopped_) break;
    take();
  }
}

void Readiness::stop() {
  stopped_ = true;
  boost::system::error_code ignored;
  events_.cancel(ignored);
}

void Readiness::take() {
  std::array<epoll_event, kEventsPerTurn> ready;
  const int count = epoll_wait(events_.native_handle(), ready.data(),
                               static_cast<int>(ready.size()), 0);
  for (int i = 0; i < count; ++i) {
    const auto& event = ready[static_cast<std::size_t>(i)];
    const auto found = watchers_.find(event.data.u64);
    if (found != watchers_.end()) found->second.watcher->ready(event.events);
  }
}

}  // namespace toolhost
