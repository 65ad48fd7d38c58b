#include "providers/builtin/bash_report.hpp"

#include <string.h>

#include <string>

#include "providers/support/sandbox_denied.hpp"

namespace toolhost::builtin {
namespace {

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

std::string seconds(Milliseconds time) {
  std::string out = std::to_string(time.count() / 1000);
  const auto rest = time.count() % 1000;
  if (rest != 0) {
    std::string digits = std::to_string(1000 + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    out += "." + digits;
  }
  return out + " s";
}

// Shells report the signal of a child as 128 + N.
std::string exit_hint(int code) {
  if (code == 126) return "126 usually means: found, but not executable.";
  if (code == 127) return "127 usually means: a command was not found.";
  if (code > 128 && code < 128 + 65) {
    return std::to_string(code) + " usually means that " +
           signal_name(code - 128) + " ended a process.";
  }
  return {};
}

std::optional<CallError> failure_of(const CommandResult& result,
                                    const std::string& stop_reason) {
  if (result.cancelled) {
    return make_call_error(
        CallErrorKind::cancelled,
        stop_reason.empty() ? "The call was cancelled." : stop_reason,
        "The command and everything it started were ended; what it had "
        "changed until then stays.");
  }
  if (result.timed_out) {
    return make_call_error(
        CallErrorKind::timed_out,
        "The command ran longer than " + seconds(result.limit) +
            " and was ended, with everything it had started.",
        "Give a larger timeoutMs, or start it in the background with & and "
        "its output in a file.");
  }
  if (result.status.signal != 0) {
    return make_call_error(
        CallErrorKind::tool_failed,
        "The command was ended by " + signal_name(result.status.signal) + ".");
  }
  if (result.status.code != 0) {
    return make_call_error(CallErrorKind::tool_failed,
                           "The command exited with code " +
                               std::to_string(result.status.code) + ".",
                           exit_hint(result.status.code));
  }
  return std::nullopt;
}

std::string living_note(const CommandResult& result) {
  std::string pids;
  for (const int pid : result.living) {
    pids += (pids.empty() ? "" : ", ") + std::to_string(pid);
  }
  if (result.background_refused) {
    return "[Too many commands are in the background already: these "
           "processes, which it left running, were killed: " +
           pids + ".]";
  }
  return "[Still running in the background, until the session closes: pid " +
         pids + ".]";
}

void add_line(std::string& text, const std::string& line) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += line;
}

json::object structured_of(const CommandResult& result,
                           const OutputSpool& output, std::size_t lossy) {
  json::object out;
  if (result.status.signal != 0) {
    out["signal"] = signal_name(result.status.signal);
  } else {
    out["exitCode"] = result.status.code;
  }
  out["timedOut"] = result.timed_out;
  out["durationMs"] = result.duration.count();
  out["totalBytes"] = output.total();
  out["lossy"] = lossy > 0;
  if (lossy > 0) out["lossyBytes"] = lossy;
  json::array living;
  if (!result.background_refused) {
    living.insert(living.end(), result.living.begin(), result.living.end());
  }
  out["livingPids"] = std::move(living);
  return out;
}

}  // namespace

ToolOutput report_command(const CommandResult& result,
                          const OutputSpool& output,
                          const std::string& stop_reason) {
  ToolOutput out;
  std::size_t lossy = 0;
  std::string text = output.text(&lossy);
  if (text.empty()) text = "(The command wrote no output.)";
  if (lossy > 0) {
    add_line(text, "[" + std::to_string(lossy) +
                       " bytes above were not UTF-8 and are shown as "
                       "U+FFFD.]");
  }
  if (!result.living.empty()) add_line(text, living_note(result));
  out.content.push_back(Content::text(std::move(text)));
  out.structured = structured_of(result, output, lossy);
  out.error = failure_of(result, stop_reason);
  out.artifact = output.artifact();
  out.total_bytes = output.total();
  out.truncated = output.truncated();
  return out;
}

void note_denial(ToolOutput& output, const CommandResult& result,
                 const SandboxProfile& profile) {
  if (result.cancelled || result.timed_out || output.content.empty()) return;
  const auto denial =
      sandbox_denied(result.status, output.content.front().value, profile);
  if (!denial) return;
  CallError error = make_call_error(
      CallErrorKind::sandbox_denied,
      (output.error ? output.error->message + " " : std::string()) +
          denial->because,
      "Do it inside the workspace or without the network. If it has to leave "
      "the sandbox, call again with outsideSandbox: true: the person is asked "
      "about that.");
  error.details["layer"] = name_of(denial->layer);
  if (!denial->path.empty()) error.details["path"] = denial->path;
  error.details["line"] = denial->line;
  output.error = std::move(error);
}

}  // namespace toolhost::builtin
