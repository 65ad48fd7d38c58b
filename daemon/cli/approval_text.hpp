// An approval as it is shown: what is asked, by whom, and what can be answered.
//
// Every text passes display_text, nothing is left out or cut, and what the
// digest covers is on the page: `approve` and `inbox` show these lines and send
// the digest that came with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/cli/console.hpp"
#include "protocol/clock.hpp"

namespace toolhost::cli {

struct ShownOption {
  std::string id;
  std::string kind;  // allow_once, allow_always, reject_once, reject_always
  std::string label;
  std::string scope;
  std::string rule;  // the sentence that will be remembered

  // A kind that we do not know is neither: it is no consent.
  bool allows() const { return kind.starts_with("allow_") && known(); }
  bool rejects() const { return kind.starts_with("reject_") && known(); }
  bool once() const { return kind.ends_with("_once"); }

 private:
  bool known() const;
};

struct ShownApproval {
  std::string id;
  std::string call_id;
  std::string state;
  std::string digest;  // approvalDigest
  std::int64_t revision = 0;
  bool complete = true;
  std::string title;
  std::string tool;
  std::string requester;  // the client's own name for itself
  std::string workspace;
  std::optional<WallTime> created;
  std::optional<WallTime> expires;
  std::vector<ShownOption> options;
  json::object raw;

  const ShownOption* option(const std::string& id) const;
  const ShownOption* allow_once() const;
};

ShownApproval read_approval(json::object raw);

// The page without its options; one entry per line, not yet wrapped.
std::vector<Line> subject_lines(const ShownApproval& approval);

// "[once] Allow once", with the sentence that a rule would remember. `key` is
// what stands in the brackets, by position in `options`; empty: the option's
// id.
std::vector<Line> option_lines(const ShownApproval& approval,
                               const std::vector<std::string>& keys = {});

// "Denied by vscode", "Expired", … of a resolved approval.
std::string describe_end(const json::object& approval);

}  // namespace toolhost::cli
