// Report: the faults that one validation found, in the order it found them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json_schema_program.hpp"

namespace toolhost::schema {

// A place in the instance: a chain on the stack, made text only for a fault.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;  // of a property
  std::size_t index = 0;  // of an item
  bool item = false;
  int depth = 0;

  Place property(std::string_view key) const {
    return {this, key, 0, false, depth + 1};
  }
  Place at(std::size_t i) const { return {this, {}, i, true, depth + 1}; }
};

// JSON pointer; names over 100 bytes are cut.
std::string path_text(const Place& place);

struct Finding {
  enum class Kind { type, choice, never, other };

  Kind kind = Kind::other;
  int depth = 0;  // of its place
  // What would have been right, for the kinds type and choice.
  Types types = 0;
  std::vector<const json::value*> values;
  std::string path;
  std::string message;
};

class Report {
 public:
  explicit Report(std::size_t most) : most_(most) {}

  // Keeps the first of equal faults, and at most `most`.
  void add(Finding finding);
  bool full() const { return findings_.size() >= most_; }
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  std::size_t most_;
  std::vector<Finding> findings_;
};

}  // namespace toolhost::schema
