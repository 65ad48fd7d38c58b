// What every hook did since the daemon started, for `status`.
#pragma once

#include <map>
#include <string>

#include "config/config.hpp"
#include "gates/hooks/answer.hpp"

namespace toolhost {

struct HookStatistics {
  std::uint64_t runs = 0;
  std::uint64_t denied = 0;
  std::uint64_t rewrote = 0;
  std::uint64_t failed = 0;  // time-outs included
  std::uint64_t timed_out = 0;
  std::uint64_t micros = 0;
  std::uint64_t longest_micros = 0;
  std::string last_run_at;
  std::string last_failure;
  std::string last_failure_at;
};

class HookLedger {
 public:
  // Rows of hooks that are configured no more; the oldest names go first.
  static constexpr std::size_t kMaxRows = 400;

  void add(config::HookPhase phase, const std::string& hook, const HookRun& run,
           std::uint64_t micros, const std::string& now);

  // The run that was added last turned out to be none (an answer that does
  // not fit the call).
  void blame(config::HookPhase phase, const std::string& hook,
             const std::string& why, const std::string& now);

  // A row for every hook of `config`, built-in ones first, and for those that
  // ran before they were removed.
  json::array to_json(const config::Config& config) const;

 private:
  using Key = std::pair<config::HookPhase, std::string>;
  std::map<Key, HookStatistics> rows_;
};

}  // namespace toolhost
