// JournalReader: look-ups on a connection of their own, which never wait for
// the writer.
//
// One reading thread only; opened at the first look-up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gates/journal.hpp"
#include "gates/journal_sqlite.hpp"

namespace toolhost {

class JournalReader {
 public:
  static constexpr int kMaxAuditRecords = 1000;  // of one answer

  explicit JournalReader(std::string file) : file_(std::move(file)) {}

  Result<std::optional<JournalCall>> find(const std::string& session_id,
                                          const std::string& key);
  Result<std::optional<JournalCall>> find_call(const std::string& call_id);
  Result<std::vector<AuditRecord>> read_audit(std::int64_t after_sequence,
                                              const std::string& call_id,
                                              const std::string& since_time,
                                              int limit);

 private:
  Result<void> open();
  // The one row of a bound statement, or none.
  Result<std::optional<JournalCall>> one_call(Statement& statement);
  Error failed(int status);

  const std::string file_;
  Connection connection_;
  Statement find_;
  Statement find_call_;
  Statement audit_;
  Statement audit_of_call_;
};

}  // namespace toolhost
