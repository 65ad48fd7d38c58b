#include "gates/session_store.hpp"

#include "protocol/fields.hpp"
#include "protocol/ids.hpp"
#include "protocol/json_text.hpp"
#include "providers/support/private_file.hpp"

namespace toolhost {
namespace {

// Those that answered, or called: they and what they start may not answer. More
// than these are not expected of one session.
constexpr std::size_t kKeptCallers = 4096;

json::object owner_form(const SessionOwner& owner) {
  json::object out = to_json(owner.process);
  out["control"] = owner.control;
  out["workspace"] = owner.workspace;
  return out;
}

json::array callers_form(const Session& session) {
  json::array out;
  for (const ProcessIdentity& process : session.callers) {
    if (out.size() == kKeptCallers) break;
    out.push_back(to_json(process));
  }
  return out;
}

Result<Rule> restored_rule(const json::value& kept,
                           const std::string& session) {
  Rule rule;
  if (!kept.is_object()) {
    return make_error(Code::internal, "a rule is not an object");
  }
  Fields in(kept.get_object(), "rule");
  rule.id = in.required_string("id");
  rule.permission = in.required_string("permission");
  rule.pattern = in.required_string("pattern");
  rule.turn = in.optional_string("turn").value_or("");
  rule.text = in.optional_string("text").value_or("");
  rule.created_by = in.optional_string("createdBy").value_or("");
  rule.created_at = in.optional_string("createdAt").value_or("");
  const auto action = parse_rule_action(in.required_string("action"));
  const auto scope = parse_scope(in.required_string("scope"));
  if (in.error()) return *in.error();
  if (!action || (scope != Scope::session && scope != Scope::turn)) {
    return make_error(Code::internal, "a rule is not of a session");
  }
  rule.action = *action;
  rule.scope = *scope;
  rule.session = session;
  return rule;
}

}  // namespace

json::object to_json(const ProcessIdentity& process) {
  json::object out;
  out["pid"] = process.pid;
  out["startTime"] = process.start_time;
  return out;
}

ProcessIdentity restored_process(const json::value& kept) {
  ProcessIdentity process;
  const json::object* object = kept.if_object();
  if (!object) return process;
  boost::system::error_code ec;
  if (const json::value* pid = object->if_contains("pid")) {
    process.pid = pid->to_number<pid_t>(ec);
  }
  if (const json::value* start = object->if_contains("startTime")) {
    process.start_time = start->to_number<std::uint64_t>(ec);
  }
  return process;
}

json::object kept_form(const Session& session) {
  json::object out;
  out["id"] = session.id;
  out["token"] = session.token;
  out["title"] = session.title;
  out["parent"] = session.parent;
  out["fromControl"] = session.from_control;
  out["createdAt"] = session.created_at;
  out["policy"] = to_json(session.policy);
  out["callers"] = callers_form(session);
  if (session.implicit) out["owner"] = owner_form(session.owner);
  return out;
}

Result<SessionPtr> restored_session(const json::value& value) {
  if (!value.is_object()) {
    return make_error(Code::internal, "a session is not an object");
  }
  Fields in(value.get_object(), "session");
  auto session = std::make_shared<Session>();
  session->id = in.required_string("id");
  session->token = in.required_string("token");
  session->title = in.optional_string("title").value_or("");
  session->parent = in.optional_string("parent").value_or("");
  session->from_control = in.optional_bool("fromControl").value_or(false);
  session->created_at = in.optional_string("createdAt").value_or("");
  const json::object* policy = in.optional_object("policy");
  if (in.error()) return *in.error();
  if (!policy || !is_id(session->id, "sess_") ||
      !is_id(session->token, "token_")) {
    return make_error(Code::internal, "a session has no id, token or policy");
  }
  auto wish = parse_wish(*policy, "session.policy");
  if (!wish) return wish.error();
  Fields roots(*policy, "session.policy");
  wish->roots = roots.optional_strings("roots");
  if (roots.error()) return *roots.error();
  session->policy = replace(Policy(), *wish);
  if (const json::array* callers = in.optional_array("callers")) {
    for (const json::value& each : *callers) {
      session->callers.insert(restored_process(each));
    }
  }
  if (const json::object* owner = in.optional_object("owner")) {
    Fields whose(*owner, "session.owner");
    session->implicit = true;
    session->owner.process = restored_process(*owner);
    session->owner.control = whose.optional_bool("control").value_or(false);
    session->owner.workspace = whose.optional_string("workspace").value_or("");
    if (whose.error()) return *whose.error();
  }
  if (in.error()) return *in.error();
  return session;
}

json::array kept_rules(const std::string& session,
                       const std::vector<Rule>& rules) {
  json::array out;
  for (const Rule& rule : rules) {
    if (!session.empty() && rule.session == session) {
      out.push_back(to_json(rule));
    }
  }
  return out;
}

void restore_rules(const std::string& session, const json::value* kept,
                   RuleStore& rules) {
  if (!kept || !kept->is_array()) return;
  for (const json::value& each : kept->get_array()) {
    // Whatever cannot be understood is asked again.
    if (auto rule = restored_rule(each, session)) {
      (void)rules.remember(std::move(*rule));
    }
  }
}

Result<void> SessionStore::load(Sessions& sessions, RuleStore& rules) {
  auto text = read_private_file(file_, kMaxBytes);
  if (!text) return text.error();
  if (text->empty()) return {};
  boost::system::error_code ec;
  const json::value whole = json::parse(*text, ec);
  const json::array* list = nullptr;
  if (!ec && whole.is_object()) {
    const json::value* found = whole.get_object().if_contains("sessions");
    if (found) list = found->if_array();
  }
  if (!list) {
    return make_error(Code::internal, file_ + " cannot be understood.",
                      "Sessions have to be opened again.");
  }
  for (const json::value& each : *list) {
    auto session = restored_session(each);
    if (!session) {
      return make_error(Code::internal, file_ + ": " + session.error().message,
                        "The sessions after it have to be opened again.");
    }
    restore_rules((*session)->id, each.get_object().if_contains("rules"),
                  rules);
    const std::string id = (*session)->id;
    sessions.restore(std::move(*session));
    const json::value* bound = each.get_object().if_contains("bound");
    if (!bound || !bound->is_array()) continue;
    for (const json::value& process : bound->get_array()) {
      sessions.bind(restored_process(process), id);
    }
  }
  return {};
}

Result<void> SessionStore::save(const Sessions& sessions,
                                const RuleStore& rules) const {
  std::vector<Rule> of_sessions = rules.list();
  std::erase_if(of_sessions,
                [](const Rule& rule) { return rule.session.empty(); });
  std::map<std::string, json::array> bound;
  for (const auto& [process, session] : sessions.bindings()) {
    bound[session].push_back(to_json(process));
  }
  json::array list;
  for (const SessionPtr& session : sessions.list()) {
    if (!session->implicit && !session->closing) {
      json::object kept = kept_form(*session);
      if (const auto found = bound.find(session->id); found != bound.end()) {
        kept["bound"] = std::move(found->second);
      }
      json::array remembered = kept_rules(session->id, of_sessions);
      if (!remembered.empty()) kept["rules"] = std::move(remembered);
      list.push_back(std::move(kept));
    }
  }
  json::object whole;
  whole["version"] = 1;
  whole["sessions"] = std::move(list);
  if (auto put = replace_private_file(file_, json_text(whole)); !put) {
    return put.error();
  }
  return {};
}

}  // namespace toolhost
