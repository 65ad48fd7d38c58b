#include "daemon/cli/approval_find.hpp"

namespace toolhost::cli {

Result<json::array> pending_approvals(Client& client, const Globals& globals) {
  constexpr std::size_t kMost = 2000;
  json::object params;
  params["state"] = "pending";
  params["limit"] = 200;
  return collect(client, "listApprovals", params, "approvals", kMost,
                 request_limit(globals));
}

Result<ShownApproval> find_approval(Client& client, const Globals& globals,
                                    const std::string& typed) {
  auto pending = pending_approvals(client, globals);
  if (!pending) return pending.error();
  auto id = complete_id(*pending, "approvalId", typed, "appr_");
  if (!id) return id.error();
  for (const json::value& item : *pending) {
    if (item.is_object() && text_at(item.get_object(), "approvalId") == *id) {
      return read_approval(item.get_object());
    }
  }
  json::object params;
  params["approvalId"] = *id;
  auto found = client.call("getApproval", params, request_limit(globals));
  if (!found) return found.error();
  return read_approval(
      found->contains("approval") ? object_at(*found, "approval") : *found);
}

}  // namespace toolhost::cli
