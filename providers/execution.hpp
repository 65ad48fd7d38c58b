// What a tool gets to see: while it is resolved (no side effects), and while
// it runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "protocol/content.hpp"
#include "protocol/event.hpp"
#include "providers/support/artifacts.hpp"
#include "providers/support/blocking.hpp"
#include "providers/support/confinement.hpp"
#include "providers/support/stop.hpp"
#include "providers/support/task.hpp"
#include "providers/support/workspace.hpp"

namespace toolhost {

// What a call will touch, for the scheduler. Two file accesses conflict when
// one of them writes and the paths overlap.
struct Access {
  enum class Kind { file, all };
  enum class Operation { read, search, write, read_write };
  Kind kind = Kind::file;
  Operation operation = Operation::read;
  std::string path;
  bool recursive = false;
};

// One thing that a rule may allow or deny: ("edit", "src/main.cpp").
struct PermissionAsk {
  std::string permission;
  std::string pattern;
  // What "always" would remember; empty: nothing may be remembered.
  std::string remember;
};

// A file that the call will write; identity is checked again after a person
// said yes.
struct WriteTarget {
  ResolvedPath path;
  // create, modify, delete
  std::string operation;
  // Identity at resolve time; zero for a file that does not exist yet.
  dev_t device = 0;
  ino_t inode = 0;
  // revision_of() the file then; empty for a file that does not exist yet.
  std::string revision;
};

// What a tool says about a call before anything happens.
struct Resolution {
  // nullopt: not declared, treated as everything. Empty: touches nothing.
  std::optional<std::vector<Access>> accesses;
  std::vector<PermissionAsk> asks;
  std::vector<WriteTarget> targets;
  // What a person is shown: {"type":"command",…} or {"type":"files",…} or
  // {"type":"tool"}; complete, never shortened without saying so.
  json::object subject;
  // The one-line title: "Edit src/main.cpp".
  std::string title;
  // A reason that always asks, whatever rules say; empty: none.
  std::string always_ask;
  // The command line, when the call runs one: its parts are judged one by one.
  std::string command;
  // It will run inside an OS sandbox that is enforced whole.
  bool confined = false;
  // Base revision of a shown diff, part of the approval's digest.
  std::string base_revision;
};

struct ToolContext {
  const Workspace& workspace;
  std::string cwd;  // absolute, inside the roots
  SandboxMode sandbox = SandboxMode::workspace_write;
  const config::Config& config;
  // nullptr: commands cannot be confined.
  const Confinement* confinement = nullptr;
};

// A step of the work, told while it goes on.
struct Progress {
  // Plain text for a person; empty when only output is sent.
  std::string message;
  // A piece of output ("stdout" when merged), valid UTF-8 or not.
  std::string output;
  std::uint64_t offset = 0;  // of `output` in the whole
};

struct ExecutionContext {
  ToolContext tool;
  std::string call_id;
  std::string session_id;
  Stop& stop;
  asio::io_context& loop;
  BlockingPool& blocking;
  Artifacts& artifacts;
  // Running time only; the pipeline enforces it as well.
  std::optional<Milliseconds> timeout;
  // May be empty. Cheap to call; the stream drops what nobody reads.
  std::function<void(Progress)> progress;
  // Write targets as resolved and, if a person was asked, checked again.
  std::vector<WriteTarget> targets;
};

}  // namespace toolhost
