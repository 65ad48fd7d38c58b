#include "gates/hooks/workflow_hook.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"
#include "providers/support/private_file.hpp"

namespace toolhost {
namespace {

using config::Hook;
using config::HookMode;
using config::HookPhase;
using Decision = HookAnswer::Decision;

constexpr std::string_view kTarget = "/workflow/internal/hook-run";
constexpr std::size_t kSecretBytes = 4096;
constexpr std::size_t kMessageBytes = 4096;
constexpr unsigned kHttpOk = 200;

// An output of a workflow in mode `block` that begins with one of these is a
// no.
constexpr std::array<std::string_view, 4> kNo{"deny", "block", "reject",
                                              "false"};

// The first line of the file; an error names the file, never its content.
Result<std::string> read_secret(const std::string& file) {
  auto text = read_private_file(file, kSecretBytes);
  if (!text) return text.error();
  std::string secret = text->substr(0, text->find_first_of("\r\n"));
  const bool printable = std::all_of(
      secret.begin(), secret.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (secret.empty() || !printable) {
    return make_error(Code::internal,
                      file + " does not hold one line of printable text");
  }
  return secret;
}

std::string text_of(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  return value.is_null() ? std::string() : json_text(value);
}

bool says_no(std::string_view text) {
  std::string lower(text.substr(0, 16));
  const std::size_t begin = lower.find_first_not_of(" \t\r\n\"");
  lower.erase(0, std::min(begin, lower.size()));
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return std::any_of(kNo.begin(), kNo.end(), [&](std::string_view word) {
    return lower.starts_with(word);
  });
}

HookRun rewritten(const Hook& hook, const json::value& output) {
  HookRun out;
  if (hook.phase == HookPhase::user_prompt_submit) {
    out.answer.context = to_utf8(utf8_prefix(text_of(output), kMessageBytes));
    return out;
  }
  if (hook.phase == HookPhase::post_tool_use) {
    const std::string text = text_of(output);
    if (!text.empty()) {
      out.answer.context = to_utf8(utf8_prefix(text, kMessageBytes));
      out.answer.workflow_output = output;
    }
    return out;
  }
  if (output.is_null()) return out;
  if (output.is_string()) {
    std::string why;
    out.answer.arguments = read_one_object(output.get_string(), why);
    if (!out.answer.arguments) {
      return hook_failure("answered with an output that is no object: " + why);
    }
  } else if (output.is_object()) {
    out.answer.arguments = output.get_object();
  } else {
    return hook_failure("answered with an output that is not an object but " +
                        std::string(type_name(output)));
  }
  return out;
}

}  // namespace

HookRun read_workflow_answer(const Hook& hook, const HttpAnswer& answer) {
  if (answer.status != kHttpOk) {
    return hook_failure("was answered with HTTP status " +
                        std::to_string(answer.status) + ": " +
                        display_text(utf8_prefix(answer.body, 200)));
  }
  if (hook.mode == HookMode::observe) return {};
  std::string why;
  const auto parsed = read_one_object(answer.body, why);
  if (!parsed) {
    return hook_failure("was not answered with one JSON object (" + why +
                        "): " + display_text(utf8_prefix(answer.body, 200)));
  }
  const json::object& object = *parsed;
  const json::value* skipped = object.if_contains("skipped");
  const json::value* status = object.if_contains("status");
  if (skipped && skipped->is_bool() && skipped->get_bool()) return {};
  if (status && *status == json::value("skipped")) return {};

  const json::value* ok = object.if_contains("ok");
  const json::value* output = object.if_contains("output");
  const json::value* message = object.if_contains("message");
  const bool not_ok = ok && *ok == json::value(false);
  const bool errored = status && *status == json::value("error");
  const std::string text = output ? text_of(*output) : std::string();
  if (hook.mode == HookMode::block) {
    HookRun out;
    if (!not_ok && !errored && !says_no(text)) return out;
    out.answer.decision = Decision::deny;
    const std::string reason = message ? text_of(*message) : text;
    out.answer.message = to_utf8(utf8_prefix(reason, kMessageBytes));
    if (out.answer.message.empty()) {
      out.answer.message = "(The workflow gave no reason.)";
    }
    return out;
  }
  if (not_ok || errored) {
    return hook_failure("reports an error: " +
                        display_text(utf8_prefix(text, 200)));
  }
  return rewritten(hook, output ? *output : json::value());
}

Task<HookRun> run_workflow_hook(asio::io_context& loop, Hook hook,
                                HookEvent event, Stop& stop) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + hook.timeout;
  HttpPost post;
  // Checked when the configuration was read.
  post.url = config::parse_loopback_url(hook.base_url).value();
  post.target = kTarget;
  if (!hook.secret_file.empty()) {
    auto secret = read_secret(hook.secret_file);
    if (!secret) {
      co_return hook_failure("cannot be asked: " + secret.error().message);
    }
    post.bearer = std::move(*secret);
  }
  json::object body;
  body["workflow"] = hook.workflow;
  body["phase"] = config::name(hook.phase);
  body["mode"] = config::name(hook.mode);
  body["payload"] = event.payload;
  body["workspaceRoot"] = event.workspace;
  post.body = json_text(body);
  const auto answer = co_await http_post(loop, std::move(post), deadline, stop);
  HookRun out;
  if (answer) {
    out = read_workflow_answer(hook, *answer);
  } else if (stop.requested()) {
    out.cancelled = true;
  } else {
    out.timed_out = std::chrono::steady_clock::now() >= deadline;
    out.failure = answer.error().message;
  }
  co_return out;
}

}  // namespace toolhost
