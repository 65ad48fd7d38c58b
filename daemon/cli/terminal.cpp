#include "daemon/cli/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

namespace toolhost::cli {
namespace {

// Alternate screen, no cursor, bracketed paste; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?2004h";
constexpr std::string_view kLeave = "\x1b[?2004l\x1b[?25h\x1b[?1049l";

// A terminal that takes nothing (^S) must not lose half a sequence, so this
// waits for it.
void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (sent < 0 && errno == EAGAIN) {
      pollfd out{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&out, 1, -1);
    } else if (sent < 0 && errno != EINTR) {
      return;  // the terminal is gone; SIGHUP ends us
    }
  }
}

}  // namespace

SignalFd::SignalFd(bool with_window_size) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  if (with_window_size) sigaddset(&set, SIGWINCH);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalFd::~SignalFd() {
  if (fd_ >= 0) ::close(fd_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalFd::take() {
  signalfd_siginfo info{};
  const ssize_t got = ::read(fd_, &info, sizeof info);
  return got == static_cast<ssize_t>(sizeof info)
             ? static_cast<int>(info.ssi_signo)
             : 0;
}

Result<void> Terminal::usable() {
  if (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1) return {};
  return make_error(Code::invalid_params,
                    "The inbox needs a terminal on standard input and output.",
                    "`toolhost approvals` lists, `toolhost watch approvals` "
                    "follows, `toolhost approve ID` answers.");
}

Terminal::Terminal(bool color) : color_(color) {
  tcgetattr(STDIN_FILENO, &before_);
  enter();
}

Terminal::~Terminal() { leave(); }

void Terminal::enter() {
  termios raw = before_;
  cfmakeraw(&raw);
  // Reads return at once with what is there; poll does the waiting.
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  // Flushing drops keys that were typed for something else.
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
  write_all(kEnter);
  last_.clear();
}

void Terminal::leave() {
  write_all(kLeave);
  tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

void Terminal::suspend() {
  leave();
  ::raise(SIGSTOP);
  enter();
}

Terminal::Size Terminal::size() const {
  winsize found{};
  Size out;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) == 0 && found.ws_col > 0 &&
      found.ws_row > 0) {
    out.width = found.ws_col;
    out.height = found.ws_row;
  }
  return out;
}

void Terminal::draw(const std::vector<Line>& lines) {
  std::string out;
  if (last_.size() != lines.size()) {
    last_.assign(lines.size(), "\x01");  // differs from every line
    out += "\x1b[2J";
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string text = styled(lines[i], color_);
    // Without colour the mark before the line shows what is selected.
    if (text == last_[i]) continue;
    out += "\x1b[" + std::to_string(i + 1) + ";1H\x1b[2K" + text;
    last_[i] = std::move(text);
  }
  if (!out.empty()) write_all(out);
}

}  // namespace toolhost::cli
