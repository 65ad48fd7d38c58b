// What rules say of a command line.
//
// A deny or an ask counts if it matches anything that the line may run, in any
// spelling, or the line itself; an allow has to cover every command and every
// redirection. What is not understood asks and is never remembered, and denies
// are tried on every run of words in it.
// Pure: rules come in as a function.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gates/command/arity.hpp"
#include "gates/command/judge.hpp"
#include "protocol/policy.hpp"

namespace toolhost::command {

struct Rules {
  // What the rules say of one text; nullopt: none matches. Permissions are
  // "bash" for commands, "edit" and "read" for files.
  std::function<std::optional<RuleAction>(std::string_view permission,
                                          std::string_view text)>
      says;
  // Could a deny or an ask rule match for some value of what stands between
  // the pieces (may_match of spellings.hpp)? Left empty, words that are
  // decided when it runs are never covered by an allow.
  std::function<bool(std::string_view permission,
                     const std::vector<std::string>& pieces)>
      may_restrict;
};

struct Verdict {
  RuleAction action = RuleAction::ask;
  // No rule decided: nothing denied or asked, but not all is allowed. The
  // policy table has the word.
  bool open = false;
  // False: whatever the person answers, it is for this call.
  bool may_remember = true;
  // An allow rests on a command whose meaning stands in files that an agent
  // may edit (npm test, ./build.sh), or on a launcher: a remembered allow of it
  // counts only inside an enforced sandbox.
  bool project_runner = false;
  // The text that a deny rule matched, and its permission.
  std::string denied;
  std::string denied_permission;
  // Sentences, why a person is asked.
  std::vector<std::string> because;
  // What "always" would remember, for the commands that no rule covers; empty
  // when even one of them cannot be remembered.
  std::vector<Remembered> remember;
};

Verdict decide(std::string_view line, const Judgement& judgement,
               const Rules& rules);

}  // namespace toolhost::command
