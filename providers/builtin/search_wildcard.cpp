#include "providers/builtin/search_wildcard.hpp"

#include <algorithm>
#include <cstdint>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 1;
};

// `text` is not empty. A byte that is not UTF-8 gets a code of its own, above
// all code points.
Character first_character(std::string_view text) {
  const std::size_t length = utf8_sequence_length(text);
  const auto byte = static_cast<unsigned char>(text[0]);
  if (length == 0) return Character{0x110000U + byte, 1};
  if (length == 1) return Character{byte, 1};
  std::uint32_t code = byte & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return Character{code, length};
}

// Where the class that opens at `open` ends (its `]`), or kNone.
std::size_t class_end(std::string_view pattern, std::size_t open) {
  std::size_t at = open + 1;
  if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) ++at;
  // A `]` in front is itself.
  if (at < pattern.size() && pattern[at] == ']') ++at;
  while (at < pattern.size() && pattern[at] != ']') {
    at += pattern[at] == '\\' && at + 1 < pattern.size() ? 2U : 1U;
  }
  return at < pattern.size() ? at : kNone;
}

bool class_matches(std::string_view members, std::uint32_t code) {
  const bool negated =
      !members.empty() && (members[0] == '!' || members[0] == '^');
  if (negated) members.remove_prefix(1);
  bool found = false;
  const auto take = [&members] {
    if (members[0] == '\\' && members.size() > 1) members.remove_prefix(1);
    const Character one = first_character(members);
    members.remove_prefix(one.length);
    return one.code;
  };
  while (!members.empty()) {
    const std::uint32_t low = take();
    std::uint32_t high = low;
    if (members.size() >= 2 && members[0] == '-') {
      members.remove_prefix(1);
      high = take();
    }
    found = found || (low <= code && code <= high);
  }
  return found != negated;
}

// Matches what stands at `at` in the pattern with the front of `name`: how
// many bytes of the name it takes (0: no match); `at` moves behind it.
std::size_t match_one(std::string_view pattern, std::size_t& at,
                      std::string_view name) {
  const char c = pattern[at];
  if (c == '?') {
    ++at;
    return first_character(name).length;
  }
  if (c == '[') {
    const std::size_t end = class_end(pattern, at);
    if (end != kNone) {
      const Character one = first_character(name);
      const auto members = pattern.substr(at + 1, end - at - 1);
      if (!class_matches(members, one.code)) return 0;
      at = end + 1;
      return one.length;
    }
  }
  const std::size_t literal =
      c == '\\' && at + 1 < pattern.size() ? at + 1 : at;
  if (pattern[literal] != name[0]) return 0;
  at = literal + 1;
  return 1;
}

CallError bad_glob(const std::string& pattern, std::string what) {
  return make_call_error(
      CallErrorKind::invalid_arguments,
      "The glob " + pattern + " is not valid: " + std::move(what) + ".",
      "Write \\[ or \\{ for the character itself.");
}

// The first group at the top level: its `{` and `}`, and its commas.
struct Group {
  std::size_t open = kNone;
  std::size_t close = kNone;
  std::vector<std::size_t> commas;
};

// An empty text, or what is wrong.
std::string_view find_group(std::string_view pattern, Group& group) {
  int depth = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char c = pattern[at];
    if (c == '\\') {
      ++at;
    } else if (c == '[') {
      at = class_end(pattern, at);
      if (at == kNone) return "a [ is not closed";
    } else if (c == '{') {
      if (depth++ == 0) group.open = at;
    } else if (c == ',' && depth == 1) {
      group.commas.push_back(at);
    } else if (c == '}' && depth > 0 && --depth == 0) {
      group.close = at;
      return {};
    }
  }
  return depth > 0 ? "a { is not closed" : std::string_view();
}

}  // namespace

bool component_matches(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t star = kNone;
  std::size_t from = 0;  // where the last star's tail is tried
  std::size_t i = 0;
  while (i < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      from = i;
      continue;
    }
    const std::size_t taken =
        at < pattern.size() ? match_one(pattern, at, name.substr(i)) : 0;
    if (taken > 0) {
      i += taken;
    } else if (star != kNone) {
      at = star + 1;
      i = ++from;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[]{}\\") != kNone;
}

Outcome<std::vector<std::string>> expand_braces(const std::string& pattern) {
  std::vector<std::string> open{pattern};
  std::vector<std::string> done;
  while (!open.empty()) {
    const std::string one = std::move(open.back());
    open.pop_back();
    Group group;
    const std::string_view wrong = find_group(one, group);
    if (!wrong.empty()) return bad_glob(pattern, std::string(wrong));
    if (group.close == kNone) {
      done.push_back(one);
    } else {
      std::size_t start = group.open + 1;
      group.commas.push_back(group.close);
      for (const std::size_t end : group.commas) {
        open.push_back(one.substr(0, group.open) +
                       one.substr(start, end - start) +
                       one.substr(group.close + 1));
        start = end + 1;
      }
    }
    if (open.size() + done.size() > kMaxAlternatives) {
      return bad_glob(pattern, "it has more than " +
                                   std::to_string(kMaxAlternatives) +
                                   " alternatives");
    }
  }
  std::sort(done.begin(), done.end());
  done.erase(std::unique(done.begin(), done.end()), done.end());
  return done;
}

}  // namespace toolhost::builtin
