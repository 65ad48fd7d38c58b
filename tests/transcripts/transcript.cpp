#include "tests/transcripts/transcript.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "protocol/json_text.hpp"
#include "tests/support/daemon_process.hpp"

namespace toolhost::testing {
namespace {

using Variables = std::map<std::string, json::value>;

void fill_in(json::value& value, const Variables& variables) {
  if (value.is_string()) {
    std::string text(value.get_string());
    if (text.starts_with('$')) {
      const auto whole = variables.find(text.substr(1));
      if (whole != variables.end()) {
        value = whole->second;
        return;
      }
    }
    for (const auto& [name, replacement] : variables) {
      if (!replacement.is_string()) continue;
      const std::string mark = "$" + name;
      for (std::size_t at = text.find(mark); at != std::string::npos;
           at = text.find(mark, at)) {
        text.replace(at, mark.size(), replacement.get_string());
      }
    }
    value = text;
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) fill_in(member.value(), variables);
  } else if (value.is_array()) {
    for (auto& item : value.get_array()) fill_in(item, variables);
  }
}

bool fits(const json::value& expected, const json::value& got,
          Variables& variables);

// "start…middle…end": the pieces, in order; what is between does not matter.
bool pieces_fit(std::string expected, std::string text) {
  const std::string gap = "…";
  std::size_t end = expected.find(gap);
  if (end == std::string::npos) return expected == text;
  if (!text.starts_with(expected.substr(0, end))) return false;
  text.erase(0, end);
  expected.erase(0, end + gap.size());
  for (end = expected.find(gap); end != std::string::npos;
       end = expected.find(gap)) {
    const std::size_t at = text.find(expected.substr(0, end));
    if (at == std::string::npos) return false;
    text.erase(0, at + end);
    expected.erase(0, end + gap.size());
  }
  return text.ends_with(expected);
}

bool string_fits(std::string expected, const json::value& got,
                 Variables& variables) {
  if (expected == "…") return true;
  if (expected.starts_with('$') && !variables.contains(expected.substr(1)) &&
      expected.find('/') == std::string::npos) {
    variables[expected.substr(1)] = got;
    return true;
  }
  json::value filled(expected);
  fill_in(filled, variables);
  if (filled == got) return true;
  if (!filled.is_string() || !got.is_string()) return false;
  return pieces_fit(std::string(filled.get_string()),
                    std::string(got.get_string()));
}

bool fits(const json::value& expected, const json::value& got,
          Variables& variables) {
  if (expected.is_string()) {
    return string_fits(std::string(expected.get_string()), got, variables);
  }
  if (expected.is_object()) {
    if (!got.is_object()) return false;
    for (const auto& member : expected.get_object()) {
      const json::value* found = got.get_object().if_contains(member.key());
      if (!found || !fits(member.value(), *found, variables)) return false;
    }
    return true;
  }
  if (expected.is_array()) {
    if (!got.is_array()) return false;
    const auto& wanted = expected.get_array();
    const auto& items = got.get_array();
    std::size_t i = 0;
    for (; i < wanted.size(); ++i) {
      const bool rest =
          wanted[i].is_string() && wanted[i] == "…" && i + 1 == wanted.size();
      if (rest) return true;
      if (i >= items.size() || !fits(wanted[i], items[i], variables)) {
        return false;
      }
    }
    return items.size() == wanted.size();
  }
  return expected == got;
}

// One connection of the play, spoken to in frames.
class Line {
 public:
  Line(DaemonProcess& daemon, const std::string& kind)
      : socket_(kind == "caller" ? daemon.caller_socket()
                                 : daemon.control_socket()) {
    if (kind == "caller") {
      relay_ = std::make_unique<RelayProcess>(socket_);
      fd_ = relay_->fd();
    } else {
      fd_ = connect_socket(socket_);
    }
  }
  ~Line() {
    if (!relay_) close_fd(fd_);
  }

  void send(const std::string& bytes) { write_bytes(fd_, bytes); }

  // The first held or coming message that `wanted` is about.
  std::optional<json::value> receive(const json::object& wanted,
                                     Milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
      for (auto held = held_.begin(); held != held_.end(); ++held) {
        if (!is_about(wanted, *held)) continue;
        json::value out = std::move(*held);
        held_.erase(held);
        return out;
      }
      if (!read_more(end)) return std::nullopt;
    }
  }

  bool closed(Milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (read_more(end)) {
    }
    return ended_;
  }

  std::string held() const {
    std::string out;
    for (const json::value& each : held_) out += "\n    " + json_text(each);
    return out;
  }

 private:
  static bool is_about(const json::object& wanted, const json::value& got) {
    if (const json::value* id = wanted.if_contains("id")) {
      const json::value* other = got.get_object().if_contains("id");
      return other && *other == *id;
    }
    const json::value* method = got.get_object().if_contains("method");
    return method && *method == wanted.at("method");
  }

  bool read_more(std::chrono::steady_clock::time_point end) {
    const std::string bytes = read_bytes(fd_, end, ended_);
    if (bytes.empty()) return false;
    reader_.append(bytes);
    for (;;) {
      auto frame = reader_.next();
      if (!frame || !*frame) break;
      held_.push_back(json::parse(**frame));
    }
    return true;
  }

  std::string socket_;
  std::unique_ptr<RelayProcess> relay_;
  int fd_ = -1;
  bool ended_ = false;
  FrameReader reader_{64U << 20};
  std::vector<json::value> held_;
};

class Play {
 public:
  explicit Play(const Transcript& transcript) : transcript_(transcript) {}

  void run() {
    std::string config = "{}";
    for (const auto& [number, line] : transcript_.lines) {
      if (line.starts_with("config ")) config = line.substr(7);
    }
    daemon_ = std::make_unique<DaemonProcess>(config);
    variables_["work"] = daemon_->workspace();
    for (const auto& [number, line] : transcript_.lines) {
      SCOPED_TRACE(transcript_.origin + ", line " + std::to_string(number) +
                   ": " + line);
      step(line);
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  void step(const std::string& line) {
    if (line.empty() || line.starts_with('#') || line.starts_with("config ")) {
      return;
    }
    if (line.starts_with("file ")) {
      const std::size_t end = line.find(' ', 5);
      const json::value text = json::parse(line.substr(end + 1));
      write_file(daemon_->path(line.substr(5, end - 5)), text.as_string());
      return;
    }
    const char name = line.at(0);
    const char what = line.at(1);
    const std::string rest = line.size() > 3 ? line.substr(3) : "";
    if (what == ' ') {
      lines_[name] = std::make_unique<Line>(*daemon_, line.substr(2));
      return;
    }
    ASSERT_TRUE(lines_.contains(name)) << "no connection " << name;
    Line& to = *lines_[name];
    switch (what) {
      case '>':
        return send(to, rest);
      case '!':
        return to.send(rest + "\n");
      case '<':
        return expect(to, rest);
      case '.':
        EXPECT_TRUE(to.closed(Milliseconds(5000))) << "it is still open";
        return;
      default:
        FAIL() << "not a line of a transcript";
    }
  }

  void send(Line& to, const std::string& text) {
    json::value message = json::parse(text);
    fill_in(message, variables_);
    json::object& object = message.as_object();
    if (!object.contains("jsonrpc")) object["jsonrpc"] = "2.0";
    to.send(json_text(message) + "\n");
  }

  void expect(Line& from, const std::string& text) {
    const json::value wanted = json::parse(text);
    const auto got = from.receive(wanted.as_object(), Milliseconds(20'000));
    ASSERT_TRUE(got) << "nothing came; held:" << from.held();
    Variables kept = variables_;
    const bool good = fits(wanted, *got, kept);
    if (good) variables_ = std::move(kept);
    EXPECT_TRUE(good) << "  expected " << json_text(wanted) << "\n  got      "
                      << json_text(*got);
  }

  const Transcript& transcript_;
  std::unique_ptr<DaemonProcess> daemon_;
  std::map<char, std::unique_ptr<Line>> lines_;
  Variables variables_;
};

}  // namespace

std::vector<Transcript> read_transcripts(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  const bool markdown = file.ends_with(".md");
  std::vector<Transcript> out;
  bool inside = !markdown;
  std::string line;
  int number = 0;
  const auto begin = [&] {
    Transcript transcript;
    transcript.origin = file + ":" + std::to_string(number);
    out.push_back(std::move(transcript));
  };
  if (!markdown) begin();
  while (std::getline(in, line)) {
    ++number;
    if (markdown && line.starts_with("```")) {
      inside = line == "```transcript";
      if (inside) begin();
      continue;
    }
    if (!inside) continue;
    Transcript& transcript = out.back();
    if (line.starts_with("# ") && transcript.name.empty()) {
      transcript.name = line.substr(2);
    }
    transcript.lines.emplace_back(number, line);
  }
  return out;
}

void play(const Transcript& transcript) { Play(transcript).run(); }

}  // namespace toolhost::testing
