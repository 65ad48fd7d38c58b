// MemoryJournal: a journal without a disk, which can be told to fail.
#pragma once

#include <map>

#include "gates/journal.hpp"

namespace toolhost::testing {

class MemoryJournal : public Journal {
 public:
  bool broken = false;             // no decision and no start can be written
  bool asks_broken = false;        // no question can be written
  std::vector<std::string> order;  // "begin call_…", "decide appr_… allow"
  std::map<std::string, JournalCall> calls;
  std::vector<JournalDecision> decisions;
  std::vector<AuditRecord> records;
  std::map<std::string, JournalApproval> open;  // by approval id

  const std::string& set_aside() const override { return none_; }
  std::string trouble() const override { return broken ? "broken" : ""; }

  std::vector<JournalApproval> take_open_approvals() override { return {}; }
  Task<Result<void>> ask(JournalApproval approval) override {
    if (asks_broken) co_return make_error(Code::internal, "disk full");
    open[approval.approval_id] = std::move(approval);
    co_return Result<void>();
  }
  void close_approvals(std::string call_id) override {
    std::erase_if(
        open, [&](const auto& row) { return row.second.call_id == call_id; });
  }
  Task<Result<void>> begin(JournalCall call) override {
    if (broken) co_return make_error(Code::internal, "disk full");
    begin_soon(std::move(call));
    co_return Result<void>();
  }
  Task<Result<void>> decide(JournalDecision decision) override {
    if (broken) co_return make_error(Code::internal, "disk full");
    order.push_back("decide " + decision.decision);
    const bool stays =
        decision.decision == "allow" || decision.decision == "deny";
    if (!stays) open.erase(decision.approval_id);
    decisions.push_back(std::move(decision));
    co_return Result<void>();
  }
  void begin_soon(JournalCall call) override {
    order.push_back("begin " + call.tool);
    close_approvals(call.call_id);
    calls[call.call_id] = std::move(call);
  }
  void complete(std::string call_id, JournalState state,
                std::string completed_at, std::string result) override {
    order.push_back("complete");
    JournalCall& call = calls[call_id];
    call.state = state;
    call.completed_at = std::move(completed_at);
    call.result = std::move(result);
  }
  void audit(AuditRecord record) override {
    records.push_back(std::move(record));
  }
  Task<Result<std::optional<JournalCall>>> find_call(
      std::string call_id) override {
    std::optional<JournalCall> out;
    if (const auto found = calls.find(call_id); found != calls.end()) {
      out = found->second;
    }
    co_return out;
  }
  Task<Result<std::optional<JournalCall>>> find(std::string session_id,
                                                std::string key) override {
    std::optional<JournalCall> out;
    for (const auto& [id, call] : calls) {
      if (call.session_id == session_id && call.idempotency_key == key) {
        out = call;
      }
    }
    co_return out;
  }
  Task<Result<std::vector<AuditRecord>>> read_audit(std::int64_t, std::string,
                                                    std::string, int) override {
    co_return records;
  }
  Task<Result<void>> flush() override { co_return Result<void>(); }

 private:
  std::string none_;
};

}  // namespace toolhost::testing
