#include "providers/builtin/edit_nearest.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>

#include "protocol/text.hpp"
#include "providers/builtin/diff_script.hpp"

namespace toolhost::builtin {
namespace {

// Bounds: this runs on the loop, before anybody is asked.
constexpr std::size_t kMostWantedLines = 500;
constexpr std::size_t kMostLineBytes = 1000;
// Below this share of common letter pairs two lines are not "similar".
constexpr double kSimilar = 0.5;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' ||
         c == '\v';
}

std::string_view trim_end(std::string_view line) {
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  return line;
}

std::string_view trim_start(std::string_view line) {
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  return line;
}

// Curly quotes, long dashes and odd spaces as a keyboard has them.
void append_plain(std::string& out, utf8proc_int32_t code) {
  if (code >= 0x2018 && code <= 0x201B) {
    out += '\'';
  } else if (code >= 0x201C && code <= 0x201F) {
    out += '"';
  } else if ((code >= 0x2010 && code <= 0x2015) || code == 0x2212) {
    out += '-';
  } else if (code == ' ' || code == '\t' || code == 0xA0 || code == 0x3000 ||
             (code >= 0x2000 && code <= 0x200B)) {
    return;
  } else {
    std::array<utf8proc_uint8_t, 4> bytes;
    const auto size = utf8proc_encode_char(code, bytes.data());
    out.append(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::size_t>(size));
  }
}

std::string fold_unicode(std::string_view line) {
  utf8proc_uint8_t* mapped = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(line.data()),
                   static_cast<utf8proc_ssize_t>(line.size()), &mapped,
                   static_cast<utf8proc_option_t>(
                       UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_STABLE));
  if (size < 0) return std::string(line);
  std::string out;
  for (utf8proc_ssize_t at = 0; at < size;) {
    utf8proc_int32_t code = 0;
    at += utf8proc_iterate(mapped + at, size - at, &code);
    append_plain(out, code);
  }
  std::free(mapped);
  return out;
}

// The line without any white space, and with plain characters.
std::string loose(std::string_view line) {
  line = line.substr(0, kMostLineBytes);
  std::string out;
  bool ascii = true;
  for (const char c : line) {
    if (!is_space(c)) out += c;
    ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  }
  return ascii ? out : fold_unicode(out);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string shown(std::string_view line) {
  constexpr std::size_t kShown = 120;
  std::string visible;
  for (const char c : utf8_prefix(trim_end(line), kShown)) {
    if (c == '\t') {
      visible += "\\t";
    } else {
      visible += c;
    }
  }
  const bool cut = trim_end(line).size() > kShown;
  return "\"" + display_text(visible) + (cut ? "…\"" : "\"");
}

std::string indentation(std::string_view line) {
  const std::string_view indent =
      line.substr(0, line.size() - trim_start(line).size());
  const auto tabs = std::count(indent.begin(), indent.end(), '\t');
  const auto spaces = std::count(indent.begin(), indent.end(), ' ');
  const auto counted = [](auto count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  if (tabs == 0) return counted(spaces, "space");
  if (spaces == 0) return counted(tabs, "tab");
  return counted(tabs, "tab") + " and " + counted(spaces, "space");
}

void describe(Nearest& near, std::size_t line, std::string_view there,
              std::string_view wanted, std::string_view called) {
  const std::string mine(called);
  const std::string number = "line " + std::to_string(line);
  const std::string_view a = trim_end(there);
  const std::string_view b = trim_end(wanted);
  near.detail =
      number + " is " + shown(there) + ", " + mine + " has " + shown(wanted);
  if (a == b) {
    const auto bare = [](std::string_view line_text) {
      if (line_text.ends_with('\n')) line_text.remove_suffix(1);
      return line_text.size();
    };
    near.difference = "trailing whitespace";
    near.detail =
        number + (bare(there) > bare(wanted)
                      ? " ends with white space that " + mine + " lacks"
                      : " lacks white space that " + mine + " ends with");
  } else if (trim_start(a) == trim_start(b)) {
    near.difference = "indentation";
    near.detail = number + " is indented with " + indentation(there) + ", " +
                  mine + " has " + indentation(wanted);
  } else if (loose(a) == loose(b)) {
    const auto squeeze = [](std::string_view text) {
      std::string out;
      for (const char c : text) {
        if (!is_space(c)) out += c;
      }
      return out;
    };
    near.difference = squeeze(a) == squeeze(b)
                          ? "whitespace"
                          : "Unicode form or typographic characters";
  } else if (lower(a) == lower(b)) {
    near.difference = "letter case";
  } else {
    near.difference = "words";
  }
}

// Which letter pairs a line has, as a set of 512 bits.
using Pairs = std::array<std::uint64_t, 8>;

Pairs pairs_of(std::string_view line) {
  Pairs out{};
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto a = static_cast<unsigned char>(line[i - 1]);
    const auto b = static_cast<unsigned char>(line[i]);
    const std::size_t hash = (a * 31U + b) & 511U;
    out[hash >> 6] |= std::uint64_t{1} << (hash & 63);
  }
  return out;
}

double similarity(const Pairs& a, const Pairs& b) {
  int both = 0;
  int all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += std::popcount(a[i] & b[i]);
    all += std::popcount(a[i]) + std::popcount(b[i]);
  }
  return all == 0 ? 0 : 2.0 * both / all;
}

class NearestSearch {
 public:
  NearestSearch(std::string_view text, std::string_view wanted,
                std::string_view called)
      : called_(called),
        lines_(split_lines(text)),
        wanted_(split_lines(wanted)) {
    while (!wanted_.empty() && trim_end(wanted_.back()).empty()) {
      wanted_.pop_back();
    }
    if (wanted_.size() > kMostWantedLines) wanted_.resize(kMostWantedLines);
  }

  std::optional<Nearest> find() {
    if (wanted_.empty() || lines_.empty()) return std::nullopt;
    for (const auto line : lines_) keys_.push_back(loose(line));
    for (const auto line : wanted_) wanted_keys_.push_back(loose(line));
    auto start = by_equal_lines();
    if (!start) start = by_similar_line();
    if (!start) return std::nullopt;
    return report(*start);
  }

 private:
  // Where the most (and longest) lines stand as they stand in `wanted_`.
  std::optional<std::ptrdiff_t> by_equal_lines() const {
    std::unordered_map<std::string_view, std::vector<std::size_t>> index;
    std::size_t all = 0;
    for (std::size_t j = 0; j < wanted_keys_.size(); ++j) {
      const std::string& key = wanted_keys_[j];
      all += key.size();
      auto& places = index[key];
      if (!key.empty() && places.size() < 4) places.push_back(j);
    }
    std::unordered_map<std::ptrdiff_t, std::size_t> votes;
    std::ptrdiff_t best = 0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const auto found = index.find(keys_[i]);
      if (found == index.end()) continue;
      for (const std::size_t j : found->second) {
        const auto diagonal =
            static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(j);
        const std::size_t score = votes[diagonal] += keys_[i].size();
        if (score > most) {
          most = score;
          best = diagonal;
        }
      }
    }
    if (most == 0 || most * 3 < all) return std::nullopt;
    return best;
  }

  std::optional<std::ptrdiff_t> by_similar_line() const {
    std::size_t longest = 0;
    for (std::size_t j = 1; j < wanted_keys_.size(); ++j) {
      if (wanted_keys_[j].size() > wanted_keys_[longest].size()) longest = j;
    }
    const Pairs wanted = pairs_of(lower(wanted_keys_[longest]));
    double best = kSimilar;
    std::optional<std::ptrdiff_t> where;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const double score = similarity(pairs_of(lower(keys_[i])), wanted);
      if (score <= best) continue;
      best = score;
      where =
          static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(longest);
    }
    return where;
  }

  std::optional<Nearest> report(std::ptrdiff_t start) const {
    const auto lines = static_cast<std::ptrdiff_t>(lines_.size());
    const auto wanted = static_cast<std::ptrdiff_t>(wanted_.size());
    const std::ptrdiff_t first = std::max<std::ptrdiff_t>(start, 0);
    const std::ptrdiff_t last = std::min(start + wanted, lines);
    Nearest near;
    near.first_line = static_cast<std::size_t>(first + 1);
    near.last_line = static_cast<std::size_t>(last);
    near.difference = "where it begins or ends";
    near.detail = "the lines around it are not the same";
    bool described = false;
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const auto there = lines_[static_cast<std::size_t>(i)];
      const auto mine = wanted_[static_cast<std::size_t>(i - start)];
      const bool partial = i - start + 1 == wanted && !mine.ends_with('\n');
      if (there == mine || (partial && trim_end(there) == mine)) continue;
      Nearest found = near;
      describe(found, static_cast<std::size_t>(i + 1), there, mine, called_);
      // The first difference is told, unless there is one of words.
      if (!described || found.difference == "words") near = std::move(found);
      if (near.difference == "words") break;
      described = true;
    }
    return near;
  }

  std::string_view called_;
  Lines lines_;
  Lines wanted_;
  std::vector<std::string> keys_;
  std::vector<std::string> wanted_keys_;
};

}  // namespace

std::optional<Nearest> find_nearest(std::string_view text,
                                    std::string_view wanted,
                                    std::string_view called) {
  return NearestSearch(text.substr(0, kNearestBytes),
                       wanted.substr(0, kNearestBytes), called)
      .find();
}

}  // namespace toolhost::builtin
