// kill -9 to the daemon at any moment: a file is the old or the new one, and
// what the daemon says about a call afterwards is true.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

constexpr int kRounds = 15;
constexpr int kFiles = 3;
constexpr std::string_view kMark = "version ";

std::string file_name(int change) {
  return "f" + std::to_string(change % kFiles) + ".txt";
}

// Lengths and letters differ, so that a mix of two versions is none.
std::string version(int n) {
  return std::string(100'000 + static_cast<std::size_t>(n % 7) * 30'000,
                     static_cast<char>('a' + n % 26)) +
         "\n" + std::string(kMark) + std::to_string(n) + ".\n";
}

// The n of a file that is version(n) as a whole; -1 for anything else.
int version_of(const std::string& bytes) {
  const std::size_t at = bytes.rfind(kMark);
  if (at == std::string::npos) return -1;
  const int n = std::atoi(bytes.c_str() + at + kMark.size());
  return bytes == version(n) ? n : -1;
}

class Kill : public ::testing::Test {
 protected:
  Kill() {
    Client gui = daemon.control();
    const auto opened =
        gui.call("openSession", {{"workspace", daemon.workspace()}}).value();
    session = opened.at("sessionId");
    token = opened.at("token");
  }
  std::unique_ptr<AgentProcess> attached() {
    auto agent = daemon.agent();
    agent->call("attachSession", {{"sessionId", session}, {"token", token}});
    return agent;
  }
  // Version n over whatever is there, or an edit of all of the one before.
  json::object change(int n, bool edit) const {
    json::object arguments{{"path", file_name(n)}};
    if (edit) {
      arguments["oldText"] = version(n - kFiles);
      arguments["newText"] = version(n);
    } else {
      arguments["content"] = version(n);
    }
    return {{"name", edit ? "edit" : "write"},
            {"arguments", std::move(arguments)},
            {"idempotencyKey", "change-" + std::to_string(n)}};
  }
  int version_now(int file) const {
    return version_of(read_file(daemon.path(file_name(file))));
  }
  // Hidden names of a write that never got to its rename.
  std::size_t left_over() const {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(daemon.workspace())) {
      const std::string name = entry.path().filename();
      if (name.starts_with(".toolhost-")) {
        ++count;
      } else {
        EXPECT_TRUE(name.starts_with("f")) << name;
      }
    }
    return count;
  }

  // One life of the daemon, ended in the middle of a stream of changes, one
  // at a time for each file. The number behind the last that was sent.
  int kill_in_a_stream(int next, bool edits, std::mt19937& random) {
    auto agent = attached();
    std::array<Client::RequestId, kFiles> sent{};
    std::array<int, kFiles> newest{};
    const auto send = [&](int n) {
      const auto file = static_cast<std::size_t>(n % kFiles);
      newest[file] = n;
      sent[file] = agent->client().send("execute", change(n, edits)).value();
    };
    for (int i = 0; i < kFiles; ++i) send(next + i);
    const auto moment = std::chrono::steady_clock::now() +
                        std::chrono::microseconds(random() % 150'000);
    while (std::chrono::steady_clock::now() < moment) {
      EXPECT_TRUE(agent->client().pump(Milliseconds(1)));
      for (std::size_t file = 0; file < kFiles; ++file) {
        const auto reply = agent->client().take(sent[file]);
        if (!reply) continue;
        EXPECT_EQ(text_at(reply->value(), "status"), "completed");
        send(newest[file] + kFiles);
      }
    }
    daemon.kill_hard();
    for (int file = 0; file < kFiles; ++file) {
      const int found = version_now(file);
      const int last = newest[static_cast<std::size_t>(file)];
      EXPECT_TRUE(found == last || found == last - kFiles)
          << file_name(file) << " is " << found << ", asked for " << last;
    }
    EXPECT_LE(left_over(), static_cast<std::size_t>(kFiles));
    daemon.start();
    return *std::max_element(newest.begin(), newest.end()) + 1;
  }

  // Every retry is answered truly: completed means that it is on disk (or was
  // replaced by a later one), unknown that it may be, the rest runs now.
  void retry(int first, int end, bool edits) {
    auto agent = attached();
    for (int n = first; n < end; ++n) {
      const int before = version_now(n);
      if (n > before + kFiles) continue;  // was never sent
      const json::object reply = agent->call("execute", change(n, edits));
      SCOPED_TRACE("change " + std::to_string(n) + " of " +
                   std::to_string(before) + ": " + json_text(reply));
      const bool replayed = at(reply, "replayed") == true;
      if (text_at(reply, "error.kind") == "outcomeUnknown") {
        EXPECT_EQ(version_now(n), before);
      } else {
        EXPECT_EQ(text_at(reply, "status"), "completed");
        EXPECT_TRUE(!replayed || before >= n);
        EXPECT_EQ(version_now(n), replayed ? before : n);
      }
    }
  }

  void run_rounds(bool edits) {
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    int next = kFiles;
    for (int round = 0; round < kRounds && !HasFailure(); ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " round " +
                   std::to_string(round));
      // Each file at the version before its first change.
      for (const auto& entry :
           std::filesystem::directory_iterator(daemon.workspace())) {
        std::filesystem::remove(entry.path());
      }
      for (int n = next - kFiles; n < next; ++n) {
        write_file(daemon.path(file_name(n)), version(n));
      }
      const int end = kill_in_a_stream(next, edits, random);
      retry(next, end, edits);
      next = end + kFiles;
    }
  }

  DaemonProcess daemon{
      R"({"sessions": {"sandboxMode": "danger-full-access",
                       "approvalPolicy": "auto"}})"};
  json::value session;
  json::value token;
};

TEST_F(Kill, InAStreamOfWritesLeavesWholeFilesAndTrueAnswers) {
  run_rounds(false);
}

TEST_F(Kill, InAStreamOfEditsLeavesWholeFilesAndTrueAnswers) {
  run_rounds(true);
}

}  // namespace
}  // namespace toolhost::testing
