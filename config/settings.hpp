// Setting: one key of the configuration file; settings() is all of them.
//
// The one table that reading, printing, comparing, default.jsonc and CONFIG.md
// are made of or tested against. A new key is one row here, one member of
// Config, one line in each of the two documents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.hpp"
#include "protocol/error.hpp"

namespace toolhost::config {

// From when on a changed value counts.
enum class Reload { at_once, new_connections, new_sessions, restart };

std::string_view name(Reload reload);

// Where the value lives in a Config.
template <class T>
using Slot = T& (*)(Config&);

struct Setting {
  std::string_view key;      // "tools.bash.maxTimeoutMs"
  std::string_view meaning;  // one sentence
  std::variant<Slot<bool>, Slot<int>, Slot<std::size_t>, Slot<Milliseconds>,
               Slot<std::string>, Slot<SandboxMode>, Slot<ApprovalPolicy>,
               Slot<SessionMode>, Slot<std::vector<std::string>>,
               Slot<std::vector<std::uint32_t>>, Slot<std::vector<Rule>>,
               Slot<std::vector<Hook>>, Slot<std::vector<McpServer>>,
               Slot<BuiltinHooks::Diagnostics>, Slot<BuiltinHooks::Secrets>>
      slot;
  Reload reload = Reload::at_once;
  // Of a number, both included. Of a list or a string: its length.
  std::int64_t low = 0;
  std::int64_t high = 0;
  // The words of a choice, in the order of the enumerators (a bool: false
  // first). Empty: not a choice.
  std::span<const std::string_view> words;
  // What is wrong with a string or an item of a list; empty: nothing.
  std::string (*text_fault)(std::string_view text) = nullptr;
};

// In the order of CONFIG.md; `preset` first, because the others go over it.
std::span<const Setting> settings();

// "a whole number from 1 to 1024", for messages and CONFIG.md.
std::string allowed(const Setting& setting);

// What is wrong with a value: "limits.frameBytes must be …" without the key.
struct SettingFault {
  // Below the key: {"3", "action"} is the action of item 3.
  std::vector<std::string> below;
  std::string what;
};

// Checks `value` and puts it into `config`, which is unchanged on a fault.
std::optional<SettingFault> read_setting(const Setting& setting,
                                         const json::value& value,
                                         Config& config);

// The value as it stands in the file.
json::value write_setting(const Setting& setting, const Config& config);

}  // namespace toolhost::config
