// Options that run or write, by the table.
#include <algorithm>

#include "gates/command/global_options.hpp"
#include "gates/command/judge_state.hpp"
#include "gates/command/trick_table.hpp"

namespace toolhost::command {
namespace {

std::pair<const Trick*, const Trick*> rows_of(std::string_view program) {
  static_assert(std::is_sorted(
      std::begin(kTricks), std::end(kTricks),
      [](const Trick& a, const Trick& b) { return a.program < b.program; }));
  const auto* const first =
      std::lower_bound(std::begin(kTricks), std::end(kTricks), program,
                       [](const Trick& row, std::string_view name) {
                         return row.program < name;
                       });
  const auto* last = first;
  while (last != std::end(kTricks) && last->program == program) ++last;
  return {first, last};
}

// Short options that take a value, of programs whose clusters would otherwise
// be misread all the time. Only options that are no trick themselves.
struct Values {
  std::string_view program;
  std::string_view letters;
};
constexpr std::string_view kCompiler = "BcDdEfgIlLmnOpsStTUuWxX";
constexpr Values kValues[] = {
    {"awk", "Fv"},        {"c++", kCompiler},     {"cc", kCompiler},
    {"clang", kCompiler}, {"clang++", kCompiler}, {"curl", "AbdeFHmruTwxX"},
    {"g++", kCompiler},   {"gawk", "Fv"},         {"gcc", kCompiler},
    {"ld", kCompiler},    {"python", "mWX"},      {"rg", "ABCdeEfgjmMrtT"},
    {"rustc", "ClLgO"},   {"sort", "ktS"},
};

// The place of the row's option in the word: npos, or where its value begins
// (the word's end: the value is the next word).
std::size_t option_in(const Trick& row, const Argument& word, bool cluster) {
  const std::string_view text = word.static_prefix();
  const std::string_view option = row.option;
  constexpr std::size_t kNo = std::string_view::npos;
  if (option.starts_with("--")) {
    const std::size_t sign = std::min(text.find('='), text.size());
    // Long options may be cut short.
    if (sign < 3 || !option.starts_with(text.substr(0, sign))) return kNo;
    return std::min(sign + 1, word.text.size());
  }
  if (option.size() > 2) {  // -exec: a long option with one dash
    const std::size_t sign = std::min(text.find('='), text.size());
    const std::string_view typed = text.substr(0, sign);
    if (typed != option && typed.substr(typed.empty() ? 0 : 1) != option) {
      return kNo;
    }
    return std::min(sign + 1, word.text.size());
  }
  const bool dashed = text.starts_with('-') && !text.starts_with("--");
  if (!dashed && !cluster) return kNo;
  const std::size_t at = text.find(option[1], dashed ? 1 : 0);
  if (at == kNo) return kNo;
  // -XPOST of curl is no -O: the rest of a cluster belongs to the first option
  // that takes a value.
  for (const Values& values : kValues) {
    if (values.program != row.program) continue;
    const std::size_t value = text.find_first_of(values.letters, 1);
    if (value < at) return kNo;
  }
  return at + 1;
}

Argument value_at(const Arguments& words, std::size_t index,
                  std::size_t start) {
  Argument value = words[index];
  if (start < value.text.size()) {
    value.text.erase(0, start);
    for (Hole& hole : value.holes) {
      hole.at -=
          static_cast<std::uint32_t>(std::min<std::size_t>(start, hole.at));
    }
    return value;
  }
  return index + 1 < words.size() ? words[index + 1] : Argument{};
}

}  // namespace

void Judge::tricks(const std::string& name, const Arguments& words,
                   const Around& around) {
  const std::size_t command = first_argument(words);
  const std::string_view sub =
      command < words.size() ? std::string_view(words[command].text) : "";
  const auto use = [&](TrickKind kind, const Argument& value,
                       const Argument& option) {
    switch (kind) {
      case writes:
      case folder:
        if (!value.is_static()) {
          reason(ReasonKind::dynamic_target,
                 "The file that " + option.text + " of " + name +
                     " writes is named when it runs.");
        }
        if (value.text != "-") {
          path(value, Access::write, Certainty::sure, kind == writes);
        }
        return;
      case reads:
        return path(value, Access::read, Certainty::sure);
      case runs: {
        Around inner = around;
        ++inner.depth;
        return command_of(value, inner);
      }
      case shell:
        if (value.is_static()) return text(value.text, false, around.depth + 1);
        [[fallthrough]];
      case code:
        return reason(
            ReasonKind::hidden_code,
            name + " " + option.text + " can run code that is not judged.");
      case changes:
        return reason(ReasonKind::dynamic_target,
                      name + " " + option.text + " changes files.");
    }
  };
  for (const Trick& row : kSubTricks) {
    if (row.program != name || row.sub != sub) continue;
    if (row.option.empty()) {
      use(row.kind, words[command], words[command]);
      continue;
    }
    for (std::size_t i = command + 1; i + 1 < words.size(); ++i) {
      if (words[i].text != row.option) continue;
      Around inner = around;
      ++inner.depth;
      const Arguments rest(words.begin() + static_cast<std::ptrdiff_t>(i + 1),
                           words.end());
      if (row.kind == runs) {
        this->command(rest, inner);
      } else {
        Argument all;
        all.text = joined(rest);
        for (const Argument& each : rest) {
          if (!each.is_static()) all.holes = each.holes;
        }
        use(row.kind, all, words[i]);
      }
      break;
    }
  }
  const auto [first, last] = rows_of(name);
  if (first == last) return;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Argument& word = words[i];
    if (word.text == "--") return;
    if (word.open_start()) {
      // git commit -m "$text": a value, not an option.
      const std::string& before = words[i - 1].text;
      const bool value = name == "git" && (before == "-m" || before == "-am" ||
                                           before == "--message");
      // A file name that begins with a dash comes from a pattern that begins
      // with a star.
      if (!value) {
        reason(ReasonKind::unknown_option,
               "The argument " + word.text + " of " + name +
                   " is decided when it runs and may be an option.");
      }
      continue;
    }
    // Old-style tar: the first argument is a cluster without a dash.
    const bool cluster = name == "tar" && i == 1;
    for (const auto* row = first; row != last; ++row) {
      if (!row->sub.empty() && row->sub != sub) continue;
      // -c of git is its own only in front of the sub-command.
      if (name == "git" && row->option == "-c" && i > command) continue;
      const std::size_t start = option_in(*row, word, cluster);
      if (start == std::string_view::npos) continue;
      use(row->kind, value_at(words, i, start), word);
    }
    if (word.text.starts_with('-') && !word.is_static() &&
        word.static_prefix().find('=') == std::string_view::npos &&
        word.static_prefix().size() < 3) {
      reason(ReasonKind::unknown_option, "The option " + word.text + " of " +
                                             name +
                                             " is decided when it runs.");
    }
  }
}

void Judge::command_of(const Argument& program, const Around& around) {
  Arguments words{program, unknown_argument()};
  command(std::move(words), around);
}

}  // namespace toolhost::command
