// The walk through the tree.
#include "gates/command/judge.hpp"

#include <algorithm>
#include <cctype>

#include "gates/command/judge_state.hpp"
#include "gates/command/wrappers.hpp"

namespace toolhost::command {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (c >= '0' && c <= '9');
}

}  // namespace

std::string_view name(ReasonKind kind) {
  switch (kind) {
    case ReasonKind::not_understood:
      return "notUnderstood";
    case ReasonKind::dynamic_program:
      return "dynamicProgram";
    case ReasonKind::hidden_code:
      return "hiddenCode";
    case ReasonKind::variable:
      return "variable";
    case ReasonKind::shell_state:
      return "shellState";
    case ReasonKind::unknown_option:
      return "unknownOption";
    case ReasonKind::dynamic_target:
      return "dynamicTarget";
    case ReasonKind::network:
      return "network";
  }
  return "notUnderstood";
}

std::string_view base_name(std::string_view program) {
  const std::size_t slash = program.find_last_of('/');
  return slash == std::string_view::npos ? program : program.substr(slash + 1);
}

std::string normal_name(std::string_view program) {
  std::string out(base_name(program));
  for (char& c : out) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const std::size_t end = out.find_last_not_of(". ");
  if (end == std::string::npos) return out;  // "." is a builtin
  out.resize(end + 1);
  for (const std::string_view tail : {".exe", ".cmd", ".bat", ".com", ".ps1"}) {
    if (out.ends_with(tail)) out.resize(out.size() - tail.size());
  }
  for (const std::string_view tail :
       {"-dbg", "-debug", "-static", "-nightly", "-preview", "-beta"}) {
    if (out.ends_with(tail)) out.resize(out.size() - tail.size());
  }
  // "python3.11", "lua5.4", "gcc-12", "python3.8d": only for the names that a
  // table knows without the version, so that sha256sum and 7z stay themselves.
  std::string_view left = out;
  if (left.size() > 1 &&
      std::string_view("dmut").find(left.back()) != std::string_view::npos &&
      left[left.size() - 2] >= '0' && left[left.size() - 2] <= '9') {
    left.remove_suffix(1);
  }
  const std::size_t last = left.find_last_not_of("0123456789.-");
  if (last != std::string_view::npos && last + 1 < left.size() &&
      is_versioned(left.substr(0, last + 1))) {
    return std::string(left.substr(0, last + 1));
  }
  return out;
}

std::string joined(const std::vector<Argument>& words) {
  std::string out;
  for (const Argument& word : words) {
    if (!out.empty() || &word != &words.front()) out += ' ';
    out += word.text;
  }
  return out;
}

Argument argument_of(const Word& word) {
  Argument out;
  out.text = word.text;
  out.holes = word.holes;
  out.many = word.many;
  out.tilde = word.tilde;
  return out;
}

Argument unknown_argument() {
  Argument out;
  out.text = "{}";
  out.holes.push_back({0, 2, HoleKind::parameter});
  out.many = true;
  return out;
}

void Judge::reason(ReasonKind kind, std::string text) {
  const bool known =
      std::any_of(out_.reasons.begin(), out_.reasons.end(),
                  [&](const Reason& r) { return r.text == text; });
  if (!known && out_.reasons.size() < 100) {
    out_.reasons.push_back({kind, std::move(text)});
  }
}

void Judge::path(const Argument& argument, Access access, Certainty certainty,
                 bool separate) {
  PathUse use;
  use.path = std::string(argument.static_prefix());
  use.access = access;
  use.certainty = certainty;
  use.complete = argument.is_static();
  use.tilde = argument.tilde;
  use.separate = separate;
  const bool absolute = use.path.starts_with('/') || use.tilde;
  use.base_known = absolute || bases_known_;
  for (const std::string& base : bases_) {
    if (out_.paths.size() >= kMaxPaths) {
      out_.understood = false;
      return reason(ReasonKind::not_understood, "It names too many files.");
    }
    use.base = absolute ? std::string() : base;
    out_.paths.push_back(use);
    if (absolute) return;
  }
}

void Judge::tree(const Tree& tree, unsigned depth) {
  const Tree* const outer = tree_;
  tree_ = &tree;
  node(tree.root, depth);
  for (const Word& body : tree.documents) nested(body, depth);
  for (const std::string& name : tree.assigned_by_expansion) {
    variable(name, false, false);
    texts_.insert(name);
  }
  if (tree.hidden_substitution) {
    reason(ReasonKind::hidden_code,
           "A quoted text holds a substitution in a subscript, which some "
           "builtins run.");
  }
  arithmetic(tree);
  tree_ = outer;
}

// A number is a number; a variable that holds a text may hold a subscript with
// a command in it, and arithmetic runs that.
void Judge::arithmetic(const Tree& tree) {
  for (const std::string& text : tree.arithmetic) {
    bool plain = true;
    for (std::size_t i = 0; i < text.size() && plain; ++i) {
      const char c = text[i];
      if (c == '$' || c == '`') {
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        plain = c == '$' &&
                (next == '#' || next == '?' || next == '$' || next == '!' ||
                 next == '{' ||
                 (is_name_character(next) && (next < '0' || next > '9')));
        if (next == '{') ++i;
        if (next == '#' || next == '?' || next == '$' || next == '!') ++i;
        continue;
      }
      if (!is_name_character(c) || (c >= '0' && c <= '9')) {
        while (c >= '0' && c <= '9' && i + 1 < text.size() &&
               is_name_character(text[i + 1])) {
          ++i;
        }
        continue;
      }
      const std::size_t from = i;
      while (i + 1 < text.size() && is_name_character(text[i + 1])) ++i;
      plain =
          !texts_.contains(std::string_view(text).substr(from, i + 1 - from));
    }
    if (!plain) {
      reason(ReasonKind::hidden_code,
             "Arithmetic uses a value that is not known to be a number; such "
             "a value can hold a command.");
    }
  }
}

void Judge::nested(const Word& word, unsigned depth) {
  for (const Node& list : word.nested) node(list, depth);
  for (const Word& element : word.elements) nested(element, depth);
}

void Judge::node(const Node& at, unsigned depth) {
  if (!out_.understood) return;
  if (at.kind == NodeKind::simple) return simple(at, depth);
  for (const Word& word : at.words) nested(word, depth);
  for (const Redirect& each : at.redirects) redirect(each, depth);
  if (at.kind == NodeKind::iteration && !at.name.empty()) {
    variable(at.name, false, false);
    for (const Word& word : at.words) {
      const Argument value = argument_of(word);
      assigned(at.name, &value);
    }
  }
  for (const Node& child : at.children) node(child, depth);
}

void Judge::simple(const Node& at, unsigned depth) {
  Around around;
  around.depth = depth;
  for (const Word& word : at.assignments) {
    nested(word, depth);
    variable(word.name(), false, !at.words.empty());
    if (word.elements.empty()) {
      Argument value = argument_of(word);
      value.text.erase(0, word.assign + 1);
      std::erase_if(value.holes, [&](const Hole& h) {
        return h.at <= word.assign;  // in the subscript
      });
      for (Hole& hole : value.holes) hole.at -= word.assign + 1;
      assigned(word.name(), &value);
    } else {
      assigned(word.name(), nullptr);
    }
  }
  for (const Redirect& each : at.redirects) {
    redirect(each, depth);
    if (each.kind == RedirectKind::here_document && each.fd <= 0) {
      around.standard_input = &tree_->documents[each.document];
    } else if (each.kind == RedirectKind::here_string && each.fd <= 0) {
      around.standard_input = &each.target;
    } else if (each.fd <= 0 && (each.kind == RedirectKind::read ||
                                each.kind == RedirectKind::read_write ||
                                each.kind == RedirectKind::duplicate)) {
      around.standard_input = nullptr;  // something else since
    }
  }
  Arguments words;
  words.reserve(at.words.size());
  for (const Word& word : at.words) {
    nested(word, depth);
    words.push_back(argument_of(word));
    // declare a=(…)
    if (!word.elements.empty()) assigned(word.name(), nullptr);
  }
  if (!words.empty()) command(std::move(words), around);
}

void Judge::redirect(const Redirect& at, unsigned depth) {
  nested(at.target, depth);
  Access access = Access::write;
  switch (at.kind) {
    case RedirectKind::duplicate:
    case RedirectKind::here_document:
    case RedirectKind::here_string:
      return;
    case RedirectKind::read:
      access = Access::read;
      break;
    case RedirectKind::append:
      access = Access::append;
      break;
    case RedirectKind::write:
    case RedirectKind::read_write:
      break;
  }
  // > >(tee f): what tee does is judged as a command.
  if (!at.target.holes.empty() &&
      at.target.holes.front().kind == HoleKind::process &&
      at.target.holes.front().length == at.target.text.size()) {
    return;
  }
  const std::string& file = at.target.text;
  if (file.starts_with("/dev/tcp/") || file.starts_with("/dev/udp/")) {
    return reason(ReasonKind::network,
                  "The shell opens a connection to " + file + ".");
  }
  if (!at.target.is_static() && access != Access::read) {
    reason(ReasonKind::dynamic_target,
           "The file " + file + " that is written is named when it runs.");
  }
  path(argument_of(at.target), access, Certainty::sure, true);
}

void Judge::command(Arguments words, const Around& around) {
  if (!out_.understood || words.empty()) return;
  if (out_.commands.size() >= kMaxCommands || around.depth > kMaxUnwrap) {
    out_.understood = false;
    return reason(ReasonKind::not_understood,
                  "It holds more commands than are judged.");
  }
  Command made;
  made.depth = around.depth;
  made.words = words;
  if (!words.front().is_static()) {
    reason(ReasonKind::dynamic_program, "Which program " + words.front().text +
                                            " is, is decided when it runs.");
    out_.commands.push_back(std::move(made));
    return;
  }
  const std::string name = normal_name(words.front().text);
  // Only the program itself, not a file of that name somewhere.
  made.transparent = is_transparent(words.front().text);
  out_.commands.push_back(std::move(made));
  builtin(name, words);
  unwrap(name, words, around);
  tricks(name, words, around);
  scripts(name, words, around);
  path_uses(name, words);
}

void Judge::text(std::string_view code, bool bash, unsigned depth) {
  if (depth > kMaxUnwrap) {
    out_.understood = false;
    return reason(ReasonKind::not_understood, "It is nested too deeply.");
  }
  const Parsed parsed = parse(code);
  if (!parsed.tree || (!bash && parsed.tree->bash_only)) {
    return reason(ReasonKind::not_understood,
                  "A text that a shell runs is not understood" +
                      (parsed.tree ? std::string(": it is not plain sh.")
                                   : ": " + parsed.trouble.reason + "."));
  }
  tree(*parsed.tree, depth);
}

Judgement judge(const Parsed& parsed) {
  Judgement out;
  Judge judge(out);
  if (!parsed.tree) {
    out.understood = false;
    judge.reason(ReasonKind::not_understood,
                 "The command is not understood at byte " +
                     std::to_string(parsed.trouble.offset) + ": " +
                     parsed.trouble.reason + ".");
    return out;
  }
  judge.tree(*parsed.tree, 0);
  return out;
}

Judgement judge(std::string_view text) { return judge(parse(text)); }

}  // namespace toolhost::command
