// Requests: signs of life, progress, and what the daemon tells by itself.
#include "daemon/cli/json_read.hpp"
#include "daemon/cli/mcp/requests.hpp"

namespace toolhost::cli::mcp {
namespace {

std::string state_words(const std::string& state) {
  if (state == "waitingForApproval") {
    return "waiting for approval; a person answers in `toolhost inbox`";
  }
  if (state == "queued") return "waiting for its turn";
  return "still running";
}

}  // namespace

void Requests::ask_for_signs(SteadyTime now) {
  Client* client = link_.client();
  if (!client) return;
  for (auto& [id, open] : open_) {
    if (!open.sent || open.asked || open.next_sign > now ||
        open.request.progress_token.is_null()) {
      continue;
    }
    json::object params;
    params["callId"] = open.request.call_id;
    auto asked = client->send("getCall", params);
    if (!asked) return;
    open.asked = *asked;
  }
}

void Requests::take_sign(Open& open, SteadyTime now) {
  auto reply = link_.client()->take(*open.asked);
  if (!reply) return;
  open.asked.reset();
  // Also when the answer is an error: the request itself is still open.
  const std::string state =
      *reply ? text_at(object_at(**reply, "call"), "state") : std::string();
  tell_progress(open, state_words(state), now);
}

void Requests::tell_progress(Open& open, const std::string& message,
                             SteadyTime now) {
  open.next_sign = now + limits_.sign_of_life;
  if (open.request.progress_token.is_null()) return;
  json::object params;
  params["progressToken"] = open.request.progress_token;
  // It has to rise; how much there is in all is not known.
  params["progress"] = ++open.progress;
  params["message"] = message;
  say_(notification_line("notifications/progress", params));
}

void Requests::take_notifications(SteadyTime now) {
  Client* client = link_.client();
  if (!client) return;
  while (auto notification = client->take_notification()) {
    const std::string& method = notification->method;
    if (method == "server/stopping") {
      stopping_ = true;
    } else if (method == "tools/changed" || method == "stream/overflow") {
      tools_changed_ = true;
    } else if (method == "call/progress") {
      const std::string call_id = text_at(notification->params, "callId");
      for (auto& [id, open] : open_) {
        if (open.request.call_id != call_id || call_id.empty()) continue;
        tell_progress(open, text_at(notification->params, "message"), now);
      }
    }
  }
}

}  // namespace toolhost::cli::mcp
