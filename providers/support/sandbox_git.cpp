#include "providers/support/sandbox_git.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "providers/support/sandbox_cover.hpp"
#include "providers/support/sandbox_names.hpp"

namespace toolhost {
namespace {

namespace fs = std::filesystem;
using std::string_view;

constexpr int kDepth = 3;
constexpr int kMaxFolders = 2000;
constexpr int kMaxRepositories = 24;
constexpr int kMaxSubmodules = 64;
constexpr std::size_t kMaxConfig = 256 * 1024;  // bytes
// Trees that a build fills and where nobody calls git.
constexpr std::array<string_view, 6> kSkipped{
    "node_modules", "target", "build", "dist", "vendor", ".cache"};

fs::file_type type_of(const std::string& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type();
}

std::string physical(const std::string& path) {
  std::error_code error;
  const fs::path out = fs::canonical(path, error);
  return error ? std::string() : out.string();
}

std::string start_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string out(kMaxConfig, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(
      static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
  return out;
}

string_view trimmed(string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string lower(string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

std::string joined(const std::string& folder, string_view name) {
  const std::string whole = name.starts_with('/')
                                ? std::string(name)
                                : folder + "/" + std::string(name);
  std::string out = fs::path(whole).lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

// Paths that the configuration runs or reads besides itself: hooksPath, and
// what it includes. Relative to `work_tree` and `git_folder` respectively.
std::vector<std::string> named_by_config(const std::string& git_folder,
                                         const std::string& work_tree) {
  std::vector<std::string> out;
  std::istringstream lines(start_of_file(git_folder + "/config"));
  std::string line;
  bool including = false;
  while (std::getline(lines, line)) {
    const string_view text = trimmed(line);
    if (text.starts_with('[')) {
      including = lower(text).starts_with("[include");
      continue;
    }
    const auto equals = text.find('=');
    if (equals == string_view::npos) continue;
    const std::string key = lower(trimmed(text.substr(0, equals)));
    string_view value = trimmed(text.substr(equals + 1));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    if (value.empty() || value.starts_with('~')) continue;
    if (key == "hookspath") out.push_back(joined(work_tree, value));
    if (key == "path" && including) out.push_back(joined(git_folder, value));
  }
  return out;
}

class Protector {
 public:
  explicit Protector(std::string root) : root_(std::move(root)) {}

  GitProtection take() {
    if (really_exists(root_ + "/.git")) {
      repository(root_);
    } else {
      add(root_ + "/.git", WhenMissing::folder);
    }
    search(root_, kDepth);
    return std::move(out_);
  }

 private:
  void add(const std::string& path, WhenMissing when_missing) {
    const bool there = really_exists(path);
    if (!there && when_missing == WhenMissing::nothing) return;
    out_.protected_paths.push_back(
        {path, there ? WhenMissing::nothing : when_missing});
    // Where the link leads, as well as the link.
    if (there && type_of(path) == fs::file_type::symlink) {
      const std::string target = physical(path);
      if (is_inside(target)) out_.protected_paths.push_back({target, {}});
    }
  }

  // The writable folder that `path` lies in; empty if none.
  std::string base_of(const std::string& path) const {
    if (path.starts_with(root_ + "/")) return root_;
    for (const std::string& base : out_.writable) {
      if (path.starts_with(base + "/")) return base;
    }
    return {};
  }
  bool is_inside(const std::string& path) const {
    return !base_of(path).empty();
  }

  void repository(const std::string& work_tree) {
    if (++repositories_ > kMaxRepositories) return;
    const std::string dot_git = work_tree + "/.git";
    switch (type_of(dot_git)) {
      case fs::file_type::directory:
        return git_folder(dot_git, work_tree);
      case fs::file_type::symlink: {
        add(dot_git, WhenMissing::nothing);
        const std::string target = physical(dot_git);
        if (is_inside(target)) git_folder(target, work_tree);
        return;
      }
      case fs::file_type::regular:
        add(dot_git, WhenMissing::nothing);
        return linked(dot_git, work_tree);
      default:
        return add(dot_git, WhenMissing::nothing);
    }
  }

  void git_folder(const std::string& folder, const std::string& work_tree) {
    for (const GitEntry& entry : git_entries()) {
      const WhenMissing made = entry.name == "commondir" ? WhenMissing::git_file
                                                         : WhenMissing::folder;
      add(joined(folder, entry.name),
          entry.kept_out ? made : WhenMissing::nothing);
    }
    named(folder, work_tree);
    submodules(folder + "/modules");
  }

  void named(const std::string& folder, const std::string& work_tree) {
    for (const std::string& path : named_by_config(folder, work_tree)) {
      if (is_inside(path)) add_missing(path);
    }
  }

  // The first part that does not exist.
  void add_missing(const std::string& path) {
    std::string made = base_of(path);
    for (const fs::path& part : fs::path(path.substr(made.size() + 1))) {
      made += "/" + part.string();
      if (!really_exists(made)) break;
    }
    add(made, WhenMissing::folder);
  }

  void submodules(const std::string& modules) {
    std::error_code error;
    int count = 0;
    for (fs::directory_iterator at(modules, error), end; !error && at != end;
         at.increment(error)) {
      const std::string path = at->path().string();
      if (++count > kMaxSubmodules) return add(modules, {});
      if (really_exists(path + "/HEAD")) {
        git_folder(path, path);
      } else if (at->is_directory(error)) {
        submodules(path);
      }
    }
  }

  // A file that says "gitdir: PATH": a worktree or a submodule.
  void linked(const std::string& dot_git, const std::string& work_tree) {
    const std::string text = start_of_file(dot_git);
    if (!text.starts_with("gitdir:")) return;
    const std::string folder =
        physical(joined(work_tree, trimmed(string_view(text).substr(7))));
    if (folder.empty()) return;
    if (is_inside(folder)) return git_folder(folder, work_tree);
    const std::string back(trimmed(start_of_file(folder + "/gitdir")));
    const std::string common(trimmed(start_of_file(folder + "/commondir")));
    if (back.empty() || common.empty()) return;
    // Anybody can write a file that names a folder; the folder has to name it.
    if (physical(joined(folder, back)) != physical(dot_git)) return;
    const std::string repository_folder = physical(joined(folder, common));
    if (!folder.starts_with(repository_folder + "/worktrees/")) return;
    out_.writable.push_back(repository_folder);
    worktree(repository_folder, folder);
  }

  void worktree(const std::string& common, const std::string& own) {
    for (const string_view name : {"hooks", "config", "config.worktree"}) {
      add(joined(common, name),
          name == "hooks" ? WhenMissing::folder : WhenMissing::nothing);
    }
    add(common + "/commondir", WhenMissing::git_file);
    for (const string_view name : {"gitdir", "commondir", "config.worktree"}) {
      add(joined(own, name), WhenMissing::nothing);
    }
    named(common, common);
    submodules(common + "/modules");
    std::error_code error;
    for (fs::directory_iterator at(common + "/worktrees", error), end;
         !error && at != end; at.increment(error)) {
      if (at->path() != own) add(at->path().string(), WhenMissing::nothing);
    }
  }

  void search(const std::string& folder, int depth) {
    if (depth == 0) return;
    std::error_code error;
    for (fs::directory_iterator
             at(folder, fs::directory_options::skip_permission_denied, error),
         end;
         !error && at != end && folders_ < kMaxFolders; at.increment(error)) {
      const std::string name = at->path().filename().string();
      std::error_code ignored;
      if (at->is_symlink(ignored) || !at->is_directory(ignored)) continue;
      if (name == ".git" ||
          std::find(kSkipped.begin(), kSkipped.end(), name) != kSkipped.end()) {
        continue;
      }
      ++folders_;
      const std::string path = at->path().string();
      if (really_exists(path + "/.git")) repository(path);
      search(path, depth - 1);
    }
  }

  std::string root_;
  GitProtection out_;
  int folders_ = 0;
  int repositories_ = 0;
};

}  // namespace

GitProtection protect_git(const std::string& root) {
  return Protector(root).take();
}

}  // namespace toolhost
