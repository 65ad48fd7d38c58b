// Files that decide what runs: changing them always asks, and is never
// remembered.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace toolhost {

// Why writing `physical` always asks: our own folders, git's hooks and config,
// agents' and editors' instruction and task files, shell start-up files, ssh.
// Names are compared without case, present or not: over-blocking is accepted.
std::optional<std::string> protected_path(
    const std::string& physical, const std::vector<std::string>& own_folders);

// Is it one of our own folders? Asks even under full access.
bool own_path(const std::string& physical,
              const std::vector<std::string>& own_folders);

}  // namespace toolhost
