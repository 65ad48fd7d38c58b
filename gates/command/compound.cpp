// Commands that have a word or a bracket at both ends.
#include <algorithm>
#include <array>

#include "gates/command/reader.hpp"

namespace toolhost::command {
namespace {

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
  });
}

bool is_unary(const Word& word) {
  constexpr std::string_view kLetters = "abcdefghknoprstuvwxzGLNORS";
  return !word.quoted && word.is_static() && word.text.size() == 2 &&
         word.text[0] == '-' &&
         kLetters.find(word.text[1]) != std::string_view::npos;
}

constexpr std::array<std::string_view, 6> kNumeric{"-eq", "-ne", "-lt",
                                                   "-le", "-gt", "-ge"};
constexpr std::array<std::string_view, 6> kTextual{
    "=", "==", "!=", "-nt", "-ot", "-ef"};

template <std::size_t N>
bool in(const std::array<std::string_view, N>& words, const Word& word) {
  return !word.quoted &&
         std::find(words.begin(), words.end(), word.text) != words.end();
}

}  // namespace

void Reader::expect(std::string_view keyword) {
  skip_blanks();
  if (!take_keyword(keyword)) {
    fail("the word " + std::string(keyword) + " is missing");
  }
}

Node Reader::bracketed(NodeKind kind) {
  Node out;
  out.kind = kind;
  ++at_;
  if (kind == NodeKind::subshell && peek() == '\\' && peek(1) == '\n') {
    fail("a parenthesis is followed by a continued line");
  }
  out.children.push_back(list(true));
  if (kind == NodeKind::group) {
    expect("}");
  } else if (!take(')')) {
    fail("a parenthesis is not closed");
  }
  return out;
}

Node Reader::conditional() {
  Node out;
  out.kind = NodeKind::conditional;
  take("if");
  out.children.push_back(list(true));
  expect("then");
  out.children.push_back(list(true));
  while (take_keyword("elif")) {
    out.children.push_back(list(true));
    expect("then");
    out.children.push_back(list(true));
  }
  if (take_keyword("else")) out.children.push_back(list(true));
  expect("fi");
  return out;
}

Node Reader::loop() {
  Node out;
  out.kind = NodeKind::loop;
  if (!take("while")) take("until");
  out.children.push_back(list(true));
  do_done(out);
  return out;
}

void Reader::do_done(Node& out) {
  expect("do");
  out.children.push_back(list(true));
  expect("done");
}

Node Reader::iteration() {
  Node out;
  out.kind = NodeKind::iteration;
  take("for");
  skip_blanks();
  if (take("((")) {
    reading_.tree.bash_only = true;
    Word inside;
    const std::string text = arithmetic_text(inside);
    if (std::count(text.begin(), text.end(), ';') != 2) {
      fail("a counting loop needs three parts");
    }
    reading_.tree.arithmetic.push_back(text);
    out.words.push_back(std::move(inside));
    skip_blanks();
    (void)take(';');
  } else {
    Word name = word(Where::pattern);
    if (!is_name(name.text) || name.quoted || !name.is_static()) {
      fail("a loop has no plain variable");
    }
    out.name = std::move(name.text);
    new_lines();
    if (take_keyword("in")) {
      for (;;) {
        skip_blanks();
        const std::size_t before = at_;
        Word item = word(Where::word);
        if (at_ == before) break;
        out.words.push_back(std::move(item));
      }
      if (peek() != '\n' && !take(';')) fail("a loop's words are not ended");
    } else {
      // for x; do: the arguments of the shell or of the function.
      Word all;
      all.text = "$@";
      all.holes.push_back({0, 2, HoleKind::parameter});
      all.many = true;
      out.words.push_back(std::move(all));
      (void)take(';');
    }
  }
  new_lines();
  do_done(out);
  return out;
}

Node Reader::choice() {
  Node out;
  out.kind = NodeKind::choice;
  take("case");
  skip_blanks();
  const std::size_t before = at_;
  out.words.push_back(word(Where::pattern));
  if (at_ == before) fail("a case has no subject");
  new_lines();
  expect("in");
  for (;;) {
    new_lines();
    if (take_keyword("esac")) return out;
    if (at_end()) break;
    (void)take('(');
    do {
      skip_blanks();
      const std::size_t start = at_;
      out.words.push_back(word(Where::pattern));
      if (at_ == start) fail("a case has no pattern");
      skip_blanks();
    } while (peek() == '|' && peek(1) != '|' && take('|'));
    if (!take(')')) fail("a pattern is not closed");
    out.children.push_back(list(false));
    if (take(";;&") || take(";&")) {
      reading_.tree.bash_only = true;
    } else if (!take(";;")) {
      new_lines();
      if (!keyword_ahead("esac")) fail("a case is not closed");
    }
  }
  fail("a case is not closed");
  return out;
}

// After its name.
Node Reader::function(std::string name) {
  Node out;
  out.kind = NodeKind::function;
  out.begin = here();
  out.name = std::move(name);
  if (!is_name(out.name) &&
      out.name.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
          std::string::npos) {
    fail("a function has an unusual name");
  }
  if (take('(')) {
    skip_blanks();
    if (!take(')')) fail("a parenthesis is not expected here");
  }
  new_lines();
  if (keyword_ahead("{")) {
    out.children.push_back(bracketed(NodeKind::group));
  } else if (peek() == '(' && peek(1) != '(') {
    out.children.push_back(bracketed(NodeKind::subshell));
  } else {
    fail("a function has no body in braces");
    return out;
  }
  redirects(out.children.back());
  out.end = here();
  return out;
}

Node Reader::function_keyword() {
  take("function");
  reading_.tree.bash_only = true;
  skip_blanks();
  Word name = word(Where::pattern);
  if (name.quoted || !name.is_static() || name.text.empty()) {
    fail("a function has an unusual name");
  }
  skip_blanks();
  return function(std::move(name.text));
}

Node Reader::arithmetic_command() {
  Node out;
  out.kind = NodeKind::arithmetic;
  reading_.tree.bash_only = true;
  at_ += 2;
  Word inside;
  reading_.tree.arithmetic.push_back(arithmetic_text(inside));
  out.words.push_back(std::move(inside));
  return out;
}

Node Reader::test() {
  Node out;
  out.kind = NodeKind::test;
  reading_.tree.bash_only = true;
  take("[[");
  test_expression(out);
  skip_blanks();
  if (!take_keyword("]]")) fail("a test is not closed");
  return out;
}

void Reader::test_expression(Node& out) {
  const Deeper deeper(*this);
  for (;;) {
    test_term(out);
    skip_blanks();
    if (reading_.failed || (!take("&&") && !take("||"))) return;
    new_lines();
  }
}

void Reader::test_term(Node& out) {
  skip_blanks();
  while (take_keyword("!")) skip_blanks();
  if (take('(')) {
    test_expression(out);
    skip_blanks();
    if (!take(')')) fail("a parenthesis is not closed");
    return;
  }
  const auto operand = [&](Where where) -> Word& {
    skip_blanks();
    const std::size_t before = at_;
    if (keyword_ahead("]]")) fail("a test has no operand");
    out.words.push_back(word(where));
    if (at_ == before) fail("a test has no operand");
    return out.words.back();
  };
  const Word first = operand(Where::test);
  if (is_unary(first)) {
    const Word& name = operand(Where::test);
    // -v and -R evaluate a subscript.
    if (first.text == "-v" || first.text == "-R") {
      reading_.tree.arithmetic.push_back(name.text);
    }
    return;
  }
  skip_blanks();
  if (peek() == '<' || peek() == '>') {
    if (peek(1) == '(') return fail("a process substitution in a test");
    ++at_;
    operand(Where::test);
    return;
  }
  if (keyword_ahead("]]") || peek() == ')' || peek() == '&' || peek() == '|') {
    return;
  }
  const Word sign = operand(Where::test);
  if (!sign.quoted && sign.text == "=~") {
    operand(Where::regex);
  } else if (in(kNumeric, sign)) {
    reading_.tree.arithmetic.push_back(first.text);
    reading_.tree.arithmetic.push_back(operand(Where::test).text);
  } else if (in(kTextual, sign)) {
    operand(Where::test);
  } else {
    fail("a test has an unknown operator");
  }
}

}  // namespace toolhost::command
