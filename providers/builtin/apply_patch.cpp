// apply_patch: several files changed at once, all of them or none.
//
// resolve() works the whole patch out in memory, so that a hunk that does not
// fit fails before anybody is asked, and the person sees every file with its
// diff. run() does it again on the same revisions of the files, or refuses.
#include <algorithm>

#include "protocol/text.hpp"
#include "providers/builtin/apply_patch_commit.hpp"
#include "providers/builtin/apply_patch_plan.hpp"
#include "providers/builtin/file_argument.hpp"
#include "providers/builtin/tools.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::string_view kSchema = R"json({
  "type": "object",
  "properties": {
    "patch": {
      "type": "string", "minLength": 1,
      "description": "The patch, from \"*** Begin Patch\" to \"*** End Patch\". Sections: \"*** Add File: path\" with every line of the content behind +; \"*** Delete File: path\"; \"*** Update File: path\", optionally \"*** Move to: path\", then hunks. A hunk begins with @@ (optionally a line above the place, such as \"@@ def f\") and has lines that begin with a space (kept), - (removed) or + (added); \"*** End of File\" below it ties it to the end of the file."
    }
  },
  "required": ["patch"],
  "additionalProperties": false
})json";

// Of the diffs of one patch together, and of one file.
constexpr std::size_t kShownBytes = 512 * 1024;
constexpr std::size_t kShownFileBytes = 64 * 1024;

std::string description(const config::Config&) {
  return "Adds, changes, deletes and moves several files in one step: all of "
         "it, or nothing when one hunk does not fit. Kept and removed lines "
         "have to be copied from the file and have to tell one place; give "
         "three kept lines around a change. Paths are relative to the "
         "workspace, or absolute. Line endings, encoding and mode are kept. "
         "For one small change, edit is simpler.";
}

void replace_once(std::string& text, const std::string& from,
                  const std::string& to) {
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

bool moves_away(const PlannedFile& file) {
  return file.moved_to && !file.after;
}
bool arrives(const PlannedFile& file) {
  return file.moved_from && !file.before;
}

// What a person is shown of one file. One that moves is compared with what it
// was at its old place.
Diff shown_diff(const PatchPlan& plan, const PlannedFile& file,
                std::size_t& budget) {
  const PlannedFile* origin =
      arrives(file) ? &plan.files[*file.moved_from] : &file;
  DiffOptions options;
  options.path = file.path.shown;
  options.created = !origin->before;
  options.max_bytes = std::min(kShownFileBytes, budget);
  const auto binary = [](const std::optional<ExistingFile>& content) {
    return content && content->binary;
  };
  const auto text = [](const std::optional<ExistingFile>& content) {
    return content ? std::string_view(content->text) : std::string_view();
  };
  Diff diff;
  if (!file.unseen.empty() || binary(file.before) || binary(file.after)) {
    // Nothing but text is ever changed on the way.
    diff.complete = moves_away(file) || arrives(file);
  } else if (!moves_away(file)) {
    diff = unified_diff(text(origin->before), text(file.after), options);
  }
  if (arrives(file)) {
    const std::string& from = origin->path.shown;
    replace_once(diff.text, "--- a/" + file.path.shown + "\n",
                 "--- a/" + from + "\n");
    diff.text = "rename from " + from + "\nrename to " + file.path.shown +
                "\n" + diff.text;
  } else if (!file.after) {
    replace_once(diff.text, "+++ b/" + file.path.shown + "\n",
                 "+++ /dev/null\n");
  }
  budget -= std::min(budget, diff.text.size());
  return diff;
}

std::string note_of(const PatchPlan& plan, const PlannedFile& file) {
  std::string out;
  const auto add = [&](const std::string& text) {
    out += (out.empty() ? "" : " ") + text;
  };
  if (moves_away(file)) {
    add("Moved to " + display_text(plan.files[*file.moved_to].path.shown) +
        ".");
  }
  if (file.moved_from) {
    add("Moved from " + display_text(plan.files[*file.moved_from].path.shown) +
        (file.before ? "; replaces the file that is there." : "."));
  }
  if (!file.unseen.empty()) {
    add("The old content is not shown: " + file.unseen);
  } else if (file.before && file.before->binary) {
    add("The old content is binary (" +
        std::to_string(file.before->bytes.size()) + " bytes) and not shown.");
  } else if (file.after && file.after->binary) {
    add("The content is binary (" + std::to_string(file.after->bytes.size()) +
        " bytes) and not shown.");
  }
  return out;
}

std::size_t changed_files(const PatchPlan& plan) {
  return static_cast<std::size_t>(std::count_if(
      plan.files.begin(), plan.files.end(),
      [](const PlannedFile& file) { return !file.operation().empty(); }));
}

std::string title_of(const PatchPlan& plan) {
  constexpr std::size_t kNamed = 3;
  const std::size_t count = changed_files(plan);
  std::string out =
      "Patch " + std::to_string(count) + (count == 1 ? " file: " : " files: ");
  std::size_t named = 0;
  for (const PlannedFile& file : plan.files) {
    if (file.operation().empty()) continue;
    if (named == kNamed) return out + ", …";
    if (named++ > 0) out += ", ";
    out += std::string(file.operation()) + " " + display_text(file.path.shown);
  }
  return out;
}

Resolution describe(const PatchPlan& plan) {
  Resolution out;
  std::size_t budget = kShownBytes;
  const auto shown = [&](const std::optional<std::size_t>& index) {
    return index ? plan.files[*index].path.shown : std::string();
  };
  for (const PlannedFile& file : plan.files) {
    if (file.operation().empty()) continue;
    ChangeRow row{file.path,
                  file.operation(),
                  file.before ? &file.before->status : nullptr,
                  shown_diff(plan, file, budget),
                  note_of(plan, file),
                  shown(file.moved_from),
                  file.after ? std::string() : shown(file.moved_to)};
    add_change(out, std::move(row));
  }
  out.title = title_of(plan);
  return out;
}

Outcome<PatchPlan> make_plan(const json::object& arguments,
                             const Workspace& workspace,
                             const std::string& cwd) {
  const auto sections = parse_patch(string_argument(arguments, "patch"));
  if (!sections) return sections.error();
  return plan_patch(*sections, workspace, cwd);
}

Outcome<Resolution> resolve(const json::object& arguments,
                            const ToolContext& context) {
  const auto plan = make_plan(arguments, context.workspace, context.cwd);
  if (!plan) return plan.error();
  return describe(*plan);
}

// Everything that the worker thread needs.
struct Job {
  Workspace workspace;
  std::string cwd;
  json::object arguments;
  std::vector<WriteTarget> targets;
};

// The files that change, as they were approved.
Outcome<std::vector<FileCommit>> approved_files(const Job& job,
                                                const PatchPlan& plan) {
  std::vector<FileCommit> out;
  for (const PlannedFile& file : plan.files) {
    if (file.operation().empty()) continue;
    auto options = approved_options(job.targets, file.path);
    if (!options) return options.error();
    FileCommit commit;
    commit.path = file.path;
    commit.expected = std::move(*options);
    if (file.before) {
      // What the plan was made from is what the person saw.
      if (revision_of(file.before->status) != commit.expected.revision) {
        return make_call_error(
            CallErrorKind::path_blocked,
            display_text(file.path.shown) +
                " changed since the patch was prepared; nothing was written.",
            "Read it again and repeat the patch.");
      }
      if (file.unseen.empty()) commit.old_bytes = file.before->bytes;
    }
    if (file.after) commit.bytes = file.after->bytes;
    if (arrives(file)) {
      commit.like = &plan.files[*file.moved_from].path;
    }
    out.push_back(std::move(commit));
  }
  return out;
}

json::object file_facts(const PatchPlan& plan, const PlannedFile& file,
                        const WriteReport& report, std::size_t& budget) {
  const std::size_t bytes = file.after ? file.after->bytes.size() : 0;
  json::object out = change_facts(file.path, bytes, report);
  out["operation"] = file.operation();
  if (!file.after) {
    out.erase("revision");
    out.erase("bytesWritten");
  } else {
    out["encoding"] = name(file.after->encoding);
  }
  if (file.moved_from) {
    out["movedFrom"] = to_utf8(plan.files[*file.moved_from].path.shown);
  }
  const Diff diff = shown_diff(plan, file, budget);
  out["added"] = diff.added;
  out["removed"] = diff.removed;
  out["firstChangedLine"] = diff.first_changed_line;
  return out;
}

// "A src/new.cpp", as version control writes it.
std::string summary_line(const PatchPlan& plan, const PlannedFile& file,
                         const WriteReport& report) {
  std::string out;
  if (file.moved_from) {
    out = "R " + display_text(plan.files[*file.moved_from].path.shown) + " -> ";
  } else if (!file.before) {
    out = "A ";
  } else {
    out = file.after ? "M " : "D ";
  }
  return out + display_text(file.path.shown) + change_remark(report) + "\n";
}

ToolOutput apply(const Job& job) {
  const auto plan = make_plan(job.arguments, job.workspace, job.cwd);
  if (!plan) return ToolOutput::failure(plan.error());
  const auto files = approved_files(job, *plan);
  if (!files) return ToolOutput::failure(files.error());
  if (files->size() != job.targets.size()) {
    return ToolOutput::failure(make_call_error(
        CallErrorKind::path_blocked,
        "The files changed since the patch was approved, so that it would do "
        "something else; nothing was written.",
        "Read them again and repeat the patch."));
  }
  const auto reports = commit_files(job.workspace, *files);
  if (!reports) return ToolOutput::failure(reports.error());

  std::string text;
  json::array list;
  std::size_t next = 0;
  std::size_t budget = kShownBytes;
  for (const PlannedFile& file : plan->files) {
    if (file.operation().empty()) continue;
    const WriteReport& report = (*reports)[next++];
    if (!moves_away(file)) text += summary_line(*plan, file, report);
    list.push_back(file_facts(*plan, file, report, budget));
  }
  if (plan->normalised > 0) {
    text += std::to_string(plan->normalised) +
            " hunks matched only apart from Unicode form, typographic "
            "characters or white space at line ends.\n";
  }
  ToolOutput output = ToolOutput::text("Applied the patch:\n" + text);
  json::object facts;
  facts["files"] = std::move(list);
  facts["normalisedHunks"] = plan->normalised;
  output.structured = std::move(facts);
  return output;
}

Task<ToolOutput> run(json::object arguments, const ExecutionContext& context) {
  auto job = std::make_shared<Job>();
  job->workspace = context.tool.workspace;
  job->cwd = context.tool.cwd;
  job->arguments = std::move(arguments);
  job->targets = context.targets;
  std::function<ToolOutput()> work = [job] { return apply(*job); };
  co_return co_await context.blocking.run<ToolOutput>(std::move(work));
}

}  // namespace

constinit const ToolDefinition apply_patch_tool{
    .name = "apply_patch",
    .title = "Apply patch",
    .description = description,
    .schema = kSchema,
    .example =
        R"({"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch\n"})",
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
