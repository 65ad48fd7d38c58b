// What builtins change in the shell itself: variables, the folder, and how
// the rest of the line is read.
#include <algorithm>
#include <array>

#include "gates/command/judge_state.hpp"

namespace toolhost::command {
namespace {

// Setting one of these decides what runs, wherever it is set.
constexpr std::array<std::string_view, 30> kDeciding{"BASH_ENV",
                                                     "BASHOPTS",
                                                     "CDPATH",
                                                     "ENV",
                                                     "EXECIGNORE",
                                                     "FPATH",
                                                     "GLOBIGNORE",
                                                     "HISTFILE",
                                                     "HOME",
                                                     "IFS",
                                                     "LOADLIBS",
                                                     "MAILPATH",
                                                     "PATH",
                                                     "POSIXLY_CORRECT",
                                                     "PROMPT_COMMAND",
                                                     "PS0",
                                                     "PS1",
                                                     "PS2",
                                                     "PS4",
                                                     "SHELL",
                                                     "SHELLOPTS",
                                                     "USER",
                                                     "XDG_CONFIG_HOME",
                                                     "XDG_RUNTIME_DIR",
                                                     "XDG_DATA_HOME",
                                                     "TMPDIR",
                                                     "OLDPWD",
                                                     "PWD",
                                                     "BASH_LOADABLES_PATH",
                                                     "LOGNAME"};
constexpr std::array<std::string_view, 8> kDecidingStarts{
    "LD_", "DYLD_", "GIT_", "BASH_FUNC", "SSH_", "GCONV_", "MALLOC_", "DBUS_"};
// The only ones that a command may be given without a question.
constexpr std::array<std::string_view, 40> kHarmless{"CI",
                                                     "NODE_ENV",
                                                     "DEBUG",
                                                     "RUST_LOG",
                                                     "RUST_BACKTRACE",
                                                     "LANG",
                                                     "LANGUAGE",
                                                     "TZ",
                                                     "NO_COLOR",
                                                     "FORCE_COLOR",
                                                     "CLICOLOR",
                                                     "TERM",
                                                     "COLUMNS",
                                                     "LINES",
                                                     "PORT",
                                                     "VERBOSE",
                                                     "V",
                                                     "PYTHONUNBUFFERED",
                                                     "PYTHONDONTWRITEBYTECODE",
                                                     "PYTHONHASHSEED",
                                                     "RAILS_ENV",
                                                     "RACK_ENV",
                                                     "APP_ENV",
                                                     "LOG_LEVEL",
                                                     "GOOS",
                                                     "GOARCH",
                                                     "CGO_ENABLED",
                                                     "CARGO_TERM_COLOR",
                                                     "DEBIAN_FRONTEND",
                                                     "GTEST_FILTER",
                                                     "GTEST_COLOR",
                                                     "CTEST_OUTPUT_ON_FAILURE",
                                                     "CARGO_INCREMENTAL",
                                                     "TF_IN_AUTOMATION",
                                                     "COLORTERM",
                                                     "CLICOLOR_FORCE",
                                                     "JOBS",
                                                     "SOURCE_DATE_EPOCH",
                                                     "NODE_NO_WARNINGS",
                                                     "MIX_ENV"};
constexpr std::array<std::string_view, 12> kStateful{
    "alias", "bind",  "complete", "compopt", "enable",  "fc",
    "hash",  "shopt", "compgen",  "history", "unalias", "let"};
constexpr std::array<std::string_view, 5> kDeclaring{
    "declare", "typeset", "local", "export", "readonly"};
constexpr std::array<std::string_view, 5> kReading{
    "read", "mapfile", "readarray", "getopts", "unset"};

template <std::size_t N>
bool in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool decides(std::string_view name) {
  return in(kDeciding, name) ||
         std::any_of(kDecidingStarts.begin(), kDecidingStarts.end(),
                     [&](std::string_view s) { return name.starts_with(s); });
}

}  // namespace

void Judge::variable(std::string_view name, bool exported,
                     bool for_one_command) {
  if (decides(name)) {
    return reason(ReasonKind::variable,
                  "Setting " + std::string(name) +
                      " changes which programs run, or how.");
  }
  const bool passed_on = exported || for_one_command;
  if (passed_on && !in(kHarmless, name) && !name.starts_with("LC_")) {
    reason(ReasonKind::variable, "The variable " + std::string(name) +
                                     " is given to the programs that are "
                                     "started; what they do with it is not "
                                     "known.");
  }
}

void Judge::assigned(std::string_view name, const Argument* value) {
  const auto numeric = [](const Argument& given) {
    if (given.is_static()) {
      return given.text.find_first_not_of("0123456789-") == std::string::npos;
    }
    if (given.holes.size() != 1) return false;
    const Hole& hole = given.holes.front();
    if (hole.kind == HoleKind::brace) {
      return given.text.find_first_not_of("{}.,0123456789") ==
             std::string::npos;
    }
    return hole.length == given.text.size() &&
           (hole.kind == HoleKind::arithmetic || given.text == "$#" ||
            given.text == "$?" || given.text.starts_with("${#"));
  };
  if (!value || !numeric(*value)) texts_.emplace(name);
}

void Judge::change_folder(const Argument& target) {
  path(target, Access::read, Certainty::likely);
  if (!target.is_static() || target.tilde || target.text.empty() ||
      target.text == "-" || target.text.starts_with('+')) {
    bases_known_ = false;
    return;
  }
  std::vector<std::string> more;
  for (const std::string& base : bases_) {
    const bool absolute = target.text.starts_with('/');
    more.push_back(absolute || base.empty() ? target.text
                                            : base + "/" + target.text);
  }
  for (std::string& each : more) {
    if (std::find(bases_.begin(), bases_.end(), each) != bases_.end()) continue;
    if (bases_.size() >= 8) {
      bases_known_ = false;
      return;
    }
    bases_.push_back(std::move(each));
  }
}

void Judge::builtin(const std::string& name, const Arguments& words) {
  const auto arguments = [&](auto&& use) {
    for (std::size_t i = 1; i < words.size(); ++i) use(words[i], i);
  };
  if (name == "cd" || name == "pushd") {
    bool found = false;
    arguments([&](const Argument& word, std::size_t) {
      if (found || word.text == "--" || word.text == "-P" ||
          word.text == "-L") {
        return;
      }
      found = true;
      change_folder(word);
    });
    if (!found) bases_known_ = false;
  } else if (name == "popd") {
    bases_known_ = bases_known_ && words.size() == 1;
  } else if (name == "test" || name == "[") {
    // -v evaluates a subscript.
    arguments([&](const Argument& word, std::size_t i) {
      if (words[i - 1].text == "-v" && !word.is_static()) {
        reason(ReasonKind::hidden_code,
               "test -v runs what a subscript in its operand holds.");
      }
    });
  } else if (in(kStateful, name)) {
    reason(ReasonKind::shell_state,
           name + " changes what the rest of the line means.");
  } else if (name == "set") {
    arguments([&](const Argument& word, std::size_t i) {
      const bool option =
          word.text.starts_with('-') || word.text.starts_with('+');
      const bool after_o = i > 1 && words[i - 1].text.ends_with('o');
      const bool known =
          (option &&
           word.text.find_first_not_of("-+euxfCno") == std::string::npos) ||
          (after_o && (word.text == "pipefail" || word.text == "errexit" ||
                       word.text == "nounset" || word.text == "xtrace"));
      if (i == 1 && word.text == "--") return;
      if ((option && !known) || (after_o && !known) || word.open_start()) {
        reason(
            ReasonKind::shell_state,
            "set " + word.text + " changes what the rest of the line means.");
      }
    });
  } else if (in(kDeclaring, name)) {
    const bool exports =
        name == "export" ||
        std::any_of(words.begin(), words.end(), [](const Argument& word) {
          return word.text.starts_with('-') &&
                 word.text.find('x') != std::string::npos;
        });
    arguments([&](const Argument& word, std::size_t) {
      if (word.text.starts_with('-') || word.text.starts_with('+')) {
        // -i evaluates what is assigned; -n makes a name stand for another.
        if (word.text.find_first_of("in") != std::string::npos) {
          reason(ReasonKind::shell_state,
                 name + " " + word.text + " changes what assignments mean.");
        }
        return;
      }
      const std::size_t sign = word.text.find('=');
      if (!word.is_static() && word.holes.front().at < sign) {
        return reason(
            ReasonKind::variable,
            "Which variable " + name + " sets is decided when it runs.");
      }
      std::string_view left = std::string_view(word.text).substr(0, sign);
      left = left.substr(0, left.find_first_of("[+"));
      variable(left, exports, false);
      if (sign == std::string::npos) return;
      Argument value = word;
      value.text.erase(0, sign + 1);
      std::erase_if(value.holes, [&](const Hole& h) { return h.at <= sign; });
      for (Hole& hole : value.holes) {
        hole.at -= static_cast<std::uint32_t>(sign + 1);
      }
      assigned(left, &value);
    });
  } else if (in(kReading, name) || name == "printf") {
    arguments([&](const Argument& word, std::size_t i) {
      if (name == "printf" && words[i - 1].text != "-v") {
        if (i != 1 || !word.text.starts_with("-v") || word.text.size() == 2) {
          return;
        }
      }
      if (name == "mapfile" || name == "readarray") {
        if (word.text.starts_with('-') &&
            word.text.find('C') != std::string::npos) {
          reason(ReasonKind::hidden_code, name + " -C runs a command.");
        }
      }
      if (word.text.starts_with('-') && name != "printf") return;
      if (!word.is_static()) {
        reason(ReasonKind::variable,
               "Which variable " + name + " sets is decided when it runs.");
      }
      std::string_view target = word.text;
      if (name == "printf" && target.starts_with("-v")) target.remove_prefix(2);
      target = target.substr(0, target.find('['));
      variable(target, false, false);
      if (name != "unset") assigned(target, nullptr);
    });
  }
}

}  // namespace toolhost::command
