#include "tests/unit/command/tracer.hpp"

#include <algorithm>
#include <filesystem>

#include "gates/command/spellings.hpp"
#include "tests/support/shell.hpp"
#include "tests/unit/command/line_grammar.hpp"

namespace toolhost::command::testing {
namespace {

using toolhost::testing::read_file;
using toolhost::testing::shell;
using toolhost::testing::write_file;

// One write for one record: records of a pipeline do not mix.
constexpr std::string_view kStub = R"(#!/bin/sh
record=${0##*/}
for argument do record="$record$(printf '\037')$argument"; done
printf '%s\036' "$record" >> .trace
echo "said"
case $record in no*) exit 1;; esac
)";

// The pipe ends when everything that was left in the background has ended; what
// loops there for ever is ended with its process group, which is timeout's.
constexpr std::string_view kRun = R"RUN(
for line in lines/*; do
  folder=run/${line#lines/}
  mkdir "$folder"; : > "$folder/in"
  # The dot keeps the line's own last new lines.
  text=$(cat "$line"; printf .)
  (
    echo "$BASHPID" > group
    cd "$folder" || exit
    exec /usr/bin/env -i PATH="$STUBS" FUNCNEST=20 \
      /usr/bin/timeout -s KILL 2 \
      /bin/bash --noprofile --norc -c -- "${text%.}" </dev/null 2>&1
  ) | /usr/bin/timeout 3 cat > /dev/null
  kill -KILL -- "-$(cat group)" 2>/dev/null
done
)RUN";

std::vector<std::string> split(std::string_view text, char border) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(border), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The words, with what is not known as \x01, against what ran.
bool covers(const Command& command, const std::vector<std::string>& ran) {
  std::string pattern;
  for (const Argument& word : command.words) {
    if (word.many) {
      // Any number of arguments.
      pattern += '\0';
      continue;
    }
    const std::vector<Argument> one{word};
    std::vector<std::string> pieces(1);
    std::size_t at = 0;
    for (const Hole& hole : word.holes) {
      pieces.back() += word.text.substr(at, hole.at - at);
      pieces.emplace_back();
      at = hole.at + hole.length;
    }
    pieces.back() += word.text.substr(at);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0) pattern += '\0';
      pattern += pieces[i];
    }
    pattern += '\037';
  }
  std::string text;
  for (const std::string& argument : ran) text += argument + '\037';
  // Leftmost pieces, first and last anchored: what \0 stands for is a run.
  const std::vector<std::string> pieces = split(pattern, '\0');
  const bool open_end = pattern.ends_with('\0');
  if (pieces.empty()) return open_end;
  std::size_t at = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i == 0) {
      if (!text.starts_with(pieces[0])) return false;
      at = pieces[0].size();
    } else if (i + 1 == pieces.size() && !open_end) {
      return text.size() >= at + pieces[i].size() && text.ends_with(pieces[i]);
    } else {
      const std::size_t found = text.find(pieces[i], at);
      if (found == std::string::npos) return false;
      at = found + pieces[i].size();
    }
  }
  return open_end || at == text.size();
}

}  // namespace

Tracer::Tracer() {
  std::filesystem::create_directories(folder_ / "stubs");
  for (const std::string& name : LineGrammar::programs()) {
    const std::string file = folder_ / ("stubs/" + name);
    write_file(file, kStub);
    std::filesystem::permissions(file, std::filesystem::perms::all);
  }
  for (const std::string name :
       {"env", "timeout", "nice", "sh", "bash", "xargs", "find", "nohup"}) {
    for (const std::string from : {"/usr/bin/", "/bin/"}) {
      if (!std::filesystem::exists(from + name)) continue;
      std::filesystem::create_symlink(from + name, folder_ / ("stubs/" + name));
      break;
    }
  }
}

std::vector<Trace> Tracer::run(const std::vector<std::string>& lines) {
  for (const char* const name : {"lines", "run"}) {
    std::filesystem::remove_all(folder_ / name);
    std::filesystem::create_directories(folder_ / name);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    write_file(folder_ / ("lines/" + std::to_string(i)), lines[i]);
  }
  write_file(folder_ / "run.sh", kRun);
  shell("cd " + folder_.path() + " && STUBS=$PWD/stubs /bin/bash ./run.sh");
  std::vector<Trace> out(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string folder = folder_ / ("run/" + std::to_string(i));
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (name == ".trace") {
        for (const std::string& record :
             split(read_file(entry.path()), '\036')) {
          out[i].ran.push_back(split(record + '\037', '\037'));
        }
      } else if (name != "in") {
        out[i].files.push_back(name);
      }
    }
  }
  return out;
}

std::vector<std::string> rejected_by_bash(
    const std::vector<std::string>& lines) {
  const toolhost::testing::TempDir folder;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    write_file(folder / std::to_string(i), lines[i]);
  }
  const auto said =
      shell("cd " + folder.path() +
            " && for f in *; do /bin/bash -n \"$f\" 2>/dev/null || echo $f; "
            "done");
  std::vector<std::string> out;
  for (const std::string& name : split(said.output, '\n')) {
    out.push_back(lines[std::stoul(name)]);
  }
  return out;
}

bool is_judged(const std::vector<std::string>& ran,
               const Judgement& judgement) {
  return std::any_of(
      judgement.commands.begin(), judgement.commands.end(),
      [&](const Command& command) { return covers(command, ran); });
}

bool is_judged_file(const std::string& file, const Judgement& judgement) {
  return std::any_of(
      judgement.paths.begin(), judgement.paths.end(), [&](const PathUse& use) {
        if (use.access == Access::read) return false;
        return use.complete ? use.path == file : file.starts_with(use.path);
      });
}

bool hides_programs(const Judgement& judgement) {
  return !judgement.understood ||
         std::any_of(judgement.reasons.begin(), judgement.reasons.end(),
                     [](const Reason& reason) {
                       return reason.kind != ReasonKind::variable &&
                              reason.kind != ReasonKind::dynamic_target &&
                              reason.kind != ReasonKind::network;
                     });
}

}  // namespace toolhost::command::testing
