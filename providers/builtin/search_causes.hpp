// SearchCauses: what ripgrep says on standard error, counted.
//
// Lines are errors of single files or folders ("d: Permission denied (os
// error 13)"), notes of what the filters left out (with --debug), or the
// reason why nothing was searched at all. Memory is bounded whatever comes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::builtin {

// Entries of one kind: how many, and the first few by name. A folder that was
// left out counts as one entry.
struct SearchCount {
  static constexpr std::size_t kExamples = 5;
  std::uint64_t count = 0;
  std::vector<std::string> examples;  // as they may be shown

  void add(std::string_view path);
};

class SearchCauses {
 public:
  static constexpr std::size_t kMaxLineBytes = 16 * 1024;
  static constexpr std::size_t kMaxText = 4 * 1024;
  static constexpr std::size_t kMaxKinds = 16;

  void feed(std::string_view bytes);
  // The last line may lack its end.
  void finish();

  // "Permission denied" → how often, and where.
  const std::map<std::string, SearchCount>& failures() const {
    return failures_;
  }
  const SearchCount& hidden() const { return hidden_; }
  const SearchCount& ignored() const { return ignored_; }
  // Pipes, sockets, devices and links.
  const SearchCount& special() const { return special_; }
  // Lines of --debug that say something was left out.
  std::uint64_t notes() const { return notes_; }
  // What is neither: the reason of a refusal, cut at kMaxText.
  const std::string& text() const { return text_; }

 private:
  void line(std::string_view text);
  void note(std::string_view text);
  bool failure(std::string_view text);

  std::string pending_;
  bool overlong_ = false;
  std::map<std::string, SearchCount> failures_;
  SearchCount hidden_;
  SearchCount ignored_;
  SearchCount special_;
  std::uint64_t notes_ = 0;
  std::string text_;
};

// Why ripgrep refused to search, worded for a model.
CallError explain_refusal(const std::string& text, const std::string& pattern);

}  // namespace toolhost::builtin
