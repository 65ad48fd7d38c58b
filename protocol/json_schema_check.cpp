#include "protocol/json_schema_check.hpp"

#include <algorithm>

#include "protocol/fields.hpp"
#include "protocol/json_schema.hpp"
#include "protocol/json_schema_words.hpp"
#include "protocol/text.hpp"

namespace toolhost::schema {
namespace {

// A node visited costs 16 units, a member or item that is only looked at one:
// kMaxSteps counts nodes.
constexpr std::size_t kNodeUnits = 16;
// Stack frames of one level are under a kilobyte; threads have eight megabytes.
// A request nests 64 levels, and few schemas use more than three per level.
constexpr int kMaxRecursion = 400;
// What the text of a fault costs, made and dropped again in some branch.
constexpr std::size_t kFaultUnits = 32;
constexpr std::size_t kMaxShownPattern = 200;
constexpr const char* kTooLarge =
    "is too large to be checked against the tool's schema; send less at once";
// Bytes that a scan passes in the time of one unit.
constexpr std::size_t kBytesPerUnit = 64;

Types type_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return kNull;
    case json::kind::bool_:
      return kBoolean;
    case json::kind::int64:
    case json::kind::uint64:
      return kInteger | kNumber;
    case json::kind::double_:
      return is_integer(value) ? kInteger | kNumber : kNumber;
    case json::kind::string:
      return kString;
    case json::kind::array:
      return kArray;
    case json::kind::object:
      return kObject;
  }
  return 0;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string shown_pattern(const Pattern& pattern) {
  const std::string_view cut = utf8_prefix(pattern.text(), kMaxShownPattern);
  return std::string(cut) + (cut.size() < pattern.text().size() ? "…" : "");
}

class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;

 private:
  int& depth_;
};

}  // namespace

Evaluated::Evaluated(const json::value& value)
    : marks_(value.is_object()  ? value.get_object().size()
             : value.is_array() ? value.get_array().size()
                                : 0) {}

void Evaluated::mark_all() { std::fill(marks_.begin(), marks_.end(), 1); }

void Evaluated::merge(const Evaluated& other) {
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    marks_[i] = static_cast<char>(marks_[i] | other.marks_[i]);
  }
}

Checker::Checker(const Program& program)
    : program_(program), budget_(JsonSchema::kMaxSteps * kNodeUnits) {}

bool Checker::give_up(std::string why) {
  if (gave_up_.empty()) gave_up_ = std::move(why);
  budget_.exhaust();
  return false;
}

bool Checker::spend(std::size_t units) {
  if (budget_.spend(units)) return true;
  return give_up(kTooLarge);
}

std::string Checker::gave_up() const {
  return gave_up_.empty() && budget_.exhausted() ? kTooLarge : gave_up_;
}

bool Checker::fail(const Spot& spot, std::string message, Finding::Kind kind) {
  Finding finding;
  finding.kind = kind;
  if (kind == Finding::Kind::type) finding.types = spot.node.types;
  finding.message = std::move(message);
  return fail(spot, std::move(finding));
}

bool Checker::fail(const Spot& spot, Finding finding) {
  if (!spend(kFaultUnits)) return false;
  finding.depth = spot.place.depth;
  finding.path = path_text(spot.place);
  spot.report->add(std::move(finding));
  return false;
}

bool Checker::check(NodeId id, const json::value& value, const Place& place,
                    Report* report, Evaluated* seen) {
  if (!spend(kNodeUnits)) return false;
  if (depth_ >= kMaxRecursion) {
    return give_up(
        "is nested too deeply to be checked against the tool's "
        "schema");
  }
  const Deeper deeper(depth_);
  const Node& node = program_.nodes[id];
  std::optional<Evaluated> own;
  if (node.tracks_evaluation()) {
    own.emplace(value);
    if (!spend(own->size())) return false;
  }
  const Spot spot{node, value, place, report, own ? &*own : seen};
  if (node.never)
    return report && fail(spot, "must not be given", Finding::Kind::never);
  // A value of the wrong type would fail all the rest for the same reason.
  if (!fits_types(spot)) {
    return report &&
           fail(spot, wrong_type(node.types, value), Finding::Kind::type);
  }
  if (!fits_choice(spot)) return false;
  bool ok = check_kind(spot);
  if (node.branches && (ok || report)) ok &= check_branches(spot);
  if (own && ok) ok &= check_unevaluated(spot);
  if (own && seen) seen->merge(*own);
  return ok;
}

bool Checker::fits_types(const Spot& spot) const {
  const Types wanted = spot.node.types;
  return wanted == 0 || (wanted & type_of(spot.value)) != 0;
}

bool Checker::fits_choice(const Spot& spot) {
  const auto same = [&](const json::value& choice) {
    return equal(choice, spot.value, budget_);
  };
  if (spot.node.constant && !same(*spot.node.constant)) {
    return spot.report && fail_choice(spot, {spot.node.constant});
  }
  if (!spot.node.choices) return true;
  const json::array& choices = *spot.node.choices;
  if (std::any_of(choices.begin(), choices.end(), same)) return true;
  if (!spot.report) return false;
  std::vector<const json::value*> all;
  for (const json::value& choice : choices) all.push_back(&choice);
  return fail_choice(spot, std::move(all));
}

bool Checker::fail_choice(const Spot& spot,
                          std::vector<const json::value*> choices) {
  const bool text = spot.value.is_string();
  if (text && !spend(search_cost(spot.value.get_string(), choices.size()))) {
    return false;
  }
  Finding finding;
  finding.kind = Finding::Kind::choice;
  finding.message = wrong_choice(choices, spot.value);
  finding.values = std::move(choices);
  return fail(spot, std::move(finding));
}

bool Checker::check_kind(const Spot& spot) {
  switch (spot.value.kind()) {
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return check_number(spot);
    case json::kind::string:
      return check_string(spot);
    case json::kind::array:
      return check_array(spot);
    case json::kind::object:
      return check_object(spot);
    default:
      return true;
  }
}

bool Checker::check_number(const Spot& spot) {
  if (!spot.node.numbers) return true;
  std::string fault = wrong_number(*spot.node.numbers, spot.value);
  if (fault.empty()) return true;
  return spot.report && fail(spot, std::move(fault));
}

bool Checker::pattern_matches(const Pattern& pattern, std::string_view text) {
  if (!spend(kNodeUnits + text.size() / kBytesPerUnit)) return false;
  switch (pattern.matches(text, patterns_)) {
    case Pattern::Match::yes:
      return true;
    case Pattern::Match::no:
      return false;
    case Pattern::Match::gave_up:
      break;
  }
  return give_up("could not be checked against the pattern " +
                 literal(pattern.text()) +
                 " within its limits; send a shorter text");
}

bool Checker::check_string(const Spot& spot) {
  if (!spot.node.strings) return true;
  const StringRules& rules = *spot.node.strings;
  const std::string_view text = spot.value.get_string();
  bool ok = true;
  if (rules.min_length > 0 || rules.max_length != kUnbounded) {
    if (!spend(text.size() / kBytesPerUnit)) return false;
    const std::size_t length = code_points(text);
    if (length < rules.min_length || length > rules.max_length) {
      ok = spot.report &&
           fail(spot, wrong_count(length, rules.min_length, rules.max_length,
                                  "character", "characters"));
    }
  }
  if (rules.pattern && (ok || spot.report) &&
      !pattern_matches(*rules.pattern, text)) {
    ok = spot.report && gave_up_.empty() &&
         fail(spot, "must match the pattern " + shown_pattern(*rules.pattern) +
                        ", which " + short_value(spot.value) + " does not");
  }
  if (rules.format != Format::none && (ok || spot.report) &&
      !fits(rules.format, text)) {
    ok = spot.report &&
         fail(spot, "must be " + std::string(describe(rules.format)) +
                        ", not " + short_value(spot.value));
  }
  return ok;
}

bool Checker::check_array(const Spot& spot) {
  if (!spot.node.arrays) return true;
  const ArrayRules& rules = *spot.node.arrays;
  const json::array& items = spot.value.get_array();
  bool ok = check_items(spot, items);
  if (!ok && !spot.report) return false;
  if (items.size() < rules.min_items || items.size() > rules.max_items) {
    ok = spot.report &&
         fail(spot, wrong_count(items.size(), rules.min_items, rules.max_items,
                                "item", "items"));
  }
  if (rules.contains != kNone && (ok || spot.report)) {
    ok &= check_contains(spot, items);
  }
  if (rules.unique && (ok || spot.report)) {
    const auto twice = find_duplicate(items, budget_);
    if (budget_.exhausted()) return spend(1);
    if (twice) {
      ok = spot.report &&
           fail(spot, "items " + std::to_string(twice->first) + " and " +
                          std::to_string(twice->second) +
                          " are equal; all items must differ");
    }
  }
  return ok;
}

bool Checker::check_items(const Spot& spot, const json::array& items) {
  const ArrayRules& rules = *spot.node.arrays;
  const std::size_t first_rest = rules.prefix.size();
  const bool closed = rules.rest != kNone && program_.nodes[rules.rest].never;
  if (closed && items.size() > first_rest) {
    if (!spot.report) return false;
    fail(spot, "must have at most " + counted(first_rest, "item", "items") +
                   ", not " + std::to_string(items.size()));
  }
  const bool open = rules.rest == kNone || closed;
  const std::size_t end =
      open ? std::min(first_rest, items.size()) : items.size();
  bool ok = !(closed && items.size() > first_rest);
  for (std::size_t i = 0; i < end; ++i) {
    const NodeId id = i < first_rest ? rules.prefix[i] : rules.rest;
    ok &= check(id, items[i], spot.place.at(i), spot.report);
    if (spot.seen) spot.seen->mark(i);
    if (!ok && (!spot.report || spot.report->full())) return false;
  }
  return ok;
}

bool Checker::check_contains(const Spot& spot, const json::array& items) {
  const ArrayRules& rules = *spot.node.arrays;
  std::size_t found = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!check(rules.contains, items[i], spot.place, nullptr)) continue;
    ++found;
    if (spot.seen) spot.seen->mark(i);
  }
  if (budget_.exhausted()) return false;
  if (found >= rules.min_contains && found <= rules.max_contains) return true;
  const bool few = found < rules.min_contains;
  const std::size_t bound = few ? rules.min_contains : rules.max_contains;
  return spot.report &&
         fail(spot, std::string("must contain at ") +
                        (few ? "least " : "most ") +
                        counted(bound, "item", "items") +
                        about_property(program_.nodes[rules.contains]) +
                        ", not " + std::to_string(found));
}

}  // namespace toolhost::schema
