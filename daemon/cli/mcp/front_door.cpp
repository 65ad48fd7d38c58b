#include "daemon/cli/mcp/front_door.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>

namespace toolhost::cli::mcp {
namespace {

constexpr Milliseconds kDialLimit{5000};

SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

Milliseconds until(SteadyTime when, SteadyTime now) {
  return std::max(std::chrono::ceil<Milliseconds>(when - now), Milliseconds(0));
}

}  // namespace

FrontDoor::FrontDoor(FrontDoorOptions options, int in, int out)
    : options_(std::move(options)),
      in_(in),
      out_(out),
      requests_(
          options_.limits, [this] { return dial(); },
          [this](const std::string& line) { out_.add(line); }),
      workspace_(options_.workspace) {}

Result<Client> FrontDoor::dial() const {
  auto client = Client::connect(options_.socket);
  if (!client) return client.error();
  ClientIdentity identity;
  identity.name = client_name_;
  identity.version = client_version_;
  identity.roles = {"caller"};
  auto hello = client->initialize(identity, kDialLimit);
  if (!hello) return hello.error();
  json::object params;
  params["topics"] = json::array{"tools"};
  auto subscribed = client->call("subscribe", params, kDialLimit);
  if (!subscribed) return subscribed.error();
  return client;
}

void FrontDoor::run(int signal_fd) {
  while (!input_ended_ && !out_.broken()) {
    step(steady_now());
    wait(signal_fd, steady_now());
  }
  finish();
}

void FrontDoor::step(SteadyTime now) {
  now_ = now;
  if (!out_.full()) {
    take_lines();
    flush_held(now);
    requests_.step(now);
    tell_changes(now);
  }
  out_.flush();
}

Milliseconds FrontDoor::pause(SteadyTime now) const {
  // Only room in the output changes anything.
  if (out_.full()) return Client::kForever;
  Milliseconds out = requests_.pause(now);
  if (roots_deadline_) out = std::min(out, until(*roots_deadline_, now));
  if (tools_changed_) out = std::min(out, until(next_change_, now));
  return out;
}

void FrontDoor::wait(int signal_fd, SteadyTime now) {
  const Milliseconds limit = pause(now);
  const int timeout =
      limit == Client::kForever
          ? -1
          : static_cast<int>(std::min<std::int64_t>(limit.count(), INT_MAX));
  // What is full is not read: whoever sends waits.
  const bool full = out_.full();
  std::array<pollfd, 4> fds{pollfd{full || input_ended_ ? -1 : in_, POLLIN, 0},
                            pollfd{full ? -1 : requests_.fd(), POLLIN, 0},
                            pollfd{out_.empty() ? -1 : out_.fd(), POLLOUT, 0},
                            pollfd{signal_fd, POLLIN, 0}};
  if (::poll(fds.data(), fds.size(), timeout) <= 0) return;
  if (fds[0].revents != 0) read_input();
  if (fds[3].revents != 0) input_ended_ = true;
}

void FrontDoor::read_input() {
  std::array<char, 64U << 10> buffer;
  const ssize_t got = ::read(in_, buffer.data(), buffer.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    input_ended_ = true;
    return;
  }
  reader_.append({buffer.data(), static_cast<std::size_t>(got)});
}

void FrontDoor::take_lines() {
  while (!out_.full()) {
    auto line = reader_.next();
    if (!line) return;
    if (line->too_long) {
      say(fault_line("null", make_fault(kInvalidRequest,
                                        "The line is longer than 16 MiB and "
                                        "was not read. Pass large content "
                                        "through files.")));
      continue;
    }
    for (const Message& message :
         parse_line(line->text, era_ && era_->batches)) {
      take(message);
    }
  }
}

// What is quick is still answered, so that `printf … | toolhost mcp` works.
void FrontDoor::finish() {
  const SteadyTime end = steady_now() + options_.last_wait;
  for (;;) {
    const SteadyTime now = steady_now();
    step(now);
    const bool idle = requests_.empty() && held_.empty() && out_.empty();
    if (idle || out_.broken() || now >= end) break;
    std::array<pollfd, 2> fds{
        pollfd{requests_.fd(), POLLIN, 0},
        pollfd{out_.empty() ? -1 : out_.fd(), POLLOUT, 0}};
    const Milliseconds limit = std::min(pause(now), until(end, now));
    ::poll(fds.data(), fds.size(), static_cast<int>(limit.count()));
  }
  requests_.cancel_all("The MCP client has ended.");
  for (const auto& [id, wanted] : listeners_) {
    json::object meta;
    meta[kSubscriptionKey] = json::parse(id);
    json::object result;
    result["_meta"] = std::move(meta);
    say(result_line(id, finished(std::move(result), eras().front())));
  }
  out_.flush();
}

}  // namespace toolhost::cli::mcp
