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
  out.encoding = detect_encoding(out.bytes);
  out.text = decode(out.bytes, out.encoding);
  const bool wide =
      out.encoding == Encoding::utf16_le || out.encoding == Encoding::utf16_be;
  if (wide) {
    const auto again = encode(out.text, out.encoding);
    out.lossless = again && *again == out.bytes;
  } else {
    out.binary =
        classify(std::string_view(out.bytes).substr(0, kBinaryProbe)).nul;
  }
  return out;
}

Resolution describe_change(const ResolvedPath& path, const struct stat* base,
                           Diff diff, std::string note, std::string_view verb) {
  Resolution out;
  out.accesses.emplace().push_back({Access::Kind::file,
                                    Access::Operation::read_write,
                                    path.physical, false});
  out.asks.push_back(
      {"edit", path.shown, can_be_remembered(path.shown) ? path.shown : ""});
  WriteTarget target;
  target.path = path;
  target.operation = base ? "modify" : "create";
  if (base) {
    target.device = base->st_dev;
    target.inode = base->st_ino;
    target.revision = revision_of(*base);
    out.base_revision = target.revision;
  }
  out.title = std::string(verb) + " " + display_text(path.shown);

  json::object change;
  change["path"] = to_utf8(path.physical);
  change["relativePath"] = to_utf8(path.shown);
  change["operation"] = target.operation;
  change["diff"] = to_utf8(diff.text);
  change["complete"] = diff.complete;
  if (!diff.complete) change["omittedLines"] = diff.omitted_lines;
  change["added"] = diff.added;
  change["removed"] = diff.removed;
  if (!note.empty()) change["note"] = std::move(note);
  json::array changes;
  changes.push_back(std::move(change));
  out.subject["type"] = "files";
  out.subject["changes"] = std::move(changes);
  out.targets.push_back(std::move(target));
  return out;
}

Outcome<WriteOptions> approved_options(const ExecutionContext& context,
                                       const ResolvedPath& path) {
  const auto target =
      std::find_if(context.targets.begin(), context.targets.end(),
                   [&](const WriteTarget& one) {
                     return one.path.physical == path.physical;
                   });
  if (target == context.targets.end()) {
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
