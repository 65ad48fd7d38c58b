// Quotes, and the brackets of subscripts and lists of values.
#include "gates/command/reader.hpp"

namespace toolhost::command {

void Reader::single_quoted(Word& out) {
  ++at_;
  const std::size_t end = text_.find('\'', at_);
  if (end == std::string_view::npos)
    return fail("a single quote is not closed");
  const std::string_view inside = text_.substr(at_, end - at_);
  if (inside.find('\n') != std::string_view::npos) inner_new_line();
  out.text += inside;
  out.quoted = true;
  if (!reading_.failed) at_ = end + 1;
}

void Reader::double_quoted(Word& out) {
  const Deeper deeper(*this);
  ++at_;
  out.quoted = true;
  while (!at_end()) {
    const char c = peek();
    if (c == '"') {
      ++at_;
      return;
    }
    if (c == '\\' && peek(1) != '\0') {
      const char next = peek(1);
      if (next == '\n') {
        inner_new_line();
      } else if (next == '$' || next == '`' || next == '"' || next == '\\') {
        out.text += next;
      } else {
        out.text += c;
        out.text += next;
      }
      at_ += 2;
    } else if (c == '$') {
      dollar(out, true);
    } else if (c == '`') {
      backtick(out, true);
    } else {
      if (c == '\n') inner_new_line();
      out.text += c;
      ++at_;
    }
  }
  fail("a double quote is not closed");
}

// $'…'
void Reader::ansi_quoted(Word& out) {
  at_ += 2;
  out.quoted = true;
  reading_.tree.bash_only = true;
  const auto number = [&](int base, std::size_t most) {
    unsigned value = 0;
    std::size_t digits = 0;
    while (digits < most) {
      const char c = peek();
      const int lower = c | 0x20;
      int digit = -1;
      if (c >= '0' && c <= '9') digit = c - '0';
      if (base == 16 && lower >= 'a' && lower <= 'f') digit = lower - 'a' + 10;
      if (digit < 0 || digit >= base) break;
      value =
          value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
      ++digits;
      ++at_;
    }
    if (digits == 0 || value == 0 || value > 0xff) {
      fail("an escape stands for no plain character");
    }
    return static_cast<char>(static_cast<unsigned char>(value));
  };
  while (!at_end()) {
    const char c = peek();
    ++at_;
    if (c == '\'') return;
    if (c != '\\') {
      if (c == '\n') inner_new_line();
      out.text += c;
      continue;
    }
    const char escape = peek();
    constexpr std::string_view kFrom = "abeEfnrtv\\'\"?";
    constexpr std::string_view kTo = "\a\b\033\033\f\n\r\t\v\\'\"?";
    if (const auto known = kFrom.find(escape);
        known != std::string_view::npos && escape != '\0') {
      out.text += kTo[known];
      ++at_;
    } else if (escape >= '0' && escape <= '7') {
      out.text += number(8, 3);
    } else if (escape == 'x') {
      ++at_;
      out.text += number(16, 2);
    } else if (escape == 'u' || escape == 'U') {
      ++at_;
      const char value = number(16, escape == 'u' ? 4 : 8);
      if ((value & 0x80) != 0) fail("an escape depends on the locale");
      out.text += value;
    } else {
      fail("an escape is not known");
    }
  }
  fail("a quote is not closed");
}

// [ after a name: bash may read up to the next ] whatever it is, so only what
// reads the same both ways is taken.
void Reader::subscript(Word& out) {
  const std::size_t end = text_.find(']', at_);
  if (end == std::string_view::npos) return fail("a subscript is not closed");
  const std::string_view inside = text_.substr(at_, end - at_);
  if (inside.find_first_of(" \t\n;&|()<>#'\"\\`") != std::string_view::npos) {
    return fail("a subscript is more than a name or a number");
  }
  // Evaluated as arithmetic when it is assigned to.
  if (end + 1 < text_.size() &&
      (text_[end + 1] == '=' || text_[end + 1] == '+'))
    reading_.tree.arithmetic.emplace_back(inside.substr(1));
  out.text += '[';
  ++at_;
}

// name=( … )
void Reader::array_value(Word& out) {
  const Deeper deeper(*this);
  ++at_;
  reading_.tree.bash_only = true;
  out.text += '(';
  for (;;) {
    skip_blanks();
    if (peek() == '\n') {
      inner_new_line();
      ++at_;
      continue;
    }
    if (at_end()) return fail("a list of values is not closed");
    if (take(')')) break;
    const std::size_t before = at_;
    Word element = word(Where::word);
    if (element.text.starts_with('[')) {
      fail("a value of a list has a subscript");
    }
    if (at_ == before) return fail("a list of values holds an operator");
    out.elements.push_back(std::move(element));
  }
  out.text += ')';
}

}  // namespace toolhost::command
