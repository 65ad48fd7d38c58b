// The face of every builtin tool, as it was reviewed last: a change of a name,
// a schema or a flag shows up as a change of tool_schemas.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "providers/builtin/provider.hpp"
#include "providers/builtin/tools.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temp_dir.hpp"

namespace toolhost {
namespace {

std::string snapshot_path() {
  return testing::source_tree() / "tests/unit/providers/tool_schemas.txt";
}

void pretty(std::string& out, const json::value& value, std::size_t depth) {
  const std::string indent(depth * 2 + 2, ' ');
  const auto close = [&](char bracket) {
    out += "\n" + std::string(depth * 2, ' ') + bracket;
  };
  bool first = true;
  const auto next = [&] {
    out += (std::exchange(first, false) ? "\n" : ",\n") + indent;
  };
  if (value.is_object() && !value.get_object().empty()) {
    out += '{';
    for (const auto& member : value.get_object()) {
      next();
      out += json::serialize(json::value(member.key())) + ": ";
      pretty(out, member.value(), depth + 1);
    }
    close('}');
  } else if (value.is_array() && !value.get_array().empty()) {
    out += '[';
    for (const json::value& item : value.get_array()) {
      next();
      pretty(out, item, depth + 1);
    }
    close(']');
  } else {
    out += json::serialize(value);
  }
}

std::string faces() {
  std::string out;
  for (const builtin::ToolDefinition* tool : builtin::tools()) {
    const Annotations& notes = tool->annotations;
    const auto flag = [&](const char* name, bool set) {
      if (set) out += std::string(" ") + name;
    };
    out += "## " + std::string(tool->name) + " (" + std::string(tool->title) +
           "): " + std::string(name(tool->policy)) + ", " +
           std::string(name(tool->kind)) + ";";
    flag("readOnly", notes.read_only);
    flag("destructive", notes.destructive);
    flag("idempotent", notes.idempotent);
    flag("openWorld", notes.open_world);
    flag("hidden", tool->hidden);
    flag("pureRead", tool->pure_read);
    out += '\n';
    pretty(out, json::parse(tool->schema), 0);
    out += "\n\n";
  }
  return out;
}

// The first line that differs, as it was and as it is.
std::string difference(const std::string& was, const std::string& is) {
  const auto at = static_cast<std::size_t>(
      std::mismatch(was.begin(), was.end(), is.begin(), is.end()).first -
      was.begin());
  const std::size_t start = at == 0 ? 0 : was.rfind('\n', at - 1) + 1;
  const auto line = [&](const std::string& text) {
    return text.substr(start, text.find('\n', at) - start);
  };
  return "reviewed: " + line(was) + "\nnow:      " + line(is);
}

TEST(SchemaSnapshot, TheFacesOfTheToolsAreTheReviewedOnes) {
  const std::string now = faces();
  if (std::getenv("TOOLHOST_WRITE_SNAPSHOT")) {
    testing::write_file(snapshot_path(), now);
  }
  const std::string reviewed = testing::read_file(snapshot_path());
  EXPECT_TRUE(reviewed == now)
      << difference(reviewed, now)
      << "\nIf the change is meant, write the new faces and commit them with "
         "it:\n  TOOLHOST_WRITE_SNAPSHOT=1 "
         "build/asan/toolhost_providers_tests "
         "--gtest_filter='SchemaSnapshot.*'";
}

TEST(SchemaSnapshot, ToolsAreSortedAndTheirExamplesFit) {
  std::string_view last;
  for (const builtin::ToolDefinition* tool : builtin::tools()) {
    EXPECT_LT(last, tool->name);
    last = tool->name;
    const json::value example = json::parse(tool->example);
    const json::object schema = json::parse(tool->schema).as_object();
    EXPECT_EQ(schema.at("additionalProperties"), json::value(false));
    for (const auto& member : example.as_object()) {
      EXPECT_TRUE(schema.at("properties").as_object().contains(member.key()))
          << tool->name << " " << member.key();
    }
  }
}

}  // namespace
}  // namespace toolhost
