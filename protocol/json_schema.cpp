#include "protocol/json_schema.hpp"

#include "protocol/json_schema_check.hpp"
#include "protocol/json_schema_compile.hpp"

namespace toolhost {

struct JsonSchema::Compiled {
  schema::Program program;
};

namespace {

// Stops a chain of references that only point at each other.
constexpr int kMaxRefChain = 16;

// Defaults of the properties of the root, through its references. A default
// that its own property refuses is left out: the caller cannot mend it.
void find_defaults(schema::Program& program) {
  schema::NodeId id = 0;
  for (int i = 0; i < kMaxRefChain; ++i) {
    const schema::Node& node = program.nodes[id];
    if (node.objects && node.objects->properties) {
      for (const auto& member : *node.objects->properties) {
        if (!member.value().is_object()) continue;
        const json::value* value =
            member.value().get_object().if_contains("default");
        if (!value) continue;
        schema::Checker checker(program);
        const auto property = node.objects->property(member.key());
        if (checker.check(property, *value, schema::Place(), nullptr) &&
            checker.gave_up().empty()) {
          program.defaults.emplace_back(member.key(), value);
        }
      }
    }
    if (!node.branches || node.branches->refs.empty()) return;
    id = node.branches->refs.front();
  }
}

}  // namespace

JsonSchema::JsonSchema(std::unique_ptr<Compiled> compiled)
    : compiled_(std::move(compiled)) {}

JsonSchema::~JsonSchema() = default;

Result<std::shared_ptr<const JsonSchema>> JsonSchema::compile(
    const json::value& schema) {
  auto program = schema::compile(schema);
  if (!program) return program.error();
  auto compiled = std::make_unique<Compiled>();
  compiled->program = std::move(*program);
  find_defaults(compiled->program);
  return std::shared_ptr<const JsonSchema>(new JsonSchema(std::move(compiled)));
}

std::vector<SchemaFault> JsonSchema::validate(
    const json::value& instance) const {
  schema::Checker checker(compiled_->program);
  schema::Report report(kMaxFaults);
  const bool ok = checker.check(0, instance, schema::Place(), &report) &&
                  checker.gave_up().empty();
  std::vector<SchemaFault> out;
  if (ok) return out;
  const std::string& gave_up = checker.gave_up();
  for (const schema::Finding& finding : report.findings()) {
    if (!gave_up.empty() && out.size() + 1 == kMaxFaults) break;
    out.push_back({finding.path, finding.message});
  }
  if (!gave_up.empty()) out.push_back({"", gave_up});
  // Fail closed, should a check ever say no without a reason.
  if (out.empty()) out.push_back({"", "does not fit the tool's schema"});
  return out;
}

void JsonSchema::add_defaults(json::object& instance) const {
  for (const auto& [name, value] : compiled_->program.defaults) {
    if (!instance.contains(name)) instance.emplace(name, *value);
  }
}

}  // namespace toolhost
