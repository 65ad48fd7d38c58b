// The bytes of a client: reading while waiting, and what a frame becomes.
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "protocol/client.hpp"
#include "protocol/message.hpp"

namespace toolhost {
namespace {

// Arguments (kMaxDepth) lie within an approval within a snapshot.
constexpr std::size_t kReplyDepth = kMaxDepth + 32;

std::string text(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string())
                                     : std::string();
}

const json::object* member(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value ? value->if_object() : nullptr;
}

Code code_of(const json::object& error, const std::string& kind, bool* known) {
  const json::value* number = error.if_contains("code");
  *known = true;
  for (const ErrorInfo& row : error_registry()) {
    if (kind.empty()
            ? number && number->is_int64() && number->get_int64() == row.number
            : row.kind == kind) {
      return row.code;
    }
  }
  *known = false;
  return Code::internal;
}

// The Error that `error` of a reply describes.
Error error_of(const json::object& error) {
  const json::object* data = member(error, "data");
  const std::string kind = data ? text(*data, "kind") : std::string();
  bool known = false;
  const Code code = code_of(error, kind, &known);
  Error out = make_error(code, text(error, "message"),
                         data ? text(*data, "hint") : std::string());
  if (data) {
    if (const json::object* details = member(*data, "details")) {
      out.details = *details;
    }
    if (const json::value* wait = data->if_contains("retryAfterMs")) {
      out.details["retryAfterMs"] = *wait;
    }
  }
  // A newer daemon's word is kept for whoever prints it.
  if (!known && !kind.empty()) out.details["kind"] = kind;
  return out;
}

}  // namespace

Result<bool> Client::pump(Milliseconds limit) {
  return pump_until(until(limit));
}

Result<bool> Client::pump_until(Until end) {
  if (end_) return *end_;
  auto readable = ready(POLLIN, end);
  if (!readable) return readable.error();
  if (!*readable) return false;
  auto read = read_available();
  if (!read) return read.error();
  return true;
}

Result<bool> Client::ready(short events, Until end) {
  for (;;) {
    int timeout = -1;
    if (end) {
      const auto left = std::chrono::ceil<Milliseconds>(
          *end - std::chrono::steady_clock::now());
      timeout =
          static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX));
    }
    std::array<pollfd, 2> fds{pollfd{socket_.fd, events, 0},
                              pollfd{interrupt_fd_, POLLIN, 0}};
    const int count = ::poll(fds.data(), fds.size(), timeout);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return finish(fault(
          ClientFault::closed,
          "Waiting for the daemon: " + std::string(std::strerror(errno))));
    }
    // Answers first: what is here is not lost to a signal.
    if (fds[0].revents != 0) return true;
    if (fds[1].revents != 0) {
      return fault(ClientFault::interrupted, "Interrupted.");
    }
    if (count == 0) return false;
  }
}

Result<void> Client::read_available() {
  std::array<char, 64U << 10> buffer;
  for (;;) {
    const ssize_t got =
        ::recv(socket_.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (got <= 0) {
      const std::string why =
          got == 0 ? "." : ": " + std::string(std::strerror(errno)) + ".";
      return finish(
          fault(ClientFault::closed,
                "The daemon at " + path_ + " closed the connection" + why,
                "Connect again; `toolhost status` says whether it "
                "runs."));
    }
    reader_.append({buffer.data(), static_cast<std::size_t>(got)});
    for (;;) {
      auto frame = reader_.next();
      if (!frame) {
        return finish(fault(
            ClientFault::garbled,
            "What listens at " + path_ +
                " does not speak the protocol: " + frame.error().message));
      }
      if (!*frame) break;
      receive(**frame);
    }
    // A short read has emptied the socket.
    if (static_cast<std::size_t>(got) < buffer.size()) return {};
  }
}

Result<void> Client::write_all(std::string_view bytes, Until end) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.fd, bytes.data(), bytes.size(),
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      const int number = errno;
      // The daemon may have said why before it hung up.
      for (;;) {
        auto read = pump_until(until(Milliseconds(0)));
        if (!read || !*read) break;
      }
      return finish(
          fault(ClientFault::closed, "Sending to the daemon at " + path_ +
                                         ": " + std::strerror(number) + "."));
    }
    auto room = ready(POLLIN | POLLOUT, end);
    if (!room) return room.error();
    if (!*room) {
      // Half a frame is out: the connection cannot be used any more.
      return finish(fault(
          ClientFault::timed_out,
          "The daemon at " + path_ + " takes no more bytes; it may be stopped.",
          "Look at `toolhost status` and at its log."));
    }
    auto read = read_available();
    if (!read) return read.error();
  }
  return {};
}

void Client::receive(std::string_view frame) {
  json::parse_options options;
  options.max_depth = kReplyDepth;
  boost::system::error_code ec;
  json::value value = json::parse(frame, ec, {}, options);
  json::object* message = value.if_object();
  if (ec || !message) {
    finish(fault(ClientFault::garbled, "The daemon at " + path_ +
                                           " sent a line that is no JSON "
                                           "object."));
    return;
  }
  if (const json::value* id = message->if_contains("id")) {
    const json::value copy = *id;
    receive_reply(copy, *message);
    return;
  }
  Notification notification;
  notification.method = text(*message, "method");
  if (json::value* params = message->if_contains("params")) {
    if (params->is_object()) {
      notification.params = std::move(params->get_object());
    }
  }
  if (receiver_) {
    receiver_(std::move(notification));
  } else {
    queue(std::move(notification), frame.size());
  }
}

void Client::receive_reply(const json::value& id, json::object& message) {
  const json::object* error = member(message, "error");
  if (!id.is_int64()) {
    // An error about the connection itself: nothing that we wait for comes.
    if (error) finish(error_of(*error));
    return;
  }
  const RequestId number = id.get_int64();
  if (open_.erase(number) == 0) return;  // abandoned
  json::value* result = message.if_contains("result");
  if (error) {
    replies_.emplace(number, error_of(*error));
  } else if (result && result->is_object()) {
    replies_.emplace(number, std::move(result->get_object()));
  } else {
    replies_.emplace(number, fault(ClientFault::garbled,
                                   "The daemon's reply has neither a result "
                                   "object nor an error."));
  }
}

void Client::queue(Notification notification, std::size_t bytes) {
  notification_bytes_ += bytes;
  notifications_.push_back(Queued{std::move(notification), bytes});
  while (notifications_.size() > kMaxNotifications ||
         (notification_bytes_ > kMaxNotificationBytes &&
          notifications_.size() > 1)) {
    notification_bytes_ -= notifications_.front().bytes;
    notifications_.pop_front();
    ++dropped_;
  }
}

}  // namespace toolhost
