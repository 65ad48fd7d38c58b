#include "gates/session_store.hpp"

#include "protocol/fields.hpp"
#include "protocol/ids.hpp"
#include "protocol/json_text.hpp"
#include "providers/support/private_file.hpp"

namespace toolhost {
namespace {

json::object kept_form(const Session& session) {
  json::object out;
  out["id"] = session.id;
  out["token"] = session.token;
  out["title"] = session.title;
  out["parent"] = session.parent;
  out["fromControl"] = session.from_control;
  out["createdAt"] = session.created_at;
  out["policy"] = to_json(session.policy);
  return out;
}

Result<SessionPtr> restored(const json::value& value) {
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
  return session;
}

}  // namespace

Result<void> SessionStore::load(Sessions& sessions) {
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
    auto session = restored(each);
    if (!session) {
      return make_error(Code::internal, file_ + ": " + session.error().message,
                        "The sessions after it have to be opened again.");
    }
    sessions.restore(std::move(*session));
  }
  return {};
}

Result<void> SessionStore::save(const Sessions& sessions) const {
  json::array list;
  for (const SessionPtr& session : sessions.list()) {
    if (!session->implicit && !session->closing) {
      list.push_back(kept_form(*session));
    }
  }
  json::object whole;
  whole["version"] = 1;
  whole["sessions"] = std::move(list);
  return replace_private_file(file_, json_text(whole));
}

}  // namespace toolhost
