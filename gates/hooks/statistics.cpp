#include "gates/hooks/statistics.hpp"

#include <algorithm>
#include <set>

#include "gates/hooks/builtin_hooks.hpp"

namespace toolhost {
namespace {

constexpr std::uint64_t kMicros = 1000;  // of a millisecond

json::object row(config::HookPhase phase, const std::string& hook,
                 std::string_view form, const HookStatistics& facts) {
  json::object out;
  out["name"] = hook;
  out["phase"] = config::name(phase);
  out["form"] = form;
  out["runs"] = facts.runs;
  out["denied"] = facts.denied;
  out["rewrote"] = facts.rewrote;
  out["failed"] = facts.failed;
  out["timedOut"] = facts.timed_out;
  out["averageMs"] = facts.runs == 0 ? 0 : facts.micros / facts.runs / kMicros;
  out["longestMs"] = facts.longest_micros / kMicros;
  if (!facts.last_run_at.empty()) out["lastRunAt"] = facts.last_run_at;
  if (!facts.last_failure.empty()) {
    out["lastFailure"] = facts.last_failure;
    out["lastFailureAt"] = facts.last_failure_at;
  }
  return out;
}

}  // namespace

void HookLedger::add(config::HookPhase phase, const std::string& hook,
                     const HookRun& run, std::uint64_t micros,
                     const std::string& now) {
  if (rows_.size() >= kMaxRows && !rows_.contains(Key(phase, hook))) {
    const auto oldest = std::min_element(
        rows_.begin(), rows_.end(), [](const auto& a, const auto& b) {
          return a.second.last_run_at < b.second.last_run_at;
        });
    rows_.erase(oldest);
  }
  HookStatistics& facts = rows_[Key(phase, hook)];
  ++facts.runs;
  facts.micros += micros;
  facts.longest_micros = std::max(facts.longest_micros, micros);
  facts.last_run_at = now;
  const HookAnswer& answer = run.answer;
  if (answer.decision == HookAnswer::Decision::deny) ++facts.denied;
  if (answer.arguments || answer.output || answer.is_error) ++facts.rewrote;
  if (run.timed_out) ++facts.timed_out;
  if (run.failure.empty()) return;
  ++facts.failed;
  facts.last_failure = run.failure;
  facts.last_failure_at = now;
}

void HookLedger::blame(config::HookPhase phase, const std::string& hook,
                       const std::string& why, const std::string& now) {
  const auto found = rows_.find(Key(phase, hook));
  if (found == rows_.end()) return;
  ++found->second.failed;
  found->second.last_failure = why;
  found->second.last_failure_at = now;
}

json::array HookLedger::to_json(const config::Config& config) const {
  json::array out;
  std::set<Key> told;
  const auto tell = [&](config::HookPhase phase, const std::string& hook,
                        std::string_view form) {
    const Key key(phase, hook);
    if (!told.insert(key).second) return;
    const auto found = rows_.find(key);
    out.push_back(row(phase, hook, form,
                      found == rows_.end() ? HookStatistics() : found->second));
  };
  for (const BuiltinHook* hook : builtin_hooks()) {
    if (hook->enabled(config)) {
      tell(hook->phase, std::string(hook->name), "builtin");
    }
  }
  for (const config::Hook& hook : config.hooks) {
    tell(hook.phase, hook.name, hook.workflow.empty() ? "command" : "workflow");
  }
  for (const auto& [key, facts] : rows_) {
    if (!told.contains(key)) tell(key.first, key.second, "removed");
  }
  return out;
}

}  // namespace toolhost
