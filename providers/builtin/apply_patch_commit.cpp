#include "providers/builtin/apply_patch_commit.hpp"

#include <algorithm>
#include <memory>

#include "protocol/text.hpp"
#include "providers/builtin/apply_patch_step.hpp"

namespace toolhost::builtin {
namespace {

// The folders above `path` that do not exist yet, the uppermost first.
std::vector<std::string> missing_folders(const ResolvedPath& path) {
  std::vector<std::string> out;
  std::string folder = path.physical;
  for (;;) {
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string::npos || slash == 0) break;
    folder.resize(slash);
    struct stat st {};
    if (lstat(folder.c_str(), &st) == 0) break;
    out.push_back(folder);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

class Commit {
 public:
  Commit(const Workspace& workspace, const std::vector<FileCommit>& files)
      : workspace_(workspace), files_(files) {}

  Outcome<std::vector<WriteReport>> run();

 private:
  std::optional<CallError> prepare();
  std::optional<CallError> publish();
  CallError roll_back(CallError cause);
  void remove_folders();

  const Workspace& workspace_;
  const std::vector<FileCommit>& files_;
  std::vector<std::unique_ptr<FileStep>> steps_;
  std::vector<FileStep*> done_;
  std::vector<std::string> new_folders_;
};

std::optional<CallError> Commit::prepare() {
  for (const FileCommit& file : files_) {
    if (file.bytes) {
      for (std::string& folder : missing_folders(file.path)) {
        new_folders_.push_back(std::move(folder));
      }
    }
    auto step = std::make_unique<FileStep>(workspace_, file);
    if (auto no = step->prepare()) return no;
    steps_.push_back(std::move(step));
  }
  return std::nullopt;
}

// What is new comes before what goes, so that a kill in the middle of a move
// leaves two files and not none; what can be undone without writing comes
// before what is overwritten in place.
std::optional<CallError> Commit::publish() {
  enum class Turn { appears, goes, in_place };
  const auto turn_of = [](const FileStep& step) {
    if (step.in_place()) return Turn::in_place;
    return step.removes() ? Turn::goes : Turn::appears;
  };
  for (const Turn turn : {Turn::appears, Turn::goes, Turn::in_place}) {
    for (const auto& step : steps_) {
      if (turn_of(*step) != turn || step->published()) continue;
      if (auto no = step->publish()) return no;
      // A step may find out only now that it has to write in place.
      if (step->published()) done_.push_back(step.get());
    }
  }
  return std::nullopt;
}

void Commit::remove_folders() {
  for (auto folder = new_folders_.rbegin(); folder != new_folders_.rend();
       ++folder) {
    const auto path = workspace_.resolve(*folder);
    if (!path) continue;
    std::string name;
    const auto parent = workspace_.open_parent(*path, false, name);
    // Refused by the system when somebody else has put something into it.
    if (parent) ::unlinkat(parent->get(), name.c_str(), AT_REMOVEDIR);
  }
}

CallError Commit::roll_back(CallError cause) {
  std::string stuck;
  for (auto step = done_.rbegin(); step != done_.rend(); ++step) {
    const std::string why = (*step)->undo();
    if (!why.empty()) stuck += " " + why;
  }
  steps_.clear();
  remove_folders();
  if (stuck.empty()) {
    cause.message += done_.empty()
                         ? " No file of the patch was changed."
                         : " All files of the patch are as they were before.";
    return cause;
  }
  cause.message += " Putting the other files back failed in part:" + stuck;
  cause.hint = "Tell the person; read these files before you go on.";
  return cause;
}

Outcome<std::vector<WriteReport>> Commit::run() {
  auto failure = prepare();
  if (!failure) failure = publish();
  if (failure) return roll_back(std::move(*failure));
  std::vector<WriteReport> out;
  for (const auto& step : steps_) out.push_back(step->finish());
  return out;
}

}  // namespace

Outcome<std::vector<WriteReport>> commit_files(
    const Workspace& workspace, const std::vector<FileCommit>& files) {
  return Commit(workspace, files).run();
}

}  // namespace toolhost::builtin
