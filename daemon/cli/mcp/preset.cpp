#include "daemon/cli/mcp/preset.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace toolhost::cli::mcp {
namespace {

constexpr std::string_view kReadOnly = "read-only";

constexpr std::array kPresets{
    Preset{"ask", "reads and answers; changes nothing", "ask", "", ""},
    Preset{"ask-always", "every call asks a person", "", "", "always"},
    Preset{"ask-first", "changes ask a person first", "", "workspace-write",
           "on-request"},
    Preset{"plan", "reads and plans; changes nothing", "plan", "", ""},
    Preset{"read-only", "files are only read", "", kReadOnly, ""},
};

Error unknown_preset(std::string_view name) {
  std::string known;
  for (const Preset& preset : kPresets) {
    known += (known.empty() ? "" : ", ") + std::string(preset.name);
  }
  return make_error(Code::invalid_params,
                    "There is no preset \"" + std::string(name) + "\".",
                    "The presets are " + known +
                        ". They only narrow; what is wider is set in the "
                        "daemon's configuration.");
}

}  // namespace

std::span<const Preset> presets() { return kPresets; }

Result<json::object> narrowing(std::string_view preset, bool read_only) {
  json::object out;
  if (!preset.empty()) {
    const auto found = std::find_if(
        kPresets.begin(), kPresets.end(),
        [preset](const Preset& each) { return each.name == preset; });
    if (found == kPresets.end()) return unknown_preset(preset);
    const auto put = [&out](std::string_view name, std::string_view value) {
      if (!value.empty()) out[name] = value;
    };
    put("mode", found->mode);
    put("sandboxMode", found->sandbox_mode);
    put("approvalPolicy", found->approval_policy);
  }
  if (read_only) out["sandboxMode"] = kReadOnly;
  return out;
}

}  // namespace toolhost::cli::mcp
