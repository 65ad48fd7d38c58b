// Small languages inside arguments: sed, awk, and interpreters that get their
// code where nobody looks.
#include <algorithm>
#include <array>

#include "gates/command/judge_state.hpp"

namespace toolhost::command {
namespace {

constexpr std::array<std::string_view, 16> kInterpreters{
    "python", "pypy", "node", "nodejs", "perl", "ruby", "php",  "lua",
    "luajit", "deno", "bun",  "guile",  "psql", "gdb",  "ghci", "Rscript"};
constexpr std::array<std::string_view, 5> kAwks{"awk", "gawk", "mawk", "nawk",
                                                "original-awk"};
// Programs that take commands after a plus.
constexpr std::array<std::string_view, 6> kPlus{"less", "more", "vi",
                                                "vim",  "nvim", "ex"};

template <std::size_t N>
bool in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// One sed command after the other; false: something that writes, runs, or is
// not known here.
class SedScript {
 public:
  explicit SedScript(std::string_view text) : text_(text) {}

  bool harmless() {
    for (;;) {
      while (at() == ' ' || at() == '\n' || at() == ';' || at() == '\t' ||
             at() == '{' || at() == '}') {
        ++at_;
      }
      if (done()) return true;
      if (!address()) return false;
      if (at() == ',') {
        ++at_;
        if (!address()) return false;
      }
      while (at() == ' ' || at() == '!') ++at_;
      if (at() == '{') continue;
      if (!command()) return false;
    }
  }

 private:
  char at() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool done() const { return at_ >= text_.size(); }

  bool delimited(char end) {
    for (; !done() && at() != end; ++at_) {
      if (at() == '\\') ++at_;
      if (at() == '\n') return false;
    }
    if (done()) return false;
    ++at_;
    return true;
  }

  bool address() {
    if (at() == '/') {
      ++at_;
      if (!delimited('/')) return false;
      while (at() == 'I' || at() == 'M') ++at_;
      return true;
    }
    while ((at() >= '0' && at() <= '9') || at() == '$' || at() == '~' ||
           at() == '+') {
      ++at_;
    }
    return true;
  }

  bool command() {
    const char name = at();
    ++at_;
    if (name == 's' || name == 'y') {
      const char end = at();
      if (done() || end == '\\' || end == '\n' || end == ' ') return false;
      ++at_;
      if (!delimited(end) || !delimited(end)) return false;
      while (at() != '\0' && std::string_view("gpiI0123456789mM").find(at()) !=
                                 std::string_view::npos) {
        ++at_;
      }
    } else if (std::string_view("pdPDqQnNgGhHxl=").find(name) ==
               std::string_view::npos) {
      return false;
    }
    while (at() == ' ') ++at_;
    if (name == 'q' || name == 'Q' || name == 'l') {
      while (at() >= '0' && at() <= '9') ++at_;
    }
    return done() || at() == ';' || at() == '\n' || at() == '}';
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool harmless_awk(std::string_view text) {
  for (const std::string_view sign :
       {"system", "|", ">", "getline", "@", "printf -", "ENVIRON", "close"}) {
    if (text.find(sign) != std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

void Judge::scripts(const std::string& name, const Arguments& words,
                    const Around&) {
  const bool sed = name == "sed" || name == "gsed";
  const bool awk = in(kAwks, name);
  const auto look = [&](const Argument& script) {
    const bool fine =
        script.is_static() &&
        (awk ? harmless_awk(script.text) : SedScript(script.text).harmless());
    if (!fine) {
      reason(ReasonKind::hidden_code, "The script of " + name +
                                          " may run a command or write a "
                                          "file.");
    }
  };
  if (sed || awk) {
    bool given = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      const bool option = text.size() > 1 && text[0] == '-';
      if (option && sed && text[1] != '-') {
        // -i and -l end a cluster with a text of their own.
        const std::size_t at = text.find_first_of("efil", 1);
        if (at == std::string::npos || text[at] == 'i') continue;
        Argument value = words[i];
        if (at + 1 < text.size()) {
          value.text.erase(0, at + 1);
        } else if (i + 1 < words.size()) {
          value = words[++i];
        }
        if (text[at] == 'e' || text[at] == 'f') given = true;
        if (text[at] == 'e') look(value);
        continue;
      }
      if (option && (text.starts_with("--expression") ||
                     text.starts_with("--source") || text == "-e")) {
        given = true;
        Argument script = words[i];
        const std::size_t sign = text.find('=');
        if (sign == std::string::npos) {
          if (++i < words.size()) look(words[i]);
        } else {
          script.text.erase(0, sign + 1);
          look(script);
        }
        continue;
      }
      if (option) {
        // -F: and -v x=1 of awk take the next word when they stand alone.
        if (awk && (text == "-F" || text == "-v")) ++i;
        if (sed && text == "--line-length") ++i;
        given = given || text == "-f" || text.starts_with("--file");
        continue;
      }
      if (!given) look(words[i]);
      return;
    }
    return;
  }
  if (in(kPlus, name)) {
    for (const Argument& word : words) {
      if (word.text.starts_with('+') && word.text.size() > 1) {
        reason(ReasonKind::hidden_code,
               name + " " + word.text + " runs commands of its own.");
      }
    }
    return;
  }
  if (!in(kInterpreters, name)) return;
  std::size_t i = 1;
  while (i < words.size() && words[i].text.size() > 1 &&
         words[i].text[0] == '-') {
    const std::string& text = words[i].text;
    if (text == "-m" || text == "--version" || text == "-V" || text == "-v" ||
        text == "--help" || text == "-h") {
      return;
    }
    ++i;
  }
  if (i >= words.size() || words[i].text == "-") {
    reason(ReasonKind::hidden_code, name +
                                        " runs what it reads from its "
                                        "input or its options.");
  } else if (!words[i].is_static()) {
    reason(ReasonKind::hidden_code,
           "Which file " + name + " runs is decided when it runs.");
  } else if (words[i].text.find_first_of("./") != std::string::npos) {
    path(words[i], Access::execute, Certainty::likely);
  }
}

}  // namespace toolhost::command
