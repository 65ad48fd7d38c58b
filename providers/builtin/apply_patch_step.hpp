// FileStep: one file of a commit, from the first look to the last sync.
#pragma once

#include <optional>
#include <string>

#include "providers/builtin/apply_patch_commit.hpp"
#include "providers/support/unique_fd.hpp"
#include "providers/support/write_steps.hpp"

namespace toolhost::builtin {

class FileStep {
 public:
  // Both have to outlive it.
  FileStep(const Workspace& workspace, const FileCommit& file);
  FileStep(const FileStep&) = delete;

  // Looks whether the file is the expected one, and writes the new content
  // beside it. Changes nothing but folders that are made.
  std::optional<CallError> prepare();
  // Gives the new content the name. A file that turns out to be replaceable
  // in place only is not published yet afterwards, and in_place().
  std::optional<CallError> publish();
  bool published() const { return published_; }
  bool in_place() const { return in_place_; }
  bool removes() const { return !file_.bytes; }

  // Puts the old state back. Empty, or what is left where, as a sentence.
  std::string undo();
  // Drops what was kept for undo(), and syncs the folder.
  WriteReport finish();

 private:
  std::optional<CallError> look();
  std::optional<CallError> check_unchanged() const;
  std::optional<CallError> stage_new();
  std::optional<CallError> stage_replacement();
  std::optional<CallError> overwrite_now();
  bool keep_old();
  void write_in_place(std::string reason);

  CallError failed(std::string_view what, int number) const;
  CallError changed(std::string_view how) const;

  const Workspace& workspace_;
  const FileCommit& file_;
  const SystemCalls& calls_;
  UniqueFd directory_;
  std::string name_;
  bool exists_ = false;
  struct stat before_ {};
  std::optional<TemporaryFile> staged_;
  std::string kept_as_;  // the hidden name of what was there; empty: none
  bool in_place_ = false;
  bool published_ = false;
  WriteReport report_;
};

}  // namespace toolhost::builtin
