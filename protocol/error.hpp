// Error and Result<T>: what the world does to us, returned instead of thrown.
//
// A message says what was tried, on what, and what the system said; the hint
// says what to do next. Impossible states are asserts, never an Error.
#pragma once

#include <boost/json.hpp>
#include <boost/system/result.hpp>
#include <span>
#include <string>
#include <string_view>

namespace toolhost {

namespace json = boost::json;

enum class Code {
#define TOOLHOST_ERROR(name, code, kind, retryable, meaning) name,
#include "protocol/errors.def"
#undef TOOLHOST_ERROR
};

struct ErrorInfo {
  Code code;
  int number;
  std::string_view kind;
  bool retryable;
  std::string_view meaning;
};

// Every row of errors.def, in order.
std::span<const ErrorInfo> error_registry();
const ErrorInfo& info(Code code);

struct [[nodiscard]] Error {
  Code code = Code::internal;
  std::string message;
  std::string hint;
  json::object details;
};

template <class T>
using Result = boost::system::result<T, Error>;

// Makes an Error without a brace list, which g++ 12 miscompiles next to
// co_await.
Error make_error(Code code, std::string message, std::string hint = {});

// "what: strerror(number)".
Error system_error(std::string what, int number);

// The `error` member of a JSON-RPC reply.
json::object to_json(const Error& error);

// Result::value() on an error ends here; only tests use value().
[[noreturn]] void throw_exception_from_error(const Error& error,
                                             const boost::source_location&);

// What happened to a call (call_errors.def); carried by results.
enum class CallErrorKind {
#define TOOLHOST_CALL_ERROR(name, kind, retryable, meaning) name,
#include "protocol/call_errors.def"
#undef TOOLHOST_CALL_ERROR
};

struct CallErrorInfo {
  CallErrorKind code;
  std::string_view kind;
  bool retryable;
  std::string_view meaning;
};

std::span<const CallErrorInfo> call_error_registry();
const CallErrorInfo& info(CallErrorKind kind);

// The `error` member of a call's result, worded for a model.
struct [[nodiscard]] CallError {
  CallErrorKind kind = CallErrorKind::internal;
  std::string message;
  std::string hint;
  json::object details;
};

// What a tool or a gate returns: a value, or what happened to the call.
template <class T>
using Outcome = boost::system::result<T, CallError>;

[[noreturn]] void throw_exception_from_error(const CallError& error,
                                             const boost::source_location&);

CallError make_call_error(CallErrorKind kind, std::string message,
                          std::string hint = {});
json::object to_json(const CallError& error);

}  // namespace toolhost
