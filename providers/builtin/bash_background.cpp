#include "providers/builtin/bash_background.hpp"

#include <algorithm>
#include <list>
#include <utility>

#include "providers/support/log.hpp"

namespace toolhost::builtin {
namespace {

constexpr std::chrono::milliseconds kGrace{1000};

struct Tree {
  asio::io_context* loop;
  std::string session;
  std::unique_ptr<ChildProcess> child;
};

// Never destroyed: a tree that is left at exit must not touch a loop that is
// gone. Its processes end with us (PDEATHSIG of the supervisor).
std::list<Tree>& trees() {
  static auto* list = new std::list<Tree>;
  return *list;
}

// By value: the list may change while a tree is being ended.
Task<void> end(std::unique_ptr<ChildProcess> child) {
  co_await child->end_tree(kGrace);
}

// Moved away from the list, they do not erase themselves any more.
template <class Predicate>
std::list<Tree> take(Predicate wanted) {
  std::list<Tree> out;
  for (auto it = trees().begin(); it != trees().end();) {
    const auto tree = it++;
    if (!wanted(*tree)) continue;
    tree->child->release(nullptr);
    out.splice(out.end(), trees(), tree);
  }
  return out;
}

// At the same time: each may need its whole grace.
Task<void> end_each(std::list<Tree> ending) {
  if (ending.empty()) co_return;
  TaskGroup group(*ending.front().loop, "background commands");
  for (Tree& tree : ending) group.spawn(end(std::move(tree.child)));
  co_await group.join();
}

}  // namespace

bool keep_in_background(asio::io_context& loop, const std::string& session,
                        std::unique_ptr<ChildProcess> child) {
  if (trees().size() >= kMaxBackground ||
      background_children(session) >= kMaxBackgroundPerSession) {
    log_warn("a background command was killed, there are too many pid=" +
             std::to_string(child->pid()));
    child->kill_tree();
    return false;
  }
  const auto place =
      trees().insert(trees().end(), Tree{&loop, session, std::move(child)});
  place->child->release([place] { trees().erase(place); });
  return true;
}

std::size_t background_children(const std::string& session) {
  return static_cast<std::size_t>(
      std::count_if(trees().begin(), trees().end(),
                    [&](const Tree& tree) { return tree.session == session; }));
}

Task<void> end_session_children(std::string session) {
  return end_each(
      take([&](const Tree& tree) { return tree.session == session; }));
}

Task<void> end_all_children() {
  return end_each(take([](const Tree&) { return true; }));
}

}  // namespace toolhost::builtin
