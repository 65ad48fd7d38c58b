#include "providers/support/sandbox_steps.hpp"

#include <array>
#include <cerrno>

#include "providers/support/sandbox_plan.hpp"

namespace toolhost {
namespace {

using std::string_view;

constexpr std::size_t kSteps = static_cast<std::size_t>(launch::Step::last) + 1;

// In the order of launch::Step.
constexpr std::array<string_view, kSteps> kWords{
    "execute it",
    "read the plan of the sandbox",
    "keep a protected path from being made",
    "make its namespaces",
    "map its user",
    "start its loopback network",
    "take hold of a path that it may use",
    "make the rest read-only",
    "make a folder in memory",
    "give it a /proc of its own",
    "give it devices of its own",
    "give it a /tmp of its own",
    "make a folder writable for it",
    "hide a path from it",
    "show a path to it",
    "keep a folder where it is",
    "make a path read-only for it",
    "enter the working folder again",
    "limit its resources",
    "forbid new privileges",
    "drop its capabilities",
    "restrict its files by Landlock",
    "write a rule of Landlock",
    "filter its system calls",
};

bool is_of_the_machine(launch::Step step) {
  return step == launch::Step::namespaces || step == launch::Step::user_map ||
         step == launch::Step::own_proc || step == launch::Step::landlock ||
         step == launch::Step::seccomp;
}

string_view hint_of(const launch::Message& failed) {
  if (is_of_the_machine(failed.step)) {
    return "Nothing ran. Run `toolhost doctor`: it says what this machine "
           "cannot confine, and how to allow it.";
  }
  return "Nothing ran. The path may have changed meanwhile: try once more; "
         "then run `toolhost doctor`.";
}

}  // namespace

string_view words_of(launch::Step step) {
  return kWords[static_cast<std::size_t>(step) % kSteps];
}

Error start_failure(const std::string& program, const launch::Message& failed,
                    const std::string& plan) {
  if (failed.step == launch::Step::execute) {
    return system_error("Cannot start " + program, failed.value);
  }
  const std::string path = path_of_record(plan, failed.record);
  Error out = system_error("Cannot start " + program + " in its sandbox (to " +
                               std::string(words_of(failed.step)) +
                               (path.empty() ? ")" : ": " + path + ")"),
                           failed.value);
  out.hint = hint_of(failed);
  return out;
}

}  // namespace toolhost
