// Outbox: what waits to be written to one connection. Bounded; no sockets.
//
// One queue for replies and events keeps their order. Four classes: a reply is
// never dropped; an event is never dropped alone (its subscription ends as a
// whole); of a call's progress only the latest waits; output is dropped above
// three quarters, and the reader sees the offset jump.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace toolhost {

enum class FrameClass { reply, event, progress, output };

// The end of a frame that many connections get alike: an event is kept once,
// however many subscribers wait for it.
using SharedBytes = std::shared_ptr<const std::string>;

class Outbox {
 public:
  Outbox(std::size_t max_frames, std::size_t max_bytes);

  enum class Push { queued, replaced, dropped, full };
  // `key` identifies what a progress frame is about (a call id). `full` is
  // only answered to an event: the caller ends the subscription. An empty
  // outbox takes a frame of any size. `rest` follows `bytes`.
  Push push(FrameClass frame_class, std::string bytes,
            std::string_view key = {}, SharedBytes rest = nullptr);

  bool empty() const { return frames_.empty(); }
  std::size_t frames() const { return frames_.size(); }
  std::size_t bytes() const { return bytes_; }

  // Above three quarters of either limit; false again below three eighths.
  bool slow() const { return slow_; }

  // Up to `most` buffers from the front, for one gathered write.
  std::vector<std::string_view> front(std::size_t most) const;
  // `written` bytes of the front have left.
  void consume(std::size_t written);

 private:
  struct Frame {
    FrameClass frame_class;
    std::string bytes;
    std::string key;
    SharedBytes rest;
    std::size_t size() const {
      return bytes.size() + (rest ? rest->size() : 0);
    }
  };
  bool replace(Frame& newer);
  void update_slow();

  std::size_t max_frames_;
  std::size_t max_bytes_;
  std::deque<Frame> frames_;
  std::size_t bytes_ = 0;
  std::size_t sent_ = 0;  // of the first frame
  bool slow_ = false;
};

}  // namespace toolhost
