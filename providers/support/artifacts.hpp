// Artifacts: kept output, read back in windows by readOutput.
//
// Files of mode 0600 in a private folder (0700), unpredictable names, O_EXCL.
// Bounded by count and bytes (config artifacts.*); the oldest finished ones
// make room. An artifact belongs to the session that made it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "protocol/error.hpp"
#include "providers/support/unique_fd.hpp"

namespace toolhost {

class Artifacts;

// One artifact being written. Appends never fail: at the limit or on a full
// disk writing stops, `cut()` is true, and the reader is told.
class ArtifactWriter {
 public:
  ArtifactWriter(ArtifactWriter&&) noexcept;
  ~ArtifactWriter();  // finishes
  const std::string& id() const { return id_; }
  void append(std::string_view bytes);
  std::uint64_t bytes() const { return written_; }
  bool cut() const { return cut_; }

 private:
  friend class Artifacts;
  ArtifactWriter(Artifacts* store, std::string id, UniqueFd fd,
                 std::uint64_t limit);
  Artifacts* store_;
  std::string id_;
  UniqueFd fd_;
  std::uint64_t limit_;
  std::uint64_t written_ = 0;
  bool cut_ = false;
};

struct ArtifactWindow {
  std::string bytes;
  std::uint64_t offset = 0;
  std::uint64_t next_offset = 0;
  std::uint64_t total = 0;  // so far, while it is being written
  bool finished = false;    // nothing more will come
  bool end = false;         // next_offset is the end of a finished artifact
};

class Artifacts {
 public:
  // Creates or checks `folder` (ours, 0700, no link); old artifacts of earlier
  // runs are removed.
  static Result<std::unique_ptr<Artifacts>> open(std::string folder,
                                                 config::Artifacts limits);
  virtual ~Artifacts() = default;

  // `limit`: bytes kept at most.
  virtual Result<ArtifactWriter> create(const std::string& session,
                                        std::uint64_t limit) = 0;
  // artifactNotFound when there is none of this id.
  virtual Result<ArtifactWindow> read(const std::string& id,
                                      std::uint64_t offset,
                                      std::size_t max_bytes) const = 0;
  // The session that owns it; nullopt when there is none.
  virtual std::optional<std::string> owner(const std::string& id) const = 0;
  virtual void remove_session(const std::string& session) = 0;

 protected:
  ArtifactWriter writer(std::string id, UniqueFd fd, std::uint64_t limit);

 private:
  friend class ArtifactWriter;
  // Makes room for `bytes` more and returns how many of them may be written.
  virtual std::uint64_t reserve(const std::string& id, std::uint64_t bytes) = 0;
  virtual void finished(const std::string& id, bool cut) = 0;
};

}  // namespace toolhost
