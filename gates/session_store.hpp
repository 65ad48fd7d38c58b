// SessionStore: sessions that were opened by name survive a restart.
//
// sessions.json in the state folder, mode 0600 (it holds tokens). Implicit
// sessions are not kept: they end with their connection. What cannot be read
// or understood is no session: an agent then has to be given a new one.
#pragma once

#include <string>

#include "gates/session.hpp"

namespace toolhost {

class SessionStore {
 public:
  // A session takes about 500 bytes; limits.sessions is 4096.
  static constexpr std::size_t kMaxBytes = 16U << 20;

  explicit SessionStore(std::string file) : file_(std::move(file)) {}

  // Puts the kept sessions back. The error says why there are none.
  Result<void> load(Sessions& sessions);
  Result<void> save(const Sessions& sessions) const;

 private:
  std::string file_;
};

}  // namespace toolhost
