// What a wrapper starts.
#include <algorithm>
#include <span>

#include "gates/command/judge_state.hpp"
#include "gates/command/wrappers.hpp"

namespace toolhost::command {
namespace {

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_assignment(const Argument& word) {
  const std::size_t sign = word.text.find('=');
  return sign != std::string::npos && sign > 0 &&
         (word.holes.empty() || word.holes.front().at > sign);
}

}  // namespace

// One wrapper being taken off.
struct Unwrapping {
  Judge& judge;
  const std::string& name;
  const Arguments& words;
  const Around& around;
  const Wrapper& row;
  std::size_t at = 1;
  bool only_looks = false;  // command -v

  void unknown(const Argument& option) {
    judge.reason(ReasonKind::unknown_option,
                 "The option " + option.text + " of " + name +
                     " is not known, so what it starts is not known.");
  }
  void hidden(const std::string& what) {
    judge.reason(ReasonKind::hidden_code, what);
  }
  Arguments rest() const {
    return Arguments(
        words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())),
        words.end());
  }
  Around inner() const {
    Around out = around;
    ++out.depth;
    return out;
  }
  void text(const Argument& code, bool bash) {
    if (!code.is_static()) {
      return hidden("The text that " + name + " runs is decided when it runs.");
    }
    judge.text(code.text, bash, around.depth + 1);
  }

  // Steps over the options. False: they are not understood.
  bool options() {
    for (; at < words.size(); ++at) {
      const Argument& word = words[at];
      if (word.open_start()) {
        hidden("What " + name + " starts is decided when it runs.");
        return false;
      }
      const std::string_view text = word.text;
      if (text == "--") {
        ++at;
        return true;
      }
      if (row.kind == WrapperKind::assignments && is_assignment(word) &&
          !text.starts_with('-')) {
        judge.variable(text.substr(0, text.find('=')), false, true);
        continue;
      }
      if (text == "-" && name == "env") continue;
      if (text.size() < 2 || text[0] != '-') return true;
      if (text[1] == '-' ? !long_option(word) : !short_options(word)) {
        return false;
      }
    }
    return true;
  }

  bool long_option(const Argument& word) {
    const std::string_view text = word.text;
    const std::size_t sign = text.find('=');
    const std::string_view option = text.substr(2, sign - 2);
    if (!word.holes.empty() &&
        (sign == std::string::npos || word.holes.front().at <= sign)) {
      unknown(word);
      return false;
    }
    if (has_word(row.long_flags, option)) return true;
    if (!has_word(row.long_values, option)) {
      unknown(word);
      return false;
    }
    if (sign == std::string_view::npos) ++at;
    return true;
  }

  bool short_options(const Argument& word) {
    const std::string_view text = word.text;
    if (name == "nice" &&
        text.find_first_not_of("-0123456789") == std::string_view::npos) {
      return true;
    }
    if (name == "env" && text.starts_with("-S")) return split_string(word);
    for (std::size_t i = 1; i < text.size(); ++i) {
      const char option = text[i];
      if (row.flags.find(option) != std::string_view::npos) {
        only_looks = only_looks || (name == "command" && option != 'p');
        continue;
      }
      const bool code = row.text_options.find(option) != std::string_view::npos;
      if (!code && row.values.find(option) == std::string_view::npos) {
        unknown(word);
        return false;
      }
      Argument value = word;
      if (i + 1 < text.size()) {
        value.text.erase(0, i + 1);
        for (Hole& hole : value.holes) {
          hole.at -= static_cast<std::uint32_t>(i + 1);
        }
      } else {
        if (++at >= words.size()) return true;
        value = words[at];
      }
      if (code) this->text(value, false);
      return true;
    }
    return true;
  }

  // env -S 'git push': its own quoting; only plain words are taken apart.
  bool split_string(const Argument& word) {
    Argument value = word;
    value.text.erase(0, 2);
    if (value.text.empty() && at + 1 < words.size()) value = words[++at];
    if (!value.is_static() ||
        value.text.find_first_of("\\\"'$#") != std::string::npos) {
      hidden("The text of env -S is not plain words.");
      return false;
    }
    Arguments inside{words.front()};
    std::string_view left = value.text;
    while (!left.empty()) {
      const std::size_t end =
          std::min(left.find_first_of(" \t\n"), left.size());
      if (end > 0) {
        Argument part;
        part.text = left.substr(0, end);
        inside.push_back(std::move(part));
      }
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    ++at;
    for (Argument& each : rest()) inside.push_back(std::move(each));
    Unwrapping again{judge, name, inside, around, row};
    again.run();
    at = words.size();
    return true;
  }

  void run() {
    switch (row.kind) {
      case WrapperKind::shell:
        return shell();
      case WrapperKind::find:
        return find();
      case WrapperKind::fd:
        return fd();
      case WrapperKind::other_shell:
        if (row.text_options.empty()) {
          return hidden(name + " runs code that is not judged.");
        }
        break;
      case WrapperKind::trap:
        return trap();
      case WrapperKind::source:
        if (words.size() > 1) {
          judge.path(words[1], Access::execute, Certainty::likely);
          hidden("The shell reads commands from " + words[1].text + ".");
        }
        return;
      default:
        break;
    }
    if (!row.sub.empty()) ++at;
    if (!options() || only_looks) return;
    for (unsigned i = 0; i < row.skip && at < words.size(); ++i, ++at) {
      if (words[at].many) {
        return hidden("What " + name + " starts is decided when it runs.");
      }
    }
    // A second "--", or assignments behind what was skipped.
    if (at < words.size() && words[at].text == "--") ++at;
    if (row.text_options == "c" && at + 1 < words.size() &&
        words[at].text == "-c") {
      return text(words[at + 1], false);
    }
    Arguments left = rest();
    switch (row.kind) {
      case WrapperKind::eval:
      case WrapperKind::joined_text:
        return joined_text(left);
      case WrapperKind::other_shell:
        if (left.empty()) {
          hidden(name + " runs code that is not judged.");
        }
        return;
      case WrapperKind::appended:
        appended(left);
        break;
      default:
        break;
    }
    if (!left.empty()) return judge.command(std::move(left), inner());
    if (name == "sudo" || name == "doas") {
      hidden(name + " may start a shell that reads its input.");
    }
  }

  void joined_text(const Arguments& left) {
    if (left.empty()) return;
    Argument all;
    all.text = joined(left);
    for (const Argument& each : left) {
      if (!each.is_static()) all.holes = each.holes;
    }
    text(all, row.kind == WrapperKind::eval);
  }

  // xargs: -I puts it anywhere, otherwise it comes last.
  void appended(Arguments& left) {
    std::string mark;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (text == "-I" && i + 1 < words.size())
        mark = words[i + 1].text;
      else if (text.starts_with("-I"))
        mark = text.substr(2);
      else if (text == "--replace")
        mark = "{}";
      else if (text.starts_with("--replace="))
        mark = text.substr(10);
    }
    if (name == "parallel") {
      mark = "{}";
      hidden("parallel runs its arguments through a shell.");
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i].text.starts_with(":::")) left.resize(i);
      }
    }
    if (left.empty()) {
      if (name == "parallel") return;
      left.emplace_back();
      left.back().text = "echo";
    }
    for (Argument& word : left) {
      if (mark.empty()) break;
      for (auto found = word.text.find(mark); found != std::string::npos;
           found = word.text.find(mark, found + mark.size())) {
        word.holes.push_back({static_cast<std::uint32_t>(found),
                              static_cast<std::uint32_t>(mark.size()),
                              HoleKind::parameter});
      }
      std::sort(word.holes.begin(), word.holes.end(),
                [](const Hole& a, const Hole& b) { return a.at < b.at; });
    }
    if (mark.empty()) left.push_back(unknown_argument());
  }

  // sh [options] [-c text | script] [arguments]
  void shell() {
    const bool bash = name == "bash" || name == "rbash";
    for (; at < words.size(); ++at) {
      const Argument& word = words[at];
      if (!word.is_static()) {
        return hidden("What " + name + " runs is decided when it runs.");
      }
      const std::string_view text = word.text;
      if (text == "--norc" || text == "--noprofile" || text == "--posix" ||
          text == "--login" || text == "--") {
        continue;
      }
      if (text.size() < 2 || (text[0] != '-' && text[0] != '+')) break;
      if (text.find_first_not_of("ceuxlfvnhCo", 1) != std::string_view::npos) {
        return unknown(word);
      }
      const bool named = text.find('o') != std::string_view::npos;
      if (text[0] == '-' && text.find('c') != std::string_view::npos) {
        at += named ? 2 : 1;
        while (at < words.size() && words[at].text == "--") ++at;
        if (at >= words.size()) return;
        if (words[at].open_start() || words[at].text.starts_with('-')) {
          return hidden("The text that " + name + " runs is not plain.");
        }
        return this->text(words[at], bash);
      }
      if (named) ++at;
    }
    if (at < words.size() && words[at].text != "-") {
      judge.path(words[at], Access::execute, Certainty::likely);
      return hidden(name + " runs the file " + words[at].text +
                    ", which is not judged.");
    }
    const Word* const input = around.standard_input;
    if (!input || !input->holes.empty()) {
      return hidden(name + " runs what it reads from its input.");
    }
    judge.text(input->text, bash, around.depth + 1);
  }

  // trap [--] TEXT SIGNAL…; "-" resets.
  void trap() {
    if (at < words.size() && words[at].text == "--") ++at;
    if (at + 1 >= words.size() || words[at].text.starts_with('-')) return;
    text(words[at], true);
  }

  void find() {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (words[i].open_start() && words[i].holes[0].kind != HoleKind::glob) {
        judge.reason(ReasonKind::unknown_option,
                     "An argument of find that is decided when it runs may "
                     "run or delete.");
      }
      if (text == "-delete") {
        judge.reason(ReasonKind::dynamic_target, "find -delete removes files.");
      }
      if (text.starts_with("-fprint") || text == "-fls") {
        if (i + 1 < words.size()) {
          judge.path(words[i + 1], Access::write, Certainty::sure, true);
        }
      }
      if (text != "-exec" && text != "-execdir" && text != "-ok" &&
          text != "-okdir") {
        continue;
      }
      Arguments inside;
      // A plus ends it only behind the mark.
      while (++i < words.size() && words[i].text != ";" &&
             (words[i].text != "+" || words[i - 1].text != "{}")) {
        inside.push_back(words[i]);
        mark(inside.back(), "{}");
      }
      if (!inside.empty()) judge.command(std::move(inside), inner());
    }
  }

  void fd() {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      const bool runs = text == "-x" || text == "-X" || text == "--exec" ||
                        text == "--exec-batch";
      if (!runs) {
        const bool cluster = text.size() > 2 && text[0] == '-' &&
                             text[1] != '-' &&
                             text.find_first_of("xX") != std::string::npos;
        if (cluster || text.starts_with("--exec")) unknown(words[i]);
        continue;
      }
      at = i + 1;
      Arguments inside = rest();
      for (Argument& word : inside) mark(word, "{");
      inside.push_back(unknown_argument());
      return judge.command(std::move(inside), inner());
    }
  }

  // What stands for the names that are found is decided when it runs.
  static void mark(Argument& word, std::string_view sign) {
    const std::size_t found = word.text.find(sign);
    if (found == std::string::npos || !word.holes.empty()) return;
    word.holes.push_back({static_cast<std::uint32_t>(found),
                          static_cast<std::uint32_t>(word.text.size() - found),
                          HoleKind::parameter});
  }
};

void Judge::unwrap(const std::string& name, const Arguments& words,
                   const Around& around) {
  const std::string_view sub =
      words.size() > 1 ? std::string_view(words[1].text) : std::string_view();
  const Wrapper* const row = find_wrapper(name, sub);
  if (!row) return;
  Unwrapping{*this, name, words, around, *row}.run();
}

}  // namespace toolhost::command
