#include "providers/support/artifacts.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <list>
#include <unordered_map>

#include "protocol/ids.hpp"
#include "providers/support/log.hpp"

namespace toolhost {
namespace {

constexpr std::string_view kPrefix = "art_";
// One window read back; a reader who wants more asks again.
constexpr std::size_t kMaxWindow = 4U << 20;

Error not_found(const std::string& id) {
  return make_error(Code::artifact_not_found,
                    "No kept output has the id " + id + ".",
                    "It may have made room for newer output; run the call "
                    "again.");
}

// Creates `folder` and what is missing above it, all 0700.
Result<void> create_folder(const std::string& folder) {
  for (std::size_t end = folder.find('/', 1);;
       end = folder.find('/', end + 1)) {
    const std::string part = folder.substr(0, end);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return system_error("Cannot create the folder " + part, errno);
    }
    if (end == std::string::npos) return {};
  }
}

Result<UniqueFd> open_folder(const std::string& folder) {
  UniqueFd fd(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const int number = errno;
  if (!fd) {
    return system_error("Cannot use " + folder + " for kept output", number);
  }
  struct stat facts = {};
  if (::fstat(fd.get(), &facts) != 0) {
    return system_error("Cannot look at " + folder, errno);
  }
  if (facts.st_uid != ::geteuid() || (facts.st_mode & 077) != 0) {
    return make_error(Code::internal,
                      "The folder " + folder +
                          " for kept output belongs to somebody else or is "
                          "open to others.",
                      "Remove it, or: chmod 700 " + folder);
  }
  return fd;
}

// Files of ours that an earlier run left. Other names are not touched.
void remove_leftovers(int folder) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* dir = copy < 0 ? nullptr : ::fdopendir(copy);
  if (!dir) {
    if (copy >= 0) ::close(copy);
    return;
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(dir)) {
    if (is_id(entry->d_name, kPrefix)) names.emplace_back(entry->d_name);
  }
  ::closedir(dir);
  for (const std::string& name : names) ::unlinkat(folder, name.c_str(), 0);
}

class FileArtifacts final : public Artifacts {
 public:
  FileArtifacts(UniqueFd folder, config::Artifacts limits)
      : folder_(std::move(folder)), limits_(limits) {}
  ~FileArtifacts() override {
    while (!entries_.empty()) erase(entries_.begin());
  }

  Result<ArtifactWriter> create(const std::string& session,
                                std::uint64_t limit) override;
  Result<ArtifactWindow> read(const std::string& id, std::uint64_t offset,
                              std::size_t max_bytes) const override;
  std::optional<std::string> owner(const std::string& id) const override;
  void remove_session(const std::string& session) override;

 private:
  struct Entry {
    std::string id;
    std::string session;
    std::uint64_t bytes = 0;
    bool finished = false;
  };
  using Place = std::list<Entry>::iterator;

  std::uint64_t reserve(const std::string& id, std::uint64_t bytes) override;
  void finished(const std::string& id, bool cut) override;

  void erase(Place place);
  // The oldest finished one goes. False when there is none.
  bool evict();
  const Entry* find(const std::string& id) const;

  UniqueFd folder_;
  config::Artifacts limits_;
  std::list<Entry> entries_;  // oldest first; at most limits_.max_count
  std::unordered_map<std::string, Place> index_;
  std::uint64_t bytes_ = 0;  // of all entries; at most limits_.max_bytes
};

void FileArtifacts::erase(Place place) {
  ::unlinkat(folder_.get(), place->id.c_str(), 0);
  bytes_ -= place->bytes;
  index_.erase(place->id);
  entries_.erase(place);
}

bool FileArtifacts::evict() {
  const auto oldest = std::find_if(entries_.begin(), entries_.end(),
                                   [](const Entry& it) { return it.finished; });
  if (oldest == entries_.end()) return false;
  erase(oldest);
  return true;
}

const FileArtifacts::Entry* FileArtifacts::find(const std::string& id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? nullptr : &*found->second;
}

Result<ArtifactWriter> FileArtifacts::create(const std::string& session,
                                             std::uint64_t limit) {
  while (entries_.size() >= static_cast<std::size_t>(limits_.max_count)) {
    if (evict()) continue;
    return make_error(
        Code::quota_exceeded,
        "Cannot keep more output: " + std::to_string(limits_.max_count) +
            " outputs are being written already.");
  }
  std::string id = random_id(kPrefix);
  UniqueFd fd(::openat(folder_.get(), id.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       0600));
  const int number = errno;
  if (!fd) return system_error("Cannot create a file for kept output", number);
  Entry entry;
  entry.id = id;
  entry.session = session;
  index_[id] = entries_.insert(entries_.end(), std::move(entry));
  return writer(std::move(id), std::move(fd), limit);
}

Result<ArtifactWindow> FileArtifacts::read(const std::string& id,
                                           std::uint64_t offset,
                                           std::size_t max_bytes) const {
  const Entry* entry = find(id);
  if (!entry) return not_found(id);
  ArtifactWindow out;
  out.total = entry->bytes;
  out.offset = offset;
  out.finished = entry->finished;
  if (offset > out.total) {
    return make_error(Code::invalid_params,
                      "The offset " + std::to_string(offset) +
                          " is behind the end (" + std::to_string(out.total) +
                          " bytes) of " + id + ".");
  }
  const UniqueFd fd(::openat(folder_.get(), id.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return not_found(id);
  // What is beyond `bytes` is half-written by an append that goes on.
  const std::uint64_t left = out.total - offset;
  out.bytes.resize(static_cast<std::size_t>(
      std::min<std::uint64_t>({left, max_bytes, kMaxWindow})));
  std::size_t done = 0;
  while (done < out.bytes.size()) {
    const ssize_t size =
        ::pread(fd.get(), out.bytes.data() + done, out.bytes.size() - done,
                static_cast<off_t>(offset + done));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return system_error("Cannot read " + id, errno);
    if (size == 0) break;
    done += static_cast<std::size_t>(size);
  }
  out.bytes.resize(done);
  out.next_offset = offset + done;
  out.end = out.finished && out.next_offset == out.total;
  return out;
}

std::optional<std::string> FileArtifacts::owner(const std::string& id) const {
  const Entry* entry = find(id);
  if (!entry) return std::nullopt;
  return entry->session;
}

void FileArtifacts::remove_session(const std::string& session) {
  for (auto it = entries_.begin(); it != entries_.end();) {
    const auto place = it++;
    if (place->session == session) erase(place);
  }
}

std::uint64_t FileArtifacts::reserve(const std::string& id,
                                     std::uint64_t bytes) {
  while (bytes_ + bytes > limits_.max_bytes && evict()) {
  }
  const auto found = index_.find(id);
  // Removed with its session while it was being written.
  if (found == index_.end()) return 0;
  const std::uint64_t granted =
      std::min(bytes, limits_.max_bytes - std::min(bytes_, limits_.max_bytes));
  found->second->bytes += granted;
  bytes_ += granted;
  return granted;
}

void FileArtifacts::finished(const std::string& id, bool cut) {
  const auto found = index_.find(id);
  if (found == index_.end()) return;
  found->second->finished = true;
  // After a failed write fewer bytes are there than were reserved.
  struct stat facts = {};
  if (cut &&
      ::fstatat(folder_.get(), id.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0) {
    const auto real = std::min(found->second->bytes,
                               static_cast<std::uint64_t>(facts.st_size));
    bytes_ -= found->second->bytes - real;
    found->second->bytes = real;
  }
}

}  // namespace

Result<std::unique_ptr<Artifacts>> Artifacts::open(std::string folder,
                                                   config::Artifacts limits) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (!folder.starts_with('/')) {
    return make_error(Code::internal,
                      "The folder for kept output has to be an "
                      "absolute path, not \"" +
                          folder + "\".");
  }
  if (const Result<void> made = create_folder(folder); !made) {
    return made.error();
  }
  Result<UniqueFd> fd = open_folder(folder);
  if (!fd) return fd.error();
  remove_leftovers(fd->get());
  return std::unique_ptr<Artifacts>(
      std::make_unique<FileArtifacts>(std::move(*fd), limits));
}

ArtifactWriter Artifacts::writer(std::string id, UniqueFd fd,
                                 std::uint64_t limit) {
  return ArtifactWriter(this, std::move(id), std::move(fd), limit);
}

ArtifactWriter::ArtifactWriter(Artifacts* store, std::string id, UniqueFd fd,
                               std::uint64_t limit)
    : store_(store), id_(std::move(id)), fd_(std::move(fd)), limit_(limit) {}

ArtifactWriter::ArtifactWriter(ArtifactWriter&& other) noexcept
    : store_(std::exchange(other.store_, nullptr)),
      id_(std::move(other.id_)),
      fd_(std::move(other.fd_)),
      limit_(other.limit_),
      written_(other.written_),
      cut_(other.cut_) {}

ArtifactWriter::~ArtifactWriter() {
  if (store_) store_->finished(id_, cut_);
}

void ArtifactWriter::append(std::string_view bytes) {
  if (cut_ || bytes.empty()) return;
  const std::uint64_t wanted =
      std::min<std::uint64_t>(bytes.size(), limit_ - written_);
  const std::uint64_t granted = store_->reserve(id_, wanted);
  std::string_view rest = bytes.substr(0, static_cast<std::size_t>(granted));
  while (!rest.empty()) {
    const ssize_t size = ::write(fd_.get(), rest.data(), rest.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      log_warn("kept output was cut id=" + id_ + " " +
               system_error("write", errno).message);
      cut_ = true;
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(size));
    written_ += static_cast<std::uint64_t>(size);
  }
  if (granted < bytes.size()) cut_ = true;
}

}  // namespace toolhost
