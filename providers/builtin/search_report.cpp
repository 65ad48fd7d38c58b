#include "providers/builtin/search_report.hpp"

#include <utility>

#include "protocol/text.hpp"

namespace toolhost::builtin {
namespace {

using How = RipgrepEnd::How;

// A title has one line on a screen.
constexpr std::size_t kMaxTitleBytes = 120;

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string counted(std::uint64_t count, const SearchNouns& nouns) {
  return number(count) + " " + (count == 1 ? nouns.one : nouns.many);
}

std::string listed(const SearchCount& count) {
  std::string out;
  for (const std::string& example : count.examples) {
    out += (out.empty() ? "" : ", ") + example;
  }
  if (count.count > count.examples.size()) out += ", …";
  return out;
}

json::object to_json(const SearchCount& count) {
  json::object out;
  out["count"] = count.count;
  json::array examples;
  for (const std::string& example : count.examples) {
    examples.emplace_back(json::string(example));
  }
  out["examples"] = std::move(examples);
  return out;
}

std::string next_cursor(const SearchPlan& plan, const SearchFound& found) {
  if (!found.more || found.entries.empty()) return {};
  SearchCursor cursor;
  cursor.after = found.entries.back().key;
  cursor.shown = found.entries.size() + (plan.cursor ? plan.cursor->shown : 0);
  return encode_cursor(cursor, plan.digest);
}

// Why the walk is not complete, beside errors of single files.
std::string_view cut_short(const RipgrepEnd& end) {
  switch (end.how) {
    case How::timed_out:
      return "the time limit was reached";
    case How::stopped:
      return "the call was stopped";
    case How::too_much:
    case How::too_many_notes:
      return "there was too much output";
    case How::finished:
      return end.status.signal != 0 ? "ripgrep was killed" : "";
  }
  return "";
}

json::array causes(const SearchFound& found) {
  json::array out;
  const std::string_view reason = cut_short(found.end);
  if (!reason.empty()) {
    json::object cause;
    cause["reason"] = reason;
    out.push_back(std::move(cause));
  }
  for (const auto& [what, count] : found.end.causes.failures()) {
    json::object cause = to_json(count);
    cause["reason"] = what;
    out.push_back(std::move(cause));
  }
  return out;
}

json::object facts(const SearchPlan& plan, const SearchFound& found,
                   const std::string& cursor) {
  json::object out;
  out["mode"] = plan.mode;
  out["shown"] = found.entries.size();
  out["matches"] = found.matches;
  out["files"] = found.files;
  if (found.minimum) out["totalsAreMinimum"] = true;
  out["truncated"] = found.more;
  if (!cursor.empty()) out["nextCursor"] = cursor;
  out["partial"] = found.partial();
  if (found.partial()) out["causes"] = causes(found);
  if (found.binary_files > 0) out["binaryFiles"] = found.binary_files;
  if (found.skips_known) {
    json::object skipped;
    skipped["ignored"] = to_json(found.skips.ignored());
    skipped["hidden"] = to_json(found.skips.hidden());
    skipped["special"] = to_json(found.skips.special());
    out["skipped"] = std::move(skipped);
  }
  return out;
}

std::string total_note(const SearchPlan& plan, const SearchFound& found,
                       const SearchNouns& nouns) {
  std::string out = found.minimum ? "At least " : "";
  out += counted(found.matches, nouns);
  if (nouns.one != "file") {
    out += " in " + counted(found.files, SearchNouns{"file", "files"});
  }
  const std::uint64_t before = plan.cursor ? plan.cursor->shown : 0;
  if (before > 0 || found.more) {
    out += "; entries " + number(before + 1) + " to " +
           number(before + found.entries.size()) + " are shown";
  }
  return out + ".";
}

std::string partial_note(const SearchFound& found) {
  std::string out = "Incomplete: ";
  const std::string_view reason = cut_short(found.end);
  std::string rest;
  for (const auto& [what, count] : found.end.causes.failures()) {
    rest += (rest.empty() ? "" : "; ") + what + " for " + number(count.count) +
            " (" + listed(count) + ")";
  }
  out += reason;
  if (!reason.empty() && !rest.empty()) out += "; ";
  out += rest;
  if (reason.empty() && rest.empty()) {
    out += display_text(found.end.causes.text());
  }
  return out + ". What was not searched may hold more.";
}

std::string skipped_note(const SearchFound& found) {
  const SearchCount& hidden = found.skips.hidden();
  const SearchCount& ignored = found.skips.ignored();
  std::string out;
  if (ignored.count > 0) {
    out += number(ignored.count) + " ignored (" + listed(ignored) +
           "; includeIgnored: true searches them)";
  }
  if (hidden.count > 0) {
    out += out.empty() ? "" : ", ";
    out += number(hidden.count) + " hidden (" + listed(hidden) +
           "; includeHidden: true searches them)";
  }
  if (out.empty()) return out;
  return "Left out, a folder counting as one: " + out + ".";
}

std::string notes(const SearchPlan& plan, const SearchFound& found,
                  const SearchNouns& nouns, const std::string& cursor) {
  std::vector<std::string> lines;
  if (found.files > 0) {
    lines.push_back(total_note(plan, found, nouns));
  } else if (found.partial()) {
    lines.push_back("No match in what could be searched.");
  } else if (found.binary_files == 0) {
    lines.push_back("No match.");
  }
  if (found.partial()) lines.push_back(partial_note(found));
  if (!cursor.empty()) {
    lines.push_back("Next page: the same call with cursor \"" + cursor +
                    "\"; or narrow the search with path, glob or pattern.");
  }
  if (found.binary_files > 0) {
    lines.push_back(
        counted(found.binary_files,
                SearchNouns{"binary file has", "binary files have"}) +
        " matches that are not shown as text.");
  }
  const std::string skipped = skipped_note(found);
  if (!skipped.empty()) lines.push_back(skipped);
  std::string out;
  for (const std::string& line : lines) {
    out += (out.empty() ? "[" : "\n ") + line;
  }
  return out + "]";
}

CallError refusal(const SearchPlan& plan, const SearchFound& found) {
  const std::string& text = found.end.causes.text();
  return explain_refusal(text, plan.query.pattern);
}

}  // namespace

Resolution resolve_search(std::string_view permission, std::string_view verb,
                          const std::string& pattern,
                          const ResolvedPath& where) {
  Resolution out;
  Access access;
  access.operation = Access::Operation::search;
  access.path = where.physical;
  access.recursive = true;
  out.accesses = std::vector<Access>{std::move(access)};
  PermissionAsk ask;
  ask.permission = permission;
  ask.pattern = pattern;
  ask.remember = pattern;
  out.asks.push_back(std::move(ask));
  out.subject["type"] = "tool";
  out.subject["pattern"] = pattern;
  out.subject["path"] = where.physical;
  const std::string_view shown = utf8_prefix(pattern, kMaxTitleBytes);
  out.title = std::string(verb) + " \"" + display_text(shown) +
              (shown.size() < pattern.size() ? "…" : "") + "\" in " +
              display_text(where.shown);
  return out;
}

ToolOutput report(const SearchPlan& plan, const SearchFound& found,
                  const ExecutionContext& context, std::string body,
                  const SearchNouns& nouns) {
  if (found.files == 0 && found.end.refused()) {
    return ToolOutput::failure(refusal(plan, found));
  }
  const std::string cursor = next_cursor(plan, found);
  if (!body.empty()) body += '\n';
  body += notes(plan, found, nouns, cursor);
  ToolOutput out = ToolOutput::text(std::move(body));
  out.structured = facts(plan, found, cursor);
  out.truncated = found.more;
  out.paged = true;
  if (found.end.how == How::stopped) {
    out.error = make_call_error(CallErrorKind::cancelled,
                                context.stop.reason() +
                                    " The search was ended; what it had found "
                                    "by then is in the content.");
  } else if (found.end.how == How::timed_out && found.files == 0) {
    out.error = make_call_error(
        CallErrorKind::timed_out,
        "The search found nothing within its time limit and was ended.",
        "Name a smaller folder as path, or give a glob or type.");
  }
  return out;
}

}  // namespace toolhost::builtin
