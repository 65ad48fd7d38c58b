#include "providers/support/atomic_write.hpp"

#include <cerrno>
#include <cstring>

#include "protocol/text.hpp"
#include "providers/support/file_metadata.hpp"
#include "providers/support/file_read.hpp"
#include "providers/support/write_steps.hpp"

namespace toolhost {
namespace {

// One write: the directory stays open from the first look to the last sync.
class FileWrite {
 public:
  FileWrite(const ResolvedPath& path, UniqueFd directory, std::string name,
            std::string_view bytes, const WriteOptions& options)
      : path_(path),
        directory_(std::move(directory)),
        name_(std::move(name)),
        bytes_(bytes),
        options_(options),
        calls_(*options.calls) {}

  Outcome<WriteReport> run();

 private:
  std::optional<CallError> look();
  std::optional<CallError> check_unchanged() const;
  Outcome<WriteReport> create();
  Outcome<WriteReport> replace();
  Outcome<WriteReport> in_place(std::string reason);
  Outcome<WriteReport> report(int fd, bool synced);

  CallError failed(std::string_view what, int number) const;
  CallError changed(std::string_view how) const;

  const ResolvedPath& path_;
  UniqueFd directory_;
  std::string name_;
  std::string_view bytes_;
  const WriteOptions& options_;
  const SystemCalls& calls_;
  bool exists_ = false;
  struct stat before_ {};
  WriteReport report_;
};

CallError FileWrite::failed(std::string_view what, int number) const {
  CallError error = make_call_error(
      CallErrorKind::tool_failed,
      display_text(path_.shown) + " was not changed: " + std::string(what) +
          " failed: " + std::strerror(number) + ".",
      number == ENOSPC || number == EDQUOT
          ? "Make room on the disk, then try again."
          : "");
  error.details["errno"] = number;
  return error;
}

CallError FileWrite::changed(std::string_view how) const {
  return make_call_error(CallErrorKind::path_blocked,
                         display_text(path_.shown) + " " + std::string(how) +
                             "; nothing was written.",
                         "Read it again and repeat the change.");
}

// What is there now, and is it what was expected?
std::optional<CallError> FileWrite::look() {
  exists_ = fstatat(directory_.get(), name_.c_str(), &before_,
                    AT_SYMLINK_NOFOLLOW) == 0;
  if (!exists_) {
    if (errno != ENOENT) return failed("looking at it", errno);
    if (options_.inode != 0) return changed("vanished since it was approved");
    return std::nullopt;
  }
  if (S_ISLNK(before_.st_mode)) return changed("became a link meanwhile");
  if (!S_ISREG(before_.st_mode)) {
    return make_call_error(CallErrorKind::tool_failed,
                           display_text(path_.shown) + " is " +
                               std::string(file_type_name(before_.st_mode)) +
                               ", not a regular file; nothing was written.");
  }
  if (options_.create_only) return changed("appeared since it was approved");
  const bool same_file =
      options_.inode == 0 ||
      (before_.st_ino == options_.inode && before_.st_dev == options_.device);
  if (!same_file) return changed("changed since it was approved");
  if (!options_.revision.empty() && revision_of(before_) != options_.revision) {
    return changed("changed since it was approved");
  }
  // Replacing needs no permission on the file itself; a person who made it
  // read-only means it all the same.
  if (faccessat(directory_.get(), name_.c_str(), W_OK, AT_EACCESS) != 0) {
    return failed("opening it for writing", errno);
  }
  return std::nullopt;
}

std::optional<CallError> FileWrite::check_unchanged() const {
  struct stat now {};
  if (fstatat(directory_.get(), name_.c_str(), &now, AT_SYMLINK_NOFOLLOW) !=
      0) {
    return changed("vanished while it was being written");
  }
  if (now.st_dev == before_.st_dev &&
      revision_of(now) == revision_of(before_)) {
    return std::nullopt;
  }
  return changed("changed while it was being written");
}

Outcome<WriteReport> FileWrite::report(int fd, bool synced) {
  if (!synced) {
    report_.warning = std::string("its directory could not be synced: ") +
                      std::strerror(errno) +
                      "; a power cut may bring the old state back";
  }
  if (fstat(fd, &report_.status) == 0) {
    report_.revision = revision_of(report_.status);
  }
  return report_;
}

bool sync_directory(const SystemCalls& calls, int directory) {
  // The held descriptor is O_PATH, which cannot be synced.
  const UniqueFd fd(
      ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return errno == EACCES;  // write and search are enough to get here
  return calls.fsync(fd.get()) == 0 || errno == EINVAL;
}

Outcome<WriteReport> FileWrite::create() {
  TemporaryFile file(calls_, directory_.get());
  if (!file.create(0666)) return failed("creating a file beside it", errno);
  if (!file.fill(bytes_)) return failed("writing", errno);
  if (!file.publish_new(name_)) {
    if (errno == EEXIST) return changed("appeared since it was approved");
    return failed("giving it its name", errno);
  }
  report_.created = true;
  return report(file.fd(), sync_directory(calls_, directory_.get()));
}

bool refuses_new_names(int number) {
  return number == EACCES || number == EPERM || number == EBUSY ||
         number == EXDEV;
}

Outcome<WriteReport> FileWrite::replace() {
  const UniqueFd old(::openat(directory_.get(), name_.c_str(),
                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!old) return in_place("its attributes cannot be read");
  TemporaryFile file(calls_, directory_.get());
  if (!file.create(0600)) {
    if (refuses_new_names(errno)) return in_place("its directory is read-only");
    return failed("creating a file beside it", errno);
  }
  if (!file.fill(bytes_)) return failed("writing", errno);
  const std::string lost = copy_metadata(old.get(), before_, file.fd(), calls_);
  if (!lost.empty()) return in_place(lost + " could not be kept otherwise");
  if (!file.prepare_replace()) {
    if (refuses_new_names(errno)) return in_place("its directory is read-only");
    return failed("naming the new file", errno);
  }
  if (auto no = check_unchanged()) return *no;
  if (!file.replace(name_)) {
    if (refuses_new_names(errno)) {
      return in_place(errno == EBUSY ? "it is a mount point"
                                     : "its directory does not let it be "
                                       "replaced");
    }
    return failed("taking the name of the old file", errno);
  }
  return report(file.fd(), sync_directory(calls_, directory_.get()));
}

Outcome<WriteReport> FileWrite::in_place(std::string reason) {
  report_.in_place = true;
  report_.reason = std::move(reason);
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  UniqueFd fd(
      calls_.openat(directory_.get(), name_.c_str(), O_RDWR | kFlags, 0));
  if (!fd && errno == EACCES) {
    fd.reset(
        calls_.openat(directory_.get(), name_.c_str(), O_WRONLY | kFlags, 0));
  }
  if (!fd) return failed("opening it for writing", errno);
  struct stat now {};
  if (fstat(fd.get(), &now) != 0) return failed("looking at it", errno);
  if (now.st_dev != before_.st_dev ||
      revision_of(now) != revision_of(before_)) {
    return changed("changed while it was being written");
  }
  if (auto why = overwrite(calls_, fd.get(), bytes_)) {
    return make_call_error(
        CallErrorKind::tool_failed,
        display_text(path_.shown) + " could not be written: " + *why + ".");
  }
  return report(fd.get(), true);
}

Outcome<WriteReport> FileWrite::run() {
  if (auto no = look()) return *no;
  if (!exists_) return create();
  if (before_.st_nlink > 1) {
    return in_place("it has " + std::to_string(before_.st_nlink) +
                    " hard links");
  }
  return replace();
}

}  // namespace

Outcome<WriteReport> write_atomically(const Workspace& workspace,
                                      const ResolvedPath& path,
                                      std::string_view bytes,
                                      const WriteOptions& options) {
  std::string name;
  auto directory = workspace.open_parent(path, true, name);
  if (!directory) return directory.error();
  FileWrite job(path, std::move(*directory), std::move(name), bytes, options);
  return job.run();
}

}  // namespace toolhost
