// fault_point: a place where a test lets the daemon die.
//
// With TOOLHOST_FAULT=NAME the process ends there by SIGKILL, as in a power cut
// between two instructions. Only in builds with a sanitizer; nothing otherwise.
//
//   after:GATE           a gate of the pipeline has decided (names: pipeline)
//   approval:recorded    the question is on disk, nobody has seen it
//   approval:published   everybody may have seen it
//   approval:taken       an answer won, nothing is on disk
//   approval:decided     the answer is on disk, its rule not yet
//   approval:remembered  its rule, too; the call has not moved
//   run:recorded         the journal has `started`, the tool has not begun
//   run:ended            the tool ended, nobody knows
//   restore:published    questions of an earlier life are out again
#pragma once

#include <string_view>

namespace toolhost {

#ifdef TOOLHOST_SANITIZED
void fault_point(std::string_view kind, std::string_view name);
#else
inline void fault_point(std::string_view, std::string_view) {}
#endif

}  // namespace toolhost
