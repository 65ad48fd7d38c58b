// listTools: what this session may use now. The same policy gets the same
// bytes; with ifHash equal to them, only {unchanged: true}.
#include "daemon/access.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

// How long a list may be used without asking again; a change is told by
// tools/changed as well.
constexpr int kTtlMs = 60'000;

std::string with_hash(const std::string& hash, std::string_view rest) {
  std::string out = R"({"toolsHash":)";
  append_json_string(out, hash);
  out += R"(,"ttlMs":)" + std::to_string(kTtlMs) + ",";
  out += rest;
  out += '}';
  return out;
}

std::string of_provider(const Catalogue& catalogue,
                        const std::string& provider) {
  std::vector<const RegisteredTool*> kept;
  json::array tools;
  for (const RegisteredTool* row : catalogue.tools) {
    if (row->tool.provider != provider) continue;
    kept.push_back(row);
    tools.push_back(to_json(row->tool));
  }
  return with_hash(fingerprint(kept),
                   "\"tools\":" + json_text(json::value(std::move(tools))));
}

Result<std::string> run(Daemon& daemon, Connection& connection,
                        const json::object& params) {
  Fields in(params, "params");
  const auto if_hash = in.optional_string("ifHash");
  const auto provider = in.optional_string("provider");
  const json::object* context = in.optional_object("context");
  if (in.error()) return *in.error();
  auto session = session_for(daemon, connection, params);
  if (!session) return session.error();
  auto wish = wish_of_call(daemon, connection, **session, params);
  if (!wish) return wish.error();
  std::string turn;
  if (context) {
    Fields inner(*context, "params.context");
    turn = inner.optional_string("turnId").value_or("");
    if (inner.error()) return *inner.error();
  }
  const SnapshotPtr snapshot =
      daemon.turns.pin((*session)->id, turn, daemon.registry.snapshot());
  const Policy policy = narrow((*session)->policy, *wish);
  const auto catalogue =
      daemon.catalogues.of(snapshot, policy, *daemon.config, (*session)->id);
  if (snapshot == daemon.registry.snapshot() && policy == (*session)->policy) {
    daemon.catalogue_watch.seen(**session, catalogue);
  }
  if (provider) return of_provider(*catalogue, *provider);
  if (if_hash && *if_hash == catalogue->hash) {
    return with_hash(catalogue->hash, R"("unchanged":true)");
  }
  return with_hash(catalogue->hash, *catalogue->text);
}

}  // namespace

const MethodDefinition list_tools_method{
    .name = "listTools", .roles = kCaller, .now = run};

}  // namespace toolhost
