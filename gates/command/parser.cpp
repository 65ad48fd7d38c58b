// Lists, pipelines and simple commands; and the way in.
#include "gates/command/parser.hpp"

#include <algorithm>
#include <array>

#include "gates/command/reader.hpp"

namespace toolhost::command {
namespace {

template <std::size_t N>
bool in(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What ends a list.
constexpr std::array<std::string_view, 8> kClosing{"then", "elif", "else", "fi",
                                                   "do",   "done", "esac", "}"};
constexpr std::array<std::string_view, 14> kOpening{
    "if", "while", "until", "for",    "case",   "function", "{",
    "[[", "!",     "time",  "select", "coproc", "in",       "]]"};
// Builtins whose arguments are assignments, lists of values included.
constexpr std::array<std::string_view, 5> kDeclaring{
    "declare", "typeset", "local", "export", "readonly"};

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f;
}

}  // namespace

Node Reader::whole() {
  Node out = list(false);
  if (!at_end()) fail("something is not expected here");
  if (!pending_.empty()) fail("a here-document has no body");
  return out;
}

bool Reader::closing_ahead() const {
  const char c = peek();
  if (c == ')' || (c == ';' && (peek(1) == ';' || peek(1) == '&'))) return true;
  return in(kClosing, plain_ahead());
}

Node Reader::list(bool required) {
  const Deeper deeper(*this);
  Node out;
  out.begin = here();
  new_lines();
  while (!at_end() && !closing_ahead()) {
    const std::size_t first = out.children.size();
    and_or(out);
    skip_blanks();
    if (peek() == ';' && peek(1) != ';' && peek(1) != '&') {
      ++at_;
    } else if (peek() == '&' && peek(1) != '&') {
      ++at_;
      for (std::size_t i = first; i < out.children.size(); ++i) {
        out.children[i].background = true;
      }
    } else if (peek() != '\n') {
      break;
    }
    new_lines();
  }
  if (required && out.children.empty()) fail("a command is missing");
  out.end = here();
  return out;
}

void Reader::and_or(Node& out) {
  out.children.push_back(pipeline());
  for (;;) {
    skip_blanks();
    if (!take("&&") && !take("||")) return;
    new_lines();
    out.children.push_back(pipeline());
    out.children.back().maybe = true;
  }
}

Node Reader::pipeline() {
  for (;;) {
    skip_blanks();
    if (take_keyword("!")) continue;
    if (!take_keyword("time")) break;
    reading_.tree.bash_only = true;
    skip_blanks();
    if (take_keyword("-p")) skip_blanks();
    (void)take_keyword("--");
  }
  Node first = command();
  skip_blanks();
  if (peek() != '|' || peek(1) == '|') return first;
  Node out;
  out.kind = NodeKind::pipeline;
  out.begin = first.begin;
  out.children.push_back(std::move(first));
  while (peek() == '|' && peek(1) != '|') {
    ++at_;
    if (take('&')) reading_.tree.bash_only = true;
    new_lines();
    out.children.push_back(command());
    skip_blanks();
  }
  out.end = here();
  return out;
}

Node Reader::command() {
  skip_blanks();
  const std::uint32_t begin = here();
  Node out;
  const std::string_view ahead = plain_ahead();
  if (peek() == '(') {
    out = peek(1) == '(' ? arithmetic_command() : bracketed(NodeKind::subshell);
  } else if (ahead == "{") {
    out = bracketed(NodeKind::group);
  } else if (ahead == "if") {
    out = conditional();
  } else if (ahead == "while" || ahead == "until") {
    out = loop();
  } else if (ahead == "for") {
    out = iteration();
  } else if (ahead == "case") {
    out = choice();
  } else if (ahead == "[[") {
    out = test();
  } else if (ahead == "function") {
    return function_keyword();
  } else {
    return simple();
  }
  redirects(out);
  out.begin = begin;
  out.end = here();
  return out;
}

void Reader::redirects(Node& out) {
  for (skip_blanks(); redirect_ahead(); skip_blanks()) {
    out.redirects.push_back(redirect());
  }
}

Node Reader::simple() {
  Node out;
  out.kind = NodeKind::simple;
  out.begin = here();
  out.end = out.begin;
  bool declaring = false;
  while (!at_end()) {
    skip_blanks();
    if (redirect_ahead()) {
      out.redirects.push_back(redirect());
      out.end = here();
      continue;
    }
    const std::size_t before = at_;
    const bool prefix = out.words.empty();
    Word next = word(prefix || declaring ? Where::prefix : Where::word);
    if (at_ == before) break;
    out.end = here();
    if (prefix && next.is_assignment()) {
      out.assignments.push_back(std::move(next));
      continue;
    }
    if (prefix) {
      if (!next.quoted && next.is_static() &&
          (in(kClosing, next.text) || in(kOpening, next.text))) {
        fail("the word " + next.text + " is not expected here");
      }
      declaring = next.is_static() && in(kDeclaring, next.text);
    }
    out.words.push_back(std::move(next));
    skip_blanks();
    if (peek() != '(') continue;
    const Word& name = out.words.front();
    if (out.words.size() > 1 || !out.assignments.empty() ||
        !out.redirects.empty() || !name.is_static() || name.quoted) {
      fail("a parenthesis is not expected here");
      break;
    }
    return function(name.text);
  }
  if (out.words.empty() && out.assignments.empty() && out.redirects.empty()) {
    fail("a command is missing");
  }
  return out;
}

Parsed parse(std::string_view text) {
  Parsed out;
  Reading reading;
  if (text.size() > kMaxBytes) {
    out.trouble = {static_cast<std::uint32_t>(kMaxBytes), "it is too long"};
    return out;
  }
  const auto control = std::find_if(text.begin(), text.end(), is_control);
  if (control != text.end()) {
    out.trouble = {static_cast<std::uint32_t>(control - text.begin()),
                   "it holds a control character"};
    return out;
  }
  Reader reader(text, reading);
  reading.tree.root = reader.whole();
  if (reading.failed) {
    out.trouble = std::move(reading.trouble);
    // A text inside may be longer than its place: a last new line was added.
    out.trouble.offset =
        std::min(out.trouble.offset, static_cast<std::uint32_t>(text.size()));
  } else {
    out.tree = std::move(reading.tree);
  }
  return out;
}

}  // namespace toolhost::command
