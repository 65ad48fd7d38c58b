#include "tests/bench/measure.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "tests/support/daemon_process.hpp"

namespace toolhost::bench {
namespace {

int missed = 0;

[[noreturn]] void serve(int listener, std::size_t reply_bytes) {
  // A client that closes early must not end the baseline.
  signal(SIGPIPE, SIG_IGN);
  const std::string reply = std::string(reply_bytes, 'x') + "\n";
  const int poller = epoll_create1(0);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = listener;
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
  static char bytes[1 << 20];
  for (;;) {
    epoll_event ready[64];
    const int count = epoll_wait(poller, ready, 64, -1);
    for (int i = 0; i < count; ++i) {
      const int fd = ready[i].data.fd;
      if (fd == listener) {
        const int peer = accept(listener, nullptr, nullptr);
        event.data.fd = peer;
        epoll_ctl(poller, EPOLL_CTL_ADD, peer, &event);
        continue;
      }
      const ssize_t got = read(fd, bytes, sizeof bytes);
      if (got <= 0) {
        close(fd);
        continue;
      }
      for (ssize_t at = 0; at < got; ++at) {
        if (bytes[at] != '\n') continue;
        std::size_t sent = 0;
        while (sent < reply.size()) {
          const ssize_t now =
              write(fd, reply.data() + sent, reply.size() - sent);
          if (now <= 0) break;
          sent += static_cast<std::size_t>(now);
        }
      }
    }
  }
}

}  // namespace

double time_us(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto index =
      static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  return values[index];
}

double median(std::vector<double> values) {
  return percentile(std::move(values), 0.5);
}

std::vector<double> interleave(
    const std::vector<std::function<void()>>& subjects, int rounds,
    int repeat) {
  std::vector<std::vector<double>> times(subjects.size());
  for (int round = -1; round < rounds; ++round) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      std::vector<double> mine;
      for (int n = 0; n < repeat; ++n) mine.push_back(time_us(subjects[i]));
      // The first round warms up.
      if (round >= 0) times[i].push_back(median(mine));
    }
  }
  std::vector<double> out;
  for (auto& each : times) out.push_back(median(each));
  return out;
}

void row(const std::string& what, double value, const std::string& unit,
         double bound, double aim, bool at_least, const std::string& note) {
  const auto keeps = [&](double limit) {
    return at_least ? value >= limit : value <= limit;
  };
  const char* verdict = keeps(aim) ? "aim" : keeps(bound) ? "ok" : "MISS";
  missed += !keeps(bound);
  std::printf("%-46s %9.2f %-7s %s %-7.2f aim %-7.2f %-5s %s\n", what.c_str(),
              value, unit.c_str(), at_least ? ">=" : "<=", bound, aim, verdict,
              note.c_str());
  std::fflush(stdout);
}

int misses() { return missed; }

EchoServer::EchoServer(const std::string& path, std::size_t reply_bytes) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) ||
      listen(listener, 128)) {
    throw std::runtime_error("cannot listen at " + path);
  }
  pid_ = fork();
  if (pid_ == 0) serve(listener, reply_bytes);
  close(listener);
}

EchoServer::~EchoServer() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

OneCore::OneCore(std::vector<int> pids) : pids_(std::move(pids)) {
  pids_.push_back(0);  // ourselves
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  for (const int pid : pids_) sched_setaffinity(pid, sizeof first, &first);
}

OneCore::~OneCore() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int i = 0; i < CPU_SETSIZE; ++i) CPU_SET(i, &all);
  for (const int pid : pids_) sched_setaffinity(pid, sizeof all, &all);
}

LineClient::LineClient(const std::string& path)
    : fd_(testing::connect_socket(path)), buffer_(1 << 20, '\0') {}

LineClient::~LineClient() { close(fd_); }

void LineClient::round_trip(const std::string& line) {
  testing::write_bytes(fd_, line);
  for (;;) {
    const ssize_t got = read(fd_, buffer_.data(), buffer_.size());
    if (got <= 0) throw std::runtime_error("the server closed");
    if (buffer_[static_cast<std::size_t>(got) - 1] == '\n') return;
  }
}

std::string LineClient::ask(const std::string& line) {
  testing::write_bytes(fd_, line);
  std::string out;
  do {
    const ssize_t got = read(fd_, buffer_.data(), buffer_.size());
    if (got <= 0) throw std::runtime_error("the server closed");
    out.append(buffer_.data(), static_cast<std::size_t>(got));
  } while (out.back() != '\n');
  return out;
}

double throughput(const std::string& path, const std::string& line, int clients,
                  int seconds_tenths) {
  std::vector<std::unique_ptr<LineClient>> all;
  const int poller = epoll_create1(0);
  for (int i = 0; i < clients; ++i) {
    all.push_back(std::make_unique<LineClient>(path));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = all.back()->fd();
    epoll_ctl(poller, EPOLL_CTL_ADD, event.data.fd, &event);
    testing::write_bytes(event.data.fd, line);
  }
  std::string buffer(1 << 16, '\0');
  long replies = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto end = begin + std::chrono::milliseconds(100 * seconds_tenths);
  while (std::chrono::steady_clock::now() < end) {
    epoll_event ready[64];
    const int count = epoll_wait(poller, ready, 64, 100);
    for (int i = 0; i < count; ++i) {
      const int fd = ready[i].data.fd;
      if (read(fd, buffer.data(), buffer.size()) <= 0) continue;
      ++replies;
      testing::write_bytes(fd, line);
    }
  }
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  close(poller);
  return static_cast<double>(replies) / took;
}

}  // namespace toolhost::bench
