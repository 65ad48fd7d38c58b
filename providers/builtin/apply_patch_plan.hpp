// What a patch would make of the files that it names, worked out in memory.
//
// Sections apply in order, each to what the ones before it left, so that a
// file may be named more than once. Every path is resolved before the first
// file is read, and every hunk has to fit before anything is of use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "providers/builtin/apply_patch_parse.hpp"
#include "providers/builtin/file_change.hpp"

namespace toolhost::builtin {

struct PlannedFile {
  ResolvedPath path;
  // Before; nullopt: there was no file. Its text and bytes are empty when it
  // could not be loaded (`unseen` says why); then it is replaced or deleted.
  std::optional<ExistingFile> before;
  std::string unseen;
  // After; nullopt: there is no file.
  std::optional<ExistingFile> after;
  // The other end of a move, as an index into the plan.
  std::optional<std::size_t> moved_from;
  std::optional<std::size_t> moved_to;

  // create, modify, delete; empty: as it was.
  std::string_view operation() const;
};

struct PatchPlan {
  // In the order in which the patch first names them; those that stay as they
  // are included.
  std::vector<PlannedFile> files;
  std::size_t normalised = 0;  // hunks that matched not byte for byte
};

// Of all files of a patch, before and after.
inline constexpr std::size_t kMaxPatchBytes = 64U << 20;

Outcome<PatchPlan> plan_patch(const std::vector<PatchSection>& sections,
                              const Workspace& workspace,
                              const std::string& cwd);

}  // namespace toolhost::builtin
