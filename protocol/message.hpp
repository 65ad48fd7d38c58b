// JSON-RPC 2.0 requests: parse and print, nothing else.
//
// Profile: one object per frame, no batches, params an object, ids strings or
// whole numbers within +-2^53. The daemon sends replies and notifications,
// never requests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/error.hpp"

namespace toolhost {

struct Request {
  // The id as JSON text, ready to be echoed; empty for a notification.
  std::string id;
  std::string method;
  json::object params;

  bool is_notification() const { return id.empty(); }
};

// A frame that is no request; `id` is the JSON text to answer with ("null"
// when the frame did not have a usable one).
struct BadFrame {
  Error error;
  std::string id = "null";
};

// Nesting over this is refused; Boost.JSON would otherwise recurse with it.
inline constexpr std::size_t kMaxDepth = 64;

// `storage` backs the params while the request lives.
boost::system::result<Request, BadFrame> parse_request(
    std::string_view frame, json::storage_ptr storage = {});

// {"jsonrpc":"2.0","id":…,"result":…} around bytes that are JSON already.
std::string reply_text(std::string_view id, std::string_view result);
std::string error_text(std::string_view id, const Error& error);
// `params` is JSON text of an object.
std::string notification_text(std::string_view method, std::string_view params);
std::string request_text(std::string_view id, std::string_view method,
                         const json::object& params);

}  // namespace toolhost
