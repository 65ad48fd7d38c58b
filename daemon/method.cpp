#include "daemon/method.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "daemon/connection.hpp"
#include "protocol/json_text.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

struct RoleName {
  unsigned role;
  std::string_view name;
};

constexpr std::array<RoleName, 4> kRoleNames{{
    {kCaller, "caller"},
    {kApprover, "approver"},
    {kObserver, "observer"},
    {kAdmin, "admin"},
}};

// A handler that ended without an answer is a mistake of ours.
void report_forgotten_reply(const std::string& id) {
  log_error("a request ended without a reply request=" + id);
#ifdef TOOLHOST_SANITIZED
  std::abort();
#endif
}

}  // namespace

std::string role_names(unsigned roles) {
  std::string out;
  for (const RoleName& entry : kRoleNames) {
    if ((roles & entry.role) == 0) continue;
    if (!out.empty()) out += ", ";
    out += entry.name;
  }
  return out;
}

std::optional<unsigned> parse_role(std::string_view name) {
  for (const RoleName& entry : kRoleNames) {
    if (entry.name == name) return entry.role;
  }
  return std::nullopt;
}

json::array roles_json(unsigned roles) {
  json::array out;
  for (const RoleName& entry : kRoleNames) {
    if ((roles & entry.role) != 0) out.emplace_back(entry.name);
  }
  return out;
}

PendingRequest::PendingRequest(std::shared_ptr<Connection> peer, std::string id,
                               json::object request_params, bool reserved)
    : connection(std::move(peer)),
      params(std::move(request_params)),
      id_(std::move(id)),
      reserved_(reserved) {}

PendingRequest::~PendingRequest() {
  if (answered_) return;
  if (!connection->open_) {
    ended();
  } else if (connection->closing_) {
    fail(make_error(Code::shutting_down, "The connection is being closed.",
                    "Connect again in a moment."));
  } else if (stop.requested()) {
    fail(make_error(Code::request_cancelled, "The request was cancelled."));
  } else {
    const std::string id = id_;
    fail(make_error(Code::internal, "The daemon did not answer the request.",
                    "Its log has the details."));
    report_forgotten_reply(id);
  }
}

void PendingRequest::reply(std::string_view result) {
  if (answered_) return;
  ended();
  connection->answer(id_, result);
}

void PendingRequest::reply(const json::object& result) {
  if (answered_) return;
  reply(json_text(result));
}

void PendingRequest::fail(const Error& error) {
  if (answered_) return;
  ended();
  connection->fail(id_, error);
}

// The slot and the id are free as soon as the reply is on its way.
void PendingRequest::ended() {
  answered_ = true;
  connection->request_ended(id_, reserved_);
}

const MethodDefinition* find_method(std::string_view name) {
  const auto all = methods();
  const auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const MethodDefinition* method, std::string_view wanted) {
        return method->name < wanted;
      });
  if (found == all.end() || (*found)->name != name) return nullptr;
  return *found;
}

}  // namespace toolhost
