// Built-in hook: after an edit, what the formatter and the checker of the
// language say about the file. It only advises.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

#include "config/jsonc.hpp"
#include "gates/hooks/bounded_process.hpp"
#include "gates/hooks/builtin_hooks.hpp"
#include "gates/hooks/checkers.hpp"
#include "protocol/text.hpp"
#include "providers/builtin/ripgrep.hpp"
#include "providers/support/file_read.hpp"

namespace toolhost {
namespace {

using config::BuiltinHooks;

// For all checkers of one call together; an edit must not feel slow.
constexpr Milliseconds kBudget{5000};
constexpr std::size_t kLargestFile = 512 * 1024;
constexpr std::size_t kMostFiles = 3;
constexpr std::size_t kPrinted = 64 * 1024;

bool changes_files(const Tool& tool) {
  return tool.kind == ToolKind::file_change;
}

bool checked_size(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         static_cast<std::size_t>(info.st_size) <= kLargestFile;
}

// In the folder of the file or above it, not above the workspace.
bool has_above(const std::string& path, const std::string& root,
               const std::vector<std::string_view>& names) {
  namespace fs = std::filesystem;
  if (names.empty()) return true;
  std::error_code ignored;
  for (fs::path folder = fs::path(path).parent_path();;
       folder = folder.parent_path()) {
    for (const std::string_view name : names) {
      if (fs::exists(folder / name, ignored)) return true;
    }
    if (folder == root || folder == folder.root_path()) return false;
  }
}

std::string program_of(const Checker& checker,
                       const std::vector<std::string>& environment) {
  for (const std::string_view name : checker.programs) {
    std::string found = builtin::find_program(name, environment);
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<std::string> command_of(const Checker& checker, std::string program,
                                    const std::string& path) {
  std::vector<std::string> out{std::move(program)};
  bool placed = false;
  for (const std::string_view argument : checker.arguments) {
    std::string word(argument);
    if (const auto at = word.find("{}"); at != std::string::npos) {
      word.replace(at, 2, path);
      placed = true;
    }
    out.push_back(std::move(word));
  }
  if (!placed) out.push_back(path);
  return out;
}

// The checkers name the file by its whole path; a model knows it otherwise.
std::string with_short_path(std::string text, const ResolvedPath& path) {
  for (std::size_t at = text.find(path.physical); at != std::string::npos;
       at = text.find(path.physical, at + path.shown.size())) {
    text.replace(at, path.physical.size(), path.shown);
  }
  return text;
}

void add(std::string& out, std::string_view who, const std::string& what) {
  if (what.empty()) return;
  out += (out.empty() ? "" : "\n") + std::string(who) + ": " + what;
}

// JSON needs no program.
std::string check_json(const Workspace& workspace, const ResolvedPath& path) {
  const std::string_view name = path.physical;
  if (!name.ends_with(".json") && !name.ends_with(".jsonc")) return {};
  const auto file = open_regular(workspace, path);
  if (!file) return {};
  const auto text = read_whole(*file, path, kLargestFile);
  if (!text) return {};
  const auto parsed = config::parse_jsonc(*text, path.shown);
  return parsed ? std::string() : parsed.error().message;
}

struct Job {
  asio::io_context& loop;
  Stop& stop;
  const Workspace& workspace;
  SteadyTime deadline;
  bool full = false;
  std::vector<std::string> environment = child_environment();
};

// Advice of one checker; a checker that is missing or too slow has none.
Task<std::string> advice_of(const Job& job, const Checker& checker,
                            std::string path) {
  std::string program = program_of(checker, job.environment);
  if (program.empty()) co_return std::string();
  ProcessSpec spec;
  spec.argv = command_of(checker, std::move(program), path);
  spec.env = job.environment;
  spec.cwd = job.workspace.primary();
  spec.merge_stderr = true;
  ProcessLimits limits;
  limits.deadline = job.deadline;
  limits.output_bytes = kPrinted;
  const auto end = co_await run_bounded(job.loop, std::move(spec),
                                        std::string(), limits, job.stop);
  if (!end) co_return std::string();
  co_return checker.digest(end->output);
}

Task<std::string> advice_on(const Job& job, ResolvedPath path) {
  std::string out;
  add(out, "json", check_json(job.workspace, path));
  for (const Checker& checker : checkers()) {
    if (checker.slow && !job.full) continue;
    const bool speaks = std::any_of(
        checker.extensions.begin(), checker.extensions.end(),
        [&](std::string_view end) { return path.physical.ends_with(end); });
    if (!speaks ||
        !has_above(path.physical, job.workspace.primary(), checker.needs))
      continue;
    if (job.stop.requested()) break;
    const std::string said = co_await advice_of(job, checker, path.physical);
    add(out, checker.programs.front(), with_short_path(said, path));
  }
  co_return out;
}

Task<HookRun> run(Call& call, Parts& parts, const json::object&) {
  HookRun out;
  if (call.output.error || call.workspace.empty()) co_return out;
  Job job{parts.loop, call.stop, call.workspace,
          std::chrono::steady_clock::now() + kBudget,
          call.snapshot->config->builtin_hooks.diagnostics ==
              BuiltinHooks::Diagnostics::full};
  std::string advice;
  std::size_t files = 0;
  for (const WriteTarget& target : call.resolution.targets) {
    if (target.operation == "delete" || !checked_size(target.path.physical)) {
      continue;
    }
    if (++files > kMostFiles) break;
    const std::string said = co_await advice_on(job, target.path);
    if (said.empty()) continue;
    advice += "\n" + target.path.shown + ":\n" + said;
  }
  if (!advice.empty()) {
    out.answer.context = "After this change:" + advice;
  }
  co_return out;
}

}  // namespace

const BuiltinHook kDiagnoseEdit{
    .name = "diagnostics",
    .phase = config::HookPhase::post_tool_use,
    .enabled =
        [](const config::Config& config) {
          return config.builtin_hooks.diagnostics !=
                 BuiltinHooks::Diagnostics::off;
        },
    .wanted = changes_files,
    .run = run,
};

}  // namespace toolhost
