#include "tests/unit/command/line_grammar.hpp"

namespace toolhost::command::testing {

const std::vector<std::string>& LineGrammar::programs() {
  static const std::vector<std::string> names{
      "ok1", "ok2", "ok3", "no1", "no2", "build", "check", "deploy"};
  return names;
}

std::string LineGrammar::program() { return one_of(programs()); }

std::string LineGrammar::line() {
  waiting_.clear();
  std::string out = list(3);
  if (!waiting_.empty()) out += "\n" + waiting_;
  return out;
}

std::string LineGrammar::broken() {
  std::string out = line();
  const unsigned changes = 1 + below(3);
  for (unsigned i = 0; i < changes && !out.empty(); ++i) {
    const std::size_t at = below(static_cast<unsigned>(out.size()));
    switch (below(4)) {
      case 0:
        out.erase(at, 1);
        break;
      case 1:
        out.insert(at, 1, out[at]);
        break;
      case 2:
        std::swap(out[at], out[(at + 1) % out.size()]);
        break;
      default:
        out.insert(
            at,
            one_of({"'",  "\"", "\\",  "$",   "`",    "(",  ")",  "{",  "}",
                    ";",  "&",  "|",   "<",   ">",    "\n", " ",  "#",  "!",
                    "[",  "]",  "=",   "*",   "$(",   "${", "<<", "[[", "]]",
                    "((", "))", "if ", "do ", "\\\n", "$'", "x=", ";;", "a[",
                    "@",  "+(", ",",   "..",  "<(",   ">&", "&>"}));
    }
  }
  return out;
}

std::string LineGrammar::list(unsigned depth) {
  std::string out = chain(depth);
  const unsigned more = depth == 0 ? 0 : below(3);
  for (unsigned i = 0; i < more; ++i) {
    // A new line lets the documents that wait begin.
    if (waiting_.empty()) {
      out += one_of({"; ", " & ", "\n", ";\n", " # note 'x\n"});
    } else {
      out += one_of({"; ", " & "});
    }
    out += chain(depth - 1);
  }
  return out;
}

std::string LineGrammar::chain(unsigned depth) {
  std::string out = pipeline(depth);
  while (chance(25)) {
    out += one_of({" && ", " || ", "&&", "||"}) + pipeline(depth);
  }
  return out;
}

std::string LineGrammar::pipeline(unsigned depth) {
  std::string out = chance(6) ? "! " : chance(4) ? "time " : "";
  out += command(depth);
  while (chance(18)) out += one_of({" | ", "|", " |& "}) + command(depth);
  return out;
}

std::string LineGrammar::command(unsigned depth) {
  if (depth > 0 && waiting_.empty() && chance(22)) return compound(depth - 1);
  if (depth > 0 && chance(15)) return wrapped(depth - 1);
  return simple(depth);
}

std::string LineGrammar::word(unsigned depth) {
  const std::string plain = one_of(
      {"a", "b1", "-x", "--long=v", "file.txt", "1", "x=y", "%d", "a,b", "@"});
  switch (below(depth == 0 ? 12 : 20)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return plain;
    case 4:
      return "'" + one_of({"a b", "$x", "`no`", "a;b", "#", "|", "\"", "("}) +
             "'";
    case 5:
      return "\"" + one_of({"a b", "$x", "$?", "a;b", "\\$y", "'", "(|)"}) +
             "\"";
    case 6:
      return one_of({"$x", "${x}", "${x:-d}", "\"$@\"", "$#", "${#x}", "$?"});
    case 7:
      return one_of({"*.c", "a?b", "[ab]", "{a,b}", "{1..3}", "a{,b}"});
    case 8:
      return one_of({"$'a\\tb'", "$'\\x41'", "a\\ b", "\\;", "\\#", "\\$x"});
    case 9:
      return one_of({"$((1+2))", "$((x + 1))", "$(( (2) * 3 ))"});
    case 10:
      return plain + "'q'\"r\"" + plain;
    case 11:
      return "\"" + plain + "\\\"" + plain + "\"";
    case 12:
    case 13:
      return "$(" + chain(depth - 1) + ")";
    case 14:
    case 15:
      return "\"pre $(" + chain(depth - 1) + ") post\"";
    case 16:
      return "`" + program() + " " + plain + "`";
    case 17:
      return "\"`" + program() + " '" + plain + "'`\"";
    case 18:
      return "${y:-$(" + simple(0) + ")}";
    default:
      return "<(" + simple(0) + ")";
  }
}

std::string LineGrammar::redirect(unsigned depth) {
  switch (below(9)) {
    case 0:
      return " > out" + std::to_string(below(3));
    case 1:
      return " >>out" + std::to_string(below(3));
    case 2:
      return " 2>&1";
    case 3:
      return " 2> err";
    case 4:
      return " &> both";
    case 5:
      return " <<< " + word(0);
    case 6:
      return " < in";
    case 7:
      return " >'odd name'";
    default: {
      // One name for each, so that none ends in another.
      const std::string end = "E" + std::to_string(documents_++);
      const bool literal = chance(40);
      const bool tabs = chance(20);
      std::string inside = "text $x 'one \"two\n";
      if (depth > 0 || literal) {
        const std::string held = waiting_;
        waiting_.clear();
        const std::string nested = simple(0);
        if (waiting_.empty()) inside += "$(" + nested + ") `ok1 in`\n";
        waiting_ = held;
      }
      waiting_ += (tabs ? "\t" : "") + inside + (tabs ? "\t" : "") + end + "\n";
      return std::string(tabs ? " <<-" : " <<") +
             (literal ? "'" + end + "'" : end);
    }
  }
}

std::string LineGrammar::simple(unsigned depth) {
  std::string out;
  if (chance(8)) out += one_of({"x=1 ", "x='a b' ", "y+=z ", "x=$(ok1) "});
  if (chance(3)) return out + one_of({"x=5", "arr=(a b $x)", "x=$y"});
  switch (below(12)) {
    case 0:
      out += one_of({"echo", "true", ":", "printf", "test"});
      break;
    case 1: {
      const std::string name = program();
      out += one_of({"'" + name + "'", "\"" + name + "\"", "\\" + name,
                     name.substr(0, 1) + "'" + name.substr(1) + "'"});
      break;
    }
    default:
      out += program();
  }
  const unsigned words = below(4);
  for (unsigned i = 0; i < words; ++i) out += " " + word(depth);
  if (chance(15)) out += redirect(depth);
  return out;
}

std::string LineGrammar::test(unsigned depth) {
  return one_of({"[[ -f a ]]", "[[ $x == a* && -n b ]]", "[ -f a ]",
                 "[[ $x =~ ^(a|b)$ ]]", "((x > 1))", "[[ ! ( a < b ) ]]",
                 "[[ \"$(ok1 t)\" = z ]]"}) +
         (depth > 0 && chance(30) ? " && " + simple(0) : "");
}

std::string LineGrammar::compound(unsigned depth) {
  const std::string body = list(depth);
  const std::string tail = waiting_.empty() ? "" : "\n" + waiting_;
  waiting_.clear();
  const std::string end = tail.empty() ? "; " : tail;
  switch (below(9)) {
    case 0:
      return "(" + body + tail + ")";
    case 1:
      return "{ " + body + end + "}";
    case 2:
      return "if " + test(depth) + "; then " + body + end +
             (chance(40) ? "else " + program() + " e; " : "") + "fi";
    case 3:
      return "for i in a 'b c' $x; do " + body + end + "done";
    case 4:
      return "for ((i=0;i<2;i++)); do " + body + end + "done";
    case 5:
      return "while no1 w; do " + body + end + "done";
    case 6:
      return "case $x in a|'b') " + body + (tail.empty() ? "" : tail) +
             ";; *) " + program() + " c;; esac";
    case 7:
      return "f() { " + body + end + "}; f " + word(0);
    default:
      return "(" + body + tail + ") > sub";
  }
}

std::string LineGrammar::wrapped(unsigned depth) {
  const std::string name = program();
  const std::string inner = name + " " + one_of({"a", "'b c'", "-x"});
  switch (below(14)) {
    case 0:
      return "env " + inner;
    case 1:
      return "env A=1 -u B " + inner;
    case 2:
      return "timeout 5 " + inner;
    case 3:
      return "nice -n 3 " + inner;
    case 4:
      return "sh -c '" + name + " a; " + program() + " b'";
    case 5:
      return "bash -c \"" + name + " a && " + program() + " $x\"";
    case 6:
      return "echo a | xargs " + inner;
    case 7:
      return "echo a | xargs -I{} " + name + " {} y";
    case 8:
      return "eval '" + inner.substr(0, name.size()) + " ev'";
    case 9:
      return "command " + inner;
    case 10:
      return "exec " + inner;
    case 11:
      return "nohup " + inner;
    case 12:
      return "find . -maxdepth 0 -exec " + name + " {} \\;";
    default:
      return depth > 0 ? "timeout 5 env " + inner
                       : "trap '" + name + " t' EXIT";
  }
}

}  // namespace toolhost::command::testing
