#include "providers/support/output_spool.hpp"

#include <algorithm>
#include <utility>

#include "protocol/text.hpp"

namespace toolhost {
namespace {

// A character is at most 4 bytes: at most 3 of them can be before the cut.
std::string_view without_cut_beginning(std::string_view text) {
  for (int i = 0; i < 3 && !text.empty(); ++i) {
    if ((static_cast<unsigned char>(text.front()) & 0xC0) != 0x80) break;
    text.remove_prefix(1);
  }
  return text;
}

}  // namespace

OutputSpool::OutputSpool(std::size_t head_bytes, std::size_t tail_bytes,
                         MakeArtifact make_artifact)
    : head_bytes_(head_bytes),
      tail_bytes_(tail_bytes),
      make_artifact_(std::move(make_artifact)) {}

void OutputSpool::append(std::string_view bytes) {
  const bool was_whole = !truncated();
  total_ += bytes.size();
  if (truncated()) {
    // Head and ring still hold everything before these bytes.
    if (was_whole) spill(head_ + ring_);
    spill(bytes);
  }
  const std::size_t to_head =
      std::min(bytes.size(), head_bytes_ - head_.size());
  head_ += bytes.substr(0, to_head);
  keep_tail(bytes.substr(to_head));
}

void OutputSpool::spill(std::string_view bytes) {
  if (auto make = std::exchange(make_artifact_, nullptr)) {
    Result<ArtifactWriter> made = make();
    if (made) {
      writer_.emplace(std::move(*made));
      artifact_ = writer_->id();
    } else {
      problem_ = made.error().message;
    }
  }
  if (!writer_) return;
  writer_->append(bytes);
  kept_ = writer_->bytes();
}

void OutputSpool::keep_tail(std::string_view bytes) {
  if (bytes.size() > tail_bytes_) {
    bytes.remove_prefix(bytes.size() - tail_bytes_);
  }
  const std::size_t room = std::min(bytes.size(), tail_bytes_ - ring_.size());
  ring_ += bytes.substr(0, room);
  bytes.remove_prefix(room);
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), ring_.size() - oldest_);
    ring_.replace(oldest_, piece, bytes.substr(0, piece));
    oldest_ = (oldest_ + piece) % ring_.size();
    bytes.remove_prefix(piece);
  }
}

std::string OutputSpool::tail() const {
  return ring_.substr(oldest_) + ring_.substr(0, oldest_);
}

std::string OutputSpool::marker(std::uint64_t omitted) const {
  std::string out = "[… " + std::to_string(omitted) + " bytes omitted; ";
  if (artifact_.empty()) {
    return out + "they were not kept: " + problem_ + " …]";
  }
  out += "read the rest with readOutput artifact " + artifact_;
  if (kept_ < total_) {
    out += ", which holds the first " + std::to_string(kept_) + " bytes";
  }
  return out + " …]";
}

std::string OutputSpool::text(std::size_t* lossy) const {
  if (!truncated()) return to_utf8(head_ + tail(), lossy);
  const std::string whole_tail = tail();
  const std::string_view begin = std::string_view(head_).substr(
      0, head_.size() - utf8_incomplete_tail(head_));
  const std::string_view end = without_cut_beginning(whole_tail);
  std::size_t in_begin = 0;
  std::size_t in_end = 0;
  std::string out = to_utf8(begin, &in_begin);
  if (!out.empty() && out.back() != '\n') out += '\n';
  out += marker(total_ - begin.size() - end.size()) + "\n";
  out += to_utf8(end, &in_end);
  if (lossy) *lossy = in_begin + in_end;
  return out;
}

}  // namespace toolhost
