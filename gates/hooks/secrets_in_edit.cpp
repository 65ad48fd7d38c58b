// Built-in hook: a key or a token is about to get into a file, or just did.
#include <algorithm>
#include <map>

#include "gates/hooks/builtin_hooks.hpp"
#include "gates/scrub/scrub.hpp"

namespace toolhost {
namespace {

using config::BuiltinHooks;
using config::HookPhase;

constexpr int kMaxDepth = 8;
constexpr std::size_t kMostFindings = 20;

bool changes_files(const Tool& tool) {
  return tool.kind == ToolKind::file_change;
}

// What an edit takes away is not news.
bool is_old_text(std::string_view key) {
  return key == "oldText" || key == "old_text" || key == "oldString" ||
         key == "old_string";
}

void collect(const json::value& value, bool old, int depth,
             std::vector<std::string_view>& fresh, std::string& gone) {
  if (depth > kMaxDepth) return;
  if (const auto* text = value.if_string()) {
    if (old) {
      gone += *text;
      gone += '\n';
    } else {
      fresh.emplace_back(*text);
    }
  } else if (const auto* array = value.if_array()) {
    for (const json::value& item : *array) {
      collect(item, old, depth + 1, fresh, gone);
    }
  } else if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      collect(member.value(), old || is_old_text(member.key()), depth + 1,
              fresh, gone);
    }
  }
}

struct Mark {
  std::string type;      // "github-token"
  std::size_t line = 1;  // from 1
};

// What the scrubber would take out, in the order of the text.
std::vector<Mark> secrets_in(std::string_view text) {
  std::vector<Mark> out;
  const std::string clean = scrubbed(text, Scrub::shapes);
  if (clean == text) return out;
  constexpr std::string_view kMark = "[REDACTED:";
  std::size_t counted = 0;
  std::size_t line = 1;
  for (std::size_t at = clean.find(kMark); at != std::string::npos;
       at = clean.find(kMark, at + 1)) {
    line += static_cast<std::size_t>(
        std::count(clean.begin() + static_cast<std::ptrdiff_t>(counted),
                   clean.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    const std::size_t begin = at + kMark.size();
    const std::size_t end = std::min(clean.find(']', begin), clean.size());
    out.push_back({clean.substr(begin, end - begin), line});
    if (out.size() == kMostFindings) break;
  }
  return out;
}

// "a github-token (line 3 of the new text)", never the secret itself; empty:
// nothing is new. A kind of which the old text has as many is no news: an edit
// beside a key is not its coming.
std::string findings_in(const json::object& arguments) {
  std::vector<std::string_view> fresh;
  std::string gone;
  for (const auto& member : arguments) {
    collect(member.value(), is_old_text(member.key()), 0, fresh, gone);
  }
  std::map<std::string, int> known;
  for (const Mark& mark : secrets_in(gone)) ++known[mark.type];
  std::string out;
  for (const std::string_view text : fresh) {
    for (const Mark& mark : secrets_in(text)) {
      if (known[mark.type]-- > 0) continue;
      out += (out.empty() ? "" : ", ") + mark.type + " (line " +
             std::to_string(mark.line) + " of the new text)";
    }
  }
  return out;
}

Task<HookRun> ask(Call&, Parts&, const json::object& arguments) {
  HookRun out;
  const std::string found = findings_in(arguments);
  if (!found.empty()) {
    out.answer.decision = HookAnswer::Decision::ask;
    out.answer.message =
        "What is to be written holds what looks like a " + found + ".";
  }
  co_return out;
}

Task<HookRun> warn(Call&, Parts&, const json::object& arguments) {
  HookRun out;
  const std::string found = findings_in(arguments);
  if (!found.empty()) {
    out.answer.context =
        "What was just written holds what looks like a " + found +
        ". If it is a real one, take it out of the file, read it from the "
        "environment or a secret store instead, and tell the person so that "
        "it can be revoked.";
  }
  co_return out;
}

}  // namespace

const BuiltinHook kAskAboutSecrets{
    .name = "secrets",
    .phase = HookPhase::pre_tool_use,
    .enabled =
        [](const config::Config& config) {
          return config.builtin_hooks.secrets == BuiltinHooks::Secrets::ask;
        },
    .wanted = changes_files,
    .run = ask,
};

const BuiltinHook kWarnOfSecrets{
    .name = "secrets",
    .phase = HookPhase::post_tool_use,
    .enabled =
        [](const config::Config& config) {
          return config.builtin_hooks.secrets != BuiltinHooks::Secrets::off;
        },
    .wanted = changes_files,
    .run = warn,
};

}  // namespace toolhost
