// Characters, blanks and words.
#include <algorithm>
#include <cstring>

#include "gates/command/reader.hpp"

namespace toolhost::command {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Ends an unquoted word.
bool is_meta(char c) {
  return c == '\0' || (c != 0 && std::strchr(" \t\n;&|()<>", c) != nullptr);
}

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name(std::string_view text) {
  return !text.empty() && is_name_start(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_name_start(c) || (c >= '0' && c <= '9');
         });
}

// Blanks outside ASCII: a person reads a border where bash sees none.
bool looks_blank(std::string_view rest) {
  for (const std::string_view blank :
       {"\u00a0", "\u1680", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000",
        "\u200b", "\ufeff"}) {
    if (rest.starts_with(blank)) return true;
  }
  return rest.size() >= 3 && rest[0] == '\xe2' && rest[1] == '\x80' &&
         rest[2] <= '\x8a';
}

}  // namespace

std::string_view Word::name() const {
  std::string_view left = std::string_view(text).substr(0, assign);
  left = left.substr(0, left.find_first_of("[+"));
  return is_assignment() ? left : std::string_view{};
}

std::string_view Word::value() const {
  return is_assignment() ? std::string_view(text).substr(assign + 1)
                         : std::string_view{};
}

Reader::Reader(std::string_view text, Reading& reading, std::uint32_t base)
    : text_(text), reading_(reading), base_(base) {
  reading_.bytes += text.size();
  if (reading_.bytes > kMaxRead) fail("it is too long");
}

char Reader::peek(std::size_t ahead) const {
  if (reading_.failed || at_ + ahead >= text_.size()) return '\0';
  return text_[at_ + ahead];
}

bool Reader::take(char c) {
  if (peek() != c || at_end()) return false;
  ++at_;
  return true;
}

bool Reader::take(std::string_view text) {
  if (reading_.failed || !text_.substr(at_).starts_with(text)) return false;
  at_ += text.size();
  return true;
}

void Reader::fail(std::string reason) {
  if (reading_.failed) return;
  reading_.failed = true;
  reading_.trouble.offset = here();
  reading_.trouble.reason = std::move(reason);
}

bool Reader::count() {
  if (++reading_.nodes > kMaxNodes) fail("it has too many words");
  return !reading_.failed;
}

bool Reader::skip_continuation() {
  return peek() == '\\' && peek(1) == '\n' && take("\\\n");
}

void Reader::skip_blanks() {
  while (is_blank(peek()) || (peek() == '\\' && peek(1) == '\n')) {
    at_ += peek() == '\\' ? 2 : 1;
  }
  if (peek() == '#') {
    while (!at_end() && peek() != '\n') ++at_;
  }
}

void Reader::new_line() {
  if (!take('\n')) return;
  if (held_ > 0) {
    return fail("a here-document begins before the end of what is around it");
  }
  if (!pending_.empty()) read_pending();
}

void Reader::new_lines() {
  for (skip_blanks(); peek() == '\n'; skip_blanks()) new_line();
}

void Reader::inner_new_line() {
  if (held_ > 0 || !pending_.empty()) {
    fail("a line ends inside a word while a here-document waits");
  }
}

// The longest run of plain characters ahead if it is a word of its own.
std::string_view Reader::plain_ahead() const {
  std::size_t end = at_;
  if (reading_.failed) return {};
  while (end < text_.size() && !is_meta(text_[end])) {
    if (std::strchr("'\"\\$`", text_[end])) return {};
    ++end;
  }
  return text_.substr(at_, end - at_);
}

bool Reader::keyword_ahead(std::string_view keyword) const {
  if (reading_.failed || !text_.substr(at_).starts_with(keyword)) return false;
  const std::size_t end = at_ + keyword.size();
  return end >= text_.size() || is_meta(text_[end]);
}

bool Reader::take_keyword(std::string_view keyword) {
  if (!keyword_ahead(keyword)) return false;
  at_ += keyword.size();
  return true;
}

Word Reader::word(Where where) {
  Word out;
  out.begin = here();
  count();
  bool plain = true;  // no quote and no hole so far
  bool bracket = false;
  std::size_t bracket_at = 0;
  unsigned parentheses = 0;  // of a regular expression
  std::size_t brace_at = std::string::npos;
  bool brace_parts = false;
  bool braces = false;
  while (!at_end()) {
    const char c = peek();
    if (where == Where::regex && (c == '(' || c == ')' || c == '|')) {
      if (c == '(') ++parentheses;
      if (c == ')' && parentheses-- == 0) fail("a pattern is not balanced");
      out.text += c;
      ++at_;
      continue;
    }
    if (is_meta(c)) {
      if ((c == '<' || c == '>') && out.text.starts_with('{') &&
          out.text.ends_with('}')) {
        fail("a redirection chooses its descriptor");
      }
      if ((c == '<' || c == '>') && peek(1) == '(') {
        if (!out.text.empty() || out.quoted || where != Where::word) {
          fail("a process substitution inside a word");
          break;
        }
        process(out);
        plain = false;
        continue;
      }
      if (c == '(' && where == Where::prefix && out.is_assignment() &&
          out.text.size() == out.assign + 1) {
        array_value(out);
        if (!is_meta(peek())) fail("text follows a list of values");
      }
      break;
    }
    switch (c) {
      case '\\':
        if (peek(1) == '\0') {
          fail("the text ends in a backslash");
          break;
        }
        if (peek(1) == '\n') {
          at_ += 2;
          if (!is_blank(peek()) && peek() != '\n' && !at_end()) {
            fail("a line is continued inside a word");
          }
          break;
        }
        plain = false;
        out.quoted = true;
        out.text += peek(1);
        at_ += 2;
        break;
      case '\'':
        plain = false;
        single_quoted(out);
        break;
      case '"':
        plain = false;
        double_quoted(out);
        break;
      case '$':
        plain = false;
        if (peek(1) == '\'') {
          ansi_quoted(out);
        } else {
          dollar(out, false);
        }
        break;
      case '`':
        plain = false;
        backtick(out, false);
        break;
      case '[':
        if (plain && is_name(out.text)) {
          subscript(out);
          bracket = true;
          bracket_at = out.text.size() - 1;
          break;
        }
        bracket = true;
        bracket_at = out.text.size();
        out.text += c;
        ++at_;
        break;
      case ']':
        if (bracket) hole(out, bracket_at, HoleKind::glob, false);
        bracket = false;
        if (!out.holes.empty() && out.holes.back().kind == HoleKind::glob &&
            out.holes.back().at == bracket_at) {
          out.holes.back().length =
              static_cast<std::uint32_t>(out.text.size() + 1 - bracket_at);
        }
        out.text += c;
        ++at_;
        break;
      case '*':
      case '?':
        out.text += c;
        ++at_;
        hole(out, out.text.size() - 1, HoleKind::glob, false);
        break;
      case '{':
        if (brace_at == std::string::npos) brace_at = out.text.size();
        out.text += c;
        ++at_;
        break;
      case ',':
      case '.':
        if (brace_at != std::string::npos && (c == ',' || peek(1) == '.')) {
          brace_parts = true;
        }
        out.text += c;
        ++at_;
        break;
      case '}':
        braces = braces || (brace_at != std::string::npos && brace_parts);
        out.text += c;
        ++at_;
        break;
      case '~':
        if (out.text.empty() && !out.quoted) out.tilde = true;
        out.text += c;
        ++at_;
        break;
      case '=': {
        std::string_view left = out.text;
        if (left.ends_with('+')) left.remove_suffix(1);
        const bool indexed = !left.empty() && left.find(']') == left.size() - 1;
        if (indexed) left = left.substr(0, left.find('['));
        // The subscript alone may be a hole.
        if (!out.is_assignment() && !out.quoted && is_name(left) &&
            (plain || indexed)) {
          out.assign = static_cast<std::uint32_t>(out.text.size());
          if (indexed)
            std::erase_if(out.holes, [](const Hole& h) {
              return h.kind == HoleKind::glob;
            });
        }
        out.text += c;
        ++at_;
        break;
      }
      default:
        if (static_cast<unsigned char>(c) >= 0x80 &&
            looks_blank(text_.substr(at_, 4))) {
          fail("a character only looks like a blank");
        }
        out.text += c;
        ++at_;
    }
  }
  if (braces) {
    out.holes.clear();
    out.holes.push_back(
        {0, static_cast<std::uint32_t>(out.text.size()), HoleKind::brace});
    out.many = true;
  }
  if (parentheses > 0) fail("a pattern is not balanced");
  finish(out, where);
  return out;
}

void Reader::finish(Word& out, Where) {
  out.end = here();
  // x='a[$(rm y)]' runs rm where $((x)) is evaluated.
  const std::size_t open = out.quoted ? out.text.find('[') : std::string::npos;
  if (open == std::string::npos) return;
  const std::string_view rest = std::string_view(out.text).substr(open);
  if (rest.find("$(") != std::string_view::npos ||
      rest.find('`') != std::string_view::npos) {
    reading_.tree.hidden_substitution = true;
  }
}

}  // namespace toolhost::command
