// Checker: the keywords of objects.
#include <algorithm>

#include "protocol/json_schema_check.hpp"
#include "protocol/json_schema_words.hpp"

namespace toolhost::schema {

bool Checker::check_object(const Spot& spot) {
  if (!spot.node.objects) return true;
  const ObjectRules& rules = *spot.node.objects;
  const json::object& object = spot.value.get_object();
  const auto go_on = [&spot](bool ok) {
    return ok || (spot.report && !spot.report->full());
  };
  bool ok = check_required(spot, object);
  const bool looks_at_members = rules.properties || rules.additional != kNone ||
                                !rules.patterns.empty() || rules.names != kNone;
  if (looks_at_members && go_on(ok)) ok &= check_members(spot, object);
  if (go_on(ok)) ok &= check_counts(spot, object);
  if (go_on(ok)) ok &= check_dependent(spot, object);
  return ok;
}

bool Checker::check_counts(const Spot& spot, const json::object& object) {
  const ObjectRules& rules = *spot.node.objects;
  if (object.size() >= rules.min_properties &&
      object.size() <= rules.max_properties) {
    return true;
  }
  return spot.report &&
         fail(spot,
              wrong_count(object.size(), rules.min_properties,
                          rules.max_properties, "property", "properties"));
}

bool Checker::check_required(const Spot& spot, const json::object& object) {
  const ObjectRules& rules = *spot.node.objects;
  if (!spend(rules.required.size())) return false;
  bool ok = true;
  for (const std::string_view name : rules.required) {
    if (object.contains(name)) continue;
    if (!spot.report) return false;
    std::string message = "missing required property " + literal(name);
    const NodeId property = rules.property(name);
    if (property != kNone) {
      message += about_property(program_.nodes[property]);
    }
    ok = fail(spot, std::move(message));
  }
  return ok;
}

bool Checker::check_members(const Spot& spot, const json::object& object) {
  bool ok = true;
  for (std::size_t i = 0; i < object.size(); ++i) {
    ok &= check_member(spot, object, i);
    if (!ok && (!spot.report || spot.report->full())) return false;
  }
  return ok;
}

bool Checker::check_member(const Spot& spot, const json::object& object,
                           std::size_t index) {
  const ObjectRules& rules = *spot.node.objects;
  const json::key_value_pair& member = object.begin()[index];
  const std::string_view name = member.key();
  if (!spend(1)) return false;
  const Place place = spot.place.property(name);
  bool ok = true;
  bool known = false;
  const auto run = [&](NodeId id) {
    known = true;
    ok &= check(id, member.value(), place, spot.report);
  };
  if (const NodeId named = rules.property(name); named != kNone) run(named);
  for (const PatternProperty& entry : rules.patterns) {
    if (pattern_matches(entry.pattern, name)) run(entry.node);
  }
  if (!known && rules.additional != kNone) {
    if (program_.nodes[rules.additional].never) {
      return spot.report && !budget_.exhausted() &&
             fail_unknown(spot, name, object);
    }
    run(rules.additional);
  }
  if (known && spot.seen) spot.seen->mark(index);
  if (rules.names != kNone && (ok || spot.report)) {
    ok &= check_name(spot, name);
  }
  return ok;
}

bool Checker::fail_unknown(const Spot& spot, std::string_view name,
                           const json::object& object) {
  const ObjectRules& rules = *spot.node.objects;
  const std::size_t known = rules.properties ? rules.properties->size() : 0;
  return spend(search_cost(name, known)) &&
         fail(spot, unknown_property(name, rules, object));
}

bool Checker::check_name(const Spot& spot, std::string_view name) {
  const json::value text(json::string_view(name.data(), name.size()));
  const NodeId id = spot.node.objects->names;
  if (!spot.report) return check(id, text, spot.place, nullptr);
  Report found(1);
  if (check(id, text, spot.place, &found)) return true;
  for (const Finding& finding : found.findings()) {
    fail(spot, "the property name " + literal(name) + " " + finding.message);
  }
  return false;
}

bool Checker::check_dependent(const Spot& spot, const json::object& object) {
  const ObjectRules& rules = *spot.node.objects;
  bool ok = true;
  for (const auto& [name, needed] : rules.dependent_required) {
    if (!spend(1 + needed.size())) return false;
    if (!object.contains(name)) continue;
    for (const std::string_view other : needed) {
      if (object.contains(other)) continue;
      if (!spot.report) return false;
      ok = fail(spot, "missing property " + literal(other) + ", which " +
                          literal(name) + " needs");
    }
  }
  for (const auto& [name, id] : rules.dependent_schemas) {
    if (!spend(1)) return false;
    if (!object.contains(name)) continue;
    ok &= check(id, spot.value, spot.place, spot.report, spot.seen);
    if (!ok && !spot.report) return false;
  }
  return ok;
}

}  // namespace toolhost::schema
