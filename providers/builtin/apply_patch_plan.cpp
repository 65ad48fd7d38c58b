#include "providers/builtin/apply_patch_plan.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "providers/builtin/apply_patch_match.hpp"
#include "providers/builtin/file_argument.hpp"

namespace toolhost::builtin {
namespace {

// As many as PatchBudget lets be explained.
constexpr std::size_t kShownFaults = 8;

CallError failed(std::string message, std::string hint) {
  return make_call_error(CallErrorKind::tool_failed, std::move(message),
                         std::move(hint));
}

class Planner {
 public:
  Planner(const std::vector<PatchSection>& sections, const Workspace& workspace)
      : sections_(sections), workspace_(workspace) {}

  Outcome<PatchPlan> plan(const std::string& cwd);

 private:
  struct Paths {
    ResolvedPath path;
    std::optional<ResolvedPath> target;
  };
  struct Fault {
    const PatchSection* section;
    HunkFault hunk;
  };
  std::optional<CallError> resolve_all(const std::string& cwd);
  // The index of the file in the plan, loaded when it is new there.
  Outcome<std::size_t> file(const ResolvedPath& path, bool need_content);
  std::optional<CallError> add(const PatchSection& section, const Paths& paths);
  std::optional<CallError> remove(const Paths& paths);
  std::optional<CallError> update(const PatchSection& section,
                                  const Paths& paths);
  std::optional<CallError> patch_text(const PatchSection& section,
                                      PlannedFile& file);
  std::optional<CallError> move(std::size_t from, const ResolvedPath& target);
  std::optional<CallError> too_much() const;
  CallError gone(const ResolvedPath& path) const;
  CallError faulty() const;

  const std::vector<PatchSection>& sections_;
  const Workspace& workspace_;
  std::vector<Paths> paths_;
  std::vector<Fault> faults_;
  std::vector<std::string> faulty_paths_;
  PatchBudget budget_;
  PatchPlan out_;
};

std::optional<CallError> Planner::resolve_all(const std::string& cwd) {
  const auto resolve = [&](const std::string& name) -> Outcome<ResolvedPath> {
    auto path = workspace_.resolve(name, cwd);
    if (!path || !path->exists || S_ISREG(path->mode)) return path;
    return failed(display_text(path->shown) + " is " +
                      std::string(file_type_name(path->mode)) +
                      ", not a regular file; nothing was changed.",
                  "Give the path of a file.");
  };
  for (const PatchSection& section : sections_) {
    auto path = resolve(section.path);
    if (!path) return path.error();
    Paths paths;
    paths.path = std::move(*path);
    if (!section.move_to.empty()) {
      auto target = resolve(section.move_to);
      if (!target) return target.error();
      const bool same = target->physical == paths.path.physical;
      if (!same) paths.target = std::move(*target);
    }
    paths_.push_back(std::move(paths));
  }
  return std::nullopt;
}

Outcome<std::size_t> Planner::file(const ResolvedPath& path,
                                   bool need_content) {
  for (std::size_t i = 0; i < out_.files.size(); ++i) {
    const PlannedFile& known = out_.files[i];
    if (known.path.physical != path.physical) continue;
    if (need_content && known.after && !known.unseen.empty() &&
        known.after->bytes.empty()) {
      return failed(known.unseen, "");
    }
    return i;
  }
  PlannedFile added;
  added.path = path;
  if (path.exists) {
    auto loaded = load_file(workspace_, path);
    if (!loaded && need_content) return loaded.error();
    added.before.emplace();
    if (loaded) {
      added.before = std::move(*loaded);
    } else {
      // To be deleted or replaced: its content does not matter.
      added.unseen = loaded.error().message;
      const auto handle = workspace_.open(path, O_PATH);
      if (!handle) return handle.error();
      if (fstat(handle->get(), &added.before->status) != 0) {
        return read_error(path, errno);
      }
    }
    added.after = added.before;
  }
  out_.files.push_back(std::move(added));
  return out_.files.size() - 1;
}

CallError Planner::gone(const ResolvedPath& path) const {
  if (!path.exists) {
    CallError error = missing_file(workspace_, path);
    error.message += " Nothing was changed.";
    return error;
  }
  return failed(display_text(path.shown) +
                    " is deleted or moved away earlier in the patch; nothing "
                    "was changed.",
                "Put what belongs to one file into one section.");
}

std::optional<CallError> Planner::add(const PatchSection& section,
                                      const Paths& paths) {
  const auto index = file(paths.path, false);
  if (!index) return index.error();
  PlannedFile& planned = out_.files[*index];
  ExistingFile now;
  // As write does: an old file keeps its encoding.
  if (planned.after && !planned.after->binary) {
    now.encoding = planned.after->encoding;
  }
  auto bytes = encode_change(paths.path, now, section.content, false);
  if (!bytes) return bytes.error();
  now.bytes = std::move(*bytes);
  now.text = section.content;
  planned.after = std::move(now);
  return std::nullopt;
}

std::optional<CallError> Planner::remove(const Paths& paths) {
  const auto index = file(paths.path, false);
  if (!index) return index.error();
  PlannedFile& planned = out_.files[*index];
  if (!planned.after) return gone(paths.path);
  planned.after.reset();
  if (planned.moved_from) {
    out_.files[*planned.moved_from].moved_to.reset();
    planned.moved_from.reset();
  }
  return std::nullopt;
}

std::optional<CallError> Planner::patch_text(const PatchSection& section,
                                             PlannedFile& planned) {
  ExistingFile& now = *planned.after;
  if (auto no = not_editable(planned.path, now)) return no;
  // Splitting it into lines is a part of the work.
  budget_.take(now.text.size() / 8);
  PatchedText patched = apply_hunks(now.text, section.hunks, budget_);
  for (HunkFault& fault : patched.faults) {
    faults_.push_back({&section, std::move(fault)});
  }
  if (!patched.faults.empty()) {
    faulty_paths_.push_back(planned.path.physical);
    return std::nullopt;
  }
  if (patched.text == now.text) {
    return failed("The hunks of " + display_text(planned.path.shown) +
                      " leave it unchanged; nothing was changed.",
                  "Give removed (-) and added (+) lines that differ, or leave "
                  "the file out.");
  }
  bool adds = false;
  for (const PatchHunk& hunk : section.hunks) {
    for (const PatchLine& line : hunk.lines) {
      adds = adds || (line.mark == '+' && has_non_ascii(line.text));
    }
  }
  auto bytes = encode_change(planned.path, now, patched.text, adds);
  if (!bytes) return bytes.error();
  now.text = std::move(patched.text);
  now.bytes = std::move(*bytes);
  out_.normalised += patched.normalised;
  return std::nullopt;
}

std::optional<CallError> Planner::move(std::size_t from,
                                       const ResolvedPath& target) {
  const auto to = file(target, false);
  if (!to) return to.error();
  PlannedFile& source = out_.files[from];
  PlannedFile& destination = out_.files[*to];
  destination.after = std::move(source.after);
  source.after.reset();
  // Of several moves in a row the first place is the origin.
  const std::size_t origin = source.moved_from.value_or(from);
  source.moved_from.reset();
  out_.files[origin].moved_to = *to;
  destination.moved_from = origin;
  return std::nullopt;
}

std::optional<CallError> Planner::update(const PatchSection& section,
                                         const Paths& paths) {
  const auto index = file(paths.path, true);
  if (!index) return index.error();
  if (!out_.files[*index].after) return gone(paths.path);
  const auto& faulty = faulty_paths_;
  // What a section does to a file that did not come about tells nothing.
  if (std::find(faulty.begin(), faulty.end(), paths.path.physical) !=
      faulty.end()) {
    return std::nullopt;
  }
  if (!section.hunks.empty()) {
    if (auto no = patch_text(section, out_.files[*index])) return no;
  }
  if (!paths.target) return std::nullopt;
  return move(*index, *paths.target);
}

std::optional<CallError> Planner::too_much() const {
  std::size_t before = 0;
  std::size_t after = 0;
  for (const PlannedFile& one : out_.files) {
    if (one.before) before += one.before->bytes.size();
    if (one.after) after += one.after->bytes.size();
  }
  if (std::max(before, after) <= kMaxPatchBytes) return std::nullopt;
  return failed("The files of the patch have more than " +
                    std::to_string(kMaxPatchBytes) +
                    " bytes together; nothing was changed.",
                "Send it in several patches.");
}

CallError Planner::faulty() const {
  std::string message = faults_.size() == 1 ? "A hunk does not fit"
                                            : std::to_string(faults_.size()) +
                                                  " hunks do not fit";
  message += "; nothing was changed.";
  json::array list;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const PatchSection& section = *faults_[i].section;
    const HunkFault& fault = faults_[i].hunk;
    if (i < kShownFaults) {
      message += " " + display_text(section.path) + ", hunk " +
                 std::to_string(fault.hunk) + " (line " +
                 std::to_string(fault.patch_line) +
                 " of the patch): " + fault.message + ".";
    }
    json::object row;
    row["path"] = to_utf8(section.path);
    row["hunk"] = fault.hunk;
    row["patchLine"] = fault.patch_line;
    json::array lines;
    for (const std::size_t line : fault.lines) lines.push_back(line);
    row["lines"] = std::move(lines);
    list.push_back(std::move(row));
  }
  if (faults_.size() > kShownFaults) {
    message += " " + std::to_string(faults_.size() - kShownFaults) +
               " more are in the details.";
  }
  CallError error =
      failed(std::move(message),
             "Read these places again and send the whole patch once more.");
  error.details["faults"] = std::move(list);
  return error;
}

Outcome<PatchPlan> Planner::plan(const std::string& cwd) {
  if (auto no = resolve_all(cwd)) return *no;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    std::optional<CallError> no;
    switch (sections_[i].kind) {
      case PatchSection::Kind::add:
        no = add(sections_[i], paths_[i]);
        break;
      case PatchSection::Kind::remove:
        no = remove(paths_[i]);
        break;
      case PatchSection::Kind::update:
        no = update(sections_[i], paths_[i]);
        break;
    }
    if (!no) no = too_much();
    if (no) return *no;
  }
  if (!faults_.empty()) return faulty();
  const bool any = std::any_of(
      out_.files.begin(), out_.files.end(),
      [](const PlannedFile& one) { return !one.operation().empty(); });
  if (any) return std::move(out_);
  return failed("The patch leaves every file as it is; nothing was changed.",
                "Look whether the change was made already.");
}

}  // namespace

std::string_view PlannedFile::operation() const {
  if (!before) return after ? "create" : "";
  if (!after) return "delete";
  const bool same = unseen.empty() && before->bytes == after->bytes;
  return same ? "" : "modify";
}

Outcome<PatchPlan> plan_patch(const std::vector<PatchSection>& sections,
                              const Workspace& workspace,
                              const std::string& cwd) {
  return Planner(sections, workspace).plan(cwd);
}

}  // namespace toolhost::builtin
