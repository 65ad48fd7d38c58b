// edit: exact replacements in one text file.
//
// resolve() makes the whole change in memory, so that a text that is not found
// fails before anybody is asked, and the person sees the real diff. run() does
// it again on the same revision of the file, or refuses.
#include <algorithm>

#include "protocol/text.hpp"
#include "providers/builtin/edit_match.hpp"
#include "providers/builtin/file_argument.hpp"
#include "providers/builtin/file_change.hpp"
#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kSchema = R"json({
  "type": "object",
  "properties": {
    "path": {
      "type": "string", "minLength": 1,
      "description": "The file: relative to the workspace, or absolute."
    },
    "oldText": {
      "type": "string",
      "description": "The exact text to replace, with its indentation. Has to occur once, unless replaceAll is set."
    },
    "newText": {
      "type": "string",
      "description": "The text to put there, taken literally; empty to delete."
    },
    "replaceAll": {
      "type": "boolean", "default": false,
      "description": "Replace every occurrence."
    },
    "edits": {
      "type": "array", "minItems": 1, "maxItems": 200,
      "description": "Several replacements at once, instead of oldText and newText. Each is matched against the original file; they must not overlap.",
      "items": {
        "type": "object",
        "properties": {
          "oldText": {"type": "string"},
          "newText": {"type": "string"},
          "replaceAll": {"type": "boolean", "default": false}
        },
        "required": ["oldText", "newText"],
        "additionalProperties": false
      }
    }
  },
  "required": ["path"],
  "additionalProperties": false
})json";

std::string description(const config::Config&) {
  return "Replaces exact text in a file. oldText has to be copied from the "
         "file with its white space and has to occur exactly once, unless "
         "replaceAll is set; nothing is matched approximately. Line endings, "
         "encoding, mode and links of the file are kept.";
}

CallError bad_arguments(std::string message) {
  return make_call_error(CallErrorKind::invalid_arguments, std::move(message),
                         "Give oldText and newText, or a list of edits.");
}

bool flag(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value && value->is_bool() && value->get_bool();
}

Outcome<std::vector<Edit>> decode_edits(const json::object& arguments) {
  const json::value* list = arguments.if_contains("edits");
  const bool several = list && list->is_array();
  const bool has_old = arguments.contains("oldText");
  const bool has_new = arguments.contains("newText");
  std::vector<Edit> out;
  const bool all = flag(arguments, "replaceAll");
  if (several && (has_old || has_new)) {
    return bad_arguments("Both edits and oldText/newText are given.");
  }
  if (!several) {
    if (!has_old || !has_new) {
      return bad_arguments(has_old ? "newText is missing."
                                   : "oldText is missing.");
    }
    out.push_back({string_argument(arguments, "oldText"),
                   string_argument(arguments, "newText"), all});
    return out;
  }
  for (const json::value& item : list->get_array()) {
    const json::object* edit = item.if_object();
    if (!edit) return bad_arguments("An item of edits is not an object.");
    out.push_back({string_argument(*edit, "oldText"),
                   string_argument(*edit, "newText"),
                   all || flag(*edit, "replaceAll")});
  }
  return out;
}

// The change made in memory.
struct Plan {
  ExistingFile before;
  std::string text;   // after, as UTF-8 without a mark
  std::string bytes;  // after, as the file will be
  std::size_t replacements = 0;
  std::size_t normalised = 0;  // see EditedText
};

CallError changed_since(const ResolvedPath& path) {
  return make_call_error(CallErrorKind::path_blocked,
                         display_text(path.shown) +
                             " changed since the edit was prepared; nothing "
                             "was written.",
                         "Read it again and repeat the edit.");
}

// `revision`: what the file has to be still; empty: anything.
Outcome<Plan> make_plan(const Workspace& workspace, const ResolvedPath& path,
                        const std::vector<Edit>& edits,
                        const std::string& revision) {
  auto file = load_file(workspace, path);
  if (!file) return file.error();
  if (!revision.empty() && revision_of(file->status) != revision) {
    return changed_since(path);
  }
  if (auto no = not_editable(path, *file)) return *no;
  auto edited = apply_edits(file->text, edits, display_text(path.shown));
  if (!edited) return edited.error();
  const bool adds = std::any_of(
      edits.begin(), edits.end(),
      [](const Edit& edit) { return has_non_ascii(edit.new_text); });
  auto bytes = encode_change(path, *file, edited->text, adds);
  if (!bytes) return bytes.error();
  Plan plan;
  plan.before = std::move(*file);
  plan.text = std::move(edited->text);
  plan.bytes = std::move(*bytes);
  plan.replacements = edited->replacements;
  plan.normalised = edited->normalised;
  return plan;
}

Diff plan_diff(const ResolvedPath& path, const Plan& plan) {
  DiffOptions options;
  options.path = path.shown;
  return unified_diff(plan.before.text, plan.text, options);
}

std::string normal_remark(const Plan& plan) {
  if (plan.normalised == 0) return {};
  return "; " + std::to_string(plan.normalised) +
         " matched only apart from Unicode form, typographic characters or "
         "white space at line ends";
}

CallError nothing_to_edit(const Workspace& workspace,
                          const ResolvedPath& path) {
  CallError error = missing_file(workspace, path);
  error.hint += " To create a file, use write.";
  return error;
}

Outcome<Resolution> resolve(const json::object& arguments,
                            const ToolContext& context) {
  auto edits = decode_edits(arguments);
  if (!edits) return edits.error();
  auto path = path_argument(arguments, context);
  if (!path) return path.error();
  if (!path->exists) return nothing_to_edit(context.workspace, *path);
  auto plan = make_plan(context.workspace, *path, *edits, {});
  if (!plan) return plan.error();
  std::string note = normal_remark(*plan);
  if (!note.empty()) note = "Of the matches, " + note.substr(2) + ".";
  return describe_change(*path, &plan->before.status, plan_diff(*path, *plan),
                         std::move(note), "Edit");
}

// Everything that the worker thread needs.
struct Job {
  Workspace workspace;
  ResolvedPath path;
  WriteOptions options;
  std::vector<Edit> edits;
};

ToolOutput edit_file(const Job& job) {
  auto plan =
      make_plan(job.workspace, job.path, job.edits, job.options.revision);
  if (!plan) return ToolOutput::failure(plan.error());
  auto report =
      write_atomically(job.workspace, job.path, plan->bytes, job.options);
  if (!report) return ToolOutput::failure(report.error());
  Diff diff = plan_diff(job.path, *plan);
  ToolOutput output = ToolOutput::text(
      "Edited " + display_text(job.path.shown) + ": " +
      std::to_string(plan->replacements) +
      (plan->replacements == 1 ? " replacement" : " replacements") +
      ", first at line " + std::to_string(diff.first_changed_line) +
      normal_remark(*plan) + change_remark(*report) + ".");
  json::object facts = change_facts(job.path, plan->bytes.size(), *report);
  facts["replacements"] = plan->replacements;
  facts["normalisedMatches"] = plan->normalised;
  facts["firstChangedLine"] = diff.first_changed_line;
  facts["diff"] = to_utf8(diff.text);
  facts["diffComplete"] = diff.complete;
  facts["encoding"] = name(plan->before.encoding);
  output.structured = std::move(facts);
  return output;
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  auto edits = decode_edits(arguments);
  if (!edits) co_return ToolOutput::failure(edits.error());
  auto path = path_argument(arguments, context.tool);
  if (!path) co_return ToolOutput::failure(path.error());
  auto options = approved_options(context.targets, *path);
  if (!options) co_return ToolOutput::failure(options.error());
  auto job = std::make_shared<Job>();
  job->workspace = context.tool.workspace;
  job->path = std::move(*path);
  job->options = std::move(*options);
  job->edits = std::move(*edits);
  std::function<ToolOutput()> work = [job] { return edit_file(*job); };
  co_return co_await context.blocking.run<ToolOutput>(std::move(work));
}

}  // namespace

constinit const ToolDefinition edit_tool{
    .name = "edit",
    .title = "Edit file",
    .description = description,
    .schema = kSchema,
    .example =
        R"({"path": "src/main.cpp", "oldText": "int x;", "newText": "int y;"})",
    .annotations = {.read_only = false,
                    .destructive = true,
                    .idempotent = false,
                    .open_world = false},
    .policy = ToolPolicy::on_request,
    .kind = ToolKind::file_change,
    .resolve = resolve,
    .run = run,
};

}  // namespace toolhost::builtin
