// JSON-RPC as servers speak it: a line in, messages out; and noise.
//
// Servers print banners, half a line of a log before a message, byte order
// marks, bytes that are no UTF-8, batches. What can be understood is; the rest
// is noise and told as such. No input makes it recurse without bound.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::mcp {

// Deeper values become null: one absurd schema must not cost the whole list.
inline constexpr std::size_t kMaxNesting = 120;

struct RpcError {
  std::int64_t code = 0;
  std::string message;
  json::value data;
};

struct Message {
  enum class Kind { reply, request, notification };
  Kind kind = Kind::notification;
  // Of a reply; nullopt when it is no whole number, so not one of ours.
  std::optional<std::int64_t> reply_id;
  // Of a request, as JSON text to be echoed.
  std::string request_id;
  std::string method;
  json::object params;
  json::value result;
  std::optional<RpcError> error;
};

struct Parsed {
  std::vector<Message> messages;
  // What could not be understood; empty: everything was.
  std::string noise;
};

Parsed parse_line(std::string_view line);

// The id in the ends of a line that was cut; nullopt when none stands there.
std::optional<std::int64_t> id_of_cut_line(std::string_view ends);

// The text with everything deeper than `most` replaced by null; nullopt when
// nothing is that deep.
std::optional<std::string> limit_nesting(std::string_view text,
                                         std::size_t most);

}  // namespace toolhost::mcp
