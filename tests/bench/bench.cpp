// toolhost_bench: every row is a ratio against a limit of the same run. More
// than 400 lines because the rows share one daemon and are read as one table.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "protocol/json_text.hpp"
#include "tests/bench/measure.hpp"
#include "tests/support/daemon_process.hpp"
#include "tests/support/shell.hpp"

namespace toolhost::bench {
namespace {

using testing::AgentProcess;
using testing::DaemonProcess;

const char* const kConfig = R"({
  "sessions": {"sandboxMode": "danger-full-access", "approvalPolicy": "auto"},
  "tools": {"read": {"maxBytes": 4194304}},
  "log": {"level": "warn"}
})";

std::string request(int id, const std::string& method,
                    const json::object& params) {
  json::object out;
  out["jsonrpc"] = "2.0";
  out["id"] = id;
  out["method"] = method;
  out["params"] = params;
  return json_text(out) + "\n";
}

std::string execute(const std::string& tool, const json::object& arguments) {
  return request(
      7, "execute",
      {{"name", tool}, {"arguments", arguments}, {"stream", "none"}});
}

// A refusal is quick: what is measured has to work.
std::string working(LineClient& client, std::string call) {
  const std::string reply = client.ask(call);
  if (reply.find(R"("isError":false)") == std::string::npos) {
    throw std::runtime_error("it does not work: " + call + reply);
  }
  return call;
}

std::string hello(const DaemonProcess& daemon) {
  return request(1, "initialize",
                 {{"protocolVersion", 1},
                  {"clientInfo", {{"name", "bench"}, {"version", "1"}}},
                  {"workspace", daemon.workspace()}});
}

struct Bench {
  explicit Bench(DaemonProcess& d)
      : daemon(d),
        small(d.home() + "/echo", 200),
        large(d.home() + "/echo10k", 10'240),
        floor(d.home() + "/echo"),
        floor_10k(d.home() + "/echo10k"),
        client(d.control_socket()) {
    client.ask(hello(d));
  }
  DaemonProcess& daemon;
  EchoServer small;
  EchoServer large;
  LineClient floor;
  LineClient floor_10k;
  LineClient client;
  std::vector<int> servers() const {
    return {daemon.pid(), small.pid(), large.pid()};
  }
  const std::string ping =
      request(2, "ping", {}).insert(1, std::string(140, ' '));
};

void requests(Bench& b) {
  const std::string bytes(199, 'x');
  auto one_core = std::make_unique<OneCore>(b.servers());
  auto t = interleave({[&] { b.floor.round_trip(bytes + "\n"); },
                       [&] { b.client.round_trip(b.ping); }},
                      9, 2000);
  one_core.reset();
  row("ping, 1 client", t[1] / t[0], "x echo", 1.6, 1.3, false,
      std::to_string(t[1]).substr(0, 5) + " us");
  std::vector<double> echo;
  std::vector<double> ours;
  for (int i = 0; i < 5; ++i) {
    echo.push_back(throughput(b.daemon.home() + "/echo", bytes + "\n", 64, 10));
    ours.push_back(throughput(b.daemon.control_socket(), b.ping, 64, 10));
  }
  row("ping, 64 clients, req/s", median(ours) / median(echo), "x echo", 0.6,
      0.8, true, std::to_string(static_cast<int>(median(ours))) + "/s");

  const std::string list = request(3, "listTools", {});
  const json::object full = json::parse(b.client.ask(list)).as_object();
  const std::string unchanged = request(
      3, "listTools", {{"ifHash", testing::text_at(full, "result.toolsHash")}});
  const OneCore again(b.servers());
  t = interleave({[&] { b.floor.round_trip(bytes + "\n"); },
                  [&] { b.client.round_trip(unchanged); },
                  [&] { b.client.round_trip(list); }},
                 7, 1000);
  row("listTools, unchanged", t[1] / t[0], "x echo", 2, 1.5);
  row("listTools, full", t[2] / t[0], "x echo", 8, 3);
}

void files(Bench& b) {
  const OneCore one_core(b.servers());
  testing::write_file(b.daemon.path("10k"),
                      std::string(200, '\n') + std::string(10'040, 'r'));
  std::string lines;
  while (lines.size() < (1U << 20))
    lines += "int value = compute(\"x\", 42);\n";
  testing::write_file(b.daemon.path("1m"), lines);
  const std::string read_10k =
      working(b.client, execute("read", {{"path", "10k"}}));
  auto t = interleave({[&] { b.floor_10k.round_trip("x\n"); },
                       [&] { b.client.round_trip(read_10k); }},
                      7, 500);
  row("execute read 10 KB", t[1] / t[0], "x echo", 5, 3, false,
      std::to_string(t[1]).substr(0, 5) + " us");

  const std::string read_1m =
      working(b.client, execute("read", {{"path", "1m"}}));
  std::string buffer(2U << 20, '\0');
  const std::string path = b.daemon.path("1m");
  t = interleave({[&] {
                    const int fd = open(path.c_str(), O_RDONLY);
                    struct stat info;
                    fstat(fd, &info);
                    while (read(fd, buffer.data(), buffer.size()) > 0) {
                    }
                    close(fd);
                  },
                  [&] { b.client.round_trip(read_1m); }},
                 7, 50);
  row("execute read 1 MB", t[1] / 1400, "x 1.4ms", 1, 0.5, false,
      std::to_string(t[1]).substr(0, 6) + " us, " +
          std::to_string(t[1] / t[0]).substr(0, 5) + " x a plain read");

  const std::string text(10'240, 'w');
  const std::string write_10k =
      working(b.client, execute("write", {{"path", "out"}, {"content", text}}));
  const std::string target = b.daemon.path("by-hand");
  t = interleave({[&] {
                    const std::string temporary = target + ".tmp";
                    const int fd = open(temporary.c_str(),
                                        O_WRONLY | O_CREAT | O_EXCL, 0600);
                    if (write(fd, text.data(), text.size()) < 0) abort();
                    fsync(fd);
                    close(fd);
                    rename(temporary.c_str(), target.c_str());
                    const int folder = open(b.daemon.workspace().c_str(),
                                            O_RDONLY | O_DIRECTORY);
                    fsync(folder);
                    close(folder);
                  },
                  [&] { b.client.round_trip(write_10k); }},
                 7, 40);
  row("execute write 10 KB, atomic", t[1] / t[0], "x hand", 3, 1.5, false,
      std::to_string(t[1]).substr(0, 6) + " us");
}

void by_hand(const std::vector<const char*>& argv, const char* folder) {
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) abort();
  const pid_t pid = vfork();
  if (pid == 0) {
    dup2(out[1], 1);
    dup2(out[1], 2);
    if (chdir(folder) != 0) _exit(126);
    execv(argv[0], const_cast<char* const*>(argv.data()));
    _exit(127);
  }
  close(out[1]);
  static char bytes[1 << 16];
  while (read(out[0], bytes, sizeof bytes) > 0) {
  }
  close(out[0]);
  waitpid(pid, nullptr, 0);
}

void commands(Bench& b) {
  const std::string run =
      working(b.client, execute("bash", {{"command", "true"}}));
  const char* folder = b.daemon.workspace().c_str();
  auto t = interleave(
      {[&] {
         by_hand({"/bin/bash", "--noprofile", "--norc", "-c", "true", nullptr},
                 folder);
       },
       [&] { b.client.round_trip(run); }},
      9, 40);
  row("execute bash true", t[1] / t[0], "x hand", 1.4, 1.15, false,
      std::to_string(t[1]).substr(0, 6) + " us");

  DaemonProcess confining(R"({"preset": "sandboxed",
                              "log": {"level": "warn"}})");
  LineClient confined(confining.control_socket());
  confined.ask(hello(confining));
  // `true` alone would not be worth a sandbox: it is allowed as it is.
  const std::string inside =
      working(confined, execute("bash", {{"command", "ls /dev/null"}}));
  const std::string outside =
      working(b.client, execute("bash", {{"command", "ls /dev/null"}}));
  t = interleave({[&] { b.client.round_trip(outside); },
                  [&] { confined.round_trip(inside); }},
                 9, 40);
  row("execute bash in the sandbox, all layers", t[1] / t[0], "x plain", 3, 2,
      false, std::to_string(t[1]).substr(0, 6) + " us");

  for (const int count : {2'000, 50'000}) {
    const std::string tree = "tree" + std::to_string(count);
    testing::shell("mkdir -p " + b.daemon.path(tree) + " && cd " +
                   b.daemon.path(tree) +
                   " && python3 -c \"\nimport os\nfor i in range(" +
                   std::to_string(count) +
                   "):\n d='d%d'%(i//100)\n os.makedirs(d,exist_ok=True)\n "
                   "open('%s/f%d.c'%(d,i),'w').write("
                   "('int value_%d = compute(x, 42);\\n'%i)*200)\n\"");
    const std::string where = b.daemon.path(tree);
    const std::string grep = working(
        b.client,
        execute("grep",
                {{"pattern", "value_1777 "}, {"path", tree}, {"limit", 100}}));
    t = interleave({[&] {
                      by_hand({"/usr/bin/rg", "--no-config", "-n", "--color",
                               "never", "--no-heading", "--null", "-e",
                               "value_1777 ", "--", ".", nullptr},
                              where.c_str());
                    },
                    [&] { b.client.round_trip(grep); }},
                   count > 10'000 ? 5 : 9, 3);
    row("execute grep, " + std::to_string(count) + " files", t[1] / t[0],
        "x rg", count > 10'000 ? 1.1 : 1.3, 1.0, false,
        std::to_string(t[1] / 1000).substr(0, 6) + " ms");
  }
}

// From approve to the call's start, with the decision on disk in between.
void approvals(Bench& b) {
  DaemonProcess daemon(R"({"log": {"level": "warn"}})");
  Client gui = daemon.control();
  (void)gui.call("subscribe", {{"topics", json::array{"approvals", "calls"}}});
  auto opened = gui.call("openSession", {{"workspace", daemon.workspace()}});
  const json::object attach{{"sessionId", opened->at("sessionId")},
                            {"token", opened->at("token")}};
  auto agent = daemon.agent();
  agent->call("attachSession", attach);
  std::vector<double> floor;
  std::vector<double> ours;
  for (int i = 0; i < 200; ++i) {
    floor.push_back(
        time_us([&] { b.floor.round_trip(std::string(199, 'x') + "\n"); }));
    const auto sent = agent->client().send(
        "execute",
        {{"name", "write"},
         {"arguments",
          json::object{{"path", "f"}, {"content", std::to_string(i)}}}});
    auto asked = gui.next_notification("approval/requested");
    if (!asked) {
      const auto calls = gui.call("listCalls", {});
      throw std::runtime_error(
          "no approval was asked for: " +
          (calls ? json_text(*calls) : calls.error().message));
    }
    const json::object answer{
        {"approvalId", testing::at(asked->params, "approval.approvalId")},
        {"approvalDigest",
         testing::at(asked->params, "approval.approvalDigest")},
        {"optionId", "allow_once"}};
    ours.push_back(time_us([&] {
      (void)gui.send("approve", answer);
      (void)gui.next_notification("call/started");
    }));
    (void)gui.next_notification("call/completed");
    (void)agent->client().wait(*sent);
  }
  row("approve -> the call runs", median(ours) / median(floor), "x echo", 25,
      10, false, std::to_string(median(ours)).substr(0, 6) + " us");

  // 1,000 pending, five frontends.
  std::vector<Client> frontends;
  for (int i = 0; i < 5; ++i) {
    frontends.push_back(daemon.control("gui" + std::to_string(i)));
    (void)frontends.back().call("subscribe",
                                {{"topics", json::array{"approvals"}}});
  }
  LineClient line(daemon.control_socket());
  const auto ping = [&] { line.round_trip(b.ping); };
  const double idle = interleave({ping}, 5, 500)[0];
  std::vector<std::unique_ptr<AgentProcess>> agents;
  for (int a = 0; a < 20; ++a) {
    agents.push_back(daemon.agent());
    agents.back()->call("attachSession", attach);
    for (int i = 0; i < 50; ++i) {
      (void)agents.back()->client().send(
          "execute",
          {{"name", "write"},
           {"arguments", json::object{{"path", "p" + std::to_string(i)},
                                      {"content", "x"}}}});
    }
  }
  const bool all = testing::eventually([&] {
    for (Client& each : frontends) (void)each.pump(Milliseconds(1));
    auto status = frontends[0].call("status", {});
    return status && testing::at(*status, "pendingApprovals") == 1000;
  });
  if (!all) std::printf("not all 1000 are pending\n");
  const double busy = interleave({ping}, 5, 500)[0];
  row("1,000 pending, resident",
      static_cast<double>(daemon.resident_kib()) / 1024, "MB", 40, 25);
  row("1,000 pending, an unrelated ping", busy / idle, "x idle", 2, 1.2);
}

void isolation(Bench& b) {
  const auto p99 = [&] {
    std::vector<double> times;
    for (int i = 0; i < 3000; ++i) {
      times.push_back(time_us([&] { b.client.round_trip(b.ping); }));
    }
    return percentile(times, 0.99);
  };
  const double idle = p99();
  // One floods, one does not read, one greps.
  std::atomic<bool> stop{false};
  std::thread flood([&] {
    LineClient noisy(b.daemon.control_socket());
    std::string many;
    for (int i = 0; i < 50; ++i) many += b.ping;
    while (!stop) noisy.round_trip(many);
  });
  const int deaf = testing::connect_socket(b.daemon.control_socket());
  std::string discover;
  for (int i = 0; i < 500; ++i) discover += request(i, "rpc.discover", {});
  testing::send_without_waiting(deaf, discover);
  std::thread grep([&] {
    LineClient searcher(b.daemon.control_socket());
    searcher.ask(hello(b.daemon));
    while (!stop) {
      searcher.ask(execute(
          "grep", {{"pattern", "nothing_like_it"}, {"path", "tree50000"}}));
    }
  });
  const double busy = p99();
  stop = true;
  flood.join();
  grep.join();
  testing::close_fd(deaf);
  row("others' p99 beside flood, deaf reader and grep", busy / idle, "x idle",
      5, 2, false, std::to_string(busy).substr(0, 6) + " us");
}

void life() {
  std::vector<double> starts;
  double resident = 0;
  for (int i = 0; i < 7; ++i) {
    DaemonProcess daemon(R"({"log": {"level": "warn"}})");
    daemon.stop();
    starts.push_back(time_us([&] { daemon.start(); }));
    resident = static_cast<double>(daemon.resident_kib()) / 1024;
  }
  row("start to ready", median(starts) / 1000, "ms", 30, 10, false,
      "looked at every 5 ms");
  row("idle resident", resident, "MB", 15, 8);
}

void endurance(Bench& b) {
  const std::string read_10k = execute("read", {{"path", "10k"}});
  for (int i = 0; i < 5'000; ++i) b.client.round_trip(read_10k);
  const double before = static_cast<double>(b.daemon.resident_kib()) / 1024;
  for (int i = 0; i < 100'000; ++i) b.client.round_trip(read_10k);
  const double after = static_cast<double>(b.daemon.resident_kib()) / 1024;
  row("100 k calls, resident grows", after - before, "MB", 5, 2);
}

// The parts by name, for looking at one of them.
int run(const std::vector<std::string>& wanted) {
  DaemonProcess daemon(kConfig);
  Bench bench(daemon);
  const std::vector<std::pair<std::string, std::function<void()>>> parts{
      {"requests", [&] { requests(bench); }},
      {"files", [&] { files(bench); }},
      {"commands", [&] { commands(bench); }},
      {"approvals", [&] { approvals(bench); }},
      {"isolation", [&] { isolation(bench); }},
      {"life", [] { life(); }},
      {"endurance", [&] { endurance(bench); }},
  };
  std::printf("%-46s %9s\n", "row", "value");
  for (const auto& [name, part] : parts) {
    const bool asked =
        std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    if (wanted.empty() || asked) part();
  }
  return misses() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace toolhost::bench

int main(int count, char** words) {
  return toolhost::bench::run({words + 1, words + count});
}
