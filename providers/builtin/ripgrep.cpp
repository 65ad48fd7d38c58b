#include "providers/builtin/ripgrep.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <utility>

#include "providers/support/log.hpp"

namespace toolhost::builtin {
namespace {

using std::chrono::milliseconds;

void add_filters(std::vector<std::string>& out, const RipgrepQuery& query) {
  if (query.include_ignored) out.push_back("--no-ignore");
  if (query.include_hidden) {
    out.push_back("--hidden");
    // After --hidden only these would be walked that nobody means.
    for (const char* name : {".git", ".hg", ".svn", ".jj"}) {
      out.push_back(std::string("--glob=!") + name);
    }
  }
  for (const std::string& glob : query.excludes) {
    out.push_back("--glob=!" + glob);
  }
  if (!query.type.empty()) {
    out.push_back("--type=" + query.type);
    return;  // types add up; the caller judges base names itself
  }
  for (const std::string& glob : query.base_names) {
    out.push_back("--type-add=toolhost:" + glob);
  }
  if (!query.base_names.empty()) out.push_back("--type=toolhost");
}

void add_search(std::vector<std::string>& out, const RipgrepQuery& query) {
  if (query.literal) out.push_back("--fixed-strings");
  if (query.ignore_case) out.push_back("--ignore-case");
  if (query.multiline) {
    out.push_back("--multiline");
    out.push_back("--multiline-dotall");
  }
  if (query.mode == RipgrepQuery::Mode::names) {
    out.push_back("--files-with-matches");
  } else {
    out.push_back("--max-count=" + std::to_string(kMaxLinesPerFile));
  }
  if (query.mode == RipgrepQuery::Mode::counts) out.push_back("--count");
  if (query.mode == RipgrepQuery::Mode::lines) {
    out.insert(out.end(),
               {"--no-heading", "--line-number", "--column", "--byte-offset",
                "--max-columns=" + std::to_string(query.max_line_bytes),
                "--max-columns-preview", "--field-match-separator=:",
                "--field-context-separator=-", "--no-context-separator"});
    if (query.context > 0) {
      out.push_back("--context=" + std::to_string(query.context));
    }
  }
  out.push_back("-e");
  out.push_back(query.pattern);
}

// One run, shared with the handlers that may come late.
struct Running {
  explicit Running(asio::io_context& loop) : timer(loop) {}

  void end(RipgrepEnd::How how) {
    if (result.how != RipgrepEnd::How::finished || over) return;
    result.how = how;
    child->kill_tree();
    child->interrupt_reads();
  }
  bool ended() const { return result.how != RipgrepEnd::How::finished; }

  std::unique_ptr<ChildProcess> child;
  asio::steady_timer timer;
  RipgrepEnd result;
  bool over = false;
};
using RunningPtr = std::shared_ptr<Running>;

Task<void> read_causes(RunningPtr run) {
  std::string bytes;
  while (!run->ended()) {
    bytes.clear();
    const bool more = co_await run->child->read_err(bytes);
    run->result.causes.feed(bytes);
    if (run->result.causes.notes() > kMaxNotes) {
      run->end(RipgrepEnd::How::too_many_notes);
    }
    if (!more) break;
  }
  run->result.causes.finish();
}

Task<void> read_output(RunningPtr run,
                       std::function<bool(std::string_view)> receive) {
  std::string bytes;
  std::uint64_t total = 0;
  while (!run->ended()) {
    bytes.clear();
    const bool more = co_await run->child->read_out(bytes);
    // What was killed in the middle of a record is dropped by the reader.
    total += bytes.size();
    const bool wanted = receive(bytes);
    if (!wanted || total > kMaxOutputBytes) {
      run->end(RipgrepEnd::How::too_much);
    }
    if (!more) break;
  }
}

void start_timer(const RunningPtr& run, milliseconds budget) {
  run->timer.expires_after(budget);
  run->timer.async_wait([run](boost::system::error_code failed) {
    if (!failed) run->end(RipgrepEnd::How::timed_out);
  });
}

CallError not_installed() {
  return make_call_error(
      CallErrorKind::tool_failed,
      "ripgrep (rg) is not installed: it is in no folder of PATH.",
      "Ask the person to install ripgrep (Debian: apt install ripgrep), or "
      "search with the tools that a shell has.");
}

// On an idle machine it changes nothing; beside a search of a large tree the
// loop answers as if it were alone.
constexpr int kSearchNice = 10;

Outcome<std::unique_ptr<ChildProcess>> start(asio::io_context& loop,
                                             const RipgrepRun& run) {
  ProcessSpec spec;
  spec.env = child_environment();
  // A configuration could name a preprocessor; --no-config says it again.
  std::erase_if(spec.env, [](const std::string& entry) {
    return entry.starts_with("RIPGREP_CONFIG_PATH=");
  });
  const std::string program = find_program("rg", spec.env);
  if (program.empty()) return not_installed();
  spec.argv = ripgrep_arguments(run.query);
  spec.argv.front() = program;
  spec.cwd_fd = run.folder;
  spec.nice = kSearchNice;
  auto child = ChildProcess::spawn(loop, spec);
  if (!child) {
    return make_call_error(
        CallErrorKind::tool_failed,
        "ripgrep (" + program + ") cannot be started: " + child.error().message,
        child.error().hint);
  }
  return std::move(*child);
}

}  // namespace

std::vector<std::string> ripgrep_arguments(const RipgrepQuery& query) {
  std::vector<std::string> out{
      "rg",     "--no-config",     "--no-follow",      "--color=never",
      "--null", "--with-filename", "--no-require-git", "--no-ignore-messages"};
  if (query.explain) out.push_back("--debug");
  if (query.one_thread) out.push_back("--threads=1");
  add_filters(out, query);
  if (query.mode == RipgrepQuery::Mode::list) {
    out.push_back("--files");
  } else {
    add_search(out, query);
  }
  out.push_back("--");
  out.push_back("./" + query.file);
  return out;
}

std::string find_program(std::string_view name,
                         const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    if (!entry.starts_with("PATH=")) continue;
    std::string_view folders = std::string_view(entry).substr(5);
    while (!folders.empty()) {
      const std::size_t colon = folders.find(':');
      const std::string_view folder = folders.substr(0, colon);
      const std::string path = std::string(folder) + "/" + std::string(name);
      // A relative folder would be looked up in the searched tree.
      if (folder.starts_with('/') && ::access(path.c_str(), X_OK) == 0) {
        return path;
      }
      folders.remove_prefix(colon == std::string_view::npos ? folders.size()
                                                            : colon + 1);
    }
  }
  return {};
}

Task<Outcome<RipgrepEnd>> run_ripgrep(const ExecutionContext& context,
                                      RipgrepRun run) {
  auto child = start(context.loop, run);
  if (!child) co_return child.error();
  auto running = std::make_shared<Running>(context.loop);
  running->child = std::move(*child);
  start_timer(running, run.budget);
  const std::function<void()> on_stop = [running] {
    running->end(RipgrepEnd::How::stopped);
  };
  const Stop::Registration stop = context.stop.on_request(on_stop);

  TaskGroup reader(context.loop, "ripgrep stderr");
  reader.spawn(read_causes(running));
  co_await read_output(running, std::move(run.receive));
  co_await reader.join();
  // It has closed its output, or was killed.
  if (!running->ended()) {
    const ExitStatus status = co_await running->child->wait();
    running->result.status = status;
  }
  running->over = true;
  running->timer.cancel();
  const bool gone = co_await running->child->end_tree(milliseconds(0));
  if (!gone) log_warn("ripgrep could not be ended call=" + context.call_id);
  co_return std::move(running->result);
}

}  // namespace toolhost::builtin
