// FrontDoor: the client's roots, and what it hears without asking.
#include <algorithm>
#include <filesystem>

#include "daemon/cli/json_read.hpp"
#include "daemon/cli/mcp/front_door.hpp"
#include "protocol/json_text.hpp"

namespace toolhost::cli::mcp {
namespace {

// Some lists change many times in a second; the client lists again each time.
constexpr Milliseconds kChangesApart{500};

constexpr std::string_view kRootsId = "toolhost-roots-";

}  // namespace

// A named workspace needs no roots; a client without them has none.
void FrontDoor::ask_for_roots(SteadyTime now) {
  if (!client_has_roots_ || !options_.workspace.empty()) return;
  json::object request;
  request["jsonrpc"] = "2.0";
  request["id"] = std::string(kRootsId) + std::to_string(++roots_asked_);
  request["method"] = "roots/list";
  say(json_text(request));
  if (workspace_.empty()) roots_deadline_ = now + options_.roots_wait;
}

void FrontDoor::take_response(const Message& message) {
  // Only the newest answer counts; others are late, or none of ours.
  const std::string newest =
      "\"" + std::string(kRootsId) + std::to_string(roots_asked_) + "\"";
  if (message.id == newest) take_roots(message.result);
}

void FrontDoor::take_roots(const json::object& result) {
  roots_deadline_.reset();
  for (const json::value& each : array_at(result, "roots")) {
    if (!each.is_object()) continue;
    std::string path = path_of_file_uri(text_at(each.get_object(), "uri"));
    if (path.empty()) continue;
    workspace_ = std::move(path);
    return;
  }
  options_.log("the client named no folder as root; the workspace is " +
               (workspace_.empty() ? options_.folder : workspace_));
}

void FrontDoor::open_request(const Asked& asked, Pending pending) {
  pending.id = asked.message.id;
  pending.era = &asked.era;
  const bool twice = std::any_of(
      held_.begin(), held_.end(),
      [&pending](const Pending& each) { return each.id == pending.id; });
  if (twice) {
    return refuse(asked, make_fault(kInvalidRequest,
                                    "A request with this id is still open."));
  }
  if (held_.size() + requests_.count() >= options_.limits.open) {
    return refuse(asked,
                  make_fault(kInternalError,
                             "Too many requests are open; wait for some."));
  }
  held_.push_back(std::move(pending));
}

// Held until it is known in which workspace.
void FrontDoor::flush_held(SteadyTime now) {
  if (roots_deadline_ && now < *roots_deadline_) return;
  if (roots_deadline_) {
    options_.log("the client did not tell its roots; the workspace is " +
                 options_.folder);
    roots_deadline_.reset();
  }
  for (Pending& pending : held_) {
    const std::string& folder =
        workspace_.empty() ? options_.folder : workspace_;
    if (pending.kind != Pending::Kind::read_output && !folder.empty()) {
      pending.params["workspace"] = folder;
      if (!pending.watched.empty()) pending.watched["workspace"] = folder;
    }
    requests_.add(std::move(pending), now);
  }
  held_.clear();
}

void FrontDoor::tell_changes(SteadyTime now) {
  if (requests_.take_tools_changed()) tools_changed_ = true;
  if (!tools_changed_ || now < next_change_) return;
  tools_changed_ = false;
  next_change_ = now + kChangesApart;
  if (client_ready_) {
    say(notification_line("notifications/tools/list_changed", {}));
  }
  for (const auto& [id, wanted] : listeners_) {
    if (!wanted) continue;
    json::object meta;
    meta[kSubscriptionKey] = json::parse(id);
    json::object params;
    params["_meta"] = std::move(meta);
    say(notification_line("notifications/tools/list_changed", params));
  }
}

}  // namespace toolhost::cli::mcp
