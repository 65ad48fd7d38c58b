// Rules: (permission, pattern, action) triples, configured and remembered.
//
// Wildcards: `*` matches any run, across everything; `?` one character; a
// pattern that ends in " *" also matches without the tail ("git *" matches
// "git"). Case matters. The last matching rule of [config, remembered
// workspace and always, remembered session, remembered turn] wins, but a deny
// of the config or of the user is never lifted by what comes later. Exactly:
// inside the config the order of the file decides (deny "*", then allow
// "git *"); if that ends in a deny, or any remembered deny matches, it is a
// deny; a remembered allow lifts a configured ask only when it lies inside it
// (the pattern of the ask matches the pattern of the allow).
//
// Remembered rules of scope workspace and always live in rules.jsonc, which a
// person may edit. It is read fail-closed: when it cannot be read or parsed,
// no remembered allow counts (denies kept in memory still do), nothing new is
// remembered, and `trouble()` says why.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "protocol/error.hpp"

namespace toolhost {

struct Rule {
  std::string id;  // "rule_…"; configured ones: "config:3"
  std::string permission;
  std::string pattern;
  RuleAction action = RuleAction::ask;
  Scope scope = Scope::always;
  std::string workspace;  // scope workspace: only there
  std::string session;    // scope session and turn: only there
  std::string turn;       // scope turn
  std::string text;       // the exact sentence the person agreed to
  std::string created_by;
  std::string created_at;
  std::uint64_t hits = 0;
  std::string last_used_at;
};

json::object to_json(const Rule& rule);

bool wildcard_match(std::string_view pattern, std::string_view text);

// What is judged: who asks, where.
struct RuleQuestion {
  std::string_view permission;
  std::string_view pattern;
  std::string_view workspace;
  std::string_view session;
  std::string_view turn;
};

struct RuleVerdict {
  // nullopt: no rule matched.
  std::optional<RuleAction> action;
  // The rules that matched, the deciding one last.
  std::vector<Rule> matched;
};

// Which content a file had: another stamp means that somebody wrote it.
struct FileStamp {
  std::uint64_t inode = 0;
  std::int64_t size = -1;  // -1: there is no file
  std::int64_t changed_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

class RuleStore {
 public:
  static constexpr std::size_t kMaxRules = 5000;
  // Of the rules that matched, a verdict names the deciding one and the last
  // of the others.
  static constexpr std::size_t kMaxMatched = 20;
  static constexpr std::size_t kMaxFileBytes = 4U << 20;

  // Reads `file` (may be missing). Never fails: see trouble().
  RuleStore(std::string file, std::vector<config::Rule> configured);

  RuleVerdict judge(const RuleQuestion& question) const;
  // Is there a deny or an ask rule for `where` (its pattern is not looked at)
  // whose pattern `may_match` says yes to?
  bool restricts(
      const RuleQuestion& where,
      const std::function<bool(const std::string& pattern)>& may_match) const;
  // Counts the hit of a deciding rule.
  void used(const std::string& id, std::string now);

  // Remembers; scopes workspace and always are on disk (atomic replace, 0600)
  // when it returns. Fails closed: on an error nothing is remembered.
  Result<Rule> remember(Rule rule);
  // ruleNotFound; configured rules cannot be removed here.
  Result<Rule> remove(const std::string& id);
  // What ends with a session or a turn.
  void forget_session(const std::string& session);

  // Configured first, then remembered, in order of judgement.
  std::vector<Rule> list() const;
  void set_configured(std::vector<config::Rule> configured);
  // Reads the file again (SIGHUP, or a person edited it).
  void reload();
  // Empty, or why remembered allows do not count.
  const std::string& trouble() const { return trouble_; }

 private:
  Result<void> save(const Rule* without, const Rule* with);
  Result<void> catch_up();

  std::string file_;
  std::string trouble_;
  FileStamp stamp_;  // of what was read or written last
  std::vector<Rule> configured_;
  // In order of judgement: workspace and always, session, turn.
  std::vector<Rule> remembered_;
};

}  // namespace toolhost
