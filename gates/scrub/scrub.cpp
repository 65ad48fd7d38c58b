#include "gates/scrub/scrub.hpp"

#include <algorithm>
#include <array>
#include <bitset>

#include "gates/scrub/finder.hpp"

namespace toolhost {
namespace {

using scrubbing::Anchor;
using scrubbing::Found;

constexpr std::size_t kShortestValue = 8;

std::size_t pair_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]) * 256U +
         static_cast<unsigned char>(text[at + 1]);
}

char upper(char c) {
  return scrubbing::is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

// Which two bytes are the first two of an anchor or the next two, and which
// anchors begin with a byte. An anchor has three bytes, so one of the two pairs
// stands at an even place: half of the text is enough to look at.
class Anchors {
 public:
  explicit Anchors(std::initializer_list<std::span<const Anchor>> tables) {
    for (const auto& table : tables) {
      for (const Anchor& anchor : table) add(anchor);
    }
  }

  // Around these two bytes: at `at`, or one before it.
  bool may_be_at(std::string_view text, std::size_t at) const {
    return pairs_[pair_at(text, at)];
  }

  std::optional<Found> look(std::string_view text, std::size_t at) const {
    for (const Anchor* anchor :
         of_byte_[static_cast<unsigned char>(text[at])]) {
      if (!matches(*anchor, text.substr(at))) continue;
      if (auto found = anchor->look(text, at)) return found;
    }
    return std::nullopt;
  }

 private:
  static bool matches(const Anchor& anchor, std::string_view text) {
    if (!anchor.any_case) return text.starts_with(anchor.text);
    return text.size() >= anchor.text.size() &&
           std::equal(anchor.text.begin(), anchor.text.end(), text.begin(),
                      [](char a, char b) { return a == scrubbing::lower(b); });
  }

  void add(const Anchor& anchor) {
    const auto forms = [&](char c) {
      std::string out(1, c);
      if (anchor.any_case && upper(c) != c) out += upper(c);
      return out;
    };
    for (const char first : forms(anchor.text[0])) {
      of_byte_[static_cast<unsigned char>(first)].push_back(&anchor);
      add_pairs(std::string(1, first), forms(anchor.text[1]));
    }
    add_pairs(forms(anchor.text[1]), forms(anchor.text[2]));
  }

  void add_pairs(const std::string& firsts, const std::string& seconds) {
    for (const char first : firsts) {
      for (const char second : seconds) {
        const char both[] = {first, second};
        pairs_.set(pair_at({both, 2}, 0));
      }
    }
  }

  std::bitset<65536> pairs_;
  std::array<std::vector<const Anchor*>, 256> of_byte_;
};

const Anchors& anchors(Scrub what) {
  static const Anchors shapes({scrubbing::shape_anchors()});
  static const Anchors all(
      {scrubbing::shape_anchors(), scrubbing::name_anchors()});
  return what == Scrub::shapes ? shapes : all;
}

std::vector<std::string>& known_values() {
  static std::vector<std::string> values;
  return values;
}

void find_values(std::string_view text, std::vector<Found>& found) {
  for (const std::string& value : known_values()) {
    for (std::size_t at = text.find(value); at != std::string_view::npos;
         at = text.find(value, at + value.size())) {
      found.push_back({at, at + value.size(), "environment"});
    }
  }
}

std::vector<Found> find_all(std::string_view text, Scrub what) {
  std::vector<Found> found;
  const Anchors& table = anchors(what);
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    if (!table.may_be_at(text, at)) continue;
    auto secret = at > 0 ? table.look(text, at - 1) : std::nullopt;
    if (!secret) secret = table.look(text, at);
    if (!secret) continue;
    found.push_back(*secret);
    at = std::max(at, secret->end - 1);
  }
  find_values(text, found);
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return found;
}

}  // namespace

bool scrub(std::string& text, Scrub what) {
  const std::vector<Found> found = find_all(text, what);
  if (found.empty()) return false;
  std::string out;
  out.reserve(text.size());
  std::size_t done = 0;
  for (const Found& secret : found) {
    if (secret.begin < done) {
      // The rest of what overlaps goes as well.
      done = std::max(done, secret.end);
      continue;
    }
    out.append(text, done, secret.begin - done);
    out += "[REDACTED:";
    out += secret.type;
    out += ']';
    done = secret.end;
  }
  out.append(text, done, std::string::npos);
  text = std::move(out);
  return true;
}

std::string scrubbed(std::string_view text, Scrub what) {
  std::string out(text);
  scrub(out, what);
  return out;
}

void add_secret_values(const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (value.size() >= kShortestValue) known_values().push_back(value);
  }
}

std::vector<std::string> secret_values(char** environment) {
  std::vector<std::string> out;
  for (char** each = environment; each && *each; ++each) {
    const std::string_view entry(*each);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    if (!is_secret_name(entry.substr(0, equals))) continue;
    out.emplace_back(entry.substr(equals + 1));
  }
  return out;
}

}  // namespace toolhost
