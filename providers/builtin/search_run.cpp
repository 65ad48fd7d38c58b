#include "providers/builtin/search_run.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocol/fields.hpp"
#include "providers/builtin/search_matches.hpp"
#include "providers/builtin/search_records.hpp"

namespace toolhost::builtin {
namespace {

using std::chrono::milliseconds;

// Only spent when a search found nothing, to say what it did not look at.
constexpr milliseconds kExplainBudget{1500};
// We end before the pipeline's own limit, so that what was found is told.
constexpr milliseconds kMargin{100};

// One pass over the tree; the callbacks hold its address.
struct Pass {
  Pass(const SearchPlan& plan, const SearchTarget& target,
       const RipgrepQuery& query)
      : page(after(plan), plan.limit, plan.max_bytes),
        collector(shape(plan, target), page),
        reader(format(query), query.max_line_bytes,
               query.file.empty() ? "" : "./" + query.file,
               [this, &query](const SearchRecord& record) {
                 if (query.mode == RipgrepQuery::Mode::lines) {
                   collector.receive(record);
                 } else {
                   collector.receive_file(record);
                 }
               }) {}

  static std::optional<SearchKey> after(const SearchPlan& plan) {
    if (!plan.cursor) return std::nullopt;
    return plan.cursor->after;
  }

  static MatchCollector::Shape shape(const SearchPlan& plan,
                                     const SearchTarget& target) {
    MatchCollector::Shape out;
    // With a type ripgrep lets hidden names of that type through.
    if (plan.filter.narrows() || !plan.query.type.empty()) {
      out.filter = &plan.filter;
    }
    if (!target.file.empty()) out.filter = nullptr;
    out.max_lines_per_file = kMaxLinesPerFile;
    out.folder = target.below;
    out.context = plan.query.context;
    out.max_line_bytes = plan.query.max_line_bytes;
    return out;
  }

  static RecordReader::Format format(const RipgrepQuery& query) {
    switch (query.mode) {
      case RipgrepQuery::Mode::lines:
        return RecordReader::Format::lines;
      case RipgrepQuery::Mode::counts:
        return RecordReader::Format::counts;
      default:
        return RecordReader::Format::names;
    }
  }

  SearchPage page;
  MatchCollector collector;
  RecordReader reader;
};

milliseconds budget(const ExecutionContext& context) {
  milliseconds out = context.tool.config.tools.search.timeout;
  if (context.timeout) {
    const milliseconds given = *context.timeout;
    out = std::min(out, given > 2 * kMargin ? given - kMargin : given / 2);
  }
  return out;
}

bool short_of_threads(const RipgrepEnd& end) {
  return std::any_of(end.causes.failures().begin(), end.causes.failures().end(),
                     [](const auto& failure) {
                       return failure.first ==
                              "Resource temporarily unavailable";
                     });
}

bool wants_notes(const RipgrepQuery& query) {
  return query.file.empty() && !(query.include_hidden && query.include_ignored);
}

// With a type or a glob ripgrep would note every file of another name.
bool notes_are_cheap(const RipgrepQuery& query) {
  return query.type.empty() && query.base_names.empty() &&
         query.excludes.empty();
}

// Walks again, without searching, for what the filters leave out.
Task<Outcome<RipgrepEnd>> explain(const ExecutionContext& context,
                                  const RipgrepQuery& query, int folder) {
  RipgrepRun run;
  run.query.mode = RipgrepQuery::Mode::list;
  run.query.include_hidden = query.include_hidden;
  run.query.include_ignored = query.include_ignored;
  run.query.explain = true;
  run.folder = folder;
  run.budget = kExplainBudget;
  run.receive = [](std::string_view) { return true; };
  co_return co_await run_ripgrep(context, std::move(run));
}

SearchFound found_by(Pass& pass, RipgrepEnd end, const RipgrepQuery& query) {
  SearchFound out;
  pass.collector.finish();
  out.entries = pass.page.take(out.more);
  const bool names = query.mode == RipgrepQuery::Mode::names ||
                     query.mode == RipgrepQuery::Mode::list;
  out.files = pass.collector.files();
  out.matches = names ? out.files : pass.collector.matches();
  out.binary_files = pass.reader.binary_files();
  out.minimum = !end.complete() || (!names && pass.collector.capped());
  out.skips_known = query.explain && end.how == RipgrepEnd::How::finished;
  if (query.explain) out.skips = end.causes;
  out.end = std::move(end);
  return out;
}

// One pass; starts over without what made it fail.
Task<Outcome<SearchFound>> search_tree(const ExecutionContext& context,
                                       const SearchPlan& plan,
                                       const SearchTarget& target) {
  RipgrepQuery query = plan.query;
  query.explain = wants_notes(query) && notes_are_cheap(query);
  while (true) {
    const auto pass = std::make_unique<Pass>(plan, target, query);
    RipgrepRun run;
    run.query = query;
    run.folder = target.folder.get();
    run.budget = budget(context);
    Pass* const receiver = pass.get();
    run.receive = [receiver](std::string_view bytes) {
      receiver->reader.feed(bytes);
      return receiver->reader.valid();
    };
    auto end = co_await run_ripgrep(context, std::move(run));
    if (!end) co_return end.error();
    if (end->how == RipgrepEnd::How::too_many_notes) {
      query.explain = false;
    } else if (!query.one_thread && short_of_threads(*end)) {
      query.one_thread = true;
    } else {
      co_return found_by(*pass, std::move(*end), query);
    }
  }
}

}  // namespace

Outcome<SearchPlan> plan_search(std::string_view tool,
                                const json::object& arguments,
                                const std::vector<std::string>& globs,
                                const config::SearchTool& limits,
                                const SearchTarget& target) {
  Fields in(arguments, "arguments");
  SearchPlan out;
  out.query.include_ignored =
      in.optional_bool("includeIgnored").value_or(false);
  out.query.include_hidden = in.optional_bool("includeHidden").value_or(false);
  const auto limit = in.optional_int("limit", 1, limits.max_matches);
  const auto cursor = in.optional_string("cursor");
  if (in.error()) {
    return make_call_error(CallErrorKind::invalid_arguments,
                           in.error()->message, in.error()->hint);
  }
  out.limit = static_cast<std::size_t>(limit.value_or(limits.default_matches));
  out.max_bytes = limits.max_bytes;
  out.query.max_line_bytes = limits.max_line_bytes;
  out.query.file = target.file;
  auto filter =
      GlobFilter::parse(globs, out.query.include_hidden, target.path.physical);
  if (!filter) return filter.error();
  out.filter = std::move(*filter);
  out.digest = query_digest(tool, target.path.physical, arguments);
  if (cursor && !cursor->empty()) {
    auto decoded = decode_cursor(*cursor, out.digest);
    if (!decoded) return decoded.error();
    out.cursor = std::move(*decoded);
  }
  return out;
}

void apply_filter(SearchPlan& plan, SearchTarget& target,
                  const Workspace& workspace) {
  if (!target.file.empty()) return;
  narrow(target, workspace, plan.filter.folder());
  // What the narrowed folder was named by is not hidden any more, but a glob
  // such as "**/.github/*" has to be walked to.
  if (plan.filter.names_hidden()) plan.query.include_hidden = true;
  plan.query.base_names = plan.filter.base_names();
  plan.query.excludes = plan.filter.excludes();
}

Task<Outcome<SearchFound>> search(const ExecutionContext& context,
                                  const SearchPlan& plan,
                                  const SearchTarget& target) {
  auto found = co_await search_tree(context, plan, target);
  if (!found) co_return found.error();
  const bool nothing = found->files == 0 && !found->end.refused() &&
                       found->end.how == RipgrepEnd::How::finished;
  if (nothing && !found->skips_known && wants_notes(plan.query)) {
    const int folder = target.folder.get();
    auto noted = co_await explain(context, plan.query, folder);
    if (noted) {
      found->skips = std::move(noted->causes);
      found->skips_known = noted->how == RipgrepEnd::How::finished;
    }
  }
  co_return found;
}

}  // namespace toolhost::builtin
