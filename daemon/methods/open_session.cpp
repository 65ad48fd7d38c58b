// openSession: a workspace and a policy for one conversation. The control side
// sets them; a caller gets the configured defaults, narrowed.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "gates/workspace_trust.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

constexpr std::size_t kMaxRoots = 16;
constexpr std::size_t kMaxTitle = 200;
// One caller must not fill limits.sessions for everybody.
constexpr std::size_t kMaxOfACaller = 64;

Result<std::vector<std::string>> roots_of(Daemon& daemon, bool control,
                                          const std::string& workspace,
                                          std::vector<std::string> extra) {
  std::vector<std::string> out;
  extra.insert(extra.begin(), workspace);
  if (extra.size() > kMaxRoots) {
    return make_error(
        Code::invalid_params,
        "A session has at most " + std::to_string(kMaxRoots) + " roots.");
  }
  for (const std::string& each : extra) {
    auto root = usable_root(each, control, daemon.parts.own_folders);
    if (!root) return root.error();
    out.push_back(std::move(*root));
  }
  return out;
}

Result<SessionPtr> parent_of(Daemon& daemon, const json::object& params) {
  Fields in(params, "params");
  const auto id = in.optional_string("parentSessionId");
  const auto token = in.optional_string("parentToken");
  if (in.error()) return *in.error();
  if (!id) return SessionPtr();
  SessionPtr parent = daemon.sessions.attach(*id, token.value_or(""));
  if (!parent || parent->closing) {
    return make_error(Code::session_not_found,
                      "No open session has this parentSessionId and "
                      "parentToken.",
                      "A child session needs its parent's token.");
  }
  return parent;
}

json::array to_json(const std::vector<Narrowed>& cut) {
  json::array out;
  for (const Narrowed& each : cut) {
    json::object row;
    row["member"] = each.member;
    row["reason"] = each.reason;
    out.push_back(std::move(row));
  }
  return out;
}

// The configured defaults for a control connection's own values, or the
// parent's policy; whatever comes from a caller only narrows it.
Policy policy_of(const Daemon& daemon, bool control, const SessionPtr& parent,
                 const PolicyWish& wish, std::vector<Narrowed>& cut) {
  Policy base;
  base.mode = daemon.config->sessions.mode;
  base.sandbox = daemon.config->sessions.sandbox;
  base.approvals = daemon.config->sessions.approvals;
  if (parent) return narrow(parent->policy, wish, &cut);
  base.roots = *wish.roots;
  return control ? replace(base, wish) : narrow(base, wish, &cut);
}

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object& params) {
  Fields in(params, "params");
  const std::string workspace = in.required_string("workspace");
  const auto extra = in.optional_strings("extraRoots");
  const auto title = in.optional_string("title");
  if (in.error()) return *in.error();
  const bool control = is_control(connection);
  const auto limit = static_cast<std::size_t>(daemon.config->limits.sessions);
  if (daemon.sessions.size() >= limit) {
    return make_error(Code::quota_exceeded,
                      std::to_string(limit) + " sessions are open already.",
                      "Close some, or raise limits.sessions.");
  }
  if (!control && connection.sessions.size() >= kMaxOfACaller) {
    return make_error(Code::quota_exceeded,
                      "This connection has " + std::to_string(kMaxOfACaller) +
                          " sessions already.",
                      "Close some with closeSession.");
  }
  if (!control && daemon.sessions.bound(connection.peer().ancestry)) {
    return make_error(Code::forbidden,
                      "This process is bound to a session already.",
                      "Open a child of it from the control side.");
  }
  auto wish = parse_wish(params, "params");
  if (!wish) return wish.error();
  auto roots = roots_of(daemon, control, workspace,
                        extra.value_or(std::vector<std::string>()));
  if (!roots) return roots.error();
  wish->roots = std::move(*roots);
  auto parent = parent_of(daemon, params);
  if (!parent) return parent.error();
  std::vector<Narrowed> cut;
  SessionPtr session =
      daemon.sessions.open(policy_of(daemon, control, *parent, *wish, cut));
  session->from_control = control;
  session->opened_by = connection.id();
  session->created_at = rfc3339(daemon.clock.wall());
  session->title = title.value_or("").substr(0, kMaxTitle);
  if (*parent) session->parent = (*parent)->id;
  connection.sessions.insert(session->id);
  daemon.save_sessions();
  json::object out = to_json(*session);
  out["token"] = session->token;
  out["narrowed"] = to_json(cut);
  return json_text(out);
}

}  // namespace

const MethodDefinition open_session_method{
    .name = "openSession", .roles = kCaller | kApprover, .now = run};

}  // namespace toolhost
