#include "gates/hooks/answer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "config/key_scan.hpp"
#include "protocol/fields.hpp"
#include "protocol/text.hpp"

namespace toolhost {
namespace {

using config::HookPhase;
using Decision = HookAnswer::Decision;

// Of a message; longer ones are not read by a model or a person.
constexpr std::size_t kMessageBytes = 4096;
constexpr std::size_t kMaxDepth = 64;
constexpr int kBlocks = 2;
constexpr int kCannotExecute = 126;
constexpr int kNotFound = 127;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string bounded(std::string_view text) {
  return to_utf8(utf8_prefix(trimmed(text), kMessageBytes));
}

// Of errors the end is kept: that is where the reason stands.
std::string bounded_end(std::string_view text) {
  return to_utf8(utf8_suffix(trimmed(text), kMessageBytes));
}

struct Word {
  std::string_view word;
  Decision decision;
};
// Ours and those of other programs that run hooks.
constexpr std::array kDecisions{
    Word{"allow", Decision::allow}, Word{"approve", Decision::allow},
    Word{"ask", Decision::ask},     Word{"deny", Decision::deny},
    Word{"block", Decision::deny},
};

// One object of the answer; the first fault is kept.
class Reader {
 public:
  Reader(HookPhase phase, HookRun& run) : phase_(phase), run_(run) {}

  void read(const json::object& object, bool inner) {
    for (const auto& member : object) {
      if (!run_.failure.empty()) return;
      read_member(member.key(), member.value(), inner);
    }
  }

 private:
  HookAnswer& answer() { return run_.answer; }

  void fail(std::string what) {
    if (run_.failure.empty()) run_.failure = std::move(what);
  }

  void wrong_type(std::string_view key, std::string_view wanted,
                  const json::value& value) {
    fail("answered with \"" + display_text(utf8_prefix(key, 80)) +
         "\" that is not " + std::string(wanted) + " but " +
         std::string(type_name(value)));
  }

  void text(std::string_view key, const json::value& value, std::string& to) {
    if (value.is_null()) return;
    if (!value.is_string()) return wrong_type(key, "a string", value);
    to = bounded(value.get_string());
  }

  void decide(std::string_view key, const json::value& value) {
    if (value.is_null()) return;
    if (!value.is_string()) return wrong_type(key, "a string", value);
    const std::string_view word = value.get_string();
    const auto* const found =
        std::find_if(kDecisions.begin(), kDecisions.end(),
                     [&](const Word& each) { return each.word == word; });
    if (found == kDecisions.end()) {
      return fail("answered with the unknown decision \"" +
                  display_text(utf8_prefix(word, 80)) +
                  "\" (allow, ask and deny are known)");
    }
    if (found->decision == Decision::ask && phase_ != HookPhase::pre_tool_use) {
      return fail("answered \"ask\", which only PreToolUse can");
    }
    // Two words in one answer: the stricter one counts.
    answer().decision = std::max(answer().decision, found->decision);
  }

  void rewrite(std::string_view key, const json::value& value) {
    if (value.is_null()) return;
    if (phase_ != HookPhase::pre_tool_use) {
      return fail("answered with \"" + std::string(key) +
                  "\", which only PreToolUse can");
    }
    if (!value.is_object()) return wrong_type(key, "an object", value);
    answer().arguments = value.get_object();
  }

  bool after_the_tool(std::string_view key) {
    if (phase_ == HookPhase::post_tool_use) return true;
    fail("answered with \"" + std::string(key) +
         "\", which only PostToolUse can");
    return false;
  }

  void read_member(std::string_view key, const json::value& value, bool inner) {
    const auto is = [&](auto... words) { return ((key == words) || ...); };
    if (is("decision", "permissionDecision")) {
      decide(key, value);
    } else if (is("message", "reason", "permissionDecisionReason",
                  "stopReason")) {
      text(key, value, answer().message);
    } else if (is("systemMessage")) {
      if (answer().message.empty()) text(key, value, answer().message);
    } else if (is("additionalContext")) {
      text(key, value, answer().context);
    } else if (is("arguments", "updatedInput")) {
      rewrite(key, value);
    } else if (is("output", "updatedToolOutput")) {
      if (after_the_tool(key)) answer().output = value;
    } else if (is("isError")) {
      if (!value.is_bool()) return wrong_type(key, "true or false", value);
      if (after_the_tool(key)) answer().is_error = value.get_bool();
    } else if (is("continue")) {
      if (!value.is_bool()) return wrong_type(key, "true or false", value);
      if (!value.get_bool()) answer().decision = Decision::deny;
    } else if (is("suppressOutput")) {
      if (!value.is_bool()) wrong_type(key, "true or false", value);
    } else if (is("hookSpecificOutput") && !inner) {
      if (!value.is_object()) return wrong_type(key, "an object", value);
      read(value.get_object(), true);
    } else if (is("hookEventName") && inner) {
      if (value != json::value(config::name(phase_))) {
        fail("answered for another phase than " +
             std::string(config::name(phase_)));
      }
    } else if (is("tool", "tool_name", "toolName", "name")) {
      fail("tried to change the tool, which a hook cannot");
    } else {
      // A slip of the pen in "decision" must not be a yes.
      fail("answered with the unknown member \"" +
           display_text(utf8_prefix(key, 80)) + "\"");
    }
  }

  HookPhase phase_;
  HookRun& run_;
};

// Text that is no JSON. For context it has to be free of anything that could
// be a verdict behind other output.
HookRun read_text(HookPhase phase, std::string_view text,
                  const std::string& why) {
  HookRun out;
  if (!is_guard(phase)) {
    out.answer.message = bounded(text);
  } else if (phase == HookPhase::user_prompt_submit &&
             text.find('{') == std::string_view::npos) {
    out.answer.context = bounded(text);
  } else {
    out.failure = "did not print one JSON object (" + why + "); it printed \"" +
                  display_text(utf8_prefix(text, 120)) + "\"";
  }
  return out;
}

std::string signal_words(int number) {
  const char* const words = ::sigdescr_np(number);
  return std::to_string(number) +
         (words ? " (" + std::string(words) + ")" : std::string());
}

std::string with_errors(std::string what, std::string_view errors) {
  const std::string end = bounded_end(errors);
  return end.empty() ? what : what + ": " + end;
}

}  // namespace

HookRun hook_failure(std::string what) {
  HookRun out;
  out.failure = std::move(what);
  return out;
}

std::optional<json::object> read_one_object(std::string_view text,
                                            std::string& why) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code wrong;
  json::value parsed = json::parse(text, wrong, {}, options);
  if (wrong) {
    why = wrong.message();
    return std::nullopt;
  }
  if (!parsed.is_object()) {
    why = "it is " + std::string(type_name(parsed));
    return std::nullopt;
  }
  // Of two decisions in one object a parser drops one in silence.
  bool repeated = false;
  config::KeyScan scan(text, [&](const config::KeyScan::Seen& seen) {
    if (seen.repeated) {
      repeated = true;
      why = "\"" + display_text(utf8_prefix(seen.path.back(), 80)) +
            "\" is in it twice";
    }
    return !repeated;
  });
  scan.run();
  if (repeated) return std::nullopt;
  return std::move(parsed.get_object());
}

HookRun read_hook_answer(HookPhase phase, std::string_view text) {
  const std::string_view whole = trimmed(text);
  if (whole.empty()) return {};
  std::string why;
  const auto object = read_one_object(whole, why);
  if (!object) return read_text(phase, whole, why);
  HookRun out;
  Reader(phase, out).read(*object, false);
  if (!is_guard(phase)) out.failure.clear();
  return out;
}

HookRun read_hook_exit(HookPhase phase, const ExitStatus& status,
                       std::string_view output, std::string_view errors) {
  if (status.signal != 0) {
    return hook_failure(with_errors(
        "was ended by signal " + signal_words(status.signal), errors));
  }
  switch (status.code) {
    case 0:
      return read_hook_answer(phase, output);
    case kBlocks: {
      HookRun out;
      out.answer.message = bounded_end(errors);
      if (out.answer.message.empty()) {
        out.answer.message = "(It gave no reason on its standard error.)";
      }
      if (is_guard(phase)) out.answer.decision = Decision::deny;
      return out;
    }
    case kCannotExecute:
      return hook_failure(
          with_errors("cannot be executed (exit status 126)", errors));
    case kNotFound:
      return hook_failure(with_errors(
          "is missing, or calls what is missing (exit status 127)", errors));
    default:
      return hook_failure(
          with_errors("exited with " + std::to_string(status.code), errors));
  }
}

}  // namespace toolhost
