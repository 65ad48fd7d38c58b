// LoopbackUrl: where a workflow hook is sent. Only this machine can be named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolhost::config {

// "http://127.0.0.1:8080/prefix" (or localhost, or [::1]), or
// "unix:/run/user/1000/workflow.sock".
struct LoopbackUrl {
  std::string socket;   // absolute path; empty: TCP
  std::string address;  // "127.0.0.1" or "::1"
  std::uint16_t port = 0;
  std::string host;    // for the Host header
  std::string prefix;  // "" or "/prefix", without a slash at its end
};

std::optional<LoopbackUrl> parse_loopback_url(std::string_view text);

}  // namespace toolhost::config
