#include "protocol/error.hpp"

#include <array>
#include <boost/throw_exception.hpp>
#include <cstring>
#include <stdexcept>

namespace toolhost {
namespace {

constexpr std::array kErrors{
#define TOOLHOST_ERROR(name, code, kind, retryable, meaning) \
  ErrorInfo{Code::name, code, kind, retryable, meaning},
#include "protocol/errors.def"
#undef TOOLHOST_ERROR
};

constexpr std::array kCallErrors{
#define TOOLHOST_CALL_ERROR(name, kind, retryable, meaning) \
  CallErrorInfo{CallErrorKind::name, kind, retryable, meaning},
#include "protocol/call_errors.def"
#undef TOOLHOST_CALL_ERROR
};

}  // namespace

std::span<const ErrorInfo> error_registry() { return kErrors; }

const ErrorInfo& info(Code code) {
  return kErrors[static_cast<std::size_t>(code)];
}

Error make_error(Code code, std::string message, std::string hint) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

Error system_error(std::string what, int number) {
  return make_error(Code::internal,
                    std::move(what) + ": " + std::strerror(number));
}

json::object to_json(const Error& error) {
  const ErrorInfo& row = info(error.code);
  json::object data;
  data["kind"] = row.kind;
  data["retryable"] = row.retryable;
  if (!error.hint.empty()) data["hint"] = error.hint;
  if (const auto* wait = error.details.if_contains("retryAfterMs")) {
    data["retryAfterMs"] = *wait;
  }
  if (!error.details.empty()) data["details"] = error.details;
  json::object out;
  out["code"] = row.number;
  out["message"] = error.message;
  out["data"] = std::move(data);
  return out;
}

void throw_exception_from_error(const Error& error,
                                const boost::source_location& where) {
  boost::throw_exception(std::runtime_error(error.message), where);
}

std::span<const CallErrorInfo> call_error_registry() { return kCallErrors; }

const CallErrorInfo& info(CallErrorKind kind) {
  return kCallErrors[static_cast<std::size_t>(kind)];
}

void throw_exception_from_error(const CallError& error,
                                const boost::source_location& where) {
  boost::throw_exception(std::runtime_error(error.message), where);
}

CallError make_call_error(CallErrorKind kind, std::string message,
                          std::string hint) {
  CallError error;
  error.kind = kind;
  error.message = std::move(message);
  error.hint = std::move(hint);
  return error;
}

json::object to_json(const CallError& error) {
  const CallErrorInfo& row = info(error.kind);
  json::object out;
  out["kind"] = row.kind;
  out["message"] = error.message;
  if (!error.hint.empty()) out["hint"] = error.hint;
  out["retryable"] = row.retryable;
  if (!error.details.empty()) out["details"] = error.details;
  return out;
}

}  // namespace toolhost
