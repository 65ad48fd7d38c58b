// approve: answers an approval. The reply comes before approval/resolved.
#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"

namespace toolhost {
namespace {

constexpr std::array<std::string_view, 2> kDecisions{"allow", "deny"};

Result<Answer> decode(const json::object& params) {
  Fields in(params, "params");
  Answer answer;
  answer.option_id = in.optional_string("optionId").value_or("");
  answer.decision = in.optional_choice("decision", kDecisions).value_or("");
  answer.digest = in.optional_string("approvalDigest").value_or("");
  answer.comment = in.optional_string("comment").value_or("");
  if (auto revision = in.optional_int("revision", 1, 1 << 30)) {
    answer.revision = static_cast<int>(*revision);
  }
  if (answer.option_id.empty() == answer.decision.empty()) {
    in.fail("optionId", "or params.decision has to be given, one of the two");
  }
  if (in.error()) return *in.error();
  return answer;
}

Answerer answerer_of(const Connection& connection) {
  Answerer who;
  who.connection_id = connection.id();
  who.client_name = connection.client.name;
  who.client_version = connection.client.version;
  who.process = connection.peer().process;
  who.ancestry = connection.peer().ancestry;
  who.interactive = connection.interactive;
  return who;
}

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Fields in(request->params, "params");
  std::string id = in.required_string("approvalId");
  if (in.error()) co_return request->fail(*in.error());
  Result<Answer> answer = decode(request->params);
  if (!answer) co_return request->fail(answer.error());
  Answerer who = answerer_of(*request->connection);
  auto settled = co_await daemon.approvals.answer(
      std::move(id), std::move(*answer), std::move(who));
  if (!settled) co_return request->fail(settled.error());
  json::object out;
  out["outcome"] = "resolved";
  if (settled->repeated()) out["repeated"] = true;
  if (!settled->warning().empty()) out["warning"] = settled->warning();
  out["approval"] = to_json(settled->approval(), daemon.clock);
  // A remembered deny may hide a tool.
  if (settled->approval().decision->scope != Scope::call) {
    daemon.catalogue_watch.check();
    // What is remembered for a session lives with it.
    daemon.save_sessions();
  }
  request->reply(out);
  // `settled` goes now: everybody hears it, and the call goes on.
}

}  // namespace

const MethodDefinition approve_method{
    .name = "approve", .roles = kApprover, .reserved_slot = true, .later = run};

}  // namespace toolhost
