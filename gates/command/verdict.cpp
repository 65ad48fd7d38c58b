#include "gates/command/verdict.hpp"

#include <algorithm>
#include <array>

#include "gates/command/spellings.hpp"

namespace toolhost::command {
namespace {

constexpr std::string_view kCommand = "bash";
constexpr std::array<std::string_view, 3> kNoFiles{"/dev/null", "/dev/stdout",
                                                   "/dev/stderr"};

// Reasons that leave open what else may run.
bool hides_commands(const Reason& reason) {
  switch (reason.kind) {
    case ReasonKind::not_understood:
    case ReasonKind::dynamic_program:
    case ReasonKind::hidden_code:
    case ReasonKind::shell_state:
    case ReasonKind::unknown_option:
      return true;
    case ReasonKind::variable:
    case ReasonKind::dynamic_target:
    case ReasonKind::network:
      return false;
  }
  return true;
}

std::string_view permission_of(Access access) {
  return access == Access::write || access == Access::append ? "edit" : "read";
}

class Decision {
 public:
  Decision(std::string_view line, const Judgement& judgement,
           const Rules& rules)
      : line_(line), judgement_(judgement), rules_(rules) {}

  Verdict verdict() {
    for (const Reason& reason : judgement_.reasons) {
      out_.because.push_back(reason.text);
    }
    if (!judgement_.understood || !judgement_.reasons.empty()) {
      out_.may_remember = false;
    }
    if (restricted(kCommand, line_)) return std::move(out_);
    for (const Command& command : judgement_.commands) {
      for (const std::string& text : spellings(command.words)) {
        if (restricted(kCommand, text)) return std::move(out_);
      }
    }
    if (denied_raw() || denied_paths()) return std::move(out_);
    const bool covered = cover();
    if (!out_.because.empty()) {
      out_.action = RuleAction::ask;
    } else if (covered) {
      out_.action = RuleAction::allow;
    } else {
      out_.open = true;
    }
    if (!out_.may_remember) out_.remember.clear();
    return std::move(out_);
  }

 private:
  void because(std::string text) {
    if (std::find(out_.because.begin(), out_.because.end(), text) ==
        out_.because.end()) {
      out_.because.push_back(std::move(text));
    }
  }

  bool deny(std::string_view permission, std::string_view text) {
    out_.action = RuleAction::deny;
    out_.denied = text;
    out_.denied_permission = permission;
    out_.may_remember = false;
    return true;
  }

  // True: denied. An ask is noted.
  bool restricted(std::string_view permission, std::string_view text) {
    const auto said = rules_.says(permission, text);
    if (said == RuleAction::deny) return deny(permission, text);
    if (said == RuleAction::ask) {
      because("A rule asks for " + std::string(permission) + " " +
              std::string(text.substr(0, 200)) + ".");
    }
    return false;
  }

  bool denied_raw() {
    const bool hidden = !judgement_.understood ||
                        std::any_of(judgement_.reasons.begin(),
                                    judgement_.reasons.end(), hides_commands);
    if (!hidden) return false;
    const RawRuns raw = raw_runs(line_);
    for (const std::string& run : raw.runs) {
      if (rules_.says(kCommand, run) == RuleAction::deny) {
        return deny(kCommand, run);
      }
    }
    if (raw.complete) return false;
    because("The command is too long to be compared with the rules.");
    return deny(kCommand, line_.substr(0, 200));
  }

  bool denied_paths() {
    for (const PathUse& use : judgement_.paths) {
      const std::string text =
          use.base.empty() ? use.path : use.base + "/" + use.path;
      if (use.path.empty() || !use.complete) continue;
      if (use.access == Access::unknown) {
        // Not known what it does with it: a person looks.
        for (const std::string_view permission : {"read", "edit"}) {
          if (rules_.says(permission, text) == RuleAction::deny) {
            because("A rule denies " + std::string(permission) + " " + text +
                    ", which the command names.");
            out_.may_remember = false;
          }
        }
      } else if (restricted(permission_of(use.access), text)) {
        return true;
      }
    }
    return false;
  }

  // An allow that holds for every value of what is not known.
  bool allowed(const std::vector<Argument>& words) {
    const std::vector<std::string> pieces = pieces_of(words);
    if (pieces.size() == 1) {
      return rules_.says(kCommand, pieces.front()) == RuleAction::allow;
    }
    if (!words.front().is_static() || !rules_.may_restrict ||
        rules_.may_restrict(kCommand, pieces)) {
      return false;
    }
    // Only a star covers nothing, one strange character, and several words.
    for (const std::string_view value : {"", "\x01", "\x02 \x01\x02 \x01"}) {
      std::string text = pieces.front();
      for (std::size_t i = 1; i < pieces.size(); ++i) {
        text += value;
        text += pieces[i];
      }
      if (rules_.says(kCommand, text) != RuleAction::allow) return false;
    }
    return true;
  }

  void offer(const Command& command) {
    auto remembered = remembered_pattern(command.words);
    if (!remembered) {
      out_.may_remember = false;
      return;
    }
    const bool known = std::any_of(
        out_.remember.begin(), out_.remember.end(),
        [&](const Remembered& r) { return r.pattern == remembered->pattern; });
    if (!known) out_.remember.push_back(std::move(*remembered));
  }

  bool cover() {
    bool all = judgement_.understood && !judgement_.commands.empty();
    for (const Command& command : judgement_.commands) {
      if (command.transparent) continue;
      if (allowed(command.words)) {
        const auto rule = remembered_pattern(command.words);
        if (!rule || rule->project_runner) out_.project_runner = true;
        continue;
      }
      all = false;
      offer(command);
    }
    for (const PathUse& use : judgement_.paths) {
      const bool writes =
          use.access == Access::write || use.access == Access::append;
      const bool no_file = std::find(kNoFiles.begin(), kNoFiles.end(),
                                     use.path) != kNoFiles.end();
      if (!use.separate || !writes || no_file) continue;
      const std::string text =
          use.base.empty() ? use.path : use.base + "/" + use.path;
      if (use.complete && use.base_known &&
          rules_.says("edit", text) == RuleAction::allow) {
        continue;
      }
      // A rule for a command would not cover it the next time either.
      all = false;
      out_.may_remember = false;
    }
    return all;
  }

  std::string_view line_;
  const Judgement& judgement_;
  const Rules& rules_;
  Verdict out_;
};

}  // namespace

Verdict decide(std::string_view line, const Judgement& judgement,
               const Rules& rules) {
  return Decision(line, judgement, rules).verdict();
}

}  // namespace toolhost::command
