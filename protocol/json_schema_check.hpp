// Checker: runs a Program over one value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/json_schema_program.hpp"
#include "protocol/json_schema_report.hpp"
#include "protocol/json_schema_values.hpp"

namespace toolhost::schema {

// Which members or items of one value some schema has looked at; what
// unevaluatedProperties and unevaluatedItems leave out.
class Evaluated {
 public:
  explicit Evaluated(const json::value& value);
  void mark(std::size_t i) { marks_[i] = 1; }
  void mark_all();
  bool marked(std::size_t i) const { return marks_[i] != 0; }
  void merge(const Evaluated& other);
  std::size_t size() const { return marks_.size(); }

 private:
  std::vector<char> marks_;
};

class Checker {
 public:
  explicit Checker(const Program& program);

  // True if the value fits. With a report every fault is collected; without,
  // the first one ends the work.
  bool check(NodeId id, const json::value& value, const Place& place,
             Report* report, Evaluated* seen = nullptr);

  // Why the answer is not to be trusted; empty if it is.
  std::string gave_up() const;

 private:
  // Every function below has these in common; bundled to keep calls readable.
  struct Spot {
    const Node& node;
    const json::value& value;
    const Place& place;
    Report* report;
    Evaluated* seen;
  };
  using Try = std::vector<NodeId>;

  bool fail(const Spot& spot, std::string message,
            Finding::Kind kind = Finding::Kind::other);
  bool fail(const Spot& spot, Finding finding);
  bool give_up(std::string why);
  bool spend(std::size_t units);
  bool fits_types(const Spot& spot) const;
  bool fits_choice(const Spot& spot);
  bool fail_choice(const Spot& spot, std::vector<const json::value*> choices);
  bool check_kind(const Spot& spot);
  bool check_number(const Spot& spot);
  bool check_string(const Spot& spot);
  bool check_array(const Spot& spot);
  bool check_items(const Spot& spot, const json::array& items);
  bool check_contains(const Spot& spot, const json::array& items);
  bool check_object(const Spot& spot);
  bool check_counts(const Spot& spot, const json::object& object);
  bool check_required(const Spot& spot, const json::object& object);
  bool check_members(const Spot& spot, const json::object& object);
  bool check_member(const Spot& spot, const json::object& object,
                    std::size_t index);
  bool fail_unknown(const Spot& spot, std::string_view name,
                    const json::object& object);
  bool check_name(const Spot& spot, std::string_view name);
  bool check_dependent(const Spot& spot, const json::object& object);
  bool check_branches(const Spot& spot);
  bool check_ref(NodeId id, const Spot& spot);
  bool check_any(const Spot& spot);
  bool check_one(const Spot& spot);
  bool check_condition(const Spot& spot);
  bool check_unevaluated(const Spot& spot);
  bool branch_fits(NodeId id, const Spot& spot);
  void explain(const Try& branches, const Spot& spot);
  bool pattern_matches(const Pattern& pattern, std::string_view text);

  const Program& program_;
  Budget budget_;
  PatternRun patterns_;
  int depth_ = 0;
  std::string gave_up_;
  // References being followed, to notice one that leads back to itself.
  std::vector<std::pair<NodeId, const json::value*>> following_;
};

}  // namespace toolhost::schema
