// GlobFilter: which files a search may show, by their path below its root.
//
// The rule that a glob never makes an ignored file appear is why ripgrep's own
// --glob is not used for inclusion: there, a match overrides .gitignore and
// the hidden filter. Here globs only narrow: ripgrep is told the base names
// as a file type (which respects ignore rules), and paths are judged by us.
//
// A pattern without "/" matches base names in every folder; with one, it is
// anchored at the root. `**` spans folders. A name that begins with a dot is
// matched only by a pattern that writes the dot, unless hidden files are
// included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/error.hpp"

namespace toolhost::builtin {

class GlobFilter {
 public:
  static constexpr std::size_t kMaxGlobs = 32;

  // Everything; hidden names only if `include_hidden`.
  explicit GlobFilter(bool include_hidden = false)
      : include_hidden_(include_hidden) {}
  // `root` (physical) is cut from globs that were written as absolute paths.
  // A glob that begins with "!" excludes.
  static Outcome<GlobFilter> parse(const std::vector<std::string>& globs,
                                   bool include_hidden, std::string_view root);

  bool matches(std::string_view path) const;

  // Files have to match a pattern (what only excludes is left to ripgrep).
  bool narrows() const { return !patterns_.empty(); }
  // A pattern names something hidden, so the walk has to go there.
  bool names_hidden() const;
  // Globs of base names that cover every pattern; empty: no narrowing.
  std::vector<std::string> base_names() const;
  // Without their "!".
  const std::vector<std::string>& excludes() const { return excludes_; }
  // The folder in which every match has to be ("src/gui"), when the pattern
  // is a single one that begins so; empty: the root.
  std::string folder() const;
  // The path that the single pattern names exactly; empty: it is a pattern.
  std::string exact_path() const;

 private:
  using Components = std::vector<std::string>;

  Outcome<bool> add(const std::string& glob, std::string_view root);
  bool matches(const Components& pattern,
               const std::vector<std::string_view>& path) const;
  bool may_match(std::string_view pattern, std::string_view name) const;

  bool include_hidden_;
  std::vector<Components> patterns_;
  std::vector<std::string> excludes_;
};

}  // namespace toolhost::builtin
