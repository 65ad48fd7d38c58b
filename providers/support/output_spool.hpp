// OutputSpool: any amount of output in a fixed amount of memory.
//
// Keeps the beginning, a ring of the end, and counts. Once something would be
// lost, all of it goes to an artifact, which is made only then. Bytes stay raw
// until text() is built; cuts never split a character.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "providers/support/artifacts.hpp"

namespace toolhost {

class OutputSpool {
 public:
  // Called at most once. An error is told in the text instead of the output.
  using MakeArtifact = std::function<Result<ArtifactWriter>()>;

  OutputSpool(std::size_t head_bytes, std::size_t tail_bytes,
              MakeArtifact make_artifact);

  void append(std::string_view bytes);
  // The artifact is complete; append() must not be called any more.
  void finish() { writer_.reset(); }

  std::uint64_t total() const { return total_; }
  // text() is not everything.
  bool truncated() const { return total_ > head_bytes_ + tail_bytes_; }
  // Id of the artifact; empty while there is none.
  const std::string& artifact() const { return artifact_; }

  // The beginning, a line about what is missing, the end; valid UTF-8.
  // `lossy` counts the bytes that had to be replaced by U+FFFD.
  std::string text(std::size_t* lossy = nullptr) const;

 private:
  void spill(std::string_view bytes);
  void keep_tail(std::string_view bytes);
  std::string tail() const;
  std::string marker(std::uint64_t omitted) const;

  std::size_t head_bytes_;
  std::size_t tail_bytes_;
  MakeArtifact make_artifact_;
  std::string head_;
  std::string ring_;        // at most tail_bytes_
  std::size_t oldest_ = 0;  // where the ring begins, once it is full
  std::uint64_t total_ = 0;
  std::optional<ArtifactWriter> writer_;
  std::string artifact_;
  std::uint64_t kept_ = 0;  // bytes in the artifact
  std::string problem_;     // why there is no artifact
};

}  // namespace toolhost
