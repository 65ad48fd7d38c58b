#include "gates/rules_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "protocol/json_text.hpp"
#include "providers/support/private_file.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {
namespace {

constexpr std::string_view kHeader =
    "// Remembered permission rules. You may edit this file; the daemon\n"
    "// rewrites it when it remembers something, and comments are lost then.\n";
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;

std::string folder_of(const std::string& file) {
  const auto parent = std::filesystem::path(file).parent_path().string();
  return parent.empty() ? "." : parent;
}

Error refused(const std::string& file, const std::string& why,
              std::string hint) {
  return make_error(Code::config_invalid,
                    "the rules file " + file + " is not used: " + why,
                    std::move(hint));
}

FileStamp stamp_from(const struct stat& status) {
  FileStamp stamp;
  stamp.inode = status.st_ino;
  stamp.size = status.st_size;
  stamp.changed_ns = std::int64_t{status.st_ctim.tv_sec} * 1'000'000'000 +
                     status.st_ctim.tv_nsec;
  return stamp;
}

bool is_ours(uid_t owner) { return owner == geteuid() || owner == 0; }

// Who else could change the file decides whether its allows count.
Result<void> check_trust(const std::string& file, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    return refused(file, "it is not a regular file",
                   "Replace it by a regular file of your own.");
  }
  if (!is_ours(status.st_uid)) {
    return refused(file, "it belongs to user " + std::to_string(status.st_uid),
                   "Make it yours with chown, after a look inside.");
  }
  if ((status.st_mode & kOthersWrite) != 0) {
    return refused(file, "others may write it", "Run chmod 600 on it.");
  }
  if (status.st_nlink > 1) {
    return refused(file, "it has a second name (hard link)",
                   "Replace it by a copy of its own.");
  }
  struct stat folder {};
  const std::string path = folder_of(file);
  if (stat(path.c_str(), &folder) != 0) {
    return system_error("cannot look at the folder " + path, errno);
  }
  const bool shared =
      (folder.st_mode & kOthersWrite) != 0 && (folder.st_mode & S_ISVTX) == 0;
  if (shared || !is_ours(folder.st_uid)) {
    return refused(file, "others may replace it in " + path,
                   "Run chmod 700 on the folder.");
  }
  return {};
}

Result<std::string> read_all(int fd, const std::string& file) {
  std::string text;
  char block[16 * 1024];
  for (;;) {
    const ssize_t got = read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot read " + file, errno);
    if (got == 0) return text;
    text.append(block, static_cast<std::size_t>(got));
    if (text.size() > RuleStore::kMaxFileBytes) {
      return refused(file,
                     "it is larger than " +
                         std::to_string(RuleStore::kMaxFileBytes) + " bytes",
                     "Remove rules that are no longer needed.");
    }
  }
}

std::string file_text(const std::vector<const Rule*>& rules) {
  std::string text(kHeader);
  text += "{\n  \"version\": 1,\n  \"rules\": [";
  bool first = true;
  for (const Rule* rule : rules) {
    text += std::exchange(first, false) ? "\n    " : ",\n    ";
    append_json(text, to_json(*rule));
  }
  text += first ? "]\n}\n" : "\n  ]\n}\n";
  return text;
}

Result<void> make_folder(const std::string& folder) {
  std::error_code failure;
  const auto above = std::filesystem::path(folder).parent_path();
  if (!above.empty()) std::filesystem::create_directories(above, failure);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("cannot create the folder " + folder, errno);
  }
  return {};
}

}  // namespace

FileStamp stamp_of(const std::string& file) {
  struct stat status {};
  if (lstat(file.c_str(), &status) != 0) return {};
  return stamp_from(status);
}

Result<std::vector<Rule>> read_rules(const std::string& file,
                                     FileStamp& stamp) {
  stamp = {};
  // O_NONBLOCK: a FIFO in its place must not hang the start.
  const UniqueFd fd(
      open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) {
    if (errno == ENOENT) return std::vector<Rule>{};
    if (errno == ELOOP) {
      return refused(file, "it is a symbolic link",
                     "Put the file itself in that place.");
    }
    return system_error("cannot open the rules file " + file, errno);
  }
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) {
    return system_error("cannot look at " + file, errno);
  }
  stamp = stamp_from(status);
  if (auto trusted = check_trust(file, status); !trusted) {
    return trusted.error();
  }
  auto text = read_all(fd.get(), file);
  if (!text) return text.error();
  return parse_rules(*text, file);
}

Result<FileStamp> write_rules(const std::string& file,
                              const std::vector<const Rule*>& rules) {
  const std::string text = file_text(rules);
  if (text.size() > RuleStore::kMaxFileBytes) {
    return make_error(Code::quota_exceeded,
                      "the rules file " + file + " would grow over " +
                          std::to_string(RuleStore::kMaxFileBytes) + " bytes",
                      "Remove rules that are no longer needed.");
  }
  const std::string folder = folder_of(file);
  if (auto made = make_folder(folder); !made) return made.error();
  auto replaced = replace_private_file(file, text);
  if (!replaced) return replaced.error();
  return stamp_from(*replaced);
}

}  // namespace toolhost
