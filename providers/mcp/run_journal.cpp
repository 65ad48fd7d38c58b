#include "providers/mcp/run_journal.hpp"

#include "protocol/text.hpp"

namespace toolhost::mcp {

void RunJournal::error_output(std::string_view bytes) {
  errors_ += bytes;
  // Twice the size, so that not every write moves the rest.
  if (errors_.size() > 2 * kErrorBytes) {
    errors_.erase(0, errors_.size() - kErrorBytes);
  }
}

void RunJournal::noise(std::string_view line) {
  ++noise_lines_;
  noise_bytes_ += line.size();
  if (noise_lines_ <= kNotes) {
    note("not a message: " + std::string(utf8_prefix(line, kNoteBytes)));
  }
}

void RunJournal::note(std::string text) {
  if (notes_.size() == kNotes) notes_.pop_front();
  notes_.push_back(display_text(
      secrets_.redact(std::string(utf8_prefix(text, 2 * kNoteBytes)))));
}

std::string RunJournal::redact(std::string text) const {
  return secrets_.redact(std::move(text));
}

std::string RunJournal::last_words(std::size_t bytes) const {
  const std::string clean = display_text(secrets_.redact(errors_), true);
  std::string_view tail = utf8_suffix(clean, bytes);
  // From the beginning of a line, unless there is only one.
  if (tail.size() < clean.size()) {
    const auto line = tail.find('\n');
    if (line != std::string_view::npos && line + 1 < tail.size()) {
      tail.remove_prefix(line + 1);
    }
  }
  while (tail.ends_with('\n')) tail.remove_suffix(1);
  return std::string(tail);
}

json::object RunJournal::details() const {
  json::object out;
  if (noise_lines_ > 0) out["noiseLines"] = noise_lines_;
  if (!notes_.empty()) {
    json::array notes;
    for (const std::string& note : notes_) notes.emplace_back(note);
    out["notes"] = std::move(notes);
  }
  if (std::string words = last_words(kErrorBytes); !words.empty()) {
    out["stderr"] = std::move(words);
  }
  return out;
}

}  // namespace toolhost::mcp
