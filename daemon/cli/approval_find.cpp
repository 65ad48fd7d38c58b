#include "daemon/cli/approval_find.hpp"

#include "protocol/digest.hpp"

namespace toolhost::cli {
namespace {

// Arguments fit into one request, so into one frame.
constexpr std::size_t kMostBytes = 16U << 20;
constexpr std::int64_t kPage = 1 << 20;

Result<std::string> read_artifact(Client& client, const Globals& globals,
                                  const std::string& id) {
  std::string out;
  json::object params;
  params["artifactId"] = id;
  params["maxBytes"] = kPage;
  for (std::int64_t offset = 0; out.size() <= kMostBytes;) {
    params["offset"] = offset;
    auto page = client.call("readOutput", params, request_limit(globals));
    if (!page) return page.error();
    out += text_at(*page, "text");
    const auto next = int_at(*page, "nextOffset").value_or(offset);
    if (bool_at(*page, "eof") || next <= offset) return out;
    offset = next;
  }
  return make_error(Code::internal,
                    "The arguments of the approval have more "
                    "bytes than a request can have.");
}

}  // namespace

Result<void> fetch_whole(Client& client, const Globals& globals,
                         ShownApproval& approval) {
  const std::string artifact = text_at(approval.raw, "argumentsArtifact");
  if (approval.complete || artifact.empty()) return {};
  auto text = read_artifact(client, globals, artifact);
  if (!text) return text.error();
  boost::system::error_code failed;
  json::value arguments = json::parse(*text, failed);
  if (failed || !arguments.is_object() ||
      json_digest(arguments) != text_at(approval.raw, "argumentsDigest")) {
    return make_error(Code::approval_stale,
                      "What the daemon kept of the arguments of " +
                          approval.id + " is not what it asks about.",
                      "Refuse it with `toolhost deny`.");
  }
  json::object raw = std::move(approval.raw);
  raw["arguments"] = std::move(arguments);
  raw["complete"] = true;
  approval = read_approval(std::move(raw));
  return {};
}

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
