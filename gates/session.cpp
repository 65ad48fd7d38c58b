#include "gates/session.hpp"

#include <algorithm>

#include "protocol/fields.hpp"
#include "protocol/ids.hpp"
#include "providers/support/workspace.hpp"

namespace toolhost {
namespace {

Names intersection(const Names& a, const Names& b) {
  Names out;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::inserter(out, out.end()));
  return out;
}

void narrow_allowed(std::optional<Names>& allowed,
                    const std::optional<Names>& wish) {
  if (!wish) return;
  allowed = allowed ? intersection(*allowed, *wish) : *wish;
}

bool inside_any(const std::string& path,
                const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
    return is_beneath(path, root);
  });
}

void note(std::vector<Narrowed>* cut, std::string member, std::string reason) {
  if (!cut) return;
  Narrowed entry;
  entry.member = std::move(member);
  entry.reason = std::move(reason);
  cut->push_back(std::move(entry));
}

template <class Value>
void note_if_cut(std::vector<Narrowed>* cut, std::string_view member,
                 Value wanted, Value got) {
  if (wanted == got) return;
  note(cut, std::string(member),
       "\"" + std::string(name(wanted)) +
           "\" is wider than the session; it "
           "stays \"" +
           std::string(name(got)) + "\".");
}

bool subset(const Names& a, const Names& b) {
  return std::includes(b.begin(), b.end(), a.begin(), a.end());
}

bool allowed_no_wider(const std::optional<Names>& a,
                      const std::optional<Names>& b) {
  if (!b) return true;
  return a && subset(*a, *b);
}

json::array to_array(const Names& names) {
  json::array out;
  for (const std::string& each : names) out.emplace_back(each);
  return out;
}

std::optional<Names> to_names(std::optional<std::vector<std::string>> list) {
  if (!list) return std::nullopt;
  return Names(list->begin(), list->end());
}

}  // namespace

Policy narrow(const Policy& base, const PolicyWish& wish,
              std::vector<Narrowed>* cut) {
  Policy out = base;
  if (wish.roots) {
    std::vector<std::string> kept;
    for (const std::string& root : *wish.roots) {
      if (inside_any(root, base.roots)) {
        kept.push_back(root);
      } else {
        note(cut, "roots", root + " is outside the session's roots.");
      }
    }
    if (!kept.empty()) out.roots = std::move(kept);
  }
  if (wish.mode) {
    out.mode = stricter(base.mode, *wish.mode);
    note_if_cut(cut, "mode", *wish.mode, out.mode);
  }
  if (wish.sandbox) {
    out.sandbox = stricter(base.sandbox, *wish.sandbox);
    note_if_cut(cut, "sandboxMode", *wish.sandbox, out.sandbox);
  }
  if (wish.approvals) {
    out.approvals = stricter(base.approvals, *wish.approvals);
    note_if_cut(cut, "approvalPolicy", *wish.approvals, out.approvals);
  }
  narrow_allowed(out.allowed_tools, wish.allowed_tools);
  narrow_allowed(out.allowed_providers, wish.allowed_providers);
  if (wish.blocked_tools) {
    out.blocked_tools.insert(wish.blocked_tools->begin(),
                             wish.blocked_tools->end());
  }
  if (wish.blocked_providers) {
    out.blocked_providers.insert(wish.blocked_providers->begin(),
                                 wish.blocked_providers->end());
  }
  return out;
}

Policy replace(const Policy& base, const PolicyWish& wish) {
  Policy out = base;
  if (wish.roots) out.roots = *wish.roots;
  if (wish.mode) out.mode = *wish.mode;
  if (wish.sandbox) out.sandbox = *wish.sandbox;
  if (wish.approvals) out.approvals = *wish.approvals;
  if (wish.allowed_tools) out.allowed_tools = wish.allowed_tools;
  if (wish.blocked_tools) out.blocked_tools = *wish.blocked_tools;
  if (wish.allowed_providers) out.allowed_providers = wish.allowed_providers;
  if (wish.blocked_providers) out.blocked_providers = *wish.blocked_providers;
  return out;
}

bool no_wider(const Policy& a, const Policy& b) {
  return std::all_of(a.roots.begin(), a.roots.end(),
                     [&](const std::string& root) {
                       return inside_any(root, b.roots);
                     }) &&
         stricter(a.mode, b.mode) == a.mode &&
         stricter(a.sandbox, b.sandbox) == a.sandbox &&
         stricter(a.approvals, b.approvals) == a.approvals &&
         allowed_no_wider(a.allowed_tools, b.allowed_tools) &&
         allowed_no_wider(a.allowed_providers, b.allowed_providers) &&
         subset(b.blocked_tools, a.blocked_tools) &&
         subset(b.blocked_providers, a.blocked_providers) &&
         subset(a.untrusted_allow_list, b.untrusted_allow_list);
}

Result<PolicyWish> parse_wish(const json::object& params,
                              const std::string& path) {
  Fields in(params, path);
  PolicyWish wish;
  if (auto mode = in.optional_choice("mode", session_mode_names())) {
    wish.mode = parse_session_mode(*mode);
  }
  if (auto mode = in.optional_choice("sandboxMode", sandbox_mode_names())) {
    wish.sandbox = parse_sandbox_mode(*mode);
  }
  if (auto policy =
          in.optional_choice("approvalPolicy", approval_policy_names())) {
    wish.approvals = parse_approval_policy(*policy);
  }
  if (const json::object* tools = in.optional_object("tools")) {
    Fields lists(*tools, path + ".tools");
    wish.allowed_tools = to_names(lists.optional_strings("allowed"));
    wish.blocked_tools = to_names(lists.optional_strings("blocked"));
    if (lists.error()) return *lists.error();
  }
  if (const json::object* providers = in.optional_object("providers")) {
    Fields lists(*providers, path + ".providers");
    wish.allowed_providers = to_names(lists.optional_strings("allowed"));
    wish.blocked_providers = to_names(lists.optional_strings("blocked"));
    if (lists.error()) return *lists.error();
  }
  if (in.error()) return *in.error();
  return wish;
}

json::object to_json(const Policy& policy) {
  json::object out;
  json::array roots;
  for (const std::string& root : policy.roots) roots.emplace_back(root);
  out["roots"] = std::move(roots);
  out["mode"] = name(policy.mode);
  out["sandboxMode"] = name(policy.sandbox);
  out["approvalPolicy"] = name(policy.approvals);
  json::object tools;
  if (policy.allowed_tools) tools["allowed"] = to_array(*policy.allowed_tools);
  tools["blocked"] = to_array(policy.blocked_tools);
  out["tools"] = std::move(tools);
  json::object providers;
  if (policy.allowed_providers) {
    providers["allowed"] = to_array(*policy.allowed_providers);
  }
  providers["blocked"] = to_array(policy.blocked_providers);
  out["providers"] = std::move(providers);
  return out;
}

SessionPtr Sessions::open(Policy policy, std::string id) {
  auto session = std::make_shared<Session>();
  const bool usable = !id.empty() && !sessions_.contains(id);
  session->id = usable ? std::move(id) : random_id("sess_");
  session->token = random_id("token_");
  session->policy = std::move(policy);
  sessions_.emplace(session->id, session);
  return session;
}

void Sessions::restore(SessionPtr session) {
  const std::string id = session->id;
  sessions_.emplace(id, std::move(session));
}

SessionPtr Sessions::find(const std::string& id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

SessionPtr Sessions::attach(const std::string& id,
                            const std::string& token) const {
  const SessionPtr session = find(id);
  if (!session || session->token.size() != token.size()) return nullptr;
  unsigned difference = 0;
  for (std::size_t i = 0; i < token.size(); ++i) {
    difference |= static_cast<unsigned char>(session->token[i]) ^
                  static_cast<unsigned char>(token[i]);
  }
  return difference == 0 ? session : nullptr;
}

void Sessions::close(const std::string& id) {
  sessions_.erase(id);
  std::erase_if(bindings_, [&](const auto& row) { return row.second == id; });
}

std::vector<SessionPtr> Sessions::list() const {
  std::vector<SessionPtr> out;
  for (const auto& [id, session] : sessions_) out.push_back(session);
  return out;
}

void Sessions::bind(const ProcessIdentity& process,
                    const std::string& session) {
  // A full table drops nothing that lives longer than its session; it refuses
  // silently, and the process stays unbound but keeps its attachment.
  if (bindings_.size() >= kMaxBindings) return;
  bindings_.emplace(process, session);
}

std::optional<std::string> Sessions::bound(
    const std::vector<ProcessIdentity>& ancestry) const {
  for (const ProcessIdentity& process : ancestry) {
    const auto found = bindings_.find(process);
    if (found != bindings_.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace toolhost
