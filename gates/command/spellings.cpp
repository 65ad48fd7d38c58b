#include "gates/command/spellings.hpp"

#include <algorithm>
#include <set>

#include "gates/command/global_options.hpp"

namespace toolhost::command {
namespace {

// Flags that a long and a short spelling name alike.
struct Flags {
  std::string_view program;
  std::string_view sub;
  // "long=s", one blank between them; "R=r" makes two letters one.
  std::string_view names;
};
constexpr Flags kFlags[] = {
    {"chgrp", "", "recursive=R"},
    {"chmod", "", "recursive=R"},
    {"chown", "", "recursive=R"},
    {"cp", "", "recursive=r R=r force=f archive=a"},
    {"curl", "", "insecure=k upload-file=T data=d output=o"},
    {"docker", "rm", "force=f volumes=v"},
    {"docker", "rmi", "force=f"},
    {"git", "branch", "delete=d force=f move=m"},
    {"git", "checkout", "force=f"},
    {"git", "clean", "force=f"},
    {"git", "commit", "all=a no-verify=n"},
    {"git", "push", "force=f delete=d no-verify=n"},
    {"git", "switch", "force=f discard-changes=f"},
    {"kill", "", "signal=s"},
    {"ln", "", "symbolic=s force=f"},
    {"mv", "", "force=f"},
    {"npm", "install", "global=g"},
    {"rm", "", "recursive=r R=r force=f dir=d"},
    {"scp", "", "recursive=r"},
};

// The letter of a long name (which may be cut short) or of another letter.
char letter_of(const Flags& row, std::string_view name) {
  std::string_view left = row.names;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(' '), left.size());
    const std::string_view entry = left.substr(0, end);
    const std::size_t sign = entry.find('=');
    const std::string_view full = entry.substr(0, sign);
    const bool same = name.size() == 1 || full.size() == 1
                          ? full == name
                          : full.starts_with(name) && name.size() >= 2;
    if (same) return entry[sign + 1];
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return '\0';
}

const Flags* flags_of(std::string_view program, std::string_view sub) {
  for (const Flags& row : kFlags) {
    if (row.program == program && (row.sub.empty() || row.sub == sub)) {
      return &row;
    }
  }
  return nullptr;
}

std::string_view long_name(const Flags& row, char letter) {
  std::string_view left = row.names;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(' '), left.size());
    const std::string_view entry = left.substr(0, end);
    const std::size_t sign = entry.find('=');
    if (sign > 1 && entry[sign + 1] == letter) return entry.substr(0, sign);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return {};
}

bool needs_quotes(const Argument& word) {
  return word.text.empty() ||
         word.text.find_first_of(" \t\n") != std::string::npos;
}

class Spelling {
 public:
  void add(std::string text) {
    if (seen_.insert(text).second) out_.push_back(std::move(text));
  }

  void add(const std::vector<Argument>& words) { add(joined(words)); }

  // Each option first, then the rest; the flags of a table in every order.
  void reordered(const std::vector<Argument>& words) {
    if (words.empty()) return;
    const std::string& program = words.front().text;
    std::vector<std::string> options;
    std::string operands;
    std::string sub;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string& text = words[i].text;
      if (text == "--") continue;
      if (text.size() > 1 && text[0] == '-') {
        if (options.size() < 12) options.push_back(text);
      } else {
        if (sub.empty()) sub = text;
        operands += " " + text;
      }
    }
    if (options.empty()) return;
    const Flags* const row = flags_of(program, sub);
    const bool with_sub = row && !row->sub.empty();
    std::string head = program;
    std::string rest = operands;
    const auto both = [&](const std::string& option) {
      add(program + " " + option + operands);
      if (!sub.empty()) {
        add(program + " " + sub + " " + option +
            operands.substr(1 + sub.size()));
      }
    };
    for (const std::string& option : options) both(option);
    if (!row) return;
    if (with_sub) {
      head += " " + sub;
      rest = operands.substr(1 + sub.size());
    }
    std::string letters;
    for (const std::string& option : options) {
      const bool is_long = option.starts_with("--");
      const std::string_view names =
          std::string_view(option).substr(is_long ? 2 : 1);
      if (is_long) {
        const char letter = letter_of(*row, names.substr(0, names.find('=')));
        if (letter != '\0') letters += letter;
        continue;
      }
      for (const char each : names) {
        const char same = letter_of(*row, std::string_view(&each, 1));
        letters += same == '\0' ? each : same;
      }
    }
    // What the table names comes first where there are too many.
    const auto rank = [&](char c) {
      return std::pair(long_name(*row, c).empty(), c);
    };
    std::sort(letters.begin(), letters.end(),
              [&](char a, char b) { return rank(a) < rank(b); });
    letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
    if (letters.size() > 5) letters.resize(5);
    order(*row, head, rest, letters, "");
  }

  std::vector<std::string> take() { return std::move(out_); }

 private:
  // Every ordered choice of one to three letters.
  void order(const Flags& row, const std::string& head, const std::string& rest,
             const std::string& letters, const std::string& chosen) {
    if (!chosen.empty()) {
      std::string apart;
      std::string spelled;
      for (const char c : chosen) {
        apart += std::string(" -") + c;
        const std::string_view name = long_name(row, c);
        spelled +=
            name.empty() ? std::string(" -") + c : " --" + std::string(name);
      }
      add(head + " -" + chosen + rest);
      if (chosen.size() > 1) add(head + apart + rest);
      add(head + spelled + rest);
    }
    if (chosen.size() == 3) return;
    for (const char c : letters) {
      if (chosen.find(c) == std::string::npos) {
        order(row, head, rest, letters, chosen + c);
      }
    }
  }

  std::vector<std::string> out_;
  std::set<std::string> seen_;
};

}  // namespace

std::string exact_text(const std::vector<Argument>& words) {
  std::string out;
  for (const Argument& word : words) {
    if (&word != &words.front()) out += ' ';
    if (needs_quotes(word)) {
      out += "'" + word.text + "'";
    } else {
      out += word.text;
    }
  }
  return out;
}

std::vector<std::string> spellings(const std::vector<Argument>& words) {
  Spelling out;
  out.add(exact_text(words));
  if (words.empty()) return out.take();
  out.add(words);
  std::vector<Argument> bare = words;
  bare.front().text = std::string(base_name(words.front().text));
  out.add(bare);
  std::vector<Argument> normal = bare;
  normal.front().text = normal_name(words.front().text);
  out.add(normal);
  const bool options = words.size() > 1 && words[1].text.starts_with('-');
  std::vector<Argument> direct = options ? without_options(bare) : bare;
  if (options) out.add(direct);
  std::vector<Argument> lasting;
  bool fewer = false;
  for (const Argument& word : direct) {
    const bool vanishes = (word.many && !word.is_static()) || word.text == "--";
    fewer = fewer || vanishes;
    if (!vanishes) lasting.push_back(word);
  }
  if (fewer) out.add(lasting);
  out.reordered(bare);
  if (options) out.reordered(direct);
  return out.take();
}

std::vector<std::string> pieces_of(const std::vector<Argument>& words) {
  std::vector<std::string> out(1);
  for (const Argument& word : words) {
    if (&word != &words.front()) out.back() += ' ';
    const bool quotes = needs_quotes(word) && word.is_static();
    if (quotes) out.back() += '\'';
    std::size_t at = 0;
    for (const Hole& hole : word.holes) {
      const std::size_t start = std::max<std::size_t>(hole.at, at);
      out.back() += word.text.substr(at, start - at);
      out.emplace_back();
      at = std::min<std::size_t>(start + hole.length, word.text.size());
    }
    out.back() += word.text.substr(at);
    if (quotes) out.back() += '\'';
  }
  return out;
}

}  // namespace toolhost::command
