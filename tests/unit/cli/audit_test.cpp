// toolhost audit: a table for a person, lines for an export.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "daemon/cli/cli.hpp"
#include "daemon/cli/command.hpp"
#include "tests/unit/cli/fake_daemon.hpp"

namespace toolhost::cli {
namespace {

using testing::FakeDaemon;
using ::testing::HasSubstr;

// Two pages of one record.
Result<json::object> page(const json::object& params) {
  const bool first = !params.contains("cursor");
  return json::parse(
             first
                 ? R"({"records":[{"sequence":1,"time":"2026-01-31T00:00:00Z",)"
                   R"("kind":"decision","callId":"call_1","body":)"
                   R"({"decision":"allow","tool":"bash","title":"Run make",)"
                   R"("decidedBy":{"clientName":"inbox"},"waitedMs":1200,)"
                   R"("requester":{"clientName":"agent"}}}],)"
                   R"("nextCursor":"1"})"
                 : R"({"records":[{"sequence":2,"time":"2026-01-31T00:00:01Z",)"
                   R"("kind":"call","callId":"call_1","body":)"
                   R"({"state":"completed","tool":"bash","title":"Run make",)"
                   R"("rules":["rule_7"],"timing":{"runMs":40},)"
                   R"("requester":{"clientName":"agent"}}}]})")
      .as_object();
}

class AuditCommand : public ::testing::Test {
 protected:
  AuditCommand() { daemon.on("readAudit", page); }
  int run_words(std::vector<std::string> words) {
    words.insert(words.end(), {"--socket", daemon.path()});
    Console console(in, out, err, {});
    return run(std::move(words), console);
  }
  FakeDaemon daemon;
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
};

TEST_F(AuditCommand, TheTableSaysWhoAskedWhoDecidedAndHowLong) {
  EXPECT_EQ(run_words({"audit"}), kOk);
  EXPECT_EQ(out.str(),
            "2026-01-31T00:00:00Z\tdecision\tallow\tbash\tagent\tinbox\t"
            "1200 ms\tcall_1\tRun make\n"
            "2026-01-31T00:00:01Z\tcall\tcompleted\tbash\tagent\trule_7\t"
            "40 ms\tcall_1\tRun make\n");
}

TEST_F(AuditCommand, AnExportIsOneObjectALineOverAllPages) {
  EXPECT_EQ(run_words({"audit", "--jsonl"}), kOk);
  std::istringstream lines(out.str());
  std::string line;
  std::vector<std::int64_t> sequences;
  while (std::getline(lines, line)) {
    sequences.push_back(json::parse(line).at("sequence").as_int64());
  }
  EXPECT_EQ(sequences, (std::vector<std::int64_t>{1, 2}));
}

TEST_F(AuditCommand, ALimitEndsTheExport) {
  EXPECT_EQ(run_words({"audit", "--jsonl", "--limit", "1"}), kOk);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(AuditCommand, ACallAndATimeArePassedOn) {
  EXPECT_EQ(run_words({"audit", "--call", "call_1", "--since", "2026-01-01"}),
            kOk);
  const json::object asked = daemon.seen("readAudit").at(0);
  EXPECT_EQ(asked.at("callId"), "call_1");
  EXPECT_EQ(asked.at("sinceTime"), "2026-01-01");
}

TEST_F(AuditCommand, ALimitThatIsNoNumberIsAUsageError) {
  EXPECT_EQ(run_words({"audit", "--limit", "none"}), kUsage);
}

}  // namespace
}  // namespace toolhost::cli
