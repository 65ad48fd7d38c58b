// CatalogueWatch: tells whoever saw a catalogue that it is another one now, and
// whoever watches providers that one changed its state. Each change is told
// once.
//
// Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gates/catalogue.hpp"

namespace toolhost {

struct Daemon;

class CatalogueWatch {
 public:
  explicit CatalogueWatch(Daemon& daemon) : daemon_(daemon) {}

  // listTools gave this to a session: the newest whole view of its own policy.
  // A view that a turn pinned or a context narrowed is no base to compare with.
  void seen(const Session& session, std::shared_ptr<const Catalogue> catalogue);

  // After anything that a catalogue depends on: the configuration, a rule, a
  // session's policy, a provider's state. Publishes tools/changed {sessionId,
  // toolsHash, grade, added, removed, changed} for every session that saw
  // something else, and provider/changed {name, state, enabled, available,
  // reason?}. Views are made anew.
  void check();

 private:
  void check_tools();
  void check_providers();

  Daemon& daemon_;
  // Session id → what it was given last; closed sessions are dropped at the
  // next check.
  std::map<std::string, std::shared_ptr<const Catalogue>> seen_;
  // Provider → its status as told last.
  std::map<std::string, json::object> told_;
};

}  // namespace toolhost
