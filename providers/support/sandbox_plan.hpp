// From a profile to the bytes that toolhost-launch carries out
// (launch/plan.hpp).
#pragma once

#include <string>
#include <vector>

#include "providers/support/sandbox_profile.hpp"

namespace toolhost {

// Fails when the profile asks for what its layers cannot do, or is too long.
Result<std::string> sandbox_plan(const SandboxProfile& profile);

// What a record of a plan is about, by its number (launch::Message::record):
// the path, or nothing.
std::string path_of_record(const std::string& plan, int record);

// Landlock can only allow: everything readable except what lies in `hidden`,
// as the least list of paths. At most 4096, or an error.
Result<std::vector<std::string>> readable_around(
    const std::vector<std::string>& hidden);

}  // namespace toolhost
