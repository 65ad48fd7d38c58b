// Reader: one pass over a text by recursive descent. Private to the parser.
//
// lexer.cpp reads blanks and words, quoting.cpp quotes, expansion.cpp what `$`
// begins, redirect.cpp redirections and here-documents, parser.cpp lists and
// simple commands, compound.cpp what has a word at both ends.
//
// Trouble ends everything at once: after fail() every reader is at its end, so
// that no loop has to ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gates/command/parser.hpp"

namespace toolhost::command {

// Shared by the readers of one text and of the texts inside it.
struct Reading {
  Tree tree;
  bool failed = false;
  NotUnderstood trouble;
  std::size_t nodes = 0;
  std::size_t bytes = 0;
  unsigned depth = 0;
};

class Reader {
 public:
  // `base` is where `text` begins in the text that was given first.
  Reader(std::string_view text, Reading& reading, std::uint32_t base = 0);

  // The whole text as commands.
  Node whole();
  // The whole text as the body of an unquoted here-document.
  Word here_body();

 private:
  enum class Where : std::uint8_t { word, prefix, test, pattern, regex };
  struct Pending {
    std::string delimiter;
    std::size_t document = 0;  // Tree::documents
    bool literal = false;
    bool strip_tabs = false;
  };
  class Deeper;

  // lexer.cpp
  char peek(std::size_t ahead = 0) const;
  bool at_end() const { return reading_.failed || at_ >= text_.size(); }
  bool take(char c);
  bool take(std::string_view text);
  void fail(std::string reason);
  std::uint32_t here() const { return base_ + static_cast<std::uint32_t>(at_); }
  bool count();
  bool skip_continuation();
  void skip_blanks();
  void new_line();
  // A new line inside quotes or brackets, where no document may wait.
  void inner_new_line();
  void new_lines();
  Word word(Where where);
  void finish(Word& word, Where where);
  std::string_view plain_ahead() const;
  bool keyword_ahead(std::string_view keyword) const;
  bool take_keyword(std::string_view keyword);

  // quoting.cpp
  void single_quoted(Word& out);
  void double_quoted(Word& out);
  void ansi_quoted(Word& out);
  void subscript(Word& out);
  void array_value(Word& out);

  // expansion.cpp
  void dollar(Word& out, bool quoted);
  void parameter(Word& out, bool quoted);
  void parameter_rest(Word& out, bool quoted);
  void substitution(Word& out);
  void backtick(Word& out, bool quoted);
  void arithmetic_expansion(Word& out);
  // Up to the closing "))"; what it expands goes into `out`.
  std::string arithmetic_text(Word& out);
  void process(Word& out);
  void hole(Word& out, std::size_t from, HoleKind kind, bool quoted);

  // redirect.cpp
  bool redirect_ahead() const;
  Redirect redirect();
  void here_document(Redirect& out);
  void read_pending();

  // parser.cpp
  Node list(bool required);
  void and_or(Node& out);
  Node pipeline();
  Node command();
  Node simple();
  bool closing_ahead() const;
  void redirects(Node& out);

  // compound.cpp
  Node bracketed(NodeKind kind);
  Node conditional();
  Node loop();
  Node iteration();
  Node choice();
  Node function(std::string name);
  Node function_keyword();
  Node test();
  Node arithmetic_command();
  void test_expression(Node& out);
  void test_term(Node& out);
  void do_done(Node& out);
  void expect(std::string_view keyword);

  std::string_view text_;
  std::size_t at_ = 0;
  Reading& reading_;
  std::uint32_t base_;
  // Here-documents whose bodies begin after the next new line.
  std::vector<Pending> pending_;
  // Such documents of a line that this reader is in the middle of a word of: a
  // new line now is read in more than one way.
  std::size_t held_ = 0;
};

// Counts one level for as long as it lives.
class Reader::Deeper {
 public:
  explicit Deeper(Reader& reader) : reading_(reader.reading_) {
    if (++reading_.depth > kMaxDepth) reader.fail("it is nested too deeply");
  }
  ~Deeper() { --reading_.depth; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Reading& reading_;
};

}  // namespace toolhost::command
