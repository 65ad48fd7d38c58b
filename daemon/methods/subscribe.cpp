#include <array>

#include "daemon/daemon.hpp"
#include "daemon/methods/snapshot.hpp"
#include "daemon/methods/table.hpp"
#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"

namespace toolhost {
namespace {

constexpr std::array<Topic, 7> kTopics{
    Topic::approvals, Topic::calls,  Topic::output, Topic::tools,
    Topic::providers, Topic::config, Topic::server};
// A filter is a short list of what a window shows.
constexpr std::size_t kMaxCallIds = 1000;

struct Wish {
  EventFilter filter;
  std::optional<Cursor> since;
  bool snapshot = false;
};

std::optional<Topic> parse_topic(std::string_view word) {
  for (const Topic topic : kTopics) {
    if (name(topic) == word) return topic;
  }
  return std::nullopt;
}

void parse_topics(Fields& in, EventFilter& out) {
  const auto words = in.optional_strings("topics");
  if (!words || words->empty()) {
    return in.fail("topics", "has to name at least one topic");
  }
  for (const std::string& word : *words) {
    if (const auto topic = parse_topic(word)) {
      out.topics.insert(*topic);
      continue;
    }
    std::string known;
    for (const Topic topic : kTopics) {
      known += (known.empty() ? "" : ", ") + std::string(name(topic));
    }
    in.fail("topics", "names \"" + word + "\", which is none of " + known);
  }
}

std::optional<Error> parse_filter(const json::object& object,
                                  EventFilter& out) {
  Fields in(object, "params.filter");
  out.workspace = in.optional_string("workspace").value_or(std::string());
  const auto ids = in.optional_strings("callIds");
  if (ids && ids->size() > kMaxCallIds) {
    in.fail("callIds",
            "has more than " + std::to_string(kMaxCallIds) + " entries");
  }
  if (ids) out.call_ids.insert(ids->begin(), ids->end());
  out.mine = in.optional_bool("mine").value_or(false);
  return in.error();
}

std::optional<Error> parse_since(const json::object& object, Wish& out) {
  Fields in(object, "params.since");
  Cursor cursor;
  cursor.epoch = in.required_string("epoch");
  const auto seq =
      in.optional_int("seq", 0, std::numeric_limits<std::int64_t>::max());
  if (!seq) in.fail("seq", "is missing");
  cursor.seq = static_cast<std::uint64_t>(seq.value_or(0));
  out.since = std::move(cursor);
  return in.error();
}

Result<Wish> parse(const json::object& params) {
  Fields in(params, "params");
  Wish out;
  parse_topics(in, out.filter);
  const json::object* filter = in.optional_object("filter");
  const json::object* since = in.optional_object("since");
  out.snapshot = in.optional_bool("snapshot").value_or(false);
  if (in.error()) return *in.error();
  if (filter) {
    if (auto error = parse_filter(*filter, out.filter)) {
      return std::move(*error);
    }
  }
  if (since) {
    if (auto error = parse_since(*since, out)) return std::move(*error);
  }
  return out;
}

// No suspension from subscribe() to start(): the reply is the state at its
// seq, and what follows comes behind it.
Task<void> subscribe(Daemon& daemon, std::shared_ptr<PendingRequest> request) {
  auto wish = parse(request->params);
  if (!wish) {
    request->fail(wish.error());
    co_return;
  }
  const auto& connection = request->connection;
  const EventFilter filter = wish->filter;
  const auto made = daemon.events.subscribe(connection, std::move(wish->filter),
                                            std::move(wish->since));
  if (!made) {
    request->fail(made.error());
    co_return;
  }
  json::object result;
  result["subscriptionId"] = made->subscription_id;
  result["epoch"] = daemon.events.epoch();
  result["seq"] = made->seq;
  result["resumed"] = made->resumed;
  if (!made->gap.empty()) {
    result["gap"].emplace_object()["reason"] = made->gap;
  }
  // After a gap the client's picture is worth nothing, asked for or not.
  if (wish->snapshot || !made->gap.empty()) {
    result["snapshot"] = snapshot(daemon, *connection, filter);
  }
  request->reply(result);
  daemon.events.start(made->subscription_id);
}

}  // namespace

const MethodDefinition subscribe_method{.name = "subscribe",
                                        .later = subscribe};

}  // namespace toolhost
