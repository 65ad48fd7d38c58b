#include "providers/builtin/read_pdf.hpp"

#include <boost/asio/steady_timer.hpp>

#include "protocol/text.hpp"
#include "providers/builtin/ripgrep.hpp"
#include "providers/support/child_process.hpp"
#include "providers/support/log.hpp"

namespace toolhost::builtin {
namespace {

// One run, shared with the handlers that may come late.
struct Conversion {
  explicit Conversion(asio::io_context& loop) : timer(loop) {}

  enum class End { finished, stopped, timed_out, too_long };
  void end(End how) {
    if (over || ended != End::finished) return;
    ended = how;
    child->kill_tree();
    child->interrupt_reads();
  }

  std::unique_ptr<ChildProcess> child;
  asio::steady_timer timer;
  End ended = End::finished;
  bool over = false;
  std::string text;
  std::string complaint;
};
using ConversionPtr = std::shared_ptr<Conversion>;

Task<void> feed(ConversionPtr run, std::string bytes) {
  // A converter that ends early needs no more of it; its status tells.
  const Result<void> sent = co_await run->child->write_in(std::move(bytes));
  if (sent) run->child->close_in();
}

Task<void> read_complaint(ConversionPtr run) {
  constexpr std::size_t kEnough = 4096;
  std::string bytes;
  bool more = true;
  while (more && run->ended == Conversion::End::finished) {
    bytes.clear();
    more = co_await run->child->read_err(bytes);
    if (run->complaint.size() < kEnough) run->complaint += bytes;
  }
}

Task<void> read_text(ConversionPtr run) {
  bool more = true;
  while (more && run->ended == Conversion::End::finished) {
    more = co_await run->child->read_out(run->text);
    if (run->text.size() > kMaxPdfText) run->end(Conversion::End::too_long);
  }
}

CallError failed(const ReadJob& job, const std::string& why, std::string hint) {
  CallError error = make_call_error(
      CallErrorKind::tool_failed,
      display_text(job.path.shown) + " is a PDF document of " +
          std::to_string(job.file.status.st_size) + " bytes; " + why,
      std::move(hint));
  error.details = read_facts(job);
  error.details["detected"] = "a PDF document";
  return error;
}

Outcome<std::unique_ptr<ChildProcess>> start(const ReadJob& job,
                                             asio::io_context& loop) {
  ProcessSpec spec;
  spec.env = child_environment();
  const std::string program = find_program("pdftotext", spec.env);
  if (program.empty()) {
    return failed(job,
                  "its text cannot be read, because pdftotext is not "
                  "installed.",
                  "Ask the person to install it (Debian: apt install "
                  "poppler-utils), or use a command that understands PDF.");
  }
  spec.argv = {program, "-layout", "-enc", "UTF-8", "-", "-"};
  spec.cwd = "/";
  spec.stdin_pipe = true;
  auto child = ChildProcess::spawn(loop, spec);
  if (child) return std::move(*child);
  return failed(job,
                "pdftotext (" + program +
                    ") cannot be started: " + child.error().message + ".",
                child.error().hint);
}

// A line before every page, in place of the form feed behind it.
ConvertedText with_page_lines(std::string_view text) {
  ConvertedText out;
  out.kind = "pdf";
  out.parts_name = "pages";
  bool blank = true;
  while (!text.empty()) {
    const std::size_t feed = text.find('\f');
    const std::string_view page = text.substr(0, feed);
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    out.text += "[page " + std::to_string(++out.parts) + "]\n";
    out.text += page;
    if (!page.empty() && !page.ends_with('\n')) out.text += '\n';
    blank = blank && page.find_first_not_of(" \t\r\n") == page.npos;
  }
  out.about = "[The text of a PDF document of " + std::to_string(out.parts) +
              " pages, as pdftotext extracts it; pictures are missing.";
  if (blank) out.about += " There is no text in it; it may be scanned.";
  out.about += "]";
  return out;
}

CallError not_converted(const ReadJob& job, const Conversion& run,
                        const ExitStatus& status) {
  switch (run.ended) {
    case Conversion::End::stopped:
      return make_call_error(CallErrorKind::cancelled,
                             "The call was cancelled.");
    case Conversion::End::timed_out:
      return failed(job,
                    "its text was not extracted within " +
                        std::to_string(kPdfTime.count()) + " seconds.",
                    "Use a command, and only some of its pages.");
    case Conversion::End::too_long:
      return failed(
          job,
          "it has more than " + std::to_string(kMaxPdfText) + " bytes of text.",
          "Use a command, and only some of its pages.");
    case Conversion::End::finished:
      break;
  }
  // The first line tells; the rest is what follows from it.
  std::string why = to_utf8(run.complaint);
  why = display_text(utf8_prefix(why.substr(0, why.find('\n')), 500));
  if (why.empty()) {
    why = status.signal != 0
              ? "it was ended by signal " + std::to_string(status.signal)
              : "it ended with status " + std::to_string(status.code);
  }
  return failed(job, "pdftotext cannot read it: " + why + ".",
                "It may need a password or be damaged; tell the person.");
}

}  // namespace

Task<ToolOutput> read_pdf(std::shared_ptr<ReadJob> job,
                          const ExecutionContext& context) {
  auto bytes = read_whole(job->file, job->path, kMaxPdfBytes);
  if (!bytes) co_return ToolOutput::failure(bytes.error());
  auto child = start(*job, context.loop);
  if (!child) co_return ToolOutput::failure(child.error());
  auto run = std::make_shared<Conversion>(context.loop);
  run->child = std::move(*child);
  run->timer.expires_after(kPdfTime);
  run->timer.async_wait([run](boost::system::error_code cancelled) {
    if (!cancelled) run->end(Conversion::End::timed_out);
  });
  const std::function<void()> on_stop = [run] {
    run->end(Conversion::End::stopped);
  };
  const Stop::Registration stop = context.stop.on_request(on_stop);

  TaskGroup streams(context.loop, "pdftotext");
  streams.spawn(feed(run, std::move(*bytes)));
  streams.spawn(read_complaint(run));
  co_await read_text(run);
  co_await streams.join();
  ExitStatus status;
  if (run->ended == Conversion::End::finished) {
    status = co_await run->child->wait();
  }
  run->over = true;
  run->timer.cancel();
  const bool gone = co_await run->child->end_tree(std::chrono::milliseconds(0));
  if (!gone) log_warn("pdftotext could not be ended call=" + context.call_id);
  if (run->ended != Conversion::End::finished || !status.success()) {
    co_return ToolOutput::failure(not_converted(*job, *run, status));
  }
  const ConvertedText converted = with_page_lines(to_utf8(run->text));
  co_return converted_output(*job, converted);
}

}  // namespace toolhost::builtin
