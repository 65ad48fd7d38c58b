#include "config/hook_setting.hpp"

#include <algorithm>
#include <array>

#include "config/loopback_url.hpp"
#include "config/text_faults.hpp"
#include "protocol/fields.hpp"
#include "protocol/text.hpp"

namespace toolhost::config {
namespace {

using Fault = std::optional<SettingFault>;

constexpr std::size_t kLongestWord = 4096;
constexpr std::size_t kLongestCommand = 64 * 1024;
constexpr std::size_t kMostItems = 256;
constexpr std::int64_t kLongestTimeoutMs = 10 * 60 * 1000;
// Of a command, in a name that nobody gave.
constexpr std::size_t kNameBytes = 60;

constexpr std::array<std::string_view, 13> kMembers{
    "name",      "phase",      "matcher",  "toolNames", "clientSurfaces",
    "command",   "cwd",        "workflow", "mode",      "baseUrl",
    "timeoutMs", "secretFile", "onFailure"};

Fault fault(std::string_view member, std::string what) {
  return SettingFault{{std::string(member)}, std::move(what)};
}

std::string shown(std::string_view text) {
  return "\"" + display_text(utf8_prefix(text, 80)) + "\"";
}

// Reads the members one after the other; the first fault is kept.
class Entry {
 public:
  explicit Entry(const json::object& object) : object_(object) {}

  bool has(std::string_view member) const { return object_.contains(member); }

  std::string text(std::string_view member,
                   std::size_t longest = kLongestWord) {
    const json::value* value = object_.if_contains(member);
    if (!value) return {};
    if (!value->is_string()) {
      fail(member, "must be a string, not " + std::string(type_name(*value)));
      return {};
    }
    return checked(member, value->get_string(), longest);
  }

  std::vector<std::string> texts(std::string_view member, std::size_t longest) {
    const json::value* value = object_.if_contains(member);
    if (!value) return {};
    const json::array* array = value->if_array();
    if (!array || array->empty() || array->size() > kMostItems) {
      fail(member, "must be a list of 1 to 256 strings");
      return {};
    }
    std::vector<std::string> out;
    for (const json::value& item : *array) {
      if (!item.is_string()) {
        fail(member,
             "must hold strings only, not " + std::string(type_name(item)));
        return {};
      }
      out.push_back(checked(member, item.get_string(), longest));
    }
    return out;
  }

  // The position of the word in `words`; `otherwise` when it is absent.
  std::size_t choice(std::string_view member,
                     std::span<const std::string_view> words,
                     std::size_t otherwise) {
    if (!has(member)) return otherwise;
    const std::string word = text(member);
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) {
      return static_cast<std::size_t>(found - words.begin());
    }
    std::string list;
    for (const std::string_view each : words) {
      list += (list.empty() ? "\"" : ", \"") + std::string(each) + "\"";
    }
    fail(member, "must be one of " + list + ", not " + shown(word));
    return otherwise;
  }

  Milliseconds milliseconds(std::string_view member, Milliseconds otherwise) {
    const json::value* value = object_.if_contains(member);
    if (!value) return otherwise;
    const auto* number = value->if_int64();
    if (!number || *number < 10 || *number > kLongestTimeoutMs) {
      fail(member, "must be a whole number from 10 to 600000");
      return otherwise;
    }
    return Milliseconds(*number);
  }

  void fail(std::string_view member, std::string what) {
    if (!fault_) fault_ = fault(member, std::move(what));
  }
  void fail_whole(std::string what) {
    if (!fault_) fault_ = SettingFault{{}, std::move(what)};
  }
  const Fault& result() const { return fault_; }

 private:
  std::string checked(std::string_view member, std::string_view word,
                      std::size_t longest) {
    if (word.empty()) fail(member, "is empty");
    if (word.find('\0') != std::string_view::npos) fail(member, "has a NUL");
    if (word.size() > longest) {
      fail(member, "is over " + std::to_string(longest) + " bytes");
    }
    return std::string(word);
  }

  const json::object& object_;
  Fault fault_;
};

void check_absolute(Entry& in, std::string_view member,
                    const std::string& path) {
  if (!path.empty() && path.front() != '/') {
    in.fail(member, "must be an absolute path, not " + shown(path));
  }
}

void read_command(Entry& in, const json::value& value, Hook& hook) {
  if (value.is_string()) {
    // Neither a login shell nor an interactive one: no profile is read that
    // could print before the answer.
    hook.command = {"/bin/sh", "-c", in.text("command", kLongestCommand)};
  } else {
    hook.command = in.texts("command", kLongestCommand);
  }
  if (hook.command.empty()) return;
  const std::string& program = hook.command.front();
  if (program.front() != '/' && program.find('/') != std::string::npos) {
    in.fail("command",
            "must begin with an absolute path or a name that is in PATH, not " +
                shown(program));
  }
  hook.cwd = in.text("cwd");
  check_absolute(in, "cwd", hook.cwd);
  for (const char* other : {"mode", "baseUrl", "secretFile"}) {
    if (in.has(other)) in.fail(other, "belongs to a workflow, not a command");
  }
}

void read_workflow(Entry& in, Hook& hook) {
  constexpr std::array<std::string_view, 3> kModes{"observe", "block",
                                                   "rewrite"};
  hook.workflow = in.text("workflow");
  hook.mode = static_cast<HookMode>(in.choice("mode", kModes, 0));
  hook.base_url = in.text("baseUrl");
  hook.secret_file = in.text("secretFile");
  check_absolute(in, "secretFile", hook.secret_file);
  if (in.has("cwd")) in.fail("cwd", "belongs to a command, not a workflow");
  if (hook.mode != HookMode::observe && !is_guard(hook.phase)) {
    in.fail("mode", "must be \"observe\" in phase " +
                        std::string(name(hook.phase)) +
                        ", which only observes");
  }
  if (!parse_loopback_url(hook.base_url)) {
    in.fail("baseUrl",
            "must be http://127.0.0.1:PORT, http://localhost:PORT, "
            "http://[::1]:PORT or unix:/path/of.socket, not " +
                shown(hook.base_url));
  }
}

// What the hook is called when nobody gave it a name.
std::string made_name(const Hook& hook) {
  if (hook.command.empty()) return hook.workflow;
  const bool shell = hook.command.size() == 3 && hook.command[1] == "-c";
  std::string text;
  if (shell) {
    text = hook.command[2];
  } else {
    for (const std::string& word : hook.command) {
      text += (text.empty() ? "" : " ") + word;
    }
  }
  return display_text(utf8_prefix(text, kNameBytes));
}

void read_scope(Entry& in, Hook& hook) {
  if (in.has("matcher")) hook.matcher = in.text("matcher");
  hook.tool_names = in.texts("toolNames", kLongestWord);
  hook.client_surfaces = in.texts("clientSurfaces", kLongestWord);
  const bool tool_phase = hook.phase <= HookPhase::post_tool_use;
  for (const char* member : {"matcher", "toolNames"}) {
    if (in.has(member) && !tool_phase) {
      in.fail(member, "has no meaning in phase " +
                          std::string(name(hook.phase)) +
                          ", which knows no tool");
    }
  }
}

}  // namespace

std::optional<SettingFault> read_hook(const json::value& item, Hook& hook) {
  const json::object* object = item.if_object();
  if (!object) {
    return SettingFault{
        {}, "must be an object, not " + std::string(type_name(item))};
  }
  Entry in(*object);
  for (const auto& member : *object) {
    const std::string_view key = member.key();
    if (std::find(kMembers.begin(), kMembers.end(), key) == kMembers.end()) {
      const auto close = similar_names(
          key, std::vector<std::string>(kMembers.begin(), kMembers.end()), 1);
      in.fail(key, close.empty() ? "is not known in a hook"
                                 : "is not known in a hook; did you mean \"" +
                                       close[0] + "\"?");
    }
  }
  Hook out;
  const std::string phase = in.text("phase");
  if (const auto parsed = parse_hook_phase(phase)) {
    out.phase = *parsed;
  } else if (in.has("phase")) {
    in.fail("phase",
            "must be PreToolUse, PostToolUse, UserPromptSubmit, TurnStart, "
            "TurnEnd or PreCompact, not " +
                shown(phase));
  } else {
    in.fail_whole("needs \"phase\"");
  }
  read_scope(in, out);
  const json::value* command = object->if_contains("command");
  if (bool(command) == in.has("workflow")) {
    in.fail_whole("needs either \"command\" or \"workflow\"");
  } else if (command) {
    read_command(in, *command, out);
  } else {
    read_workflow(in, out);
  }
  out.timeout = in.milliseconds("timeoutMs", out.timeout);
  constexpr std::array<std::string_view, 2> kFailure{"warn", "refuse"};
  const bool watches = !out.workflow.empty() && out.mode == HookMode::observe;
  const bool guards = is_guard(out.phase) && !watches;
  out.fail_closed = in.choice("onFailure", kFailure, guards ? 1 : 0) == 1;
  if (out.fail_closed && !guards) {
    in.fail("onFailure", "must be \"warn\" for a hook that only observes");
  }
  out.name = in.text("name");
  if (in.result()) return in.result();
  if (out.name.empty()) out.name = made_name(out);
  hook = std::move(out);
  return {};
}

json::object write_hook(const Hook& hook) {
  json::object out;
  out["name"] = hook.name;
  out["phase"] = name(hook.phase);
  if (hook.matcher) out["matcher"] = *hook.matcher;
  const auto list = [&](const char* member,
                        const std::vector<std::string>& items) {
    if (!items.empty()) out[member] = json::value_from(items);
  };
  list("toolNames", hook.tool_names);
  list("clientSurfaces", hook.client_surfaces);
  list("command", hook.command);
  const auto text = [&](const char* member, const std::string& value) {
    if (!value.empty()) out[member] = value;
  };
  text("cwd", hook.cwd);
  text("workflow", hook.workflow);
  if (!hook.workflow.empty()) out["mode"] = name(hook.mode);
  text("baseUrl", hook.base_url);
  text("secretFile", hook.secret_file);
  out["timeoutMs"] = hook.timeout.count();
  out["onFailure"] = hook.fail_closed ? "refuse" : "warn";
  return out;
}

}  // namespace toolhost::config
