#include "gates/rules.hpp"

#include <algorithm>

#include "gates/rules_file.hpp"
#include "protocol/ids.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

bool is_on_disk(const Rule& rule) {
  return rule.scope == Scope::workspace || rule.scope == Scope::always;
}

// The place of a remembered rule in the order of judgement.
int layer(const Rule& rule) {
  if (rule.scope == Scope::session) return 1;
  return rule.scope == Scope::turn ? 2 : 0;
}

bool applies_here(const Rule& rule, const RuleQuestion& question) {
  switch (rule.scope) {
    case Scope::workspace:
      return rule.workspace == question.workspace;
    case Scope::session:
      return rule.session == question.session;
    case Scope::turn:
      return rule.session == question.session && rule.turn == question.turn;
    case Scope::call:
      return false;
    case Scope::always:
      return true;
  }
  return false;
}

bool matches(const Rule& rule, const RuleQuestion& question) {
  return applies_here(rule, question) &&
         wildcard_match(rule.permission, question.permission) &&
         wildcard_match(rule.pattern, question.pattern);
}

// An approval lifts only the question that it lies inside of: an allow "*"
// does not answer an ask for "*.env".
bool lies_inside(const Rule& allow, const Rule& ask) {
  return wildcard_match(ask.permission, allow.permission) &&
         wildcard_match(ask.pattern, allow.pattern);
}

struct Deciding {
  const Rule* configured = nullptr;  // the last that matched
  const Rule* remembered = nullptr;
  const Rule* remembered_deny = nullptr;
};

const Rule* deciding_rule(const Deciding& found) {
  const auto says = [](const Rule* rule, RuleAction action) {
    return rule && rule->action == action;
  };
  if (says(found.configured, RuleAction::deny)) return found.configured;
  if (found.remembered_deny) return found.remembered_deny;
  if (says(found.configured, RuleAction::ask) &&
      says(found.remembered, RuleAction::allow) &&
      !lies_inside(*found.remembered, *found.configured)) {
    return found.configured;
  }
  return found.remembered ? found.remembered : found.configured;
}

bool same_subject(const Rule& a, const Rule& b) {
  return a.scope == b.scope && a.permission == b.permission &&
         a.pattern == b.pattern && a.workspace == b.workspace &&
         a.session == b.session && a.turn == b.turn;
}

// A message and what to do next, as sentences.
std::string sentences(const Error& error) {
  std::string text = error.message;
  if (!text.ends_with('.')) text += '.';
  if (!error.hint.empty()) text += " " + error.hint;
  return text;
}

Error not_found(const std::string& id) {
  return make_error(Code::rule_not_found, "no remembered rule is called " + id,
                    "listRules names those that there are.");
}

std::vector<Rule> from_config(std::vector<config::Rule> configured) {
  std::vector<Rule> out;
  for (config::Rule& from : configured) {
    Rule rule;
    rule.id = "config:" + std::to_string(out.size() + 1);
    rule.permission = std::move(from.permission);
    rule.pattern = std::move(from.pattern);
    rule.action = from.action;
    rule.text = rule_sentence(rule);
    rule.created_by = "config";
    out.push_back(std::move(rule));
  }
  return out;
}

}  // namespace

RuleStore::RuleStore(std::string file, std::vector<config::Rule> configured)
    : file_(std::move(file)), configured_(from_config(std::move(configured))) {
  reload();
}

bool RuleStore::restricts(
    const RuleQuestion& where,
    const std::function<bool(const std::string& pattern)>& may_match) const {
  const auto restricting = [&](const Rule& rule) {
    return rule.action != RuleAction::allow && applies_here(rule, where) &&
           wildcard_match(rule.permission, where.permission) &&
           may_match(rule.pattern);
  };
  return std::any_of(configured_.begin(), configured_.end(), restricting) ||
         std::any_of(remembered_.begin(), remembered_.end(), restricting);
}

RuleVerdict RuleStore::judge(const RuleQuestion& question) const {
  Deciding found;
  std::vector<const Rule*> matched;
  for (const Rule& rule : configured_) {
    if (!matches(rule, question)) continue;
    matched.push_back(&rule);
    found.configured = &rule;
  }
  for (const Rule& rule : remembered_) {
    const bool allow = rule.action == RuleAction::allow;
    if ((allow && !trouble_.empty()) || !matches(rule, question)) continue;
    matched.push_back(&rule);
    found.remembered = &rule;
    if (rule.action == RuleAction::deny) found.remembered_deny = &rule;
  }
  RuleVerdict verdict;
  const Rule* const deciding = deciding_rule(found);
  if (!deciding) return verdict;
  verdict.action = deciding->action;
  std::erase(matched, deciding);
  const std::size_t shown = std::min(matched.size(), kMaxMatched - 1);
  for (auto at = matched.end() - static_cast<std::ptrdiff_t>(shown);
       at != matched.end(); ++at) {
    verdict.matched.push_back(**at);
  }
  verdict.matched.push_back(*deciding);
  return verdict;
}

void RuleStore::used(const std::string& id, std::string now) {
  for (auto* rules : {&configured_, &remembered_}) {
    for (Rule& rule : *rules) {
      if (rule.id != id) continue;
      ++rule.hits;
      rule.last_used_at = std::move(now);
      return;
    }
  }
}

Result<Rule> RuleStore::remember(Rule rule) {
  if (rule.scope == Scope::call) {
    return make_error(Code::invalid_params,
                      "a decision for one call is not remembered");
  }
  if (const std::string defect = rule_defect(rule); !defect.empty()) {
    return make_error(Code::invalid_params,
                      "the rule cannot be remembered: it " + defect);
  }
  if (auto current = catch_up(); !current) return current.error();
  const auto known =
      std::find_if(remembered_.begin(), remembered_.end(),
                   [&](const Rule& old) { return same_subject(old, rule); });
  // Another action for the same subject: the person changed their mind.
  const Rule* const replaced = known == remembered_.end() ? nullptr : &*known;
  if (replaced && replaced->action == rule.action) return *replaced;
  if (!replaced && remembered_.size() >= kMaxRules) {
    return make_error(
        Code::quota_exceeded,
        std::to_string(kMaxRules) + " rules are remembered already",
        "Remove rules that are no longer needed.");
  }
  if (rule.id.empty()) rule.id = random_id("rule_");
  if (rule.text.empty()) rule.text = rule_sentence(rule);
  if (is_on_disk(rule)) {
    if (auto saved = save(replaced, &rule); !saved) return saved.error();
  }
  if (replaced) remembered_.erase(known);
  const auto place = std::upper_bound(
      remembered_.begin(), remembered_.end(), rule,
      [](const Rule& x, const Rule& y) { return layer(x) < layer(y); });
  remembered_.insert(place, rule);
  return rule;
}

Result<Rule> RuleStore::remove(const std::string& id) {
  const auto has_id = [&](const Rule& rule) { return rule.id == id; };
  if (std::any_of(configured_.begin(), configured_.end(), has_id)) {
    return make_error(Code::forbidden, "the rule " + id + " is configured",
                      "Remove it from the configuration file.");
  }
  if (auto current = catch_up(); !current) return current.error();
  const auto found =
      std::find_if(remembered_.begin(), remembered_.end(), has_id);
  if (found == remembered_.end()) return not_found(id);
  if (is_on_disk(*found)) {
    if (auto saved = save(&*found, nullptr); !saved) return saved.error();
  }
  Rule removed = std::move(*found);
  remembered_.erase(found);
  return removed;
}

void RuleStore::forget_session(const std::string& session) {
  std::erase_if(remembered_, [&](const Rule& rule) {
    return !is_on_disk(rule) && rule.session == session;
  });
}

std::vector<Rule> RuleStore::list() const {
  std::vector<Rule> out = configured_;
  out.insert(out.end(), remembered_.begin(), remembered_.end());
  return out;
}

void RuleStore::set_configured(std::vector<config::Rule> configured) {
  configured_ = from_config(std::move(configured));
}

void RuleStore::reload() {
  auto read = read_rules(file_, stamp_);
  if (!read) {
    // What was remembered stays in memory: its denies count, its allows wait.
    trouble_ = sentences(read.error());
    log_warn("remembered rules do not count: " + trouble_);
    return;
  }
  trouble_.clear();
  std::vector<Rule> next = std::move(*read);
  for (Rule& rule : next) {
    const auto known =
        std::find_if(remembered_.begin(), remembered_.end(),
                     [&](const Rule& old) { return old.id == rule.id; });
    if (known == remembered_.end() || known->hits <= rule.hits) continue;
    rule.hits = known->hits;
    rule.last_used_at = known->last_used_at;
  }
  for (Rule& rule : remembered_) {
    if (!is_on_disk(rule)) next.push_back(std::move(rule));
  }
  remembered_ = std::move(next);
}

// A person's edit since the last read must not be overwritten.
Result<void> RuleStore::catch_up() {
  if (!trouble_.empty() || stamp_of(file_) != stamp_) reload();
  if (trouble_.empty()) return {};
  return make_error(Code::config_invalid, trouble_);
}

// Writes what will be remembered: `without` is left out, `with` comes last.
Result<void> RuleStore::save(const Rule* without, const Rule* with) {
  std::vector<const Rule*> kept;
  for (const Rule& rule : remembered_) {
    if (is_on_disk(rule) && &rule != without) kept.push_back(&rule);
  }
  if (with) kept.push_back(with);
  auto written = write_rules(file_, kept);
  if (!written) return written.error();
  stamp_ = *written;
  return {};
}

}  // namespace toolhost
