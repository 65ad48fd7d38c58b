// listApprovals: what waits for a person, oldest first, in pages.
#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

constexpr std::array<std::string_view, 2> kStates{"pending", "resolved"};
constexpr std::int64_t kPage = 200;
constexpr std::size_t kPageBytes = 4U << 20;

Result<std::string> run(Daemon& daemon, Connection&,
                        const json::object& params) {
  Fields in(params, "params");
  const auto state = in.optional_choice("state", kStates);
  const auto workspace = in.optional_string("workspace");
  const auto limit = in.optional_int("limit", 1, kPage).value_or(kPage);
  const auto cursor = in.optional_string("cursor");
  if (in.error()) return *in.error();
  const auto all = state == "resolved" ? daemon.approvals.resolved()
                                       : daemon.approvals.pending();
  std::string list;
  std::string next;
  std::int64_t count = 0;
  // The cursor is the last id of the page before; it keeps its place when it
  // was answered meanwhile.
  const ApprovalPtr last = cursor ? daemon.approvals.find(*cursor) : nullptr;
  if (cursor && !last) {
    return make_error(Code::invalid_params,
                      "params.cursor is not known any more.",
                      "Start again without a cursor.");
  }
  for (const ApprovalPtr& approval : all) {
    if (last && !asked_before(*last, *approval)) continue;
    if (workspace && approval->question.workspace != *workspace) continue;
    if (count == limit || list.size() > kPageBytes) break;
    if (count++ > 0) list += ',';
    append_json(list, to_json(*approval, daemon.clock));
    next = approval->id;
  }
  const bool more = !all.empty() && count > 0 && next != all.back()->id;
  std::string out = R"({"approvals":[)" + list + R"(],"epoch":)";
  append_json_string(out, daemon.events.epoch());
  out += R"(,"seq":)" + std::to_string(daemon.events.seq());
  if (more) {
    out += R"(,"nextCursor":)";
    append_json_string(out, next);
  }
  out += '}';
  return out;
}

}  // namespace

const MethodDefinition list_approvals_method{
    .name = "listApprovals", .roles = kApprover, .now = run};

}  // namespace toolhost
