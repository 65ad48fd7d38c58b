// rules.jsonc: the remembered rules of scope workspace and always, on disk.
//
// {"version": 1, "rules": [{"id", "permission", "pattern", "action", "scope",
// "workspace", "text", "createdBy", "createdAt", "hits", "lastUsedAt"}]}.
// A person may write comments and leave out all but permission, pattern,
// action and scope. Whatever is not understood is an error, never skipped: an
// entry that a newer version narrows by a key of its own must not get wider.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gates/rules.hpp"

namespace toolhost {

// A missing file has the stamp of no file; so has one that cannot be seen.
FileStamp stamp_of(const std::string& file);

// A missing file is no rules. Refuses links, other people's files, files and
// folders that others may write, second names, and what does not parse.
Result<std::vector<Rule>> read_rules(const std::string& file, FileStamp& stamp);

// The whole file is replaced (temporary file, fsync, rename, fsync of the
// folder), mode 0600: it is wholly old or wholly new. Comments are lost.
Result<FileStamp> write_rules(const std::string& file,
                              const std::vector<const Rule*>& rules);

// Parses the text alone; `file` is for messages.
Result<std::vector<Rule>> parse_rules(std::string_view text,
                                      const std::string& file);

// For rules that nobody gave a sentence: "Allow bash: git *".
std::string rule_sentence(const Rule& rule);

// Why such a rule cannot be stored; empty if it can.
std::string rule_defect(const Rule& rule);

}  // namespace toolhost
