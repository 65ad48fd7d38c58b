// Catalogue: which tools a session may see now, and their fingerprint.
//
// A view of the registry through the session's policy. `execute` judges the
// same filters again and never trusts a list.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gates/rules.hpp"
#include "gates/session.hpp"
#include "providers/registry.hpp"

namespace toolhost {

// Why a tool is not for this session; nullopt: it is. In order: provider
// enabled and available, provider lists, tool lists and config, runtime
// capability, plain deny rule. Mode and sandbox are asked apart, because their
// refusals have words of their own.
std::optional<std::string> not_offered(const RegisteredTool& row,
                                       const Policy& policy,
                                       const config::Config& current,
                                       const RuleStore& rules,
                                       const std::string& session);
// The mode of the session refuses the tool; nullopt: it does not.
std::optional<std::string> mode_refusal(const Tool& tool, SessionMode mode);
// The sandbox mode × kind table; nullopt: allowed.
std::optional<CallError> sandbox_refusal(const Tool& tool, SandboxMode mode);

// What rules call it: "edit" for every tool that changes files, else its name.
std::string permission_name(const Tool& tool);

struct Catalogue {
  std::vector<const RegisteredTool*> tools;  // sorted by name, none hidden
  SnapshotPtr snapshot;                      // keeps them alive
  std::string hash;                          // fingerprint
  // `"tools":[…]` as JSON text, made once.
  std::shared_ptr<const std::string> text;
};

// SHA-256 over every tool's definition hash, by name: order never changes it.
std::string fingerprint(const std::vector<const RegisteredTool*>& tools);

enum class Drift { none, additive, breaking };
// additive: something new, and nothing known changed or vanished.
Drift grade(const Catalogue& before, const Catalogue& now);
std::string_view name(Drift drift);

// Views by registry generation and policy; bounded. The same policy gets the
// same bytes.
class Catalogues {
 public:
  static constexpr std::size_t kKept = 64;
  Catalogues(const RuleStore& rules) : rules_(rules) {}

  std::shared_ptr<const Catalogue> of(const SnapshotPtr& snapshot,
                                      const Policy& policy,
                                      const config::Config& current,
                                      const std::string& session);
  // Rules or provider states changed: views are made anew.
  void invalidate() { views_.clear(); }

 private:
  struct View {
    std::uint64_t generation;
    const config::Config* config;
    Policy policy;
    std::string session;
    std::shared_ptr<const Catalogue> catalogue;
  };
  const RuleStore& rules_;
  std::vector<View> views_;
};

}  // namespace toolhost
