#include "daemon/outbox.hpp"

#include <algorithm>
#include <utility>

namespace toolhost {
namespace {

// The water marks, in eighths of a limit: slow from six, no longer below
// three. The gap keeps a reader at the mark from flapping.
constexpr std::size_t kHighEighths = 6;
constexpr std::size_t kLowEighths = 3;

}  // namespace

Outbox::Outbox(std::size_t max_frames, std::size_t max_bytes)
    : max_frames_(max_frames), max_bytes_(max_bytes) {}

Outbox::Push Outbox::push(FrameClass frame_class, std::string bytes,
                          std::string_view key, SharedBytes rest) {
  Frame frame{frame_class, std::move(bytes), std::string(key), std::move(rest)};
  const bool droppable =
      frame_class == FrameClass::progress || frame_class == FrameClass::output;
  if (frame_class == FrameClass::progress && replace(frame)) {
    update_slow();
    return Push::replaced;
  }
  if (frame_class == FrameClass::output && slow_) return Push::dropped;
  // A frame alone always fits, however large: nobody waits before it.
  const bool over = !frames_.empty() && (frames_.size() + 1 > max_frames_ ||
                                         bytes_ + frame.size() > max_bytes_);
  if (over && droppable) return Push::dropped;
  if (over && frame_class == FrameClass::event) return Push::full;
  bytes_ += frame.size();
  frames_.push_back(std::move(frame));
  update_slow();
  return Push::queued;
}

// Puts the newer progress where the older one waits. The first frame may have
// left in part, so it stays as it is.
bool Outbox::replace(Frame& newer) {
  for (std::size_t i = frames_.size(); i > 0; --i) {
    Frame& frame = frames_[i - 1];
    if (frame.frame_class != FrameClass::progress || frame.key != newer.key) {
      continue;
    }
    if (i == 1 && sent_ > 0) return false;
    bytes_ = bytes_ - frame.size() + newer.size();
    frame = std::move(newer);
    return true;
  }
  return false;
}

std::vector<std::string_view> Outbox::front(std::size_t most) const {
  std::vector<std::string_view> out;
  out.reserve(std::min(most, 2 * frames_.size()));
  std::size_t skip = sent_;
  const auto add = [&](std::string_view bytes) {
    const std::size_t gone = std::min(skip, bytes.size());
    skip -= gone;
    bytes.remove_prefix(gone);
    if (!bytes.empty() && out.size() < most) out.push_back(bytes);
  };
  for (const Frame& frame : frames_) {
    if (out.size() == most) break;
    add(frame.bytes);
    if (frame.rest) add(*frame.rest);
  }
  return out;
}

void Outbox::consume(std::size_t written) {
  bytes_ -= written;
  sent_ += written;
  while (!frames_.empty() && sent_ >= frames_.front().size()) {
    sent_ -= frames_.front().size();
    frames_.pop_front();
  }
  update_slow();
}

void Outbox::update_slow() {
  const std::size_t eighths = slow_ ? kLowEighths : kHighEighths;
  slow_ = frames_.size() * 8 > max_frames_ * eighths ||
          bytes_ * 8 > max_bytes_ * eighths;
}

}  // namespace toolhost
