#include "config/mcp_server_setting.hpp"

#include <algorithm>
#include <array>

#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost::config {
namespace {

using Fault = std::optional<SettingFault>;
using Pairs = std::vector<std::pair<std::string, std::string>>;
using std::string_view;

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestWord = 4096;
constexpr std::size_t kLongestArgument = 64 * 1024;
constexpr std::size_t kMostItems = 256;
constexpr std::int64_t kLongestMs = 24 * 3600 * 1000;
// Some clients write their `timeout` in seconds, others in milliseconds.
// Nobody means a time-out of less than a second.
constexpr std::int64_t kSecondsBelow = 1000;

constexpr std::array<string_view, 17> kMembers{"command",
                                               "args",
                                               "env",
                                               "cwd",
                                               "url",
                                               "headers",
                                               "enabled",
                                               "disabled",
                                               "startup",
                                               "timeout",
                                               "timeoutMs",
                                               "startTimeoutMs",
                                               "idleStopMs",
                                               "enabledTools",
                                               "disabledTools",
                                               "description",
                                               "trustAnnotations"};
// What other clients write beside these. Without effect here: they choose a
// transport that command and url tell already, or let tools run unasked.
constexpr std::array<string_view, 8> kForeign{
    "type",        "transport", "transportType", "autoApprove",
    "alwaysAllow", "trust",     "gallery",       "version"};

bool known(string_view key) {
  const auto in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  return in(kMembers) || in(kForeign);
}

// Reads the members one after the other; the first fault is kept.
class Entry {
 public:
  explicit Entry(const json::object& object) : object_(object) {}

  bool has(string_view member) const { return object_.contains(member); }

  std::string text(string_view member, std::size_t longest = kLongestWord) {
    const json::value* value = object_.if_contains(member);
    if (!value) return {};
    if (!value->is_string()) {
      fail(member, "must be a string, not " + std::string(type_name(*value)));
      return {};
    }
    return checked({std::string(member)}, value->get_string(), longest, false);
  }

  std::vector<std::string> texts(string_view member, bool may_be_empty) {
    const json::value* value = object_.if_contains(member);
    if (!value) return {};
    const json::array* array = value->if_array();
    if (!array || array->size() > kMostItems) {
      fail(member, "must be a list of at most 256 strings");
      return {};
    }
    std::vector<std::string> out;
    for (const json::value& item : *array) {
      const std::vector<std::string> at{std::string(member),
                                        std::to_string(out.size())};
      if (!item.is_string()) {
        fail_at(at, "must be a string, not " + std::string(type_name(item)));
        return {};
      }
      out.push_back(
          checked(at, item.get_string(), kLongestArgument, may_be_empty));
    }
    return out;
  }

  // {"NAME": "value"}; a number or a bool is taken as its text.
  Pairs pairs(string_view member) {
    const json::value* value = object_.if_contains(member);
    if (!value) return {};
    const json::object* map = value->if_object();
    if (!map || map->size() > kMostItems) {
      fail(member, "must be an object of at most 256 strings");
      return {};
    }
    Pairs out;
    for (const auto& item : *map) {
      const std::string name(item.key());
      const std::vector<std::string> at{std::string(member), name};
      if (name.empty() || name.size() > kLongestWord ||
          name.find_first_of(string_view("=\0\n\r", 4)) != std::string::npos) {
        fail_at(at, "is not a name");
      }
      std::string word;
      if (item.value().is_string()) {
        word = checked(at, item.value().get_string(), kLongestArgument, true);
      } else if (item.value().is_bool() || item.value().is_int64()) {
        word = json_text(item.value());
      } else {
        fail_at(at, "must be a string, not " +
                        std::string(type_name(item.value())));
      }
      out.emplace_back(name, std::move(word));
    }
    return out;
  }

  bool flag(string_view member, bool otherwise) {
    const json::value* value = object_.if_contains(member);
    if (!value) return otherwise;
    if (!value->is_bool()) {
      fail(member, "must be true or false");
      return otherwise;
    }
    return value->get_bool();
  }

  std::optional<std::int64_t> number(string_view member, std::int64_t low) {
    const json::value* value = object_.if_contains(member);
    if (!value) return {};
    const auto* number = value->if_int64();
    if (!number || *number < low || *number > kLongestMs) {
      fail(member, "must be a whole number from " + std::to_string(low) +
                       " to " + std::to_string(kLongestMs));
      return {};
    }
    return *number;
  }

  void fail(string_view member, std::string what) {
    fail_at({std::string(member)}, std::move(what));
  }
  void fail_at(std::vector<std::string> below, std::string what) {
    if (!fault_) fault_ = SettingFault{std::move(below), std::move(what)};
  }
  const Fault& result() const { return fault_; }

 private:
  std::string checked(const std::vector<std::string>& at, string_view word,
                      std::size_t longest, bool may_be_empty) {
    if (word.empty() && !may_be_empty) fail_at(at, "is empty");
    if (word.find('\0') != string_view::npos) fail_at(at, "has a NUL");
    if (word.size() > longest) {
      fail_at(at, "is over " + std::to_string(longest) + " bytes");
    }
    return std::string(word);
  }

  const json::object& object_;
  Fault fault_;
};

void check_members(Entry& in, const json::object& object) {
  for (const auto& member : object) {
    const string_view key = member.key();
    if (known(key)) continue;
    const auto close = similar_names(
        key, std::vector<std::string>(kMembers.begin(), kMembers.end()), 1);
    in.fail(key, close.empty() ? "is not known in a server"
                               : "is not known in a server; did you mean \"" +
                                     close[0] + "\"?");
  }
}

void read_where(Entry& in, McpServer& out) {
  out.command = in.text("command");
  out.args = in.texts("args", true);
  out.env = in.pairs("env");
  out.cwd = in.text("cwd");
  out.url = in.text("url");
  out.headers = in.pairs("headers");
  if (in.has("command") == in.has("url")) {
    in.fail_at({}, "needs either \"command\" or \"url\"");
  }
  if (!out.cwd.empty() && out.cwd[0] != '/' && out.cwd[0] != '$') {
    in.fail("cwd", "must be an absolute path");
  }
}

void read_times(Entry& in, McpServer& out) {
  if (const auto written = in.number("timeout", 1)) {
    out.call_timeout =
        Milliseconds(*written < kSecondsBelow ? *written * 1000 : *written);
  }
  if (const auto written = in.number("timeoutMs", 100)) {
    out.call_timeout = Milliseconds(*written);
  }
  if (const auto written = in.number("startTimeoutMs", 100)) {
    out.start_timeout = Milliseconds(*written);
  }
  if (const auto written = in.number("idleStopMs", 0)) {
    out.idle_stop = Milliseconds(*written);
  }
}

void read_startup(Entry& in, McpServer& out) {
  if (!in.has("startup")) return;
  const std::string word = in.text("startup");
  if (word == "lazy") {
    out.startup = McpStartup::lazy;
  } else if (word != "eager") {
    in.fail("startup", "must be \"eager\" or \"lazy\"");
  }
}

json::object write_pairs(const Pairs& pairs) {
  json::object out;
  for (const auto& [name, value] : pairs) out[name] = value;
  return out;
}

}  // namespace

std::optional<SettingFault> read_mcp_server(string_view name,
                                            const json::value& item,
                                            McpServer& server) {
  const json::object* object = item.if_object();
  if (!object) {
    return SettingFault{
        {}, "must be an object, not " + std::string(type_name(item))};
  }
  if (name.empty() || name.size() > kLongestName ||
      display_text(name) != name) {
    return SettingFault{
        {}, "must have a name of 1 to 64 bytes without control characters"};
  }
  Entry in(*object);
  check_members(in, *object);
  McpServer out;
  out.name = name;
  read_where(in, out);
  read_times(in, out);
  read_startup(in, out);
  // Both words are in use; whichever says off wins.
  out.enabled = in.flag("enabled", true) && !in.flag("disabled", false);
  out.trust_annotations = in.flag("trustAnnotations", false);
  out.enabled_tools = in.texts("enabledTools", false);
  out.disabled_tools = in.texts("disabledTools", false);
  in.text("description");
  if (in.result()) return in.result();
  server = std::move(out);
  return {};
}

json::object write_mcp_server(const McpServer& server) {
  json::object out;
  if (!server.url.empty()) {
    out["url"] = server.url;
    out["headers"] = write_pairs(server.headers);
  } else {
    out["command"] = server.command;
    out["args"] = json::value_from(server.args);
    out["env"] = write_pairs(server.env);
  }
  if (!server.cwd.empty()) out["cwd"] = server.cwd;
  out["enabled"] = server.enabled;
  out["startup"] = server.startup == McpStartup::lazy ? "lazy" : "eager";
  out["startTimeoutMs"] = server.start_timeout.count();
  out["timeoutMs"] = server.call_timeout.count();
  out["idleStopMs"] = server.idle_stop.count();
  out["trustAnnotations"] = server.trust_annotations;
  out["enabledTools"] = json::value_from(server.enabled_tools);
  out["disabledTools"] = json::value_from(server.disabled_tools);
  return out;
}

}  // namespace toolhost::config
