// Provider: an actor that owns tools.
//
// State is touched only on the loop thread by its own member functions. A
// provider is made stopped; start() brings it up, stop() ends every child and
// every call it has, and returns only then. `enabled` is the user's switch,
// `available` the world's state; both with a reason that reaches the GUI.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/tool.hpp"
#include "providers/execution.hpp"

namespace toolhost {

struct ProviderStatus {
  bool enabled = true;
  bool available = true;
  // stopped, starting, ready, failed, backoff, draining
  std::string state = "stopped";
  // Why it is not enabled or available: a sentence.
  std::string reason;
  int restarts = 0;
};

class Provider {
 public:
  virtual ~Provider() = default;

  virtual std::string_view name() const = 0;
  virtual ProviderKind kind() const = 0;
  virtual ProviderStatus status() const = 0;

  virtual Task<Result<void>> start() = 0;
  virtual Task<void> stop() = 0;
  // Ends what runs and starts anew; calls in flight get their time to end
  // first. Returns when it is ready, or with the reason why it is not.
  virtual Task<Result<void>> restart();

  // The tools as they are now, descriptions rendered for `config`.
  virtual std::vector<Tool> tools(const config::Config& config) const = 0;
  // May the tool be listed in this workspace now (a binary is there, a kernel
  // feature works)? Empty: yes; otherwise the reason.
  virtual std::string unavailable(std::string_view tool) const = 0;

  virtual Outcome<Resolution> resolve(std::string_view tool,
                                      const json::object& arguments,
                                      const ToolContext& context) = 0;
  // More for listProviders than the status: versions, noise, tools that cannot
  // be offered and why. Never a secret.
  virtual json::object details() const { return {}; }

  // Set by the registry. A provider whose tools() or status() became another
  // one calls it, once for each change, from the loop and never from within a
  // call of its own interface. May be empty.
  std::function<void()> on_change;

  // `context` outlives the call.
  virtual Task<ToolOutput> call(std::string tool, json::object arguments,
                                const ExecutionContext& context) = 0;
};

}  // namespace toolhost
