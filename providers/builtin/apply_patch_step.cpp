#include "providers/builtin/apply_patch_step.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "protocol/text.hpp"
#include "providers/support/file_metadata.hpp"
#include "providers/support/file_read.hpp"

namespace toolhost::builtin {
namespace {

std::string hidden_name() {
  std::array<unsigned char, 12> random;
  if (getrandom(random.data(), random.size(), 0) !=
      static_cast<ssize_t>(random.size())) {
    return {};
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string name = ".toolhost-";
  for (const unsigned char byte : random) {
    name += kHex[byte >> 4];
    name += kHex[byte & 15];
  }
  return name + ".old";
}

bool refuses_new_names(int number) {
  return number == EACCES || number == EPERM || number == EBUSY ||
         number == EXDEV;
}

}  // namespace

FileStep::FileStep(const Workspace& workspace, const FileCommit& file)
    : workspace_(workspace), file_(file), calls_(*file.expected.calls) {}

CallError FileStep::failed(std::string_view what, int number) const {
  CallError error =
      make_call_error(CallErrorKind::tool_failed,
                      display_text(file_.path.shown) +
                          " was not changed: " + std::string(what) +
                          " failed: " + std::strerror(number) + ".",
                      number == ENOSPC || number == EDQUOT
                          ? "Make room on the disk, then try again."
                          : "");
  error.details["errno"] = number;
  return error;
}

CallError FileStep::changed(std::string_view how) const {
  return make_call_error(
      CallErrorKind::path_blocked,
      display_text(file_.path.shown) + " " + std::string(how) + ".",
      "Read it again and repeat the change.");
}

std::optional<CallError> FileStep::look() {
  const WriteOptions& expected = file_.expected;
  exists_ = fstatat(directory_.get(), name_.c_str(), &before_,
                    AT_SYMLINK_NOFOLLOW) == 0;
  if (!exists_) {
    if (errno != ENOENT) return failed("looking at it", errno);
    if (!expected.create_only) return changed("vanished since it was approved");
    return std::nullopt;
  }
  if (expected.create_only) return changed("appeared since it was approved");
  const bool same = S_ISREG(before_.st_mode) &&
                    before_.st_ino == expected.inode &&
                    before_.st_dev == expected.device &&
                    revision_of(before_) == expected.revision;
  if (!same) return changed("changed since it was approved");
  // Taking its name needs no permission on the file itself; a person who made
  // it read-only means it all the same.
  if (file_.bytes &&
      faccessat(directory_.get(), name_.c_str(), W_OK, AT_EACCESS) != 0) {
    return failed("opening it for writing", errno);
  }
  return std::nullopt;
}

std::optional<CallError> FileStep::check_unchanged() const {
  struct stat now {};
  const bool there =
      fstatat(directory_.get(), name_.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && now.st_dev == before_.st_dev &&
      revision_of(now) == revision_of(before_)) {
    return std::nullopt;
  }
  return changed("changed while the patch was being applied");
}

void FileStep::write_in_place(std::string reason) {
  in_place_ = true;
  report_.in_place = true;
  report_.reason = std::move(reason);
  staged_.reset();
}

std::optional<CallError> FileStep::stage_new() {
  staged_.emplace(calls_, directory_.get());
  if (!staged_->create(0666))
    return failed("creating a file in its folder", errno);
  if (!staged_->fill(*file_.bytes)) return failed("writing", errno);
  if (!file_.like) return std::nullopt;
  const auto source = workspace_.open(*file_.like, O_RDONLY);
  struct stat status {};
  if (!source || fstat(source->get(), &status) != 0) return std::nullopt;
  const std::string lost =
      copy_metadata(source->get(), status, staged_->fd(), calls_);
  if (!lost.empty()) report_.warning = lost + " could not be kept";
  return std::nullopt;
}

std::optional<CallError> FileStep::stage_replacement() {
  if (before_.st_nlink > 1) {
    write_in_place("it has " + std::to_string(before_.st_nlink) +
                   " hard links");
    return std::nullopt;
  }
  const UniqueFd old(::openat(directory_.get(), name_.c_str(),
                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!old) {
    write_in_place("its attributes cannot be read");
    return std::nullopt;
  }
  staged_.emplace(calls_, directory_.get());
  if (!staged_->create(0600)) {
    if (!refuses_new_names(errno)) {
      return failed("creating a file beside it", errno);
    }
    write_in_place("its directory is read-only");
    return std::nullopt;
  }
  if (!staged_->fill(*file_.bytes)) return failed("writing", errno);
  const std::string lost =
      copy_metadata(old.get(), before_, staged_->fd(), calls_);
  if (!lost.empty()) write_in_place(lost + " could not be kept otherwise");
  return std::nullopt;
}

std::optional<CallError> FileStep::prepare() {
  auto directory =
      workspace_.open_parent(file_.path, file_.bytes.has_value(), name_);
  if (!directory) return directory.error();
  directory_ = std::move(*directory);
  if (auto no = look()) return no;
  if (!file_.bytes) return std::nullopt;
  return exists_ ? stage_replacement() : stage_new();
}

// A second name for what is there. False: there are no hard links here.
bool FileStep::keep_old() {
  kept_as_ = hidden_name();
  if (!kept_as_.empty() &&
      calls_.linkat(directory_.get(), name_.c_str(), directory_.get(),
                    kept_as_.c_str(), 0) == 0) {
    return true;
  }
  const bool no_links =
      errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK;
  kept_as_.clear();
  return no_links && file_.old_bytes.has_value();
}

std::optional<CallError> FileStep::overwrite_now() {
  const auto report =
      write_atomically(workspace_, file_.path, *file_.bytes, file_.expected);
  if (!report) return report.error();
  report_ = *report;
  published_ = true;
  return std::nullopt;
}

std::optional<CallError> FileStep::publish() {
  if (in_place_) return overwrite_now();
  if (!exists_) {
    if (!staged_->publish_new(name_)) {
      if (errno == EEXIST) return changed("appeared since it was approved");
      return failed("giving it its name", errno);
    }
    report_.created = true;
    published_ = true;
    return std::nullopt;
  }
  if (auto no = check_unchanged()) return no;
  if (!file_.bytes) {
    kept_as_ = hidden_name();
    if (kept_as_.empty() ||
        calls_.renameat(directory_.get(), name_.c_str(), directory_.get(),
                        kept_as_.c_str()) != 0) {
      const int number = errno;
      kept_as_.clear();
      return failed("removing it", number);
    }
    published_ = true;
    return std::nullopt;
  }
  if (!keep_old()) return failed("keeping the old content", errno);
  if (staged_->prepare_replace() && staged_->replace(name_)) {
    published_ = true;
    return std::nullopt;
  }
  const int number = errno;
  if (!kept_as_.empty()) {
    ::unlinkat(directory_.get(), kept_as_.c_str(), 0);
    kept_as_.clear();
  }
  if (!refuses_new_names(number)) {
    return failed("taking the name of the old file", number);
  }
  write_in_place("its directory does not let it be replaced");
  return std::nullopt;
}

std::string FileStep::undo() {
  const std::string shown = display_text(file_.path.shown);
  if (!exists_) {
    if (calls_.unlinkat(directory_.get(), name_.c_str(), 0) == 0) return {};
    return shown + " is still there: " + std::strerror(errno) + ".";
  }
  if (!kept_as_.empty()) {
    if (calls_.renameat(directory_.get(), kept_as_.c_str(), directory_.get(),
                        name_.c_str()) == 0) {
      kept_as_.clear();
      return {};
    }
    return shown + " is new, its old content is beside it as " + kept_as_ +
           ": " + std::strerror(errno) + ".";
  }
  if (!file_.old_bytes) return shown + " is new; its old content is lost.";
  const auto report =
      write_atomically(workspace_, file_.path, *file_.old_bytes, {});
  if (report) return {};
  return shown + " is new: " + report.error().message;
}

WriteReport FileStep::finish() {
  if (!kept_as_.empty()) {
    calls_.unlinkat(directory_.get(), kept_as_.c_str(), 0);
  }
  if (!in_place_) {
    // The held descriptor is O_PATH, which cannot be synced.
    const UniqueFd fd(
        ::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd && calls_.fsync(fd.get()) != 0 && errno != EINVAL) {
      report_.warning = "its directory could not be synced: " +
                        std::string(std::strerror(errno)) +
                        "; a power cut may bring the old state back";
    }
  }
  struct stat now {};
  if (file_.bytes && fstatat(directory_.get(), name_.c_str(), &now,
                             AT_SYMLINK_NOFOLLOW) == 0) {
    report_.status = now;
    report_.revision = revision_of(now);
  }
  return report_;
}

}  // namespace toolhost::builtin
