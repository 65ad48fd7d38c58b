// The versions of MCP that are spoken, and what each of them has.
//
// Until 2025-11-25 a client opens with `initialize` and the version holds for
// the process. From 2026-07-28 on every request names its version in `_meta`
// and nothing is remembered. One process serves both at the same time.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace toolhost::cli::mcp {

struct Era {
  std::string_view version;
  bool stateless = false;   // the version is in every request's _meta
  bool batches = false;     // a line may be an array of messages
  bool structured = false;  // structuredContent and resource links in results
};

// Newest first.
std::span<const Era> eras();

// Of exactly this version; nullptr when it is not spoken.
const Era* find_era(std::string_view version);

// What `initialize` is answered with: the version that was asked for, else the
// newest one that starts with initialize. The client leaves if it cannot.
const Era& negotiate(std::string_view asked);

// Members of `_meta` in the stateless versions.
inline constexpr std::string_view kVersionKey =
    "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kClientInfoKey =
    "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kCapabilitiesKey =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kServerInfoKey =
    "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kSubscriptionKey =
    "io.modelcontextprotocol/subscriptionId";

}  // namespace toolhost::cli::mcp
