#include "providers/builtin/search_causes.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
// A name in a note; the beginning tells enough.
constexpr std::size_t kMaxExampleBytes = 200;

// ripgrep 14 and later put their name in front.
std::string_view without_name(std::string_view text) {
  if (text.starts_with("rg: ")) text.remove_prefix(4);
  return text;
}

struct Advice {
  std::string_view sign;
  std::string_view hint;
};

constexpr std::array kAdvice{
    Advice{"look-around",
           "Look-ahead and look-behind are not supported (the syntax is that "
           "of Rust's regex crate). Search for the text without them and "
           "judge the lines, or use \\b for word borders."},
    Advice{"backreferences",
           "Back-references are not supported (the syntax is that of Rust's "
           "regex crate). Search for the part without them and compare the "
           "matches."},
    Advice{"is not allowed in a regex",
           "A line end in the pattern needs multiline: true; otherwise search "
           "for one line at a time."},
    Advice{"exceeds size limit",
           "Make the pattern smaller: shorter counted repetitions such as "
           "{1000}, fewer alternatives."},
    Advice{"unrecognized file type",
           "Use a type of ripgrep such as cpp, py, js, ts, rust, go, java, "
           "md, json, or give a glob such as *.cpp instead."},
    Advice{"error parsing glob",
           "Correct the glob, or give the folder as path instead."},
};

}  // namespace

void SearchCount::add(std::string_view path) {
  ++count;
  if (examples.size() >= kExamples) return;
  if (path.starts_with("./")) path.remove_prefix(2);
  examples.push_back(display_text(utf8_prefix(path, kMaxExampleBytes)));
}

void SearchCauses::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    // The rest of an overlong line says nothing that we need.
    if (pending_.size() + part.size() > kMaxLineBytes) overlong_ = true;
    if (!overlong_) pending_ += part;
    if (end == kNone) return;
    finish();
    bytes.remove_prefix(end + 1);
  }
}

void SearchCauses::finish() {
  if (!pending_.empty()) line(pending_);
  pending_.clear();
  overlong_ = false;
}

void SearchCauses::line(std::string_view text) {
  text = without_name(text);
  if (text.starts_with("DEBUG|") || text.starts_with("TRACE|")) {
    return note(text);
  }
  if (failure(text)) return;
  const std::size_t room = kMaxText - std::min(kMaxText, text_.size());
  text_ += utf8_prefix(text, room);
  if (room > text.size()) text_ += '\n';
}

// "DEBUG|…: ignoring ./a: Ignore(IgnoreMatch(Hidden))"
void SearchCauses::note(std::string_view text) {
  constexpr std::string_view kVerb = ": ignoring ";
  const std::size_t verb = text.find(kVerb);
  if (verb == kNone) return;
  ++notes_;
  const std::string_view rest = text.substr(verb + kVerb.size());
  constexpr std::string_view kReason = ": Ignore(IgnoreMatch(";
  const std::size_t reason = rest.find(kReason);
  if (reason != kNone) {
    const std::string_view path = rest.substr(0, reason);
    // The insides of version control are nobody's source.
    if (path == "./.git") return;
    const bool hidden =
        rest.substr(reason + kReason.size()).starts_with("Hidden");
    (hidden ? hidden_ : ignored_).add(path);
    return;
  }
  const std::size_t filtered = rest.find(": failed to pass subject filter");
  if (filtered != kNone) special_.add(rest.substr(0, filtered));
}

bool SearchCauses::failure(std::string_view text) {
  const std::size_t number = text.rfind(" (os error ");
  if (number == kNone) return false;
  const std::string_view what = text.substr(0, number);
  const std::size_t colon = what.rfind(": ");
  const std::string reason(colon == kNone ? what : what.substr(colon + 2));
  const std::string_view path = colon == kNone ? "" : what.substr(0, colon);
  const bool known = failures_.contains(reason);
  const bool full = !known && failures_.size() >= kMaxKinds;
  const std::string key = full ? "Other" : display_text(reason);
  failures_[key].add(path);
  return true;
}

CallError explain_refusal(const std::string& text, const std::string& pattern) {
  std::string message = "ripgrep refused the search for \"" +
                        display_text(utf8_prefix(pattern, 200)) + "\": ";
  // What follows is advice about options that only a command line has.
  std::string said = text.substr(0, text.find("\nConsider enabling"));
  while (!said.empty() && said.back() == '\n') said.pop_back();
  message += display_text(said, true) + (said.ends_with('.') ? "" : ".");
  for (const Advice& advice : kAdvice) {
    if (text.find(advice.sign) != std::string::npos) {
      return make_call_error(CallErrorKind::invalid_arguments,
                             std::move(message), std::string(advice.hint));
    }
  }
  if (text.find("regex parse error") != std::string::npos) {
    return make_call_error(
        CallErrorKind::invalid_arguments, std::move(message),
        "Correct the pattern (characters such as ( [ { . * + ? \\ have to be "
        "escaped with a backslash), or set literal: true to search for the "
        "text as it is.");
  }
  return make_call_error(CallErrorKind::tool_failed, std::move(message),
                         "Change the arguments as the message says.");
}

}  // namespace toolhost::builtin
