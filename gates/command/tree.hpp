// The tree of a command line: what bash would see, before anything expands.
//
// A tree is complete: every command that the line holds in any corner
// (substitutions, here-documents, arithmetic, function bodies) is in it. Where
// the parser cannot promise that, there is no tree (parser.hpp).
// Values; a tree owns everything in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toolhost::command {

struct Node;

// A part of a word that the shell decides when it runs.
enum class HoleKind : std::uint8_t {
  parameter,   // $x ${x} "$@"
  command,     // $(…) `…`
  arithmetic,  // $((…))
  process,     // <(…) >(…)
  glob,        // * ? […]
  brace,       // {a,b} {1..9}: the hole is the whole word
};

struct Hole {
  std::uint32_t at = 0;  // bytes into Word::text
  std::uint32_t length = 0;
  HoleKind kind = HoleKind::parameter;
};

// One word. `text` is its value without quotes; each hole stands in it as it
// was written.
struct Word {
  static constexpr std::uint32_t kNotAssigned = UINT32_MAX;

  std::string text;
  std::vector<Hole> holes;     // ascending
  std::vector<Node> nested;    // the lists of commands inside it, in order
  std::vector<Word> elements;  // of an array value: name=(…)
  std::uint32_t begin = 0;     // where it stands in the text that was parsed
  std::uint32_t end = 0;
  // NAME=, NAME+=, NAME[…]=: where the sign stands in `text`.
  std::uint32_t assign = kNotAssigned;
  bool quoted = false;  // any part of it was quoted or escaped
  bool tilde = false;   // begins with an unquoted ~
  // May become several words or none when it runs.
  bool many = false;

  bool is_static() const { return holes.empty() && elements.empty(); }
  bool is_assignment() const { return assign != kNotAssigned; }
  // NAME of an assignment, without subscript and plus.
  std::string_view name() const;
  // What is assigned (the source of a hole stands for it).
  std::string_view value() const;
  // The bytes before anything that the shell decides.
  std::string_view static_prefix() const {
    return std::string_view(text).substr(
        0, holes.empty() ? text.size() : holes.front().at);
  }
};

enum class RedirectKind : std::uint8_t {
  read,           // <
  write,          // > >| &> >&file
  append,         // >> &>>
  read_write,     // <>
  duplicate,      // 2>&1 <&3 >&-: no file
  here_document,  // << <<-
  here_string,    // <<<
};

struct Redirect {
  RedirectKind kind = RedirectKind::read;
  int fd = -1;  // -1: not written
  // The file, the descriptor or the string; of a here-document its delimiter.
  Word target;
  std::uint32_t document = 0;  // of a here-document: Tree::documents
};

enum class NodeKind : std::uint8_t {
  list,         // children run one after the other
  pipeline,     // children run at the same time
  simple,       // assignments, words, redirects
  subshell,     // ( … )
  group,        // { … }
  conditional,  // if: children are conditions and bodies
  loop,         // while, until
  iteration,    // for: name, words; or the (( )) form, whose text is arithmetic
  choice,       // case: words are the subject and the patterns
  function,     // name; the body runs when it is called
  test,         // [[ … ]]: words are the operands and operators
  arithmetic,   // (( … ))
};

struct Node {
  NodeKind kind = NodeKind::list;
  std::vector<Word> assignments;
  std::vector<Word> words;
  std::vector<Redirect> redirects;
  std::vector<Node> children;
  std::string name;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  // A list's child or a pipeline that may be skipped, as after && and ||.
  bool maybe = false;
  bool background = false;
};

struct Tree {
  Node root;
  std::vector<Word> documents;  // the bodies of here-documents
  // Every arithmetic text, as written: it may run what a variable holds.
  std::vector<std::string> arithmetic;
  // Every ${NAME=…} and ${NAME:=…}: an expansion that assigns.
  std::vector<std::string> assigned_by_expansion;
  // Something that only bash understands as it stands here.
  bool bash_only = false;
  // A quoted text hides a substitution in a subscript: a[$(…)].
  bool hidden_substitution = false;
};

}  // namespace toolhost::command
