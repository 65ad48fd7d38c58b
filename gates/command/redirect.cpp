// Redirections and here-documents.
#include <algorithm>

#include "gates/command/reader.hpp"

namespace toolhost::command {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Is a descriptor named, or closed, and not a file?
bool names_descriptor(const Word& target) {
  std::string_view text = target.text;
  if (!target.is_static()) return false;
  if (text.ends_with('-')) text.remove_suffix(1);
  return !target.text.empty() &&
         std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

bool Reader::redirect_ahead() const {
  std::size_t ahead = 0;
  while (is_digit(peek(ahead))) ++ahead;
  if (ahead == 0 && peek() == '&' && peek(1) == '>') return true;
  const char c = peek(ahead);
  return (c == '<' || c == '>') && peek(ahead + 1) != '(';
}

Redirect Reader::redirect() {
  Redirect out;
  std::size_t digits = at_;
  while (is_digit(peek())) ++at_;
  if (at_ - digits > 3) fail("a descriptor is too large");
  for (; digits < at_ && !reading_.failed; ++digits) {
    out.fd = std::max(out.fd, 0) * 10 + (text_[digits] - '0');
  }
  if (take("<<<")) {
    out.kind = RedirectKind::here_string;
    reading_.tree.bash_only = true;
  } else if (take("<<")) {
    out.kind = RedirectKind::here_document;
    here_document(out);
    return out;
  } else if (take("&>>")) {
    out.kind = RedirectKind::append;
    reading_.tree.bash_only = true;
  } else if (take("&>")) {
    out.kind = RedirectKind::write;
    reading_.tree.bash_only = true;
  } else if (take(">>")) {
    out.kind = RedirectKind::append;
  } else if (take("<>")) {
    out.kind = RedirectKind::read_write;
  } else if (take(">|")) {
    out.kind = RedirectKind::write;
  } else if (take(">&") || take("<&")) {
    out.kind = RedirectKind::duplicate;
  } else {
    out.kind = peek() == '<' ? RedirectKind::read : RedirectKind::write;
    ++at_;
  }
  skip_blanks();
  const std::size_t before = at_;
  out.target = word(Where::word);
  if (at_ == before) fail("a redirection has no target");
  if (out.kind == RedirectKind::duplicate && !names_descriptor(out.target)) {
    // >&file writes it; <&file is an error or a variable.
    out.kind = RedirectKind::write;
    reading_.tree.bash_only = true;
  }
  return out;
}

void Reader::here_document(Redirect& out) {
  Pending waiting;
  waiting.strip_tabs = take('-');
  skip_blanks();
  const std::size_t before = at_;
  if (peek() == '$' || peek() == '`') {
    return fail("the end of a here-document is not plain");
  }
  out.target = word(Where::pattern);
  if (at_ == before) return fail("a here-document has no delimiter");
  if (!out.target.is_static() ||
      out.target.text.find('\n') != std::string::npos ||
      out.target.text.find('$') != std::string::npos) {
    return fail("the end of a here-document is not plain");
  }
  waiting.delimiter = out.target.text;
  waiting.literal = out.target.quoted;
  waiting.document = reading_.tree.documents.size();
  out.document = static_cast<std::uint32_t>(waiting.document);
  reading_.tree.documents.emplace_back();
  pending_.push_back(std::move(waiting));
}

// The lines behind a new line, one document after the other.
void Reader::read_pending() {
  std::vector<Pending> waiting;
  waiting.swap(pending_);
  for (const Pending& document : waiting) {
    const std::uint32_t start = here();
    std::string body;
    bool ended = false;
    while (!ended && !at_end()) {
      std::string line;
      bool more = true;
      bool first = true;
      // Lines that a backslash joins are one line, also for the delimiter.
      std::string joined;
      while (more && at_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        std::string_view part = text_.substr(at_, end - at_);
        at_ = std::min(end + 1, text_.size());
        if (first && document.strip_tabs) {
          part.remove_prefix(
              std::min(part.find_first_not_of('\t'), part.size()));
        }
        first = false;
        std::size_t slashes = 0;
        while (slashes < part.size() &&
               part[part.size() - 1 - slashes] == '\\') {
          ++slashes;
        }
        more = !document.literal && slashes % 2 == 1;
        line += part;
        line += '\n';
        joined += more ? part.substr(0, part.size() - 1) : part;
      }
      ended = joined == document.delimiter;
      if (!ended) body += line;
    }
    if (!ended) return fail("a here-document is not ended");
    Word word;
    if (document.literal) {
      word.text = std::move(body);
      word.quoted = true;
      finish(word, Where::word);
    } else {
      Reader nested(body, reading_, start);
      word = nested.here_body();
    }
    if (reading_.failed) return;
    reading_.tree.documents[document.document] = std::move(word);
  }
}

// In the body of an unquoted here-document only \, $ and ` are special.
Word Reader::here_body() {
  Word out;
  out.begin = here();
  while (!at_end()) {
    const char c = peek();
    if (c == '\\') {
      const char next = peek(1);
      at_ += next == '\0' ? 1 : 2;
      if (next == '\n') continue;
      if (next != '$' && next != '`' && next != '\\') out.text += c;
      if (next != '\0') out.text += next;
    } else if (c == '$') {
      dollar(out, true);
    } else if (c == '`') {
      backtick(out, true);
    } else {
      out.text += c;
      ++at_;
    }
  }
  out.quoted = true;
  finish(out, Where::word);
  return out;
}

}  // namespace toolhost::command
