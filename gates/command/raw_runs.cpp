// Texts that are not understood, and texts with holes: what a deny could still
// match.
#include <algorithm>
#include <cstring>

#include "gates/command/spellings.hpp"

namespace toolhost::command {
namespace {

constexpr std::string_view kBorders = "\n;|&()<>`";
constexpr std::string_view kDropped = "'\"\\";

class Runs {
 public:
  explicit Runs(RawRuns& out) : out_(out) {}

  // `also`: characters that part words beside the blanks.
  void read(std::string_view text, std::string_view also) {
    std::vector<std::string> words(1);
    for (const char c : text) {
      if (kBorders.find(c) != std::string_view::npos) {
        piece(words);
        words.assign(1, {});
      } else if (c == ' ' || c == '\t' || c == '\r' ||
                 also.find(c) != std::string_view::npos) {
        if (!words.back().empty()) words.emplace_back();
      } else if (kDropped.find(c) == std::string_view::npos) {
        words.back() += c;
      }
    }
    piece(words);
  }

 private:
  void piece(std::vector<std::string>& words) {
    if (words.back().empty()) words.pop_back();
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string run;
      for (std::size_t j = i; j < words.size() && run.size() < kMaxRunBytes;
           ++j) {
        if (j > i) run += ' ';
        run += words[j];
      }
      const std::string_view base = base_name(words[i]);
      if (base.size() < words[i].size()) {
        add(std::string(base) + run.substr(words[i].size()));
      }
      add(std::move(run));
      if (!out_.complete) return;
    }
  }

  void add(std::string run) {
    if (!out_.runs.empty() && out_.runs.back() == run) return;
    if (out_.runs.size() >= kMaxRuns) {
      out_.complete = false;
      return;
    }
    out_.runs.push_back(std::move(run));
  }

  RawRuns& out_;
};

// Text and pattern are both patterns here: '\0' in the text stands for any
// run. Row by row over the pattern; true where the rests can still meet.
bool meets(std::string_view pattern, std::string_view text) {
  std::vector<char> now(text.size() + 1, 0);
  std::vector<char> next(text.size() + 1, 0);
  const auto spread = [&](std::vector<char>& row) {
    // A run in the text may be empty.
    for (std::size_t j = 0; j < text.size(); ++j) {
      if (row[j] && text[j] == '\0') row[j + 1] = 1;
    }
  };
  now[0] = 1;
  spread(now);
  for (const char raw : pattern) {
    const char p = raw == '\\' ? '/' : raw;
    std::fill(next.begin(), next.end(), 0);
    if (p == '*') {
      bool any = false;
      for (std::size_t j = 0; j <= text.size(); ++j) {
        any = any || now[j] != 0;
        next[j] = any ? 1 : 0;
      }
    } else {
      for (std::size_t j = 0; j < text.size(); ++j) {
        if (!now[j]) continue;
        const char t = text[j] == '\\' ? '/' : text[j];
        if (t == '\0') {
          next[j] = 1;  // one more character of the run
        } else if (p == '?' || p == t) {
          next[j + 1] = 1;
        }
      }
      spread(next);
    }
    now.swap(next);
  }
  return now[text.size()] != 0;
}

}  // namespace

RawRuns raw_runs(std::string_view text) {
  RawRuns out;
  Runs runs(out);
  runs.read(text, "");
  // {rm,-rf,/} and x=rm
  if (text.find_first_of("{}=,$") != std::string_view::npos) {
    runs.read(text, "{},=$");
  }
  return out;
}

bool may_match(std::string_view pattern,
               const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) {
    if (&piece != &pieces.front()) text += '\0';
    text += piece;
  }
  if (meets(pattern, text)) return true;
  // "git *" also matches "git".
  return pattern.ends_with(" *") &&
         meets(pattern.substr(0, pattern.size() - 2), text);
}

}  // namespace toolhost::command
