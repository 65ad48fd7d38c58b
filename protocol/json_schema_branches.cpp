// Checker: schemas that apply to the same value, and the choice of the one
// whose faults are worth telling.
#include <algorithm>
#include <limits>

#include "protocol/json_schema_check.hpp"
#include "protocol/json_schema_words.hpp"

namespace toolhost::schema {
namespace {

// Faults of one alternative that are looked at.
constexpr std::size_t kMaxPerBranch = 20;

// How far a value is from an alternative. A wrong type means that another form
// was meant; a wrong constant one level down is a tag of another form.
int distance(const Report& report, int depth) {
  int sum = 0;
  for (const Finding& finding : report.findings()) {
    if (finding.depth == depth && (finding.kind == Finding::Kind::type ||
                                   finding.kind == Finding::Kind::never)) {
      sum += 1000;
    } else if (finding.depth == depth &&
               finding.kind == Finding::Kind::choice) {
      sum += 500;
    } else if (finding.depth == depth + 1 &&
               finding.kind == Finding::Kind::choice) {
      sum += 50;
    } else {
      sum += 1;
    }
  }
  return sum;
}

// A report that only says "not this type" or "not this value" of the whole.
const Finding* plain(const Report& report, int depth) {
  if (report.findings().size() != 1) return nullptr;
  const Finding& only = report.findings().front();
  const bool simple =
      only.kind == Finding::Kind::type || only.kind == Finding::Kind::choice;
  return only.depth == depth && simple ? &only : nullptr;
}

// One fault for alternatives that are all types and values.
Finding joined(const std::vector<const Finding*>& simple,
               const json::value& got) {
  Finding out;
  for (const Finding* finding : simple) {
    out.types = static_cast<Types>(out.types | finding->types);
    out.values.insert(out.values.end(), finding->values.begin(),
                      finding->values.end());
  }
  out.kind = out.values.empty() ? Finding::Kind::type : Finding::Kind::choice;
  if (out.values.empty()) {
    out.message = wrong_type(out.types, got);
  } else {
    out.message = wrong_choice(out.values, got);
    if (out.types != 0) {
      out.message += "; or it may be " + type_words(out.types);
    }
  }
  return out;
}

}  // namespace

bool Checker::check_branches(const Spot& spot) {
  const Branches& branches = *spot.node.branches;
  const auto go_on = [&spot](bool ok) {
    return ok || (spot.report && !spot.report->full());
  };
  bool ok = true;
  for (const NodeId id : branches.refs) {
    if (go_on(ok)) ok &= check_ref(id, spot);
  }
  for (const NodeId id : branches.all_of) {
    if (!go_on(ok)) return false;
    ok &= check(id, spot.value, spot.place, spot.report, spot.seen);
  }
  if (!branches.any_of.empty() && go_on(ok)) ok &= check_any(spot);
  if (!branches.one_of.empty() && go_on(ok)) ok &= check_one(spot);
  if (branches.condition != kNone && go_on(ok)) ok &= check_condition(spot);
  if (branches.negated != kNone && go_on(ok) &&
      check(branches.negated, spot.value, spot.place, nullptr)) {
    ok = spot.report &&
         fail(spot, forbidden(program_.nodes[branches.negated], spot.value));
  }
  return ok;
}

// A reference that leads back to itself adds nothing to what is checked.
bool Checker::check_ref(NodeId id, const Spot& spot) {
  const std::pair key(id, &spot.value);
  for (auto at = following_.rbegin();
       at != following_.rend() && at->second == &spot.value; ++at) {
    if (!spend(1)) return false;
    if (*at == key) return true;
  }
  following_.push_back(key);
  const bool ok = check(id, spot.value, spot.place, spot.report, spot.seen);
  following_.pop_back();
  return ok;
}

// Without faults; what a branch evaluated counts only if it fits.
bool Checker::branch_fits(NodeId id, const Spot& spot) {
  if (!spot.seen) return check(id, spot.value, spot.place, nullptr);
  Evaluated own(spot.value);
  if (!spend(own.size())) return false;
  const bool ok = check(id, spot.value, spot.place, nullptr, &own);
  if (ok) spot.seen->merge(own);
  return ok;
}

bool Checker::check_any(const Spot& spot) {
  const Try& all = spot.node.branches->any_of;
  bool ok = false;
  for (const NodeId id : all) {
    ok |= branch_fits(id, spot);
    // Every branch that fits has a say in what is evaluated.
    if (ok && !spot.seen) return true;
  }
  if (!ok && spot.report) explain(all, spot);
  return ok;
}

bool Checker::check_one(const Spot& spot) {
  const Try& all = spot.node.branches->one_of;
  std::vector<std::string> fitting;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (branch_fits(all[i], spot)) fitting.push_back(std::to_string(i + 1));
    if (fitting.size() > 1 && !spot.report) return false;
  }
  if (fitting.size() == 1) return true;
  if (!spot.report || budget_.exhausted()) return false;
  if (fitting.empty()) {
    explain(all, spot);
    return false;
  }
  std::string list;
  for (const std::string& number : fitting) {
    list += (list.empty() ? "" : ", ") + number;
  }
  return fail(spot, "must fit exactly one of the " +
                        std::to_string(all.size()) +
                        " allowed forms, but fits several: " + list);
}

bool Checker::check_condition(const Spot& spot) {
  const Branches& branches = *spot.node.branches;
  const NodeId next = branch_fits(branches.condition, spot)
                          ? branches.then
                          : branches.otherwise;
  return next == kNone ||
         check(next, spot.value, spot.place, spot.report, spot.seen);
}

// None of the alternatives fits: tells the faults of the closest one, or what
// all of them want when that is one sentence.
void Checker::explain(const Try& branches, const Spot& spot) {
  std::vector<Report> reports;
  std::vector<const Finding*> simple;
  int best = std::numeric_limits<int>::max();
  std::size_t closest = 0;
  std::size_t other_forms = 0;
  reports.reserve(branches.size());
  for (const NodeId id : branches) {
    Report& report = reports.emplace_back(kMaxPerBranch);
    check(id, spot.value, spot.place, &report);
    if (budget_.exhausted()) return;
    const int now = distance(report, spot.place.depth);
    if (now < 500) ++other_forms;
    if (now < best) {
      best = now;
      closest = reports.size() - 1;
    }
    if (const auto* only = plain(report, spot.place.depth)) {
      if (!spend(only->values.size())) return;
      simple.push_back(only);
    }
  }
  if (simple.size() == reports.size()) {
    fail(spot, joined(simple, spot.value));
    return;
  }
  const std::string note =
      other_forms > 1 ? " (the closest of " + std::to_string(branches.size()) +
                            " allowed forms)"
                      : "";
  for (Finding finding : reports[closest].findings()) {
    finding.message += note;
    spot.report->add(std::move(finding));
  }
}

bool Checker::check_unevaluated(const Spot& spot) {
  const bool object = spot.value.is_object();
  const NodeId id = object                  ? spot.node.unevaluated_properties
                    : spot.value.is_array() ? spot.node.unevaluated_items
                                            : kNone;
  if (id == kNone) return true;
  const std::size_t size =
      object ? spot.value.get_object().size() : spot.value.get_array().size();
  bool ok = true;
  for (std::size_t i = 0; i < size; ++i) {
    if (spot.seen->marked(i)) continue;
    if (!ok && (!spot.report || spot.report->full())) return false;
    const Place place =
        object ? spot.place.property(spot.value.get_object().begin()[i].key())
               : spot.place.at(i);
    const json::value& value = object
                                   ? spot.value.get_object().begin()[i].value()
                                   : spot.value.get_array()[i];
    if (program_.nodes[id].never) {
      ok = spot.report &&
           fail(spot, object ? "unknown property " + literal(place.name)
                             : "item " + std::to_string(i) +
                                   " is one more than the schema allows");
      continue;
    }
    ok &= check(id, value, place, spot.report);
  }
  spot.seen->mark_all();
  return ok;
}

}  // namespace toolhost::schema
