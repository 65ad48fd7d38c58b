// Arguments that are paths: for the programs that agents use every day it is
// known which; for all others, what looks like one.
#include <algorithm>

#include "gates/command/judge_state.hpp"

namespace toolhost::command {
namespace {

// How a program uses its operands (what is no option).
enum class Use : std::uint8_t {
  reads,       // all
  writes,      // all
  last_write,  // the last is written, the others are read (cp)
  moves,       // all are written (mv)
  skip_read,   // the first is no path (grep), the others are read
  skip_write,  // the first is no path (chmod), the others are written
  none,        // no operand is a path
};

struct Row {
  std::string_view program;
  Use use;
  std::string_view values;  // short options that take the next word
};

constexpr Row kRows[] = {
    {"[", Use::reads, ""},           {"base64", Use::reads, "w"},
    {"basename", Use::none, ""},     {"bat", Use::reads, ""},
    {"cat", Use::reads, ""},         {"chgrp", Use::skip_write, ""},
    {"chmod", Use::skip_write, ""},  {"chown", Use::skip_write, ""},
    {"cmp", Use::reads, ""},         {"cp", Use::last_write, "tS"},
    {"cut", Use::reads, "dfbc"},     {"diff", Use::reads, "UC"},
    {"du", Use::reads, "d"},         {"echo", Use::none, ""},
    {"file", Use::reads, ""},        {"grep", Use::skip_read, "ABCmef"},
    {"head", Use::reads, "nc"},      {"install", Use::last_write, "mogt"},
    {"less", Use::reads, ""},        {"ln", Use::last_write, "t"},
    {"ls", Use::reads, ""},          {"md5sum", Use::reads, ""},
    {"mkdir", Use::writes, "m"},     {"mkfifo", Use::writes, "m"},
    {"more", Use::reads, ""},        {"mv", Use::moves, "tS"},
    {"nl", Use::reads, ""},          {"od", Use::reads, "NjAt"},
    {"printf", Use::none, ""},       {"readlink", Use::reads, ""},
    {"realpath", Use::reads, ""},    {"rg", Use::skip_read, "ABCmegtTf"},
    {"rm", Use::writes, ""},         {"rmdir", Use::writes, ""},
    {"sha256sum", Use::reads, ""},   {"shred", Use::writes, "ns"},
    {"sort", Use::reads, "kotST"},   {"source", Use::reads, ""},
    {"stat", Use::reads, "c"},       {"strings", Use::reads, "n"},
    {"tac", Use::reads, ""},         {"tail", Use::reads, "nc"},
    {"tee", Use::writes, ""},        {"test", Use::reads, ""},
    {"touch", Use::writes, "drt"},   {"tree", Use::reads, "LPI"},
    {"truncate", Use::writes, "sr"}, {"uniq", Use::last_write, "fsw"},
    {"unlink", Use::writes, ""},     {"wc", Use::reads, ""},
    {"xxd", Use::reads, "ls"},
};

const Row* row_of(std::string_view program) {
  const auto* const found =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [&](const Row& row) { return row.program == program; });
  return found == std::end(kRows) ? nullptr : found;
}

bool looks_like_path(const Argument& word) {
  const std::string_view text = word.static_prefix();
  return word.tilde || text.starts_with('/') || text.starts_with("./") ||
         text.starts_with("../") || text == ".." || text == "." ||
         (text.find('/') != std::string_view::npos &&
          text.find("://") == std::string_view::npos);
}

Argument tail(const Argument& word, std::size_t from) {
  Argument out = word;
  out.text.erase(0, from);
  std::erase_if(out.holes, [&](const Hole& hole) { return hole.at < from; });
  for (Hole& hole : out.holes) hole.at -= static_cast<std::uint32_t>(from);
  out.tilde = out.text.starts_with('~');
  return out;
}

}  // namespace

// tar: the archive is written or read, by the other letters.
void Judge::archive(const Arguments& words) {
  bool writes = false;
  const Argument* file = nullptr;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    const bool is_long = text.starts_with("--");
    if (is_long) {
      writes = writes || text == "--create" || text == "--append" ||
               text == "--update" || text == "--concatenate";
      if (text == "--file" && i + 1 < words.size()) file = &words[i + 1];
      continue;
    }
    if (i > 1 && !text.starts_with('-')) continue;
    writes = writes || text.find_first_of("cruA") != std::string::npos;
    if (text.ends_with('f') && i + 1 < words.size()) file = &words[i + 1];
  }
  if (file && file->text != "-") {
    path(*file, writes ? Access::write : Access::read, Certainty::likely,
         writes);
  }
}

void Judge::path_uses(const std::string& name, const Arguments& words) {
  const Argument& program = words.front();
  if (program.text.find('/') != std::string::npos) {
    path(program, Access::execute, Certainty::sure);
  }
  if (name == "cd" || name == "pushd") return;
  if (name == "dd") {
    for (const Argument& word : words) {
      const bool out = word.text.starts_with("of=");
      if (!out && !word.text.starts_with("if=")) continue;
      path(tail(word, 3), out ? Access::write : Access::read, Certainty::sure,
           out);
    }
    return;
  }
  if (name == "tar") archive(words);
  const Row* const row = row_of(name);
  const bool in_place =
      name == "sed" &&
      std::any_of(words.begin(), words.end(), [](const Argument& word) {
        return word.text.starts_with("--in-place") ||
               (word.text.starts_with('-') && !word.text.starts_with("--") &&
                word.text.find('i') != std::string::npos);
      });
  std::vector<const Argument*> operands;
  bool options = true;
  bool pattern_given = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Argument& word = words[i];
    if (options && word.text == "--") {
      options = false;
      continue;
    }
    if (!options || !word.text.starts_with('-') || word.text == "-") {
      if (word.text != "-") operands.push_back(&word);
      continue;
    }
    // --file=PATH, -I/usr/include
    const std::size_t sign = word.text.find('=');
    const Argument value =
        tail(word, sign == std::string::npos
                       ? std::min<std::size_t>(2, word.text.size())
                       : sign + 1);
    if (looks_like_path(value)) {
      path(value, Access::unknown, Certainty::possible);
    }
    const char last = word.text.back();
    pattern_given = pattern_given || word.text == "-e" || word.text == "-f" ||
                    word.text == "--files";
    if (word.text.size() == 2 && i + 1 < words.size()) {
      if (row && row->values.find(last) != std::string_view::npos) {
        if (name == "cp" || name == "mv" || name == "install" || name == "ln") {
          path(words[i + 1], Access::write, Certainty::likely);
        }
        ++i;
      } else if (name == "git" && last == 'C') {
        path(words[++i], Access::read, Certainty::sure);
      }
    }
  }
  if (!row && !in_place) {
    for (const Argument* each : operands) {
      if (looks_like_path(*each)) {
        path(*each, Access::unknown, Certainty::possible);
      }
    }
    return;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool last = i + 1 == operands.size();
    Access access = Access::read;
    Certainty certainty = Certainty::likely;
    bool separate = false;
    switch (row ? row->use : Use::writes) {
      case Use::none:
        continue;
      case Use::reads:
        break;
      case Use::writes:
      case Use::moves:
        access = Access::write;
        // The name of sed says nothing of writing.
        separate = in_place;
        if (in_place && i == 0) continue;
        break;
      case Use::last_write:
        if (last && operands.size() > 1) access = Access::write;
        separate = name == "uniq" && access == Access::write;
        break;
      case Use::skip_read:
        if (i == 0 && !pattern_given) continue;
        break;
      case Use::skip_write:
        if (i == 0) continue;
        access = Access::write;
        break;
    }
    path(*operands[i], access, certainty, separate);
  }
}

}  // namespace toolhost::command
