// The lines of the inbox, and which of them count as read.
#include <algorithm>

#include "daemon/cli/ages.hpp"
#include "daemon/cli/columns.hpp"
#include "daemon/cli/inbox_model.hpp"
#include "protocol/text.hpp"

namespace toolhost::cli {
namespace {

// Header, separator, notice and help.
constexpr int kFixedRows = 4;

std::string last_part(const std::string& path) {
  constexpr int kColumns = 16;
  if (columns(path) <= kColumns) return path;
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : "…" + path.substr(slash);
}

}  // namespace

int InboxModel::list_rows() const {
  // A quarter of the window; the page is what matters.
  const int most = std::max(1, (height_ - kFixedRows) / 4);
  return std::clamp(static_cast<int>(items_.size()), 1, most);
}

int InboxModel::page_rows() const {
  return std::max(0, height_ - kFixedRows - list_rows());
}

void InboxModel::wrap_page(Item& item) {
  if (!item.page.empty() && item.wrapped_width == width_) return;
  std::vector<Line> lines = subject_lines(item.approval);
  lines.push_back({});
  const auto options = option_lines(item.approval, option_keys(item.approval));
  lines.insert(lines.end(), options.begin(), options.end());
  item.page = wrap_lines(lines, width_);
  item.wrapped_width = width_;
  // Line numbers changed. What was read to the end stays read.
  item.shown = 0;
  item.offset = 0;
}

std::vector<Line> InboxModel::render(WallTime now) {
  std::vector<Line> out;
  out.push_back(header());
  Item* item = selected();
  if (item) wrap_page(*item);
  render_list(out, now);
  if (item) {
    out.push_back(separator(*item));
    render_page(out, *item);
  } else {
    out.push_back({});
  }
  const auto rows = static_cast<std::size_t>(height_);
  const std::size_t body = rows > 2 ? rows - 2 : 0;
  out.resize(body);
  if (commenting_) {
    out.push_back({"Deny, and tell the agent: " + display_text(comment_) + "_",
                   Style::title});
  } else {
    out.push_back({notice_, Style::warning});
  }
  out.push_back(help());
  out.resize(rows);
  for (Line& line : out) line.text = cut(line.text, width_);
  return out;
}

void InboxModel::render_list(std::vector<Line>& out, WallTime now) const {
  if (items_.empty()) {
    out.push_back(
        {waiting_.empty() ? "Nothing waits for you." : "", Style::dim});
    return;
  }
  const auto rows = static_cast<std::size_t>(list_rows());
  const std::size_t first = selected_ < rows ? 0 : selected_ - rows + 1;
  for (std::size_t i = first; i < items_.size() && i < first + rows; ++i) {
    out.push_back(list_line(items_[i], i == selected_, now));
  }
}

void InboxModel::render_page(std::vector<Line>& out, Item& item) {
  const int rows = page_rows();
  const int total = static_cast<int>(item.page.size());
  item.offset = std::clamp(item.offset, 0, std::max(0, total - rows));
  const int end = std::min(total, item.offset + rows);
  for (int i = item.offset; i < end; ++i) {
    out.push_back(item.page[static_cast<std::size_t>(i)]);
  }
  // A jump to the end leaves a hole that was not read.
  if (item.offset <= item.shown) item.shown = std::max(item.shown, end);
  // Lines narrower than one wide character would be cut.
  if (item.shown >= total && rows > 0 && width_ >= 20) item.read = true;
}

Line InboxModel::header() const {
  std::string text = "toolhost inbox  ";
  if (!waiting_.empty()) {
    return {text + waiting_, Style::warning};
  }
  text += items_.empty() ? "nothing pending"
                         : std::to_string(items_.size()) + " pending";
  return {text, Style::title};
}

Line InboxModel::list_line(const Item& item, bool current, WallTime now) const {
  const ShownApproval& approval = item.approval;
  const auto span = [](auto duration) {
    return short_duration(std::chrono::duration_cast<Milliseconds>(duration));
  };
  std::string text = current ? "> " : "  ";
  text += pad(approval.created ? span(now - *approval.created) : "-", 4);
  text +=
      pad(approval.expires ? span(*approval.expires - now) + " left" : "", 9);
  text += pad(display_text(approval.requester), 12) + " ";
  text += pad(display_text(approval.tool), 8) + " ";
  text += pad(last_part(display_text(approval.workspace)), 16) + " ";
  text += display_text(approval.title);
  return {std::move(text), current ? Style::selected : Style::plain};
}

Line InboxModel::separator(const Item& item) const {
  const int total = static_cast<int>(item.page.size());
  const int end = std::min(total, item.offset + page_rows());
  std::string text = "-- " + display_text(item.approval.id) + "  lines " +
                     std::to_string(std::min(item.offset + 1, end)) + "-" +
                     std::to_string(end) + " of " + std::to_string(total);
  if (page_rows() == 0) text += "  (the window is too small)";
  if (end < total) text += "  more below";
  return {text + " --", Style::dim};
}

Line InboxModel::help() const {
  if (commenting_) return {"Enter sends, Esc goes back", Style::dim};
  std::string text;
  if (may_allow()) {
    text = "a allow once  1-9 others  ";
  } else if (selected()) {
    text = "space: read to the end to allow  ";
  }
  if (selected()) text += "d deny  c comment  j/k select  ";
  return {text + "q quit", Style::dim};
}

}  // namespace toolhost::cli
