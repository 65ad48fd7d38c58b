// The tables of what a sandbox keeps from a command, by name.
//
// protected_names() is also what the gates always ask about.
#pragma once

#include <span>
#include <string_view>

namespace toolhost {

// Lower case; names are compared without case.
enum class ProtectedKind {
  folder,       // a whole component: it and everything below, anywhere
  file,         // the last component, anywhere
  editor_file,  // the last component in a folder .vscode
};

// What the sandbox does about it, beside the question of the gates.
enum class SandboxTreatment {
  // Written by hand often, also by `git checkout`: asked about, not mounted.
  ask_only,
  // Read-only at the top of a root if it is there.
  read_only,
  // Also kept from coming into being: something may run it at once.
  kept_out,
};

struct ProtectedName {
  std::string_view name;
  ProtectedKind kind;
  SandboxTreatment treatment;
};
std::span<const ProtectedName> protected_names();

// Entries of a git folder: read-only in the sandbox.
struct GitEntry {
  std::string_view name;
  bool kept_out;
};
std::span<const GitEntry> git_entries();

// Beneath the home folder: keys, tokens, histories, browsers.
std::span<const std::string_view> secrets_of_home();
// Absolute: system secrets, and folders of sockets that lead out.
std::span<const std::string_view> secrets_of_system();
// Read-only exceptions of the latter when the network is the host's.
std::span<const std::string_view> needed_by_network();

}  // namespace toolhost
