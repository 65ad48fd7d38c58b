#include "daemon/cli/approval_text.hpp"

#include <algorithm>

#include "daemon/cli/ages.hpp"
#include "daemon/cli/columns.hpp"
#include "protocol/text.hpp"

namespace toolhost::cli {
namespace {

// More blanks in a row than any code is indented: they push text out of sight.
constexpr std::size_t kManyBlanks = 60;
constexpr std::size_t kManyEmptyLines = 12;

class Page {
 public:
  void add(std::string_view text, Style style = Style::plain) {
    lines_.push_back({display_text(text, false, &suspicious_), style});
  }
  void empty() { lines_.push_back({}); }
  void field(std::string_view label, std::string_view text) {
    if (!text.empty()) add(pad(label, 11) + std::string(text));
  }
  // Text of several lines, each with `mark` before it.
  void block(std::string_view text, std::string_view mark,
             Style style = Style::plain) {
    note_blanks(text);
    for (const std::string_view line : lines_of(text)) {
      lines_.push_back(
          {std::string(mark) + display_text(line, true, &suspicious_), style});
    }
  }
  void diff(std::string_view text);
  std::vector<std::string>& suspicious() { return suspicious_; }
  std::vector<Line> take() { return std::move(lines_); }

 private:
  void note(const char* what) {
    if (std::find(suspicious_.begin(), suspicious_.end(), what) ==
        suspicious_.end()) {
      suspicious_.emplace_back(what);
    }
  }
  void note_blanks(std::string_view text) {
    if (text.find(std::string(kManyBlanks, ' ')) != std::string_view::npos ||
        text.find(std::string(kManyEmptyLines, '\n')) !=
            std::string_view::npos) {
      note("long runs of blanks");
    }
  }

  std::vector<Line> lines_;
  std::vector<std::string> suspicious_;
};

void Page::diff(std::string_view text) {
  note_blanks(text);
  for (const std::string_view line : lines_of(text)) {
    Style style = Style::plain;
    if (line.starts_with('+')) style = Style::added;
    if (line.starts_with('-')) style = Style::removed;
    if (line.starts_with("@@")) style = Style::hunk;
    lines_.push_back({display_text(line, true, &suspicious_), style});
  }
}

std::string requester_text(const json::object& requester) {
  std::string out = text_at(requester, {"clientName", "name"});
  if (out.empty()) out = "an unnamed client";
  const std::string version = text_at(requester, "clientVersion");
  if (!version.empty()) out += " " + version;
  const std::string agent = text_at(requester, "agentName");
  if (!agent.empty()) out += ", agent " + agent;
  return out + " (its own words)";
}

// What the kernel says, as against the name above.
std::string process_text(const json::object& requester) {
  std::string out;
  const std::string pid = text_at(requester, "pid");
  if (!pid.empty()) out = "pid " + pid;
  const std::string exe = text_at(requester, "exe");
  if (!exe.empty()) out += (out.empty() ? "" : ", ") + exe;
  return out;
}

// The arguments that the subject does not show word for word.
json::object other_arguments(const json::object& arguments,
                             const std::string& shown) {
  json::object out;
  for (const auto& member : arguments) {
    const json::value& value = member.value();
    if (value.is_string() && !shown.empty() && value.get_string() == shown) {
      continue;
    }
    out[member.key()] = value;
  }
  return out;
}

void add_arguments(Page& page, const json::object& arguments,
                   std::string_view heading) {
  if (arguments.empty()) return;
  page.empty();
  page.add(heading, Style::title);
  page.block(pretty_json(arguments), "  ");
}

void add_command(Page& page, const json::object& subject,
                 const json::object& arguments) {
  const std::string command = text_at(subject, "command");
  page.add("Command", Style::title);
  page.block(command, "  $ ");
  const std::string cwd = text_at(subject, "cwd");
  if (!cwd.empty()) page.add("  in " + cwd, Style::dim);
  const std::string risk = text_at(subject, "risk");
  if (!risk.empty()) page.add("  " + risk, Style::dim);
  const std::string sandbox = text_at(subject, "sandbox");
  if (sandbox == "none") {
    page.add("  not confined: it can do whatever you can", Style::warning);
  } else if (!sandbox.empty()) {
    page.add("  " + sandbox, Style::dim);
  }
  add_arguments(page, other_arguments(arguments, command), "Other arguments");
}

void add_files(Page& page, const json::object& subject,
               const json::object& arguments) {
  bool all_shown = true;
  for (const json::value& item : array_at(subject, "changes")) {
    if (!item.is_object()) continue;
    const json::object& change = item.get_object();
    std::string operation = text_at(change, "operation");
    if (operation.empty()) operation = "change";
    page.add(operation + " " + text_at(change, "path"), Style::title);
    const std::string diff = text_at(change, "diff");
    page.diff(diff);
    if (diff.empty() && operation != "delete") all_shown = false;
  }
  if (!all_shown) add_arguments(page, arguments, "Arguments");
}

void add_subject(Page& page, const json::object& raw) {
  const json::object& subject = object_at(raw, "subject");
  const json::object& arguments = object_at(raw, "arguments");
  const std::string type = text_at(subject, "type");
  if (type == "command") return add_command(page, subject, arguments);
  if (type == "files") return add_files(page, subject, arguments);
  if (type == "workspace") {
    page.add("Trust this folder as a workspace", Style::title);
    page.block(text_at(subject, "path"), "  ");
    page.add("Project settings, hooks and servers in it may then be used.",
             Style::dim);
    return add_arguments(page, arguments, "Arguments of the first call");
  }
  if (type == "network") {
    page.add("Request over the network", Style::title);
    page.block(text_at(subject, "method") + " " + text_at(subject, "url"),
               "  ");
    return add_arguments(page, arguments, "Arguments");
  }
  // A subject of a newer daemon is shown as it came.
  if (type != "tool" && !subject.empty()) {
    page.add("Subject", Style::title);
    page.block(pretty_json(subject), "  ");
  }
  page.add("Arguments", Style::title);
  page.block(pretty_json(arguments), "  ");
}

void add_reasons(Page& page, const json::object& raw) {
  for (const json::value& item : array_at(raw, "because")) {
    if (!item.is_object()) continue;
    page.field("because", text_at(item.get_object(), "detail") + " [" +
                              text_at(item.get_object(), "gate") + "]");
  }
  const std::string reason = text_at(raw, "agentReason");
  if (!reason.empty()) page.field("agent says", "\"" + reason + "\"");
}

}  // namespace

bool ShownOption::known() const {
  return kind == "allow_once" || kind == "allow_always" ||
         kind == "reject_once" || kind == "reject_always";
}

const ShownOption* ShownApproval::option(const std::string& wanted) const {
  for (const ShownOption& option : options) {
    if (option.id == wanted) return &option;
  }
  return nullptr;
}

const ShownOption* ShownApproval::allow_once() const {
  for (const ShownOption& option : options) {
    if (option.kind == "allow_once") return &option;
  }
  return nullptr;
}

ShownApproval read_approval(json::object raw) {
  ShownApproval out;
  out.id = text_at(raw, "approvalId");
  out.call_id = text_at(raw, "callId");
  out.state = text_at(raw, "state");
  out.digest = text_at(raw, "approvalDigest");
  out.revision = int_at(raw, "revision").value_or(0);
  // Absent means complete; anything but true is not.
  out.complete = !raw.contains("complete") || bool_at(raw, "complete");
  out.title = text_at(raw, "title");
  const json::object& tool = object_at(raw, "tool");
  out.tool = tool.empty() ? text_at(raw, "tool") : text_at(tool, "name");
  out.requester = text_at(object_at(raw, "requester"), {"clientName", "name"});
  out.workspace = text_at(raw, "workspace");
  out.created = parse_rfc3339(text_at(raw, "createdAt"));
  out.expires = parse_rfc3339(text_at(raw, "expiresAt"));
  for (const json::value& item : array_at(raw, "options")) {
    if (!item.is_object()) continue;
    const json::object& option = item.get_object();
    ShownOption shown;
    shown.id = text_at(option, "optionId");
    shown.kind = text_at(option, "kind");
    shown.label = text_at(option, "label");
    shown.scope = text_at(option, "scope");
    shown.rule = text_at(object_at(option, "rule"), "text");
    out.options.push_back(std::move(shown));
  }
  out.raw = std::move(raw);
  return out;
}

std::vector<Line> subject_lines(const ShownApproval& approval) {
  const json::object& raw = approval.raw;
  Page page;
  page.field("asked by", requester_text(object_at(raw, "requester")));
  page.field("process", process_text(object_at(raw, "requester")));
  page.field("tool", approval.tool);
  page.field("workspace", approval.workspace);
  if (text_at(raw, "cwd") != approval.workspace) {
    page.field("folder", text_at(raw, "cwd"));
  }
  add_reasons(page, raw);
  page.empty();
  add_subject(page, raw);
  std::vector<std::string> warnings = std::move(page.suspicious());
  for (const json::value& item : array_at(raw, "suspicious")) {
    if (!item.is_string()) continue;
    std::string text = display_text(item.get_string());
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
      warnings.push_back(std::move(text));
    }
  }
  std::vector<Line> head{{display_text(approval.title), Style::title}};
  for (const std::string& warning : warnings) {
    head.push_back({"! Take care: " + warning, Style::warning});
  }
  if (!approval.complete) {
    head.push_back(
        {"! Not complete: a part could not be shown, so it cannot be "
         "allowed here.",
         Style::warning});
  }
  std::vector<Line> body = page.take();
  std::move(body.begin(), body.end(), std::back_inserter(head));
  return head;
}

std::vector<Line> option_lines(const ShownApproval& approval,
                               const std::vector<std::string>& keys) {
  std::vector<Line> out;
  for (std::size_t i = 0; i < approval.options.size(); ++i) {
    const ShownOption& option = approval.options[i];
    const std::string key = i < keys.size() ? keys[i] : display_text(option.id);
    std::string text = "[" + key + "] " + display_text(option.label);
    if (!option.allows() && !option.rejects()) {
      text += " (unknown kind " + display_text(option.kind) + ")";
    }
    out.push_back({std::move(text), Style::plain});
    if (!option.rule.empty()) {
      out.push_back({"      remembers: " + display_text(option.rule) + " (" +
                         display_text(option.scope) + ")",
                     Style::dim});
    }
  }
  return out;
}

std::string describe_end(const json::object& approval) {
  const json::object& resolution = object_at(approval, "resolution");
  std::string decision = text_at(resolution, "decision");
  if (decision.empty()) decision = text_at(approval, "state");
  std::string out = decision;
  if (decision == "allow") out = "Allowed";
  if (decision == "deny") out = "Denied";
  if (decision == "expired") out = "Expired";
  if (decision == "withdrawn") out = "Withdrawn";
  const json::object& by = object_at(resolution, "decidedBy");
  const std::string client = text_at(by, "clientName");
  const std::string rule = text_at(by, "rule");
  if (!client.empty()) {
    out += " by " + client;
  } else if (!rule.empty()) {
    out += " by a rule";
  }
  const std::string comment = text_at(resolution, "comment");
  if (!comment.empty()) out += " (" + comment + ")";
  return display_text(out);
}

}  // namespace toolhost::cli
