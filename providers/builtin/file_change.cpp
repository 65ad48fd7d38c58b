#include "providers/builtin/file_change.hpp"

#include <algorithm>

#include "protocol/text.hpp"
#include "providers/builtin/byte_scan.hpp"

namespace toolhost::builtin {
namespace {

// As read judges it.
constexpr std::size_t kBinaryProbe = 8 * 1024;

// A name with wildcards in it would be remembered as a pattern for others.
bool can_be_remembered(std::string_view shown) {
  return shown.find_first_of("*?[") == std::string_view::npos;
}

}  // namespace

Outcome<ExistingFile> load_file(const Workspace& workspace,
                                const ResolvedPath& path) {
  auto file = open_regular(workspace, path);
  if (!file) return file.error();
  auto bytes = read_whole(*file, path, kMaxChangedBytes);
  if (!bytes) return bytes.error();
  ExistingFile out;
  out.bytes = std::move(*bytes);
  out.status = file->status;
  const Encoding marked = detect_encoding(out.bytes);
  if (!is_utf16(marked)) {
    out.binary =
        classify(std::string_view(out.bytes).substr(0, kBinaryProbe)).nul;
  }
  out.encoding = out.binary ? marked : detect_whole(out.bytes);
  out.text = decode(out.bytes, out.encoding);
  if (is_utf16(out.encoding)) {
    const auto again = encode(out.text, out.encoding);
    out.lossless = again && *again == out.bytes;
  }
  return out;
}

std::optional<CallError> not_editable(const ResolvedPath& path,
                                      const ExistingFile& file) {
  std::string why;
  if (file.binary) {
    why = "it is a binary file";
  } else if (!file.lossless) {
    why = "it is not valid " + std::string(name(file.encoding));
  } else {
    return std::nullopt;
  }
  return make_call_error(CallErrorKind::tool_failed,
                         display_text(path.shown) + " cannot be edited: " +
                             why + "; nothing was changed.",
                         "Use a command that understands the format.");
}

bool has_non_ascii(std::string_view text) { return classify(text).non_ascii; }

Outcome<std::string> encode_change(const ResolvedPath& path,
                                   const ExistingFile& before,
                                   std::string_view text, bool adds_non_ascii) {
  const bool unknown = before.encoding == Encoding::unknown && adds_non_ascii;
  auto bytes = unknown ? std::nullopt : encode(text, before.encoding);
  if (bytes) return std::move(*bytes);
  return make_call_error(
      CallErrorKind::tool_failed,
      display_text(path.shown) + " was not changed: " +
          (unknown ? "its encoding is not known, so that only ASCII can be "
                     "put into it."
                   : "the new text has characters that its encoding, " +
                         std::string(name(before.encoding)) + ", lacks."),
      "Use other characters, or convert the file to UTF-8 first (iconv).");
}

void add_change(Resolution& out, ChangeRow row) {
  const std::string& shown = row.path.shown;
  if (!out.accesses) out.accesses.emplace();
  out.accesses->push_back({Access::Kind::file, Access::Operation::read_write,
                           row.path.physical, false});
  out.asks.push_back({"edit", shown, can_be_remembered(shown) ? shown : ""});
  WriteTarget target;
  target.path = row.path;
  target.operation = row.operation;
  if (row.base) {
    target.device = row.base->st_dev;
    target.inode = row.base->st_ino;
    target.revision = revision_of(*row.base);
    if (!out.base_revision.empty()) out.base_revision += '\n';
    out.base_revision += target.revision;
  }

  json::object change;
  change["path"] = to_utf8(row.path.physical);
  change["relativePath"] = to_utf8(shown);
  change["operation"] = row.operation;
  change["diff"] = to_utf8(row.diff.text);
  change["complete"] = row.diff.complete;
  if (!row.diff.complete) change["omittedLines"] = row.diff.omitted_lines;
  change["added"] = row.diff.added;
  change["removed"] = row.diff.removed;
  if (!row.note.empty()) change["note"] = std::move(row.note);
  if (!row.moved_from.empty()) change["movedFrom"] = to_utf8(row.moved_from);
  if (!row.moved_to.empty()) change["movedTo"] = to_utf8(row.moved_to);
  out.subject["type"] = "files";
  if (!out.subject.contains("changes")) {
    out.subject["changes"] = json::array();
  }
  out.subject["changes"].as_array().push_back(std::move(change));
  out.targets.push_back(std::move(target));
}

Resolution describe_change(const ResolvedPath& path, const struct stat* base,
                           Diff diff, std::string note, std::string_view verb) {
  Resolution out;
  ChangeRow row{path,
                base ? "modify" : "create",
                base,
                std::move(diff),
                std::move(note),
                {},
                {}};
  add_change(out, std::move(row));
  out.title = std::string(verb) + " " + display_text(path.shown);
  return out;
}

Outcome<WriteOptions> approved_options(const std::vector<WriteTarget>& targets,
                                       const ResolvedPath& path) {
  const auto target =
      std::find_if(targets.begin(), targets.end(), [&](const WriteTarget& one) {
        return one.path.physical == path.physical;
      });
  if (target == targets.end()) {
    return make_call_error(
        CallErrorKind::path_blocked,
        "The path " + display_text(path.given) + " now leads to " +
            display_text(path.physical) +
            ", which is not what was approved; nothing was written.",
        "Repeat the call.");
  }
  WriteOptions out;
  out.create_only = target->operation == "create";
  out.device = target->device;
  out.inode = target->inode;
  out.revision = target->revision;
  const bool same_file =
      path.exists ? path.inode == out.inode && path.device == out.device
                  : out.create_only;
  if (same_file) return out;
  return make_call_error(CallErrorKind::path_blocked,
                         display_text(path.shown) +
                             (out.create_only ? " appeared" : " changed") +
                             " since it was approved; nothing was written.",
                         "Read it again and repeat the change.");
}

json::object change_facts(const ResolvedPath& path, std::size_t bytes,
                          const WriteReport& report) {
  json::object out;
  out["path"] = to_utf8(path.physical);
  out["relativePath"] = to_utf8(path.shown);
  out["bytesWritten"] = bytes;
  out["inPlace"] = report.in_place;
  if (report.in_place) out["inPlaceReason"] = report.reason;
  if (!report.warning.empty()) out["warning"] = report.warning;
  out["revision"] = report.revision;
  return out;
}

std::string change_remark(const WriteReport& report) {
  std::string out;
  if (report.in_place) {
    out += "; written in place, because " + report.reason;
  }
  if (!report.warning.empty()) out += "; " + report.warning;
  return out;
}

}  // namespace toolhost::builtin
