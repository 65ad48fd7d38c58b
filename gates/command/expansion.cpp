// What `$`, a backtick and <( begin.
#include <cstring>

#include "gates/command/reader.hpp"

namespace toolhost::command {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::string_view kSpecial = "@*#?-$!";

}  // namespace

void Reader::hole(Word& out, std::size_t from, HoleKind kind, bool quoted) {
  Hole made;
  made.at = static_cast<std::uint32_t>(from);
  made.length = static_cast<std::uint32_t>(out.text.size() - from);
  made.kind = kind;
  out.holes.push_back(made);
  if (!quoted) out.many = true;
}

void Reader::dollar(Word& out, bool quoted) {
  const char next = peek(1);
  const std::size_t from = out.text.size();
  const std::size_t start = at_;
  const auto made = [&](HoleKind kind) {
    if (reading_.failed) return;
    out.text += text_.substr(start, at_ - start);
    hole(out, from, kind, quoted);
  };
  if (next == '(' && peek(2) == '(') {
    arithmetic_expansion(out);
    made(HoleKind::arithmetic);
  } else if (next == '(') {
    substitution(out);
    made(HoleKind::command);
  } else if (next == '{') {
    parameter(out, quoted);
    made(HoleKind::parameter);
    if (out.holes.empty()) return;
    const Hole& last = out.holes.back();
    // "${a[@]}" may be several words even in quotes.
    if (out.text.find("@", last.at) != std::string::npos) out.many = true;
  } else if (is_name_start(next)) {
    at_ += 2;
    while (is_name_start(peek()) || is_digit(peek())) ++at_;
    made(HoleKind::parameter);
  } else if (is_digit(next) ||
             (next != '\0' && kSpecial.find(next) != std::string_view::npos)) {
    at_ += 2;
    // To find the end of a quote, bash takes the second $ of $$( for the
    // beginning of a substitution.
    if (next == '$' && (peek() == '(' || peek() == '{' || peek() == '[')) {
      return fail("a bracket follows $$");
    }
    made(HoleKind::parameter);
    if (next == '@') out.many = true;
  } else if (next == '[' || (next == '"' && !quoted) || next == '\\') {
    fail("a $ is followed by something unusual");
  } else {
    out.text += '$';
    ++at_;
  }
}

// ${…}
void Reader::parameter(Word& out, bool quoted) {
  const Deeper deeper(*this);
  at_ += 2;
  const bool indirect = peek() == '!' && peek(1) != '}';
  if (indirect) {
    ++at_;
    reading_.tree.bash_only = true;
  }
  const bool length = peek() == '#' && peek(1) != '}';
  if (length) ++at_;
  const std::size_t from = at_;
  if (is_name_start(peek())) {
    while (is_name_start(peek()) || is_digit(peek())) ++at_;
  } else if (is_digit(peek())) {
    while (is_digit(peek())) ++at_;
  } else if (peek() != '\0' &&
             kSpecial.find(peek()) != std::string_view::npos) {
    ++at_;
  } else {
    return fail("an expansion has no name");
  }
  const std::string name(text_.substr(from, at_ - from));
  if (peek() == '[') {
    reading_.tree.bash_only = true;
    ++at_;
    const std::size_t inside = at_;
    while (!at_end() && peek() != ']') {
      const char c = peek();
      if (c == '$' && peek(1) != '(' && peek(1) != '{') {
        ++at_;
      } else if (is_name_start(c) || is_digit(c) || c == '@' || c == '*' ||
                 c == '-' || c == '#' || c == '+') {
        ++at_;
      } else {
        return fail("a subscript is more than a name or a number");
      }
    }
    reading_.tree.arithmetic.emplace_back(text_.substr(inside, at_ - inside));
    if (!take(']')) return fail("a subscript is not closed");
  }
  // What it names may be a subscript with a command in it; ${!a[@]} and
  // ${!a*} only list names.
  const char last = text_[at_ - 1];
  const char before = text_[at_ > 1 ? at_ - 2 : 0];
  const bool keys = last == ']' && (before == '@' || before == '*');
  if (indirect && !keys && peek() != '*') {
    reading_.tree.arithmetic.emplace_back("$(");
  }
  if (take('}')) return;
  if (length) return fail("a length is taken of more than a name");
  switch (peek()) {
    case ':':
      if (peek(1) != '\0' && std::strchr("-=+?", peek(1))) {
        if (peek(1) == '=') {
          reading_.tree.assigned_by_expansion.push_back(name);
        }
        at_ += 2;
        break;
      }
      ++at_;
      reading_.tree.bash_only = true;
      {
        // ${x:1:2} is arithmetic.
        const std::size_t inside = at_;
        while (!at_end() && (is_digit(peek()) || is_name_start(peek()) ||
                             std::strchr(" :+-*#", peek()) || peek() == '$')) {
          if (peek() == '$' && (peek(1) == '(' || peek(1) == '{')) break;
          ++at_;
        }
        reading_.tree.arithmetic.emplace_back(
            text_.substr(inside, at_ - inside));
      }
      if (!take('}')) fail("a part of a value is more than plain numbers");
      return;
    case '=':
      reading_.tree.assigned_by_expansion.push_back(name);
      [[fallthrough]];
    case '-':
    case '+':
    case '?':
      ++at_;
      break;
    case '#':
    case '%':
      ++at_;
      if (peek() == text_[at_ - 1]) ++at_;
      break;
    case '/':
    case '^':
    case ',':
      reading_.tree.bash_only = true;
      ++at_;
      if (peek() == text_[at_ - 1]) ++at_;
      break;
    case '@':
      // @P expands what the value holds as a prompt, commands included.
      if (peek(1) == '\0' || !std::strchr("QULuaAEKk", peek(1)) ||
          peek(2) != '}') {
        return fail("an expansion transforms its value");
      }
      reading_.tree.bash_only = true;
      at_ += 3;
      return;
    case '*':
      // ${!prefix*}
      if (indirect && peek(1) == '}') {
        at_ += 2;
        return;
      }
      [[fallthrough]];
    default:
      return fail("an expansion is not known");
  }
  parameter_rest(out, quoted);
}

// The word in ${name:-word}: what it expands counts, its text does not.
void Reader::parameter_rest(Word& out, bool quoted) {
  Word inside;
  while (!at_end()) {
    const char c = peek();
    if (c == '}') {
      ++at_;
      for (Node& list : inside.nested) out.nested.push_back(std::move(list));
      finish(inside, Where::word);
      return;
    }
    if (c == '\\') {
      if (peek(1) == '\n' || peek(1) == '\0') {
        return fail("a line is continued inside an expansion");
      }
      inside.quoted = true;
      inside.text += text_.substr(at_, 2);
      at_ += 2;
    } else if (c == '\'') {
      // In double quotes it is a character for some forms, a quote for others.
      if (quoted) return fail("a single quote inside an expansion in quotes");
      single_quoted(inside);
    } else if (c == '"') {
      if (quoted) return fail("a quote inside an expansion in quotes");
      double_quoted(inside);
    } else if (c == '$') {
      if (peek(1) == '\'') {
        if (quoted) return fail("a quote inside an expansion in quotes");
        ansi_quoted(inside);
      } else {
        dollar(inside, quoted);
      }
    } else if (c == '`') {
      backtick(inside, quoted);
    } else if (!quoted && (c == '<' || c == '>') && peek(1) == '(') {
      return fail("a process substitution inside an expansion");
    } else if (c == '{') {
      return fail("a brace inside an expansion");
    } else {
      if (c == '\n') inner_new_line();
      inside.text += c;
      ++at_;
    }
  }
  fail("an expansion is not closed");
}

// $( … ): the grammar itself finds its end.
void Reader::substitution(Word& out) {
  const Deeper deeper(*this);
  at_ += 2;
  // Bash would look for a second parenthesis behind it.
  if (peek() == '\\' && peek(1) == '\n') {
    fail("a substitution begins with a continued line");
  }
  const std::size_t outer = pending_.size();
  std::vector<Pending> waiting;
  waiting.swap(pending_);
  held_ += outer;
  new_lines();
  // Bash 5.2 does not see a keyword behind it here.
  if (keyword_ahead("time")) fail("a substitution begins with time");
  Node inside = list(false);
  if (!pending_.empty()) fail("a here-document has no body");
  if (!take(')')) fail("a substitution is not closed");
  held_ -= outer;
  pending_.swap(waiting);
  out.nested.push_back(std::move(inside));
}

void Reader::process(Word& out) {
  const std::size_t start = at_;
  reading_.tree.bash_only = true;
  substitution(out);
  if (reading_.failed) return;
  const std::size_t from = out.text.size();
  out.text += text_.substr(start, at_ - start);
  hole(out, from, HoleKind::process, true);
}

// ` … `: backslashes are taken off first, then it is a text of its own.
void Reader::backtick(Word& out, bool quoted) {
  const Deeper deeper(*this);
  const std::size_t start = at_;
  ++at_;
  std::string inside;
  bool closed = false;
  while (!at_end() && !closed) {
    const char c = peek();
    ++at_;
    if (c == '`') {
      closed = true;
    } else if (c == '\\') {
      const char next = peek();
      if (next == '\n') return fail("a line is continued inside backticks");
      const bool taken = next == '`' || next == '\\' || next == '$';
      // Whether the backslash of \" stays depends on where it stands.
      if (next == '"' && quoted) {
        return fail("a quoted quote inside backticks");
      }
      if (!taken) inside += c;
      inside += next;
      ++at_;
    } else {
      if (c == '\n') inner_new_line();
      inside += c;
    }
  }
  if (!closed) return fail("a backtick is not closed");
  Reader nested(inside, reading_, base_ + static_cast<std::uint32_t>(start));
  out.nested.push_back(nested.whole());
  if (reading_.failed) return;
  const std::size_t from = out.text.size();
  out.text += text_.substr(start, at_ - start);
  hole(out, from, HoleKind::command, quoted);
}

void Reader::arithmetic_expansion(Word& out) {
  at_ += 3;
  reading_.tree.arithmetic.push_back(arithmetic_text(out));
}

std::string Reader::arithmetic_text(Word& out) {
  const Deeper deeper(*this);
  Word inside;
  unsigned open = 0;
  while (!at_end()) {
    const char c = peek();
    if (c == ')' && open == 0) {
      if (peek(1) != ')') {
        fail("a double parenthesis is not closed by two");
        break;
      }
      at_ += 2;
      for (Node& list : inside.nested) out.nested.push_back(std::move(list));
      return inside.text;
    }
    if (c == '$') {
      if (peek(1) == '\'' || peek(1) == '"') fail("a quote in arithmetic");
      dollar(inside, true);
    } else if (c == '`') {
      backtick(inside, true);
    } else if (c == '\'' || c == '"' || c == '\\' || c == '#' || c == '{' ||
               c == '}' || c == ';') {
      // # is a comment or a base, by what comes before.
      if (c != ';' &&
          !(c == '#' && !inside.text.empty() && is_digit(inside.text.back()))) {
        fail("arithmetic holds a quote, a brace or a comment");
      }
      inside.text += c;
      ++at_;
    } else {
      if (c == '\n') inner_new_line();
      if (c == '(') ++open;
      if (c == ')') --open;
      inside.text += c;
      ++at_;
    }
  }
  fail("arithmetic is not closed");
  return {};
}

}  // namespace toolhost::command
