// JournalOverlay: calls that were handed over and are not settled yet.
//
// The writer is a moment behind (longer while the disk is full); a look-up
// must still know what the loop knows, or a repeated call would run again.
// Bounded by the writer's queue: what does not fit there is not noted here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "gates/journal_records.hpp"

namespace toolhost {

class JournalOverlay {
 public:
  void begun(const JournalCall& call, std::uint64_t ticket);
  // The call was refused: it never began.
  void refused(const JournalCall& call, std::uint64_t ticket);
  void ended(std::shared_ptr<const JournalCompletion> end,
             std::uint64_t ticket);
  // Everything up to the ticket can be read from the database.
  void settle(std::uint64_t ticket);
  std::uint64_t settled() const { return settled_; }

  std::optional<JournalCall> find(const std::string& session_id,
                                  const std::string& key) const;
  // Puts the end of the call in, if it is noted here.
  void complete(JournalCall& call) const;

 private:
  struct Begun {
    JournalCall call;
    std::uint64_t ticket = 0;
  };
  struct Ended {
    std::shared_ptr<const JournalCompletion> end;
    std::uint64_t ticket = 0;
  };
  std::map<std::pair<std::string, std::string>, Begun> begun_;
  std::unordered_map<std::string, Ended> ended_;
  std::uint64_t settled_ = 0;
};

}  // namespace toolhost
