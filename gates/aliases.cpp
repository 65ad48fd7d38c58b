// Names that models use for a property that the schema calls otherwise.
#include <algorithm>
#include <array>
#include <span>

#include "gates/envelope.hpp"
#include "gates/schema_names.hpp"

namespace toolhost {
namespace {

constexpr int kMaxDepth = 4;             // of nested objects
constexpr std::size_t kMaxItems = 1000;  // looked at of one array

struct Alias {
  std::string_view target;  // both squashed
  std::string_view source;
};

// Compared without case, underscores and hyphens.
constexpr std::array kAliases{
    Alias{"path", "file"},
    Alias{"path", "filepath"},
    Alias{"path", "filename"},
    Alias{"path", "absolutepath"},
    Alias{"path", "targetfile"},
    Alias{"path", "notebookpath"},
    Alias{"filepath", "path"},
    Alias{"filepath", "file"},
    Alias{"filepath", "filename"},
    Alias{"oldtext", "oldstring"},
    Alias{"oldtext", "oldstr"},
    Alias{"oldtext", "old"},
    Alias{"newtext", "newstring"},
    Alias{"newtext", "newstr"},
    Alias{"newtext", "new"},
    Alias{"newtext", "replacement"},
    Alias{"oldstring", "oldtext"},
    Alias{"oldstring", "oldstr"},
    Alias{"newstring", "newtext"},
    Alias{"newstring", "newstr"},
    Alias{"command", "cmd"},
    Alias{"command", "script"},
    Alias{"content", "contents"},
    Alias{"content", "filetext"},
    Alias{"pattern", "query"},
    Alias{"pattern", "regex"},
    Alias{"pattern", "regexp"},
    Alias{"pattern", "search"},
    Alias{"pattern", "expression"},
    Alias{"query", "pattern"},
    Alias{"query", "search"},
    Alias{"cwd", "workdir"},
    Alias{"cwd", "workingdirectory"},
    Alias{"cwd", "directory"},
    Alias{"url", "uri"},
    Alias{"url", "href"},
};

std::string squash(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c == '_' || c == '-') continue;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    out += c;
  }
  return out;
}

bool is_alias(std::string_view source, std::string_view target) {
  return std::any_of(kAliases.begin(), kAliases.end(), [&](const Alias& row) {
    return row.target == target && row.source == source;
  });
}

// The one undeclared property that can stand for `target`. Another spelling
// comes before a synonym; two candidates are none.
const json::key_value_pair* find_source(const json::object& arguments,
                                        const SchemaNames& names,
                                        std::string_view target) {
  const std::string wanted = squash(target);
  const json::key_value_pair* spelling = nullptr;
  const json::key_value_pair* synonym = nullptr;
  int spellings = 0;
  int synonyms = 0;
  for (const auto& member : arguments) {
    if (names.has(member.key())) continue;
    const std::string squashed = squash(member.key());
    if (squashed == wanted) {
      spelling = &member;
      ++spellings;
    } else if (is_alias(squashed, wanted)) {
      synonym = &member;
      ++synonyms;
    }
  }
  if (spellings > 0) return spellings == 1 ? spelling : nullptr;
  return synonyms == 1 ? synonym : nullptr;
}

void rename_members(json::object& arguments, const json::object& schema,
                    int depth, std::vector<std::string>& notes);

void rename_inside(json::value& value, const json::object& schema, int depth,
                   std::vector<std::string>& notes) {
  if (json::object* object = value.if_object()) {
    rename_members(*object, schema, depth, notes);
    return;
  }
  const json::value* items = schema.if_contains("items");
  json::array* array = value.if_array();
  if (!array || !items || !items->is_object()) return;
  std::size_t count = 0;
  for (json::value& item : *array) {
    if (++count > kMaxItems) return;
    json::object* object = item.if_object();
    if (object) rename_members(*object, items->get_object(), depth, notes);
  }
}

void rename_members(json::object& arguments, const json::object& schema,
                    int depth, std::vector<std::string>& notes) {
  if (depth > kMaxDepth) return;
  const SchemaNames names = schema_names(schema);
  const bool all_declared =
      std::all_of(arguments.begin(), arguments.end(),
                  [&](const auto& member) { return names.has(member.key()); });
  // A schema that takes any name may mean this one.
  if (!names.open && !all_declared) {
    for (const std::string& target : names.declared) {
      if (arguments.contains(target)) continue;
      const auto* source = find_source(arguments, names, target);
      if (!source) continue;
      const std::string from(source->key());
      json::value value = source->value();
      arguments.stable_erase(arguments.find(from));
      arguments.emplace(target, std::move(value));
      const std::string note =
          "\"" + from + "\" was taken as \"" + target + "\".";
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
        notes.push_back(note);
      }
    }
  }
  for (auto& member : arguments) {
    const json::object* inner = property_schema(schema, member.key());
    if (inner) rename_inside(member.value(), *inner, depth + 1, notes);
  }
}

}  // namespace

std::vector<std::string> apply_aliases(json::object& arguments,
                                       const json::object& schema) {
  std::vector<std::string> notes;
  rename_members(arguments, schema, 0, notes);
  return notes;
}

}  // namespace toolhost
