// Any bytes are a tree or a reason; what is judged stays in its limits; a deny
// of everything is never lost, and an allow needs every command.
#include "gates/command/spellings.hpp"
#include "gates/command/verdict.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using namespace toolhost::command;
using toolhost::RuleAction;
using toolhost::fuzz::require;

Rules always(RuleAction action) {
  Rules out;
  out.says = [action](std::string_view, std::string_view) {
    return std::optional<RuleAction>(action);
  };
  out.may_restrict = [](std::string_view, const std::vector<std::string>&) {
    return false;
  };
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data,
                                      std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const Parsed parsed = parse(line);
  require(parsed.tree || !parsed.trouble.reason.empty(),
          "a refusal without a reason");
  require(parsed.tree || parsed.trouble.offset <= size,
          "trouble behind the end");
  const Judgement judged = judge(parsed);
  require(judged.commands.size() <= kMaxCommands, "too many commands");
  require(judged.paths.size() <= kMaxPaths, "too many paths");
  require(judged.understood || !judged.reasons.empty(),
          "not understood without a reason");
  require(
      decide(line, judged, always(RuleAction::deny)).action == RuleAction::deny,
      "a deny that slipped");
  const Verdict allowed = decide(line, judged, always(RuleAction::allow));
  require(allowed.action != RuleAction::allow || judged.reasons.empty(),
          "an allow in spite of a reason");
  require(allowed.may_remember || allowed.remember.empty(),
          "remembered what must not be");
  return 0;
}
