// rules.jsonc as text: from JSON, to JSON, and what is refused.
#include <boost/json.hpp>
#include <set>

#include "gates/rules_file.hpp"
#include "protocol/ids.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

constexpr std::size_t kMaxFieldBytes = 4096;

Error bad(const std::string& where, const std::string& what) {
  return make_error(Code::config_invalid,
                    "the rules file is not used: " + where + " " + what,
                    "Correct or remove it, then reload. Until then nothing "
                    "that was remembered is allowed.");
}

// Line and column of a byte, both from 1.
std::string position(std::string_view text, std::size_t at) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char c : text.substr(0, at)) {
    column = c == '\n' ? 1 : column + 1;
    line += c == '\n';
  }
  return std::to_string(line) + ":" + std::to_string(column);
}

std::string* text_field(Rule& rule, std::string_view key) {
  if (key == "id") return &rule.id;
  if (key == "permission") return &rule.permission;
  if (key == "pattern") return &rule.pattern;
  if (key == "workspace") return &rule.workspace;
  if (key == "text") return &rule.text;
  if (key == "createdBy") return &rule.created_by;
  if (key == "createdAt") return &rule.created_at;
  if (key == "lastUsedAt") return &rule.last_used_at;
  return nullptr;
}

bool is_rule_key(std::string_view key) {
  Rule probe;
  return key == "action" || key == "scope" || key == "hits" ||
         text_field(probe, key) != nullptr;
}

Result<void> read_field(Rule& rule, std::string_view key,
                        const json::value& value, const std::string& where) {
  if (!is_rule_key(key)) {
    return bad(where, "has the unknown key \"" + std::string(key) + "\".");
  }
  if (key == "hits") {
    boost::system::error_code failure;
    rule.hits = value.to_number<std::uint64_t>(failure);
    if (failure) return bad(where, "has hits that are not a number.");
    return {};
  }
  if (!value.is_string()) {
    return bad(where, "has a " + std::string(key) + " that is not a string.");
  }
  const std::string_view text = value.get_string();
  if (key == "action") {
    const auto action = parse_rule_action(text);
    if (!action) return bad(where, "has an action beside allow, ask, deny.");
    rule.action = *action;
  } else if (key == "scope") {
    const auto scope = parse_scope(text);
    if (!scope) return bad(where, "has a scope beside workspace, always.");
    rule.scope = *scope;
  } else {
    *text_field(rule, key) = text;
  }
  return {};
}

Result<Rule> read_rule(const json::value& value, const std::string& where) {
  const json::object* object = value.if_object();
  if (!object) return bad(where, "is not an object.");
  for (const char* key : {"permission", "pattern", "action", "scope"}) {
    if (!object->contains(key)) {
      return bad(where, std::string("has no ") + key + ".");
    }
  }
  Rule rule;
  for (const auto& member : *object) {
    auto read = read_field(rule, member.key(), member.value(), where);
    if (!read) return read.error();
  }
  if (rule.scope != Scope::workspace && rule.scope != Scope::always) {
    return bad(where, "has a scope beside workspace, always.");
  }
  if (const std::string defect = rule_defect(rule); !defect.empty()) {
    return bad(where, defect);
  }
  if (rule.id.empty()) rule.id = random_id("rule_");
  if (rule.id.starts_with("config:")) {
    return bad(where, "has an id that is kept for configured rules.");
  }
  if (rule.text.empty()) rule.text = rule_sentence(rule);
  return rule;
}

}  // namespace

std::string rule_sentence(const Rule& rule) {
  std::string text(name(rule.action));
  text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + " " + rule.permission + ": " + rule.pattern;
}

std::string rule_defect(const Rule& rule) {
  for (const std::string* field :
       {&rule.permission, &rule.pattern, &rule.workspace, &rule.session,
        &rule.turn, &rule.text, &rule.created_by}) {
    // JSON cannot carry other bytes: what is read back would be another rule.
    if (!is_utf8(*field)) return "has text that is not UTF-8.";
    if (field->size() > kMaxFieldBytes) {
      return "has a text over " + std::to_string(kMaxFieldBytes) + " bytes.";
    }
  }
  if (rule.permission.empty()) return "has an empty permission.";
  if (rule.pattern.empty()) return "has an empty pattern.";
  const bool local = rule.scope == Scope::workspace;
  if (local && rule.workspace.empty()) {
    return "has the scope workspace but no workspace.";
  }
  // It would look narrower than it is.
  if (rule.scope == Scope::always && !rule.workspace.empty()) {
    return "has the scope always and a workspace.";
  }
  const bool brief = rule.scope == Scope::session || rule.scope == Scope::turn;
  if (brief && rule.session.empty()) return "names no session.";
  if (rule.scope == Scope::turn && rule.turn.empty()) return "names no turn.";
  return {};
}

json::object to_json(const Rule& rule) {
  json::object out;
  out["id"] = rule.id;
  out["permission"] = rule.permission;
  out["pattern"] = rule.pattern;
  out["action"] = name(rule.action);
  out["scope"] = name(rule.scope);
  if (!rule.workspace.empty()) out["workspace"] = rule.workspace;
  if (!rule.session.empty()) out["session"] = rule.session;
  if (!rule.turn.empty()) out["turn"] = rule.turn;
  out["text"] = rule.text;
  if (!rule.created_by.empty()) out["createdBy"] = rule.created_by;
  if (!rule.created_at.empty()) out["createdAt"] = rule.created_at;
  out["hits"] = rule.hits;
  if (!rule.last_used_at.empty()) out["lastUsedAt"] = rule.last_used_at;
  return out;
}

Result<std::vector<Rule>> parse_rules(std::string_view text,
                                      const std::string& file) {
  json::parse_options options;
  options.allow_comments = true;
  options.allow_trailing_commas = true;
  json::stream_parser parser({}, options);
  boost::system::error_code failure;
  const std::size_t used = parser.write_some(text.data(), text.size(), failure);
  if (!failure) parser.finish(failure);
  if (failure || used != text.size()) {
    const std::string why = failure ? failure.message() : "text after the end";
    return bad(file + ":" + position(text, used), "is not JSON: " + why + ".");
  }
  const json::value document = parser.release();
  const json::object* top = document.if_object();
  if (!top) return bad(file, "is not a JSON object.");
  for (const auto& member : *top) {
    if (member.key() != "version" && member.key() != "rules") {
      return bad(file,
                 "has the unknown key \"" + std::string(member.key()) + "\".");
    }
  }
  const json::value* version = top->if_contains("version");
  if (!version || *version != 1) {
    return bad(file, "is not of version 1, the only one known here.");
  }
  const json::value* list = top->if_contains("rules");
  if (!list || !list->is_array()) return bad(file, "has no list of rules.");
  if (list->get_array().size() > RuleStore::kMaxRules) {
    return bad(file, "has more than " + std::to_string(RuleStore::kMaxRules) +
                         " rules.");
  }
  std::vector<Rule> rules;
  std::set<std::string> ids;
  for (const json::value& entry : list->get_array()) {
    const std::string where =
        file + ": rule " + std::to_string(rules.size() + 1);
    auto rule = read_rule(entry, where);
    if (!rule) return rule.error();
    if (!ids.insert(rule->id).second) {
      return bad(where, "repeats the id " + rule->id + ".");
    }
    rules.push_back(std::move(*rule));
  }
  return rules;
}

}  // namespace toolhost
