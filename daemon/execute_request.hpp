// The parameters of execute, decoded.
#pragma once

#include <optional>
#include <string>

#include "gates/session.hpp"
#include "protocol/clock.hpp"
#include "protocol/error.hpp"

namespace toolhost {

struct ExecuteRequest {
  enum class Stream { none, progress, output };

  std::string tool;
  json::object arguments;
  std::string digest;  // of the arguments as they came
  std::string call_id;
  bool named_by_caller = false;
  std::string key;
  std::string cwd;
  std::string reason;
  std::string turn_id;
  std::string agent_name;
  PolicyWish wish;
  std::optional<Milliseconds> timeout;
  std::optional<Milliseconds> approval_timeout;
  Stream stream = Stream::progress;
  bool detach = false;
  bool continue_on_disconnect = false;
  bool dry_run = false;

  ExecuteRequest() = default;
};

Result<ExecuteRequest> decode_execute(const json::object& params);

}  // namespace toolhost
