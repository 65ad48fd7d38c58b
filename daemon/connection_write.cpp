// From frames to bytes: staging, one write for many frames, and what happens
// when the socket is full.

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"

namespace toolhost {
namespace {

// Copying a frame of this size is cheaper than a buffer of its own.
constexpr std::size_t kStagedFrame = 16U << 10;
// One write takes about what a socket buffer holds.
constexpr std::size_t kStagedBytes = 64U << 10;
constexpr std::size_t kBuffersPerWrite = 64;

}  // namespace

bool Connection::may_stage(std::size_t bytes) const {
  return !writing_ && outbox_.empty() && bytes <= kStagedFrame &&
         reader_.framing() != Framing::headers;
}

// Something was appended to staged_.
void Connection::staged() {
  if (corks_ == 0 || staged_.size() >= kStagedBytes) flush();
}

void Connection::answer(std::string_view id, std::string_view result) {
  if (!open_) return;
  if (!may_stage(result.size())) {
    send(FrameClass::reply, reply_text(id, result));
    return;
  }
  staged_ += R"({"jsonrpc":"2.0","id":)";
  staged_ += id;
  staged_ += R"(,"result":)";
  staged_ += result;
  staged_ += "}\n";
  staged();
}

void Connection::fail(std::string_view id, const Error& error) {
  send(FrameClass::reply, error_text(id, error));
}

bool Connection::send(FrameClass frame_class, std::string frame,
                      std::string_view key) {
  if (!open_) return true;
  if (closing_ && frame_class != FrameClass::reply) return true;
  if (may_stage(frame.size())) {
    staged_ += frame;
    staged_ += '\n';
    staged();
    return true;
  }
  // Large frames are moved, not copied, in the usual framing.
  if (reader_.framing() == Framing::headers) {
    frame = frame_bytes(Framing::headers, frame);
  } else {
    frame += '\n';
  }
  return queue(frame_class, std::move(frame), key, nullptr);
}

bool Connection::send_shared(FrameClass frame_class, std::string head,
                             SharedBytes rest, std::string_view key) {
  if (!open_ || closing_) return true;
  const std::size_t size = head.size() + rest->size();
  if (may_stage(size)) {
    staged_ += head;
    staged_ += *rest;
    staged();
    return true;
  }
  head.insert(0, frame_header(reader_.framing(), size));
  return queue(frame_class, std::move(head), key, std::move(rest));
}

bool Connection::queue(FrameClass frame_class, std::string bytes,
                       std::string_view key, SharedBytes rest) {
  const Outbox::Push pushed =
      outbox_.push(frame_class, std::move(bytes), key, std::move(rest));
  if (corks_ == 0) flush();
  // Replies always fit; who does not fetch two maximal frames is cut off.
  const std::size_t limit = 2 * daemon_.config->limits.frame_bytes;
  if (outbox_.bytes() > limit) {
    abort("more than " + std::to_string(limit) + " bytes were not fetched");
  }
  return pushed == Outbox::Push::queued || pushed == Outbox::Push::replaced;
}

// One attempt at once; only what does not fit waits for the socket.
void Connection::flush() {
  if (writing_ || !open_ || !unsent()) return;
  if (!write_some() || !unsent()) return;
  writing_ = true;
  watch_progress();
  update_interest();
}

// Writes until everything is out or the socket is full. False: the peer is
// gone.
bool Connection::write_some() {
  while (unsent()) {
    ssize_t sent = 0;
    if (outbox_.empty()) {
      sent = ::send(socket_.get(), staged_.data() + staged_sent_,
                    staged_.size() - staged_sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    } else {
      std::array<iovec, kBuffersPerWrite> parts;
      std::size_t count = 0;
      const auto add = [&](std::string_view bytes) {
        parts[count].iov_base = const_cast<char*>(bytes.data());
        parts[count++].iov_len = bytes.size();
      };
      if (!staged_.empty()) {
        add(std::string_view(staged_).substr(staged_sent_));
      }
      for (const auto bytes : outbox_.front(kBuffersPerWrite - count)) {
        add(bytes);
      }
      msghdr message{};
      message.msg_iov = parts.data();
      message.msg_iovlen = count;
      sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    if (sent >= 0) {
      consumed(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return true;
    } else if (errno != EINTR) {
      abort({});
      return false;
    }
  }
  return true;
}

void Connection::consumed(std::size_t written) {
  bytes_taken_ += written;
  const std::size_t of_staged =
      std::min(written, staged_.size() - staged_sent_);
  staged_sent_ += of_staged;
  if (staged_sent_ == staged_.size()) {
    staged_.clear();
    staged_sent_ = 0;
    if (staged_.capacity() > 2 * kStagedBytes) staged_.shrink_to_fit();
  }
  if (written > of_staged) outbox_.consume(written - of_staged);
}

// The socket takes more. What waited for room goes on: replays, and requests
// that were not read.
void Connection::continue_writing() {
  if (!write_some()) return;
  if (!unsent()) {
    writing_ = false;
    stall_.cancel();
  }
  if (!outbox_.slow()) {
    daemon_.events.drained(*this);
    resume_reading();
  }
  update_interest();
  wake();
}

// While bytes wait, some have to leave in every period. A daemon that was
// itself stopped finds the timer expired and the socket writable: it tries
// before it judges.
void Connection::watch_progress() {
  const std::chrono::milliseconds limit = daemon_.server.stall_limit;
  stall_.expires_after(limit);
  stall_.async_wait([weak = weak_from_this(), before = bytes_taken_,
                     limit](const boost::system::error_code& ec) {
    const auto self = weak.lock();
    if (ec || !self || !self->open_ || !self->writing_) return;
    if (!self->write_some()) return;
    if (self->unsent() && self->bytes_taken_ == before) {
      return self->abort("it took no byte for " +
                         std::to_string(limit.count()) + " ms");
    }
    self->watch_progress();
  });
}

}  // namespace toolhost
