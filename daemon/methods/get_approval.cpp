// getApproval: one approval, also a resolved one while it is remembered.
#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

Result<std::string> run(Daemon& daemon, Connection&,
                        const json::object& params) {
  Fields in(params, "params");
  const std::string id = in.required_string("approvalId");
  if (in.error()) return *in.error();
  const ApprovalPtr approval = daemon.approvals.find(id);
  if (!approval) {
    return make_error(Code::approval_not_found,
                      "There is no approval \"" + id + "\".",
                      "List what is pending with listApprovals.");
  }
  return json_text(to_json(*approval, daemon.clock));
}

}  // namespace

const MethodDefinition get_approval_method{
    .name = "getApproval", .roles = kApprover, .now = run};

}  // namespace toolhost
