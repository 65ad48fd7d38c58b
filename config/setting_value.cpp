// Reading one value into its slot and printing it again, by type.
#include <algorithm>
#include <type_traits>

#include "config/hook_setting.hpp"
#include "config/mcp_server_setting.hpp"
#include "config/settings.hpp"
#include "protocol/fields.hpp"
#include "protocol/text.hpp"

namespace toolhost::config {
namespace {

using Fault = std::optional<SettingFault>;

// Longer strings are not written by hand.
constexpr std::size_t kLongestRulePart = 4096;

template <class T>
constexpr bool kIsNumber =
    std::is_same_v<T, int> || std::is_same_v<T, std::size_t> ||
    std::is_same_v<T, Milliseconds>;

std::string shown(std::string_view text) {
  return "\"" + display_text(utf8_prefix(text, 80)) + "\"";
}

// "a string" and so on, or the value itself where it is short.
std::string got(const json::value& value) {
  if (value.is_string()) return shown(value.get_string());
  if (value.is_int64()) return std::to_string(value.get_int64());
  if (value.is_uint64()) return std::to_string(value.get_uint64());
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (value.is_null()) return "null";
  return std::string(type_name(value));
}

Fault wrong(const Setting& setting, const json::value& value) {
  return SettingFault{{},
                      "must be " + allowed(setting) + ", not " + got(value)};
}

std::string quoted_list(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += '"';
    out += words[i];
    out += '"';
  }
  return out;
}

Fault read_choice(const Setting& setting, const json::value& value,
                  std::size_t& index) {
  if (!value.is_string()) return wrong(setting, value);
  const auto& words = setting.words;
  const auto found = std::find(words.begin(), words.end(),
                               std::string_view(value.get_string()));
  if (found == words.end()) return wrong(setting, value);
  index = static_cast<std::size_t>(found - words.begin());
  return {};
}

template <class T>
requires kIsNumber<T> Fault read(const Setting& setting,
                                 const json::value& value, T& slot) {
  // Numbers over 2^63 are uint64 and over every `high`.
  const auto* number = value.if_int64();
  if (!number || *number < setting.low || *number > setting.high) {
    return wrong(setting, value);
  }
  slot = T(
      static_cast<typename std::conditional_t<
          std::is_same_v<T, Milliseconds>,
          std::type_identity<Milliseconds::rep>, std::type_identity<T>>::type>(
          *number));
  return {};
}

template <class T>
requires std::is_enum_v<T> || std::is_same_v<T, bool> Fault
read(const Setting& setting, const json::value& value, T& slot) {
  std::size_t index = 0;
  if (auto fault = read_choice(setting, value, index)) return fault;
  slot = static_cast<T>(index);
  return {};
}

Fault read(const Setting& setting, const json::value& value,
           std::string& slot) {
  if (!setting.words.empty()) {
    std::size_t index = 0;
    if (auto fault = read_choice(setting, value, index)) return fault;
    slot = setting.words[index];
    return {};
  }
  if (!value.is_string()) return wrong(setting, value);
  const std::string_view text = value.get_string();
  if (std::string fault = setting.text_fault(text); !fault.empty()) {
    return SettingFault{{}, fault + ": " + shown(text)};
  }
  slot = text;
  return {};
}

// The items of a list, or null and a fault.
const json::array* items(const Setting& setting, const json::value& value,
                         Fault& fault) {
  const json::array* array = value.if_array();
  if (!array) {
    fault = wrong(setting, value);
  } else if (array->size() > static_cast<std::size_t>(setting.high)) {
    fault = SettingFault{{},
                         "has " + std::to_string(array->size()) +
                             " items; at most " + std::to_string(setting.high) +
                             " are allowed"};
  }
  return fault ? nullptr : array;
}

Fault read(const Setting& setting, const json::value& value,
           std::vector<std::string>& slot) {
  Fault fault;
  const json::array* array = items(setting, value, fault);
  if (!array) return fault;
  std::vector<std::string> out;
  for (const json::value& item : *array) {
    const std::string at = std::to_string(out.size());
    if (!item.is_string()) {
      return SettingFault{{at}, "must be a string, not " + got(item)};
    }
    const std::string_view text = item.get_string();
    if (std::string what = setting.text_fault(text); !what.empty()) {
      return SettingFault{{at}, what + ": " + shown(text)};
    }
    out.emplace_back(text);
  }
  slot = std::move(out);
  return {};
}

Fault read(const Setting& setting, const json::value& value,
           std::vector<std::uint32_t>& slot) {
  // (uid_t)-1 is "no user" to the kernel.
  constexpr std::int64_t kLastUid = 0xfffffffe;
  Fault fault;
  const json::array* array = items(setting, value, fault);
  if (!array) return fault;
  std::vector<std::uint32_t> out;
  for (const json::value& item : *array) {
    const auto* uid = item.if_int64();
    if (!uid || *uid < 0 || *uid > kLastUid) {
      return SettingFault{
          {std::to_string(out.size())},
          "must be a numeric user id (see `id -u`), not " + got(item)};
    }
    out.push_back(static_cast<std::uint32_t>(*uid));
  }
  slot = std::move(out);
  return {};
}

Fault read_rule_part(const json::object& rule, std::string_view part,
                     bool required, std::string& slot) {
  const json::value* value = rule.if_contains(part);
  if (!value && !required) return {};
  const std::string at(part);
  if (!value) return SettingFault{{}, "needs \"" + at + "\""};
  if (!value->is_string()) {
    return SettingFault{{at}, "must be a string, not " + got(*value)};
  }
  const std::string_view text = value->get_string();
  if (text.empty()) {
    return SettingFault{{at}, "is empty; \"*\" matches everything"};
  }
  if (text.size() > kLongestRulePart) {
    return SettingFault{{at}, "is over 4096 bytes"};
  }
  slot = text;
  return {};
}

Fault read_rule(const json::value& item, Rule& rule) {
  const json::object* object = item.if_object();
  if (!object) return SettingFault{{}, "must be an object, not " + got(item)};
  constexpr std::array<std::string_view, 3> kParts{"permission", "pattern",
                                                   "action"};
  for (const auto& member : *object) {
    if (std::find(kParts.begin(), kParts.end(),
                  std::string_view(member.key())) == kParts.end()) {
      return SettingFault{{std::string(member.key())},
                          "is not known; a rule has \"permission\", "
                          "\"pattern\" and \"action\""};
    }
  }
  rule.pattern = "*";
  std::string action;
  if (auto fault = read_rule_part(*object, "permission", true, rule.permission))
    return fault;
  if (auto fault = read_rule_part(*object, "pattern", false, rule.pattern))
    return fault;
  if (auto fault = read_rule_part(*object, "action", true, action))
    return fault;
  const auto parsed = parse_rule_action(action);
  if (!parsed) {
    return SettingFault{{"action"},
                        "must be \"allow\", \"ask\" or \"deny\", "
                        "not " +
                            shown(action)};
  }
  rule.action = *parsed;
  return {};
}

Fault read(const Setting& setting, const json::value& value,
           std::vector<Rule>& slot) {
  Fault fault;
  const json::array* array = items(setting, value, fault);
  if (!array) return fault;
  std::vector<Rule> out;
  for (const json::value& item : *array) {
    Rule rule;
    fault = read_rule(item, rule);
    if (fault) {
      fault->below.insert(fault->below.begin(), std::to_string(out.size()));
      return fault;
    }
    out.push_back(std::move(rule));
  }
  slot = std::move(out);
  return {};
}

Fault read(const Setting& setting, const json::value& value,
           std::vector<Hook>& slot) {
  Fault fault;
  const json::array* array = items(setting, value, fault);
  if (!array) return fault;
  std::vector<Hook> out;
  for (const json::value& item : *array) {
    Hook hook;
    fault = read_hook(item, hook);
    if (fault) {
      fault->below.insert(fault->below.begin(), std::to_string(out.size()));
      return fault;
    }
    out.push_back(std::move(hook));
  }
  slot = std::move(out);
  return {};
}

// An object {name: entry}: the shape that other clients write.
Fault read(const Setting& setting, const json::value& value,
           std::vector<McpServer>& slot) {
  const json::object* object = value.if_object();
  if (!object || object->size() > static_cast<std::size_t>(setting.high)) {
    return wrong(setting, value);
  }
  std::vector<McpServer> out;
  for (const auto& item : *object) {
    McpServer server;
    if (auto fault = read_mcp_server(item.key(), item.value(), server)) {
      fault->below.insert(fault->below.begin(), std::string(item.key()));
      return fault;
    }
    out.push_back(std::move(server));
  }
  slot = std::move(out);
  return {};
}

template <class T>
json::value write(const Setting& setting, const T& value) {
  if constexpr (std::is_same_v<T, Milliseconds>) {
    return value.count();
  } else if constexpr (kIsNumber<T>) {
    // As a parser gives it: read_setting takes int64 only.
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
    return json::value(setting.words[static_cast<std::size_t>(value)]);
  } else if constexpr (std::is_same_v<T, std::vector<Rule>>) {
    json::array out;
    for (const Rule& rule : value) {
      out.push_back({{"permission", rule.permission},
                     {"pattern", rule.pattern},
                     {"action", name(rule.action)}});
    }
    return out;
  } else if constexpr (std::is_same_v<T, std::vector<Hook>>) {
    json::array out;
    for (const Hook& hook : value) out.push_back(write_hook(hook));
    return out;
  } else if constexpr (std::is_same_v<T, std::vector<McpServer>>) {
    json::object out;
    for (const McpServer& server : value) {
      out[server.name] = write_mcp_server(server);
    }
    return out;
  } else {
    return json::value_from(value);
  }
}

}  // namespace

std::string allowed(const Setting& setting) {
  if (!setting.words.empty()) return quoted_list(setting.words);
  const std::string most = std::to_string(setting.high);
  return std::visit(
      [&]<class T>(Slot<T>) -> std::string {
        if constexpr (kIsNumber<T>) {
          return "a whole number from " + std::to_string(setting.low) + " to " +
                 most;
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return "a list of at most " + most + " strings";
        } else if constexpr (std::is_same_v<T, std::vector<std::uint32_t>>) {
          return "a list of at most " + most + " user ids";
        } else if constexpr (std::is_same_v<T, std::vector<Rule>>) {
          return "a list of at most " + most +
                 " rules {permission, pattern, action}";
        } else if constexpr (std::is_same_v<T, std::vector<Hook>>) {
          return "a list of at most " + most +
                 " hooks {phase, command or workflow, …}";
        } else if constexpr (std::is_same_v<T, std::vector<McpServer>>) {
          return "an object of at most " + most +
                 " servers {name: {command or url, …}}";
        } else {
          return "a string";
        }
      },
      setting.slot);
}

std::optional<SettingFault> read_setting(const Setting& setting,
                                         const json::value& value,
                                         Config& config) {
  return std::visit(
      [&](auto slot) { return read(setting, value, slot(config)); },
      setting.slot);
}

json::value write_setting(const Setting& setting, const Config& config) {
  // A slot only names the member; nothing is written through it here.
  auto& named = const_cast<Config&>(config);
  return std::visit([&](auto slot) { return write(setting, slot(named)); },
                    setting.slot);
}

}  // namespace toolhost::config
