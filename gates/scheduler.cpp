#include "gates/scheduler.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <list>

namespace toolhost {
namespace scheduling {

// One access, ready to be compared.
struct Lock {
  std::string path;  // lower-cased, without a slash at the end: "" is "/"
  bool recursive = false;
  bool writes = false;
};

// What a call holds or waits for. Blockers are fixed at arrival: whoever comes
// later waits for this one, never the other way round. So "no conflict with
// anything running or queued before it" is a counter.
struct Entry {
  explicit Entry(asio::io_context& loop)
      : wake(std::in_place, loop, asio::steady_timer::time_point::max()) {}

  bool everything = false;  // of its domain
  std::string domain;
  bool any_domain = false;
  std::vector<Lock> locks;

  std::size_t blockers = 0;
  std::vector<std::weak_ptr<Entry>> blocked;
  std::optional<asio::steady_timer> wake;  // until the call may run
  std::shared_ptr<State> state;            // empty after it left
  std::list<std::shared_ptr<Entry>>::iterator place;
};

struct State {
  std::list<std::shared_ptr<Entry>> live;  // in the order of arrival
  std::size_t running = 0;
};

namespace {

// Backslashes are slashes, repeated slashes are one, case does not matter.
std::string lock_key(std::string_view path) {
  std::string key;
  key.reserve(path.size());
  for (char c : path) {
    if (c == '\\') c = '/';
    if (c == '/' && !key.empty() && key.back() == '/') continue;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    key += c;
  }
  if (!key.empty() && key.back() == '/') key.pop_back();
  return key;
}

bool is_beneath_key(std::string_view path, std::string_view root) {
  return path.starts_with(root) &&
         (path.size() == root.size() || path[root.size()] == '/');
}

bool overlap(const Lock& a, const Lock& b) {
  if (a.path == b.path) return true;
  return (a.recursive && is_beneath_key(b.path, a.path)) ||
         (b.recursive && is_beneath_key(a.path, b.path));
}

bool domains_overlap(const Entry& a, const Entry& b) {
  return a.any_domain || b.any_domain || is_beneath_key(a.domain, b.domain) ||
         is_beneath_key(b.domain, a.domain);
}

bool is_empty(const Entry& entry) {
  return !entry.everything && entry.locks.empty();
}

// Does `all` of one call meet the other call?
bool everything_meets(const Entry& all, const Entry& other) {
  if (!all.everything) return false;
  if (domains_overlap(all, other)) return true;
  Lock domain;
  domain.path = all.domain;
  domain.recursive = true;
  return std::any_of(other.locks.begin(), other.locks.end(),
                     [&](const Lock& lock) { return overlap(domain, lock); });
}

bool conflict(const Entry& a, const Entry& b) {
  if (is_empty(a) || is_empty(b)) return false;
  if (everything_meets(a, b) || everything_meets(b, a)) return true;
  for (const Lock& x : a.locks) {
    for (const Lock& y : b.locks) {
      if ((x.writes || y.writes) && overlap(x, y)) return true;
    }
  }
  return false;
}

void describe(Entry& entry, const std::optional<std::vector<Access>>& accesses,
              const std::string& domain) {
  entry.domain = lock_key(domain);
  entry.any_domain = domain.empty();
  if (!accesses) {
    entry.everything = true;
    return;
  }
  for (const Access& access : *accesses) {
    if (access.kind == Access::Kind::all) {
      entry.everything = true;
      continue;
    }
    const bool search = access.operation == Access::Operation::search;
    Lock lock;
    lock.path = lock_key(access.path);
    lock.recursive = access.recursive || search;
    lock.writes = !search && access.operation != Access::Operation::read;
    entry.locks.push_back(std::move(lock));
  }
}

void enter(const std::shared_ptr<State>& state,
           const std::shared_ptr<Entry>& entry) {
  for (const std::shared_ptr<Entry>& before : state->live) {
    if (!conflict(*before, *entry)) continue;
    // Those that were cancelled meanwhile must not add up.
    if (before->blocked.size() > 2 * state->live.size()) {
      std::erase_if(before->blocked,
                    [](const auto& waiting) { return waiting.expired(); });
    }
    before->blocked.push_back(entry);
    ++entry->blockers;
  }
  entry->state = state;
  entry->place = state->live.insert(state->live.end(), entry);
  if (entry->blockers == 0) ++state->running;
}

// Ended, or left the queue: those that waited for it may go on.
void leave(const std::shared_ptr<Entry>& entry) {
  const std::shared_ptr<State> state = std::move(entry->state);
  state->live.erase(entry->place);
  if (entry->blockers == 0) --state->running;
  for (const std::weak_ptr<Entry>& waiting : entry->blocked) {
    const std::shared_ptr<Entry> next = waiting.lock();
    if (!next || !next->state) continue;  // left already
    if (--next->blockers > 0) continue;
    ++state->running;
    next->wake->cancel();
  }
  entry->blocked.clear();
}

}  // namespace
}  // namespace scheduling

Lease::Lease(std::shared_ptr<scheduling::Entry> entry)
    : entry_(std::move(entry)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    entry_ = std::move(other.entry_);
  }
  return *this;
}

Lease::~Lease() { release(); }

void Lease::release() {
  const std::shared_ptr<scheduling::Entry> entry = std::move(entry_);
  if (entry && entry->state) scheduling::leave(entry);
}

Scheduler::Scheduler(asio::io_context& loop)
    : loop_(loop), state_(std::make_shared<scheduling::State>()) {}

std::size_t Scheduler::running() const { return state_->running; }

std::size_t Scheduler::queued() const {
  return state_->live.size() - state_->running;
}

Task<Outcome<Lease>> Scheduler::acquire(
    std::optional<std::vector<Access>> accesses, std::string domain,
    Stop& stop) {
  if (stop.requested()) {
    co_return make_call_error(CallErrorKind::cancelled, stop.reason());
  }
  if (queued() >= kMaxQueued) {
    co_return make_call_error(
        CallErrorKind::interrupted,
        "The call did not start: " + std::to_string(queued()) +
            " calls wait for files that others use.",
        "Wait until some of them have ended, then send it again.");
  }
  auto entry = std::make_shared<scheduling::Entry>(loop_);
  scheduling::describe(*entry, accesses, domain);
  scheduling::enter(state_, entry);
  Lease lease(entry);  // leaves the queue, too, if this frame is destroyed
  lease.waited_ = entry->blockers > 0;
  std::function<void()> wake = [entry] { entry->wake->cancel(); };
  {
    const Stop::Registration watch = stop.on_request(std::move(wake));
    while (entry->blockers > 0 && !stop.requested()) {
      co_await entry->wake->async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }
  entry->wake.reset();  // a lease may outlive the loop, a timer may not
  if (stop.requested()) {
    co_return make_call_error(CallErrorKind::cancelled, stop.reason());
  }
  co_return Outcome<Lease>(std::move(lease));
}

}  // namespace toolhost
