#include "daemon/cli/mcp/requests.hpp"

#include <algorithm>

#include "daemon/cli/json_read.hpp"

namespace toolhost::cli::mcp {
namespace {

struct Method {
  Pending::Kind kind;
  std::string_view daemon;
};

constexpr Method kMethods[] = {
    {Pending::Kind::list_tools, "listTools"},
    {Pending::Kind::call_tool, "execute"},
    {Pending::Kind::read_output, "readOutput"},
};

std::string_view method_of(Pending::Kind kind) {
  for (const Method& row : kMethods) {
    if (row.kind == kind) return row.daemon;
  }
  return {};
}

json::object cancel_params(const std::string& call_id,
                           const std::string& reason) {
  json::object out;
  out["callId"] = call_id;
  if (!reason.empty()) out["reason"] = reason;
  return out;
}

// What a daemon that stops says of a call that did not begin.
bool did_not_begin(const json::object& result) {
  const std::string kind = text_at(object_at(result, "error"), "kind");
  return kind == "approvalWithdrawn" || kind == "interrupted";
}

Error gone(const Error& why, bool call) {
  Error out = why;
  if (call) {
    out.message =
        "The connection to the daemon was lost and it did not come back: " +
        out.message;
    out.hint =
        "Whether the call had its effect is not known: look at the current "
        "state before you repeat it. " +
        out.hint;
  }
  return out;
}

}  // namespace

Requests::Requests(const Limits& limits, std::function<Result<Client>()> dial,
                   std::function<void(const std::string&)> say)
    : limits_(limits), link_(std::move(dial)), say_(std::move(say)) {}

void Requests::add(Pending request, SteadyTime now) {
  // Whoever asks now does not wait for the end of a pause.
  if (!link_.client()) link_.hurry(now);
  listed_ |= request.kind == Pending::Kind::list_tools;
  Open open;
  open.deadline = now + (link_.known() ? limits_.absence : Milliseconds(0));
  open.request = std::move(request);
  const std::string id = open.request.id;
  open_.emplace(id, std::move(open));
}

bool Requests::cancel(const std::string& id, const std::string& reason) {
  const auto found = open_.find(id);
  if (found == open_.end()) return false;
  Open& open = found->second;
  if (open.sent) {
    link_.client()->abandon(*open.sent);
    if (open.asked) link_.client()->abandon(*open.asked);
    --sent_;
  }
  if (open.known && open.request.kind == Pending::Kind::call_tool) {
    cancels_.push_back(
        Cancel{open.request.call_id, reason, now_ + limits_.absence});
    send_cancels();
  }
  open_.erase(found);
  return true;
}

void Requests::cancel_all(const std::string& reason) {
  while (!open_.empty()) {
    const std::string id = open_.begin()->first;
    cancel(id, reason);
  }
}

void Requests::step(SteadyTime now) {
  now_ = now;
  if (!link_.connected() && idle()) return;
  // What sends stands before what takes: a reply that is read while something
  // is sent is taken in the same step, or nobody would be woken for it.
  const bool was_known = link_.known();
  const Link::Change change = link_.step(now);
  if (change == Link::Change::up) {
    stopping_ = false;
    // Another daemon may have other tools.
    tools_changed_ |= was_known && listed_;
  }
  send_cancels();
  send_waiting(now);
  ask_for_signs(now);
  take_notifications(now);
  take_replies(now);
  if (change == Link::Change::down) lost(now);
  if (change == Link::Change::failed) give_up(now);
}

void Requests::lost(SteadyTime now) {
  for (auto& [id, open] : open_) {
    open.asked.reset();
    if (open.sent) wait_again(open, now);
  }
  sent_ = 0;
}

void Requests::wait_again(Open& open, SteadyTime now) {
  open.sent.reset();
  open.deadline = now + limits_.absence;
}

void Requests::give_up(SteadyTime now) {
  std::erase_if(cancels_,
                [now](const Cancel& each) { return each.deadline <= now; });
  for (auto row = open_.begin(); row != open_.end();) {
    Open& open = row->second;
    if (open.deadline > now) {
      ++row;
      continue;
    }
    const bool call = open.request.kind == Pending::Kind::call_tool;
    fail(open.request, gone(link_.why(), call && link_.known()));
    row = open_.erase(row);
  }
}

void Requests::send_cancels() {
  Client* client = link_.client();
  if (!client) return;
  for (const Cancel& each : cancels_) {
    auto sent =
        client->send("cancel", cancel_params(each.call_id, each.reason));
    if (!sent) return;
    client->abandon(*sent);
  }
  cancels_.clear();
}

void Requests::send_waiting(SteadyTime now) {
  Client* client = link_.client();
  if (!client || stopping_) return;
  for (auto row = open_.begin(); row != open_.end() && sent_ < kMaxSent;) {
    Open& open = row->second;
    if (open.sent) {
      ++row;
      continue;
    }
    auto sent = client->send(method_of(open.request.kind), open.request.params);
    if (sent) {
      watch(open.request, *client);
      open.sent = *sent;
      open.known = true;
      open.next_sign = now + limits_.patience;
      ++sent_;
    } else if (client_fault(sent.error()) == ClientFault::none) {
      // Too large for the daemon: no later connection would take it either.
      fail(open.request, sent.error());
      row = open_.erase(row);
      continue;
    } else {
      return;  // the next step tells that the connection is gone
    }
    ++row;
  }
}

// The daemon tells of changes to a list that it gave for the whole session;
// the client's own is narrowed by the context.
void Requests::watch(const Pending& request, Client& client) {
  if (request.watched.empty()) return;
  auto sent = client.send("listTools", request.watched);
  if (sent) client.abandon(*sent);
}

void Requests::take_replies(SteadyTime now) {
  Client* client = link_.client();
  if (!client) return;
  for (auto row = open_.begin(); row != open_.end();) {
    Open& open = row->second;
    if (open.asked) take_sign(open, now);
    auto reply = open.sent ? client->take(*open.sent) : std::nullopt;
    if (!reply) {
      ++row;
      continue;
    }
    --sent_;
    if (open.asked) client->abandon(*open.asked);
    open.asked.reset();
    row = take_reply(open, std::move(*reply), now) ? open_.erase(row)
                                                   : std::next(row);
  }
}

bool Requests::take_reply(Open& open, Result<json::object> reply,
                          SteadyTime now) {
  const Pending& request = open.request;
  if (!reply) {
    // Nothing ran; the next daemon takes it.
    if (reply.error().code == Code::shutting_down) {
      stopping_ = true;
      wait_again(open, now);
      return false;
    }
    fail(request, reply.error());
    return true;
  }
  if (request.kind == Pending::Kind::call_tool && stopping_ &&
      did_not_begin(*reply)) {
    wait_again(open, now);
    return false;
  }
  json::object result;
  switch (request.kind) {
    case Pending::Kind::list_tools:
      result = tool_list(*reply, *request.era);
      break;
    case Pending::Kind::call_tool:
      result = call_result(*reply, *request.era);
      break;
    case Pending::Kind::read_output:
      result =
          output_contents(*reply, request.output, request.uri, *request.era);
      break;
  }
  say_(result_line(request.id, result));
  return true;
}

void Requests::fail(const Pending& request, const Error& error) {
  Fault fault = fault_of(error);
  // All that a list names besides its place comes from here.
  if (request.kind == Pending::Kind::list_tools &&
      error.code == Code::invalid_params) {
    fault.message += " `toolhost mcp --workspace DIR` names one.";
  }
  // What is wrong with a call the model can mend, if it reads it; an unknown
  // tool is an error of the protocol in every version.
  if (request.kind == Pending::Kind::call_tool &&
      error.code != Code::tool_not_found) {
    say_(result_line(request.id, failed_call(error, *request.era)));
  } else {
    say_(fault_line(request.id, fault));
  }
}

Milliseconds Requests::pause(SteadyTime now) const {
  if (!link_.connected() && idle()) return Client::kForever;
  Milliseconds out = link_.pause(now);
  for (const auto& [id, open] : open_) {
    if (!open.sent || open.asked || open.request.progress_token.is_null()) {
      continue;
    }
    const auto left = std::chrono::ceil<Milliseconds>(open.next_sign - now);
    out = std::min(out, std::max(left, Milliseconds(0)));
  }
  return out;
}

}  // namespace toolhost::cli::mcp
