#include "protocol/client.hpp"

#include <unistd.h>

#include <algorithm>

#include "protocol/json_text.hpp"
#include "protocol/message.hpp"

namespace toolhost {
namespace {

// A call of limit "for ever" still has to get its request out.
constexpr Milliseconds kWriteLimit{30'000};

std::string text(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string())
                                     : std::string();
}

const json::object* member(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value ? value->if_object() : nullptr;
}

}  // namespace

std::string_view name(ClientFault fault) {
  switch (fault) {
    case ClientFault::none:
      return "";
    case ClientFault::unreachable:
      return "unreachable";
    case ClientFault::closed:
      return "connectionClosed";
    case ClientFault::timed_out:
      return "noAnswerInTime";
    case ClientFault::interrupted:
      return "interruptedHere";
    case ClientFault::garbled:
      return "notTheProtocol";
  }
  return "";
}

ClientFault client_fault(const Error& error) {
  const std::string found = text(error.details, "clientFault");
  for (const ClientFault fault :
       {ClientFault::unreachable, ClientFault::closed, ClientFault::timed_out,
        ClientFault::interrupted, ClientFault::garbled}) {
    if (found == name(fault)) return fault;
  }
  return ClientFault::none;
}

Client::Socket& Client::Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    if (fd >= 0) ::close(fd);
    fd = std::exchange(other.fd, -1);
  }
  return *this;
}

Client::Socket::~Socket() {
  if (fd >= 0) ::close(fd);
}

Client::Client(int fd, std::string path)
    : socket_(fd), path_(std::move(path)) {}

Client::Until Client::until(Milliseconds limit) {
  if (limit == kForever) return std::nullopt;
  return std::chrono::steady_clock::now() + limit;
}

Error Client::fault(ClientFault kind, std::string message,
                    std::string hint) const {
  Error error = make_error(Code::internal, std::move(message), std::move(hint));
  error.details["clientFault"] = toolhost::name(kind);
  error.details["path"] = path_;
  return error;
}

const Error& Client::finish(Error error) {
  if (!end_) end_ = std::move(error);
  return *end_;
}

void Client::close() {
  finish(fault(ClientFault::closed, "The connection was closed here."));
  socket_ = Socket(-1);
}

void Client::on_notification(std::function<void(Notification)> receive) {
  receiver_ = std::move(receive);
}

Result<json::object> Client::initialize(const ClientIdentity& identity,
                                        Milliseconds limit) {
  json::object info;
  info["name"] = identity.name;
  info["version"] = identity.version.empty() ? "0" : identity.version;
  json::object params;
  params["protocolVersion"] = 1;
  params["clientInfo"] = std::move(info);
  if (!identity.roles.empty()) {
    params["roles"] = json::array(identity.roles.begin(), identity.roles.end());
  }
  if (identity.interactive) {
    json::object capabilities;
    capabilities["interactive"] = json::object();
    params["capabilities"] = std::move(capabilities);
  }
  if (!identity.workspace.empty()) params["workspace"] = identity.workspace;
  auto result = call("initialize", params, limit);
  if (!result) return result;
  connection_id_ = text(*result, "connectionId");
  epoch_ = text(*result, "epoch");
  if (const json::object* limits = member(*result, "limits")) {
    const json::value* most = limits->if_contains("maxFrameBytes");
    boost::system::error_code ec;
    const auto bytes = most ? most->to_number<std::uint32_t>(ec) : 0U;
    if (!ec && bytes > 0) peer_max_frame_ = bytes;
  }
  return result;
}

Result<json::object> Client::call(std::string_view method,
                                  const json::object& params,
                                  Milliseconds limit) {
  auto id = send(method, params);
  if (!id) return id.error();
  auto reply = wait(*id, limit);
  if (!reply) abandon(*id);
  return reply;
}

Result<Client::RequestId> Client::send(std::string_view method,
                                       const json::object& params) {
  const RequestId id = next_id_++;
  open_.insert(id);
  auto sent = send_frame(request_text(std::to_string(id), method, params));
  if (!sent) {
    abandon(id);
    return sent.error();
  }
  return id;
}

Result<void> Client::notify(std::string_view method,
                            const json::object& params) {
  return send_frame(notification_text(method, json_text(params)));
}

Result<void> Client::cancel_request(RequestId id) {
  json::object params;
  params["id"] = id;
  return notify("$/cancelRequest", params);
}

Result<void> Client::send_frame(std::string_view frame) {
  if (frame.size() > peer_max_frame_) {
    Error error = make_error(
        Code::frame_too_large,
        "The request has " + std::to_string(frame.size()) +
            " bytes; the daemon takes " + std::to_string(peer_max_frame_) + ".",
        "Split the work, or pass large content through files.");
    return error;
  }
  if (end_) return *end_;
  return write_all(frame_bytes(Framing::lines, frame), until(kWriteLimit));
}

std::optional<Result<json::object>> Client::take(RequestId id) {
  const auto found = replies_.find(id);
  if (found == replies_.end()) return std::nullopt;
  Result<json::object> out = std::move(found->second);
  replies_.erase(found);
  return out;
}

void Client::abandon(RequestId id) {
  open_.erase(id);
  replies_.erase(id);
}

Result<json::object> Client::wait(RequestId id, Milliseconds limit) {
  const Until end = until(limit);
  for (;;) {
    if (auto reply = take(id)) return std::move(*reply);
    if (!open_.contains(id)) {
      return make_error(Code::internal, "Request " + std::to_string(id) +
                                            " is not open on this client.");
    }
    auto read = pump_until(end);
    if (!read) {
      // The last bytes may have held the reply.
      if (auto reply = take(id)) return std::move(*reply);
      return read.error();
    }
    if (!*read) {
      return fault(ClientFault::timed_out,
                   "The daemon at " + path_ + " did not answer in " +
                       std::to_string(limit.count()) + " ms.",
                   "Wait longer with --timeout, or look at `toolhost "
                   "status`.");
    }
  }
}

std::optional<Notification> Client::take_notification() {
  if (notifications_.empty()) return std::nullopt;
  Notification out = std::move(notifications_.front().notification);
  notification_bytes_ -= notifications_.front().bytes;
  notifications_.pop_front();
  return out;
}

Result<Notification> Client::next_notification(Milliseconds limit) {
  return next_notification({}, limit);
}

Result<Notification> Client::next_notification(std::string_view method,
                                               Milliseconds limit) {
  const Until end = until(limit);
  for (;;) {
    const auto found = std::find_if(
        notifications_.begin(), notifications_.end(), [&](const Queued& q) {
          return method.empty() || q.notification.method == method;
        });
    if (found != notifications_.end()) {
      Notification out = std::move(found->notification);
      notification_bytes_ -= found->bytes;
      notifications_.erase(found);
      return out;
    }
    auto read = pump_until(end);
    if (!read) return read.error();
    if (!*read) {
      return fault(ClientFault::timed_out,
                   "No notification " + std::string(method) + " came in " +
                       std::to_string(limit.count()) + " ms.");
    }
  }
}

}  // namespace toolhost
