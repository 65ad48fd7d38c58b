// Terminal: a full-screen view, put back as it was however it ends.
//
// Raw mode, the alternate screen and bracketed paste; no curses. Signals that
// would end the program are read from a descriptor, so that the terminal is
// restored before they act.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include <termios.h>

#include "daemon/cli/console.hpp"
#include "protocol/error.hpp"

namespace toolhost::cli {

// SIGINT, SIGTERM, SIGHUP (and SIGWINCH) as a readable descriptor while it
// lives. The signals are blocked for this thread.
class SignalFd {
 public:
  explicit SignalFd(bool with_window_size = false);
  ~SignalFd();
  SignalFd(const SignalFd&) = delete;

  int fd() const { return fd_; }
  // The next signal's number, 0 when there is none.
  int take();

 private:
  int fd_ = -1;
  sigset_t before_{};
};

class Terminal {
 public:
  static Result<void> usable();

  explicit Terminal(bool color);
  ~Terminal();
  Terminal(const Terminal&) = delete;

  struct Size {
    int width = 80;
    int height = 24;
  };
  Size size() const;

  // Only what changed since the last frame is written.
  void draw(const std::vector<Line>& lines);
  // The next draw writes everything.
  void forget() { last_.clear(); }
  // Stops the process as ^Z does, and takes the screen again after it.
  void suspend();

 private:
  void enter();
  void leave();

  bool color_;
  termios before_{};
  std::vector<std::string> last_;
};

}  // namespace toolhost::cli
