#include "providers/mcp/launch.hpp"

#include <algorithm>
#include <cstdlib>

namespace toolhost::mcp {
namespace {

using std::string_view;

bool is_variable(string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && (name[0] < '0' || name[0] > '9') &&
         std::all_of(name.begin(), name.end(), good);
}

Error bad(std::string message, std::string hint) {
  return make_error(Code::config_invalid, std::move(message), std::move(hint));
}

// What stands between the braces.
Result<std::string> value_of(string_view inside, Secrets& secrets) {
  const auto colon = inside.find(":-");
  const std::string name(inside.substr(0, colon));
  if (!is_variable(name)) {
    return bad("\"${" + name + "}\" is no variable of the environment.",
               "Only ${NAME} and ${NAME:-otherwise} are replaced; editors' "
               "own placeholders are not known here.");
  }
  if (const char* value = std::getenv(name.c_str())) {
    secrets.add(name, value);
    return std::string(value);
  }
  if (colon != string_view::npos) return std::string(inside.substr(colon + 2));
  return bad(
      "It needs the variable " + name + ", which the daemon does not have.",
      "Set it where the daemon is started (systemctl --user "
      "set-environment, or environment.d), then restart the daemon.");
}

void set_variable(std::vector<std::string>& env, const std::string& name,
                  const std::string& value) {
  std::erase_if(env, [&](const std::string& entry) {
    return entry.starts_with(name + "=");
  });
  env.push_back(name + "=" + value);
}

std::string home() {
  const char* folder = std::getenv("HOME");
  return folder && *folder == '/' ? folder : "/";
}

Error at(const Error& error, const std::string& where) {
  Error out = error;
  out.message = where + ": " + out.message;
  return out;
}

}  // namespace

void Secrets::add(std::string name, std::string value) {
  // Where a program was looked for has to be readable.
  if (value.size() < kShortest || name == "PATH" || name == "HOME") return;
  const auto shorter = std::find_if(
      values_.begin(), values_.end(),
      [&](const auto& item) { return item.second.size() < value.size(); });
  values_.emplace(shorter, std::move(name), std::move(value));
}

std::string Secrets::redact(std::string text) const {
  for (const auto& [name, value] : values_) {
    const std::string shown = "[" + name + "]";
    for (auto found = text.find(value); found != std::string::npos;
         found = text.find(value, found + shown.size())) {
      text.replace(found, value.size(), shown);
    }
  }
  return text;
}

Result<std::string> expand(string_view text, Secrets& secrets) {
  std::string out;
  for (;;) {
    const auto open = text.find("${");
    const auto close = text.find('}', open);
    if (open == string_view::npos || close == string_view::npos) {
      out += text;
      return out;
    }
    out += text.substr(0, open);
    auto value = value_of(text.substr(open + 2, close - open - 2), secrets);
    if (!value) return value.error();
    out += *value;
    text.remove_prefix(close + 1);
  }
}

Result<Launch> make_launch(const config::McpServer& server) {
  Launch out;
  auto command = expand(server.command, out.secrets);
  if (!command) return at(command.error(), "command");
  out.process.argv.push_back(std::move(*command));
  for (const std::string& each : server.args) {
    auto argument = expand(each, out.secrets);
    if (!argument) return at(argument.error(), "args");
    out.process.argv.push_back(std::move(*argument));
  }
  out.process.env = child_environment();
  for (const auto& [name, written] : server.env) {
    auto value = expand(written, out.secrets);
    if (!value) return at(value.error(), "env " + name);
    out.secrets.add(name, *value);
    set_variable(out.process.env, name, *value);
  }
  auto cwd = expand(server.cwd, out.secrets);
  if (!cwd) return at(cwd.error(), "cwd");
  out.process.cwd = cwd->empty() ? home() : std::move(*cwd);
  if (out.process.cwd.front() != '/') {
    return bad("cwd has to be an absolute path.",
               "Write the whole path; \"~\" is not replaced.");
  }
  out.process.stdin_pipe = true;
  return out;
}

}  // namespace toolhost::mcp
