// readAudit: who asked, what ran, who decided; oldest first, in pages.
#include <charconv>

#include "daemon/connection.hpp"
#include "daemon/daemon.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

constexpr std::int64_t kPage = 500;

std::string record_text(const AuditRecord& record) {
  std::string out = R"({"sequence":)" + std::to_string(record.sequence);
  const auto member = [&](std::string_view name, const std::string& value) {
    out += ",\"" + std::string(name) + "\":";
    append_json_string(out, value);
  };
  member("time", record.time);
  member("kind", record.kind);
  if (!record.call_id.empty()) member("callId", record.call_id);
  if (!record.session_id.empty()) member("sessionId", record.session_id);
  out += ",\"body\":" + (record.body.empty() ? "{}" : record.body) + "}";
  return out;
}

Task<void> run(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  Fields in(request->params, "params");
  const auto call = in.optional_string("callId");
  const auto since = in.optional_string("sinceTime");
  const auto limit = in.optional_int("limit", 1, kPage).value_or(100);
  const auto cursor = in.optional_string("cursor");
  std::int64_t after = 0;
  if (cursor) {
    const char* end = cursor->data() + cursor->size();
    const auto parsed = std::from_chars(cursor->data(), end, after);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      in.fail("cursor", "is not one that this method gave");
    }
  }
  if (in.error()) co_return request->fail(*in.error());
  std::string call_id = call.value_or("");
  std::string since_time = since.value_or("");
  // One more than the page tells whether there is another.
  auto found = co_await daemon.journal->read_audit(after, std::move(call_id),
                                                   std::move(since_time),
                                                   static_cast<int>(limit) + 1);
  if (!found) co_return request->fail(found.error());
  const bool more = static_cast<std::int64_t>(found->size()) > limit;
  if (more) found->pop_back();
  std::string out = R"({"records":[)";
  for (const AuditRecord& record : *found) {
    if (out.back() != '[') out += ',';
    out += record_text(record);
  }
  out += ']';
  if (more) {
    out += R"(,"nextCursor":")" + std::to_string(found->back().sequence) + '"';
  }
  out += '}';
  request->reply(std::string_view(out));
}

}  // namespace

const MethodDefinition read_audit_method{
    .name = "readAudit", .roles = kObserver, .later = run};

}  // namespace toolhost
