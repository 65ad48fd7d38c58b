#include "gates/hooks/builtin_hooks.hpp"

#include <array>

namespace toolhost {
namespace {

constexpr std::array<const BuiltinHook*, 3> kHooks{
    &kAskAboutSecrets,
    &kWarnOfSecrets,
    &kDiagnoseEdit,
};

}  // namespace

std::span<const BuiltinHook* const> builtin_hooks() { return kHooks; }

bool is_on(const BuiltinHook& hook, const Call& call, const Parts& parts) {
  return hook.enabled(*call.snapshot->config) ||
         hook.enabled(*parts.registry.snapshot()->config);
}

}  // namespace toolhost
