#include "protocol/json_schema_words.hpp"

#include <algorithm>
#include <array>

#include "protocol/fields.hpp"
#include "protocol/json_schema_values.hpp"
#include "protocol/json_text.hpp"
#include "protocol/text.hpp"

namespace toolhost::schema {
namespace {

constexpr std::size_t kQuotedBytes = 60;
constexpr std::size_t kAboutBytes = 100;
// Enough to choose from; a longer list costs the model more than it helps.
constexpr std::size_t kListed = 20;
constexpr std::size_t kListBytes = 400;
// Comparing names is quadratic in their length.
constexpr std::size_t kCompared = 200;
constexpr std::size_t kComparedBytes = 128;

std::string list(const std::vector<std::string>& words, std::size_t total) {
  std::string out;
  std::size_t shown = 0;
  for (const std::string& word : words) {
    if (shown == kListed || out.size() + word.size() > kListBytes) break;
    if (shown++ > 0) out += ", ";
    out += word;
  }
  if (shown < total) {
    out += " and " + std::to_string(total - shown) + " more";
  }
  return out;
}

// "filePath" and "file_path" differ by habit only.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return out;
}

std::string nearest(std::string_view wanted,
                    const std::vector<std::string>& candidates) {
  if (wanted.size() > kComparedBytes) return {};
  const std::string plain = folded(wanted);
  for (const std::string& name : candidates) {
    if (name.size() <= kComparedBytes && folded(name) == plain) return name;
  }
  const auto similar = similar_names(wanted, candidates, 1);
  return similar.empty() ? std::string() : similar.front();
}

// A model often sends JSON as text where the JSON itself is meant.
bool looks_like_json(const json::value& got, Types types) {
  if (!got.is_string()) return false;
  const std::string_view text = got.get_string();
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  return (text[first] == '[' && (types & kArray) != 0) ||
         (text[first] == '{' && (types & kObject) != 0);
}

std::string first_line(std::string_view text) {
  text = text.substr(0, std::min(text.find('\n'), text.size()));
  const std::string_view cut = utf8_prefix(text, kAboutBytes);
  std::string out = to_utf8(cut);
  if (cut.size() < text.size()) out += "…";
  return out;
}

}  // namespace

std::string literal(std::string_view text) {
  const std::string_view cut = utf8_prefix(text, kQuotedBytes);
  std::string out;
  append_json_string(out, cut);
  if (cut.size() < text.size()) out.insert(out.size() - 1, "…");
  return out;
}

std::string short_value(const json::value& value) {
  if (value.is_string()) return literal(value.get_string());
  if (value.is_object() || value.is_array()) {
    return std::string(type_name(value));
  }
  return json_text(value);
}

std::string type_words(Types types) {
  constexpr std::array<std::pair<Types, std::string_view>, 7> kWords{{
      {kString, "a string"},
      {kInteger, "an integer"},
      {kNumber, "a number"},
      {kBoolean, "a boolean"},
      {kArray, "an array"},
      {kObject, "an object"},
      {kNull, "null"},
  }};
  std::vector<std::string> words;
  for (const auto& [type, word] : kWords) {
    // An integer is a number already.
    if (type == kInteger && (types & kNumber) != 0) continue;
    if ((types & type) != 0) words.emplace_back(word);
  }
  return either(words);
}

std::string either(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string name_list(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) {
    if (words.size() == kListed) break;
    words.push_back(literal(name));
  }
  return list(words, names.size());
}

std::size_t search_cost(std::string_view wanted, std::size_t candidates) {
  return candidates + std::min(candidates, kCompared) *
                          std::min(wanted.size(), kComparedBytes);
}

std::string counted(std::size_t count, std::string_view singular,
                    std::string_view plural) {
  return std::to_string(count) + " " +
         std::string(count == 1 ? singular : plural);
}

std::string wrong_count(std::size_t got, std::size_t least, std::size_t most,
                        std::string_view singular, std::string_view plural) {
  const bool few = got < least;
  return std::string("must have at ") + (few ? "least " : "most ") +
         counted(few ? least : most, singular, plural) + ", not " +
         std::to_string(got);
}

std::string wrong_type(Types types, const json::value& got) {
  const bool fraction =
      (types & kInteger) != 0 && got.is_double() && (types & kNumber) == 0;
  std::string out = "must be " + type_words(types) + ", not " +
                    (fraction ? json_text(got) : std::string(type_name(got)));
  if (looks_like_json(got, types)) {
    out += "; pass the JSON itself, not a string that contains it";
  }
  return out;
}

std::string about_property(const Node& node) {
  std::string about = type_words(node.types);
  if (node.choices) {
    std::vector<std::string> words;
    for (const json::value& choice : *node.choices) {
      if (words.size() == kListed) break;
      words.push_back(short_value(choice));
    }
    about = "one of " + list(words, node.choices->size());
  }
  if (node.source->is_object()) {
    const json::value* text =
        node.source->get_object().if_contains("description");
    if (text && text->is_string() && !text->get_string().empty()) {
      if (!about.empty()) about += ": ";
      about += first_line(text->get_string());
    }
  }
  return about.empty() ? about : " (" + about + ")";
}

std::string unknown_property(std::string_view name, const ObjectRules& rules,
                             const json::object& object) {
  std::string out = "unknown property " + literal(name);
  if (!rules.properties || rules.properties->empty()) {
    return out +
           (rules.patterns.empty() ? "; no properties are known here" : "");
  }
  std::vector<std::string> known;
  std::vector<std::string> unused;
  for (const auto& member : *rules.properties) {
    if (known.size() < kListed) known.push_back(literal(member.key()));
    if (unused.size() < kCompared && !object.contains(member.key())) {
      unused.emplace_back(member.key());
    }
  }
  const std::string meant = nearest(name, unused);
  if (!meant.empty()) out += "; did you mean " + literal(meant) + "?";
  out += (meant.empty() ? "; known: " : " Known: ") +
         list(known, rules.properties->size());
  return out;
}

std::string wrong_choice(const std::vector<const json::value*>& choices,
                         const json::value& got) {
  std::vector<std::string> words;
  std::vector<std::string> texts;
  for (const json::value* choice : choices) {
    if (words.size() < kListed) words.push_back(short_value(*choice));
    if (choice->is_string() && texts.size() < kCompared &&
        choice->get_string().size() <= kComparedBytes) {
      texts.emplace_back(choice->get_string());
    }
  }
  std::string out = "must be ";
  if (choices.size() > 1) out += "one of ";
  out += list(words, choices.size()) + ", not " + short_value(got);
  if (got.is_string()) {
    const std::string meant = nearest(got.get_string(), texts);
    if (!meant.empty() && choices.size() > 1) {
      out += "; did you mean " + literal(meant) + "?";
    }
  }
  return out;
}

std::string wrong_number(const NumberRules& rules, const json::value& got) {
  const auto fault = [&got](std::string_view what, const json::value* bound) {
    return "must be " + std::string(what) + " " + json_text(*bound) + ", not " +
           json_text(got);
  };
  const long double value = number(got);
  if (rules.minimum && value < number(*rules.minimum)) {
    return fault("at least", rules.minimum);
  }
  if (rules.above && value <= number(*rules.above)) {
    return fault("greater than", rules.above);
  }
  if (rules.maximum && value > number(*rules.maximum)) {
    return fault("at most", rules.maximum);
  }
  if (rules.below && value >= number(*rules.below)) {
    return fault("less than", rules.below);
  }
  if (rules.multiple_of && !is_multiple(got, *rules.multiple_of)) {
    return fault("a multiple of", rules.multiple_of);
  }
  return {};
}

std::string forbidden(const Node& negated, const json::value& got) {
  if (negated.choices || negated.constant) {
    return "must not be " + short_value(got);
  }
  if (negated.types != 0) return "must not be " + type_words(negated.types);
  if (negated.objects && !negated.objects->required.empty()) {
    std::vector<std::string> names;
    for (const std::string_view name : negated.objects->required) {
      names.emplace_back(name);
    }
    return names.size() == 1
               ? "must not have the property " + name_list(names)
               : "must not have these properties together: " + name_list(names);
  }
  return "has a form that the tool's schema forbids (\"not\")";
}

}  // namespace toolhost::schema
