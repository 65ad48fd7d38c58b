// Measuring: interleaved rounds, medians, and rows that compare with a limit
// measured in the same run.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace toolhost::bench {

// Microseconds of one call.
double time_us(const std::function<void()>& work);
double median(std::vector<double> values);
double percentile(std::vector<double> values, double share);

// Runs the subjects in turns, `rounds` times `repeat` calls each, and returns
// the median of each: what disturbs one disturbs the others as well.
std::vector<double> interleave(
    const std::vector<std::function<void()>>& subjects, int rounds, int repeat);

// One line of the table. `bound` and `aim` are upper limits of `value`, unless
// `at_least`.
void row(const std::string& what, double value, const std::string& unit,
         double bound, double aim, bool at_least = false,
         const std::string& note = {});
// 0 when every bound was kept.
int misses();

// An echo over a Unix socket, one epoll loop in C: the floor of a round trip.
// Answers every line of a request with `reply_bytes` bytes and a line feed.
class EchoServer {
 public:
  EchoServer(const std::string& path, std::size_t reply_bytes);
  ~EchoServer();
  int pid() const { return pid_; }

 private:
  int pid_ = -1;
};

// Keeps the main threads of these processes and ours on one core while it
// lives. With one request in flight the two sides take turns anyway; on two
// cores the figure would be how long an idle core takes to wake up, several
// times the work, and the scheduler decides which pair gets it.
class OneCore {
 public:
  explicit OneCore(std::vector<int> pids);
  ~OneCore();
  OneCore(const OneCore&) = delete;

 private:
  std::vector<int> pids_;
};

// A blocking line client for either side.
class LineClient {
 public:
  explicit LineClient(const std::string& path);
  ~LineClient();
  // Sends the line and reads until a whole line came back.
  void round_trip(const std::string& line);
  std::string ask(const std::string& line);
  int fd() const { return fd_; }

 private:
  int fd_;
  std::string buffer_;
};

// Requests per second of `clients` connections, one request each in flight.
double throughput(const std::string& path, const std::string& line, int clients,
                  int seconds_tenths);

}  // namespace toolhost::bench
