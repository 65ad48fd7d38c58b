// What comes from a server: lines to messages, messages to who waits for them.
#include "providers/mcp/connection.hpp"
#include "providers/mcp/server_requests.hpp"

namespace toolhost::mcp {

void Connection::take_lines() {
  while (const auto line = lines_.next()) {
    if (ended_) return;
    if (line->cut) {
      take_cut_line(*line);
      continue;
    }
    Parsed parsed = parse_line(line->text);
    if (!parsed.noise.empty()) journal_.noise(parsed.noise);
    if (journal_.too_noisy()) {
      return end("writes too much to its standard output that is no message");
    }
    for (Message& message : parsed.messages) take(message);
  }
}

void Connection::take_cut_line(const LineSplitter::Line& line) {
  const std::string what = "a line of " + std::to_string(line.bytes) +
                           " bytes, which is over the limit of " +
                           std::to_string(kMaxLine);
  journal_.note(what + ", was dropped");
  const auto id = id_of_cut_line(line.text);
  auto found = id ? pending_.find(*id) : pending_.end();
  // It can only be the answer to the one that is open.
  if (found == pending_.end() && pending_.size() == 1) {
    found = pending_.begin();
  }
  if (found == pending_.end()) return;
  Answer answer;
  answer.kind = Answer::Kind::error;
  answer.error.message = "The answer is " + what + ". Ask for less at once.";
  found->second->done.set(std::move(answer));
}

void Connection::take(Message& message) {
  switch (message.kind) {
    case Message::Kind::reply:
      return take_reply(message);
    case Message::Kind::request:
      return send(answer_server_request(message), nullptr);
    case Message::Kind::notification:
      if (message.method == "notifications/progress") {
        return take_progress(message.params);
      }
      if (on_notification) on_notification(message.method, message.params);
      return;
  }
}

void Connection::take_reply(Message& message) {
  if (!message.reply_id) {
    return journal_.note("an answer without a usable id was dropped");
  }
  if (forgotten_.erase(*message.reply_id) > 0) return;
  const auto found = pending_.find(*message.reply_id);
  if (found == pending_.end() || found->second->done.ready()) {
    return journal_.note("an answer with the id " +
                         std::to_string(*message.reply_id) +
                         ", which nothing waits for, was dropped");
  }
  Answer answer;
  if (message.error) {
    answer.kind = Answer::Kind::error;
    answer.error = std::move(*message.error);
  } else {
    answer.result = std::move(message.result);
  }
  found->second->done.set(std::move(answer));
}

void Connection::take_progress(const json::object& params) {
  const json::value* token = params.if_contains("progressToken");
  if (!token || !token->is_int64()) return;
  // For a call that is over: a race that the protocol allows.
  const auto found = pending_.find(token->get_int64());
  if (found == pending_.end()) return;
  const auto pending = found->second;
  pending->last_sign = std::chrono::steady_clock::now();
  if (pending->progress) pending->progress(params);
}

}  // namespace toolhost::mcp
