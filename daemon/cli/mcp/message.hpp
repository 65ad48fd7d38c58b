// Messages of MCP: what one line holds, and the text of answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::cli::mcp {

// JSON-RPC numbers that MCP uses.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kUnsupportedVersion = -32022;

// The `error` member of an answer.
struct Fault {
  int code = kInternalError;
  std::string message;
  json::object data;
};

Fault make_fault(int code, std::string message);
// The daemon's error, or the connection's. Clients show the message alone, so
// the hint is in it.
Fault fault_of(const Error& error);

struct Message {
  enum class Kind { request, notification, response, bad };
  Kind kind = Kind::bad;
  // JSON text, ready to be echoed; "null" when there is none to answer with.
  std::string id = "null";
  std::string method;   // request, notification
  json::object params;  // request, notification
  json::object result;  // response; empty when it is an error
  Fault fault;          // bad
};

// One line: a message, or several when it is an array and `batches` allows it.
std::vector<Message> parse_line(std::string_view line, bool batches);

std::string result_line(std::string_view id, const json::object& result);
std::string fault_line(std::string_view id, const Fault& fault);
std::string notification_line(std::string_view method,
                              const json::object& params);

}  // namespace toolhost::cli::mcp
