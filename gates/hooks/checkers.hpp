// Checkers: which programs look at a file of which language, and how what they
// print becomes a few lines for a model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace toolhost {

struct Checker {
  // Names of the program, the first that is in PATH is used.
  std::vector<std::string_view> programs;
  // Before the file's absolute path, which comes last unless an argument
  // holds "{}".
  std::vector<std::string_view> arguments;
  // File name extensions, with the dot.
  std::vector<std::string_view> extensions;
  // Only with builtinHooks.diagnostics `full`: it may take seconds.
  bool slow = false;
  // Has to be in the file's folder or one above it; empty: nothing has to.
  std::vector<std::string_view> needs;
  // Makes lines for a model out of both streams; empty: nothing to say.
  std::string (*digest)(std::string_view printed);
};

// None of them runs code of the file or its folder, or changes a file.
std::span<const Checker> checkers();

// "lines 3, 7 and 9 are not formatted …" out of clang-format's warnings.
std::string digest_of_clang_format(std::string_view printed);
// The lines "… Line 3: message" of clangd.
std::string digest_of_clangd(std::string_view printed);
// Every line but stack frames and rulers, at most twenty.
std::string digest_of_lines(std::string_view printed);

}  // namespace toolhost
