#include "config/load.hpp"

#include <algorithm>

#include "config/jsonc.hpp"
#include "config/settings.hpp"
#include "protocol/fields.hpp"
#include "protocol/text.hpp"

namespace toolhost::config {
namespace {

using Path = std::vector<std::string>;

// More are not read by anybody.
constexpr std::size_t kMaxFaults = 20;

struct Fault {
  Path path;
  std::string what;
  std::string hint;
};

using Faults = std::vector<Fault>;

Path segments(std::string_view key) {
  Path out;
  for (;;) {
    const auto dot = key.find('.');
    out.emplace_back(key.substr(0, dot));
    if (dot == std::string_view::npos) return out;
    key.remove_prefix(dot + 1);
  }
}

bool is_index(std::string_view segment) {
  return !segment.empty() &&
         segment.find_first_not_of("0123456789") == std::string_view::npos;
}

// rules[3].action
std::string shown(const Path& path) {
  std::string out;
  for (const std::string& segment : path) {
    const std::string part = display_text(utf8_prefix(segment, 80));
    if (is_index(segment) && !out.empty()) {
      out += "[" + part + "]";
    } else {
      out += out.empty() ? part : "." + part;
    }
  }
  return out;
}

// "limits." for {"limits"}.
std::string prefix_of(const Path& path) {
  std::string out;
  for (const std::string& segment : path) out += segment + ".";
  return out;
}

// The keys of a section, by the table. Empty: it is no section.
Path members(const Path& section) {
  const std::string prefix = prefix_of(section);
  Path out;
  for (const Setting& setting : settings()) {
    if (!setting.key.starts_with(prefix)) continue;
    Path rest = segments(setting.key.substr(prefix.size()));
    if (std::find(out.begin(), out.end(), rest.front()) == out.end()) {
      out.push_back(std::move(rest.front()));
    }
  }
  return out;
}

std::string list_of(const Path& names) {
  std::string out;
  for (const std::string& name : names) {
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

// "Did you mean …", or what there is.
std::string suggestion(const Path& section, const std::string& key,
                       const Path& known) {
  const std::string prefix = prefix_of(section);
  const auto nested = [](std::string_view path) {
    return "Did you mean \"" + std::string(path) +
           "\" (one object in the other)?";
  };
  const auto table = settings();
  const auto row_with = [&](auto&& matches) {
    const auto row = std::find_if(table.begin(), table.end(), matches);
    return row == table.end() ? std::string() : nested(row->key);
  };
  std::string found =
      row_with([&](const Setting& row) { return row.key == prefix + key; });
  if (!found.empty()) return found;
  const auto close = similar_names(key, known, 1);
  if (!close.empty()) return "Did you mean \"" + prefix + close[0] + "\"?";
  found = row_with(
      [&](const Setting& row) { return row.key.ends_with("." + key); });
  if (!found.empty()) return found;
  return "Known here: " + list_of(known) + ".";
}

// Every key has to be one of the table's, every section an object.
void check_keys(const json::object& object, const Path& section,
                Faults& faults) {
  const Path known = members(section);
  for (const auto& member : object) {
    if (faults.size() >= kMaxFaults) return;
    const std::string key(member.key());
    Path path = section;
    path.push_back(key);
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      faults.push_back(
          {path, "is not a known key", suggestion(section, key, known)});
    } else if (!members(path).empty()) {
      if (const auto* inner = member.value().if_object()) {
        check_keys(*inner, path, faults);
      } else {
        faults.push_back(
            {path,
             "must be an object, not " + std::string(type_name(member.value())),
             "It holds " + list_of(members(path)) + "."});
      }
    }
  }
}

const json::value* find_value(const json::object& root, const Path& path) {
  const json::object* object = &root;
  const json::value* value = nullptr;
  for (const std::string& segment : path) {
    if (!object) return nullptr;
    value = object->if_contains(segment);
    object = value ? value->if_object() : nullptr;
  }
  return value;
}

void apply_preset(Config& config) {
  // Where no sandbox is enforced, every command asks all the same.
  if (config.preset == "sandboxed") config.sessions.run_sandboxed = true;
  if (config.preset == "full-access") {
    config.sessions.sandbox = SandboxMode::danger_full_access;
    config.sessions.approvals = ApprovalPolicy::automatic;
  }
}

void read_values(const json::object& root, Config& config, Faults& faults) {
  for (const Setting& setting : settings()) {
    const Path path = segments(setting.key);
    const json::value* value = find_value(root, path);
    if (!value) continue;
    if (faults.size() >= kMaxFaults) return;
    if (auto fault = read_setting(setting, *value, config)) {
      Path at = path;
      at.insert(at.end(), fault->below.begin(), fault->below.end());
      faults.push_back({std::move(at), std::move(fault->what),
                        std::string(setting.meaning)});
    } else if (setting.key == "preset") {
      apply_preset(config);
    }
  }
}

// What only two values together can have wrong.
void check_pairs(const Config& config, Faults& faults) {
  const auto order = [&](Path path, std::int64_t value,
                         std::string_view bound_name, std::int64_t bound) {
    if (value <= bound) return;
    faults.push_back({std::move(path),
                      "is " + std::to_string(value) + ", which is over " +
                          std::string(bound_name) + " (" +
                          std::to_string(bound) + ")",
                      "Lower the first or raise the second."});
  };
  const BashTool& bash = config.tools.bash;
  order({"tools", "bash", "defaultTimeoutMs"}, bash.default_timeout.count(),
        "tools.bash.maxTimeoutMs", bash.max_timeout.count());
  const SearchTool& search = config.tools.search;
  order({"tools", "search", "defaultMatches"}, search.default_matches,
        "tools.search.maxMatches", search.max_matches);
}

Error to_error(std::string_view text, const std::string& file,
               const Faults& faults) {
  json::array all;
  for (const Fault& fault : faults) {
    const Position at = find_key(text, fault.path);
    all.push_back({{"key", shown(fault.path)},
                   {"line", at.line},
                   {"column", at.column},
                   {"message", shown(fault.path) + " " + fault.what},
                   {"hint", fault.hint}});
  }
  const json::object& first = all[0].get_object();
  const Position at = find_key(text, faults[0].path);
  std::string message =
      place(file, at) + ": " + shown(faults[0].path) + " " + faults[0].what;
  if (faults.size() > 1) {
    message += " (and " + std::to_string(faults.size() - 1) + " more)";
  }
  Error error =
      make_error(Code::config_invalid, std::move(message), faults[0].hint);
  error.details["file"] = file;
  error.details["line"] = first.at("line");
  error.details["column"] = first.at("column");
  error.details["faults"] = std::move(all);
  return error;
}

}  // namespace

Result<Config> parse_config(std::string_view text, std::string file) {
  auto parsed = parse_jsonc(text, file);
  if (!parsed) return std::move(parsed).error();
  Faults faults;
  Config config;
  if (const json::object* root = parsed->if_object()) {
    check_keys(*root, {}, faults);
    read_values(*root, config, faults);
    if (faults.empty()) check_pairs(config, faults);
  } else {
    return make_error(Code::config_invalid,
                      file + ":1:1: the configuration must be an object, not " +
                          std::string(type_name(*parsed)),
                      "An empty configuration is {}.");
  }
  if (!faults.empty()) return to_error(text, file, faults);
  config.file = std::move(file);
  return config;
}

}  // namespace toolhost::config
