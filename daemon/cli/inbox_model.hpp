// InboxModel: what the live view of pending approvals shows and what a key
// does, without a terminal and without a socket.
//
// Two rules make it safe. An answer that allows is enabled only after every
// line of what it allows was on the screen. And when the view changes by
// itself under the person's fingers, answers are ignored for a moment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/cli/approval_text.hpp"
#include "daemon/cli/console.hpp"
#include "daemon/cli/keys.hpp"
#include "protocol/clock.hpp"
#include "protocol/error.hpp"

namespace toolhost::cli {

struct InboxAnswer {
  std::string approval_id;
  std::string option_id;  // or
  std::string decision;   // "deny"
  std::string digest;     // of what was shown
  std::string comment;
};

// What a key asks the outside to do.
struct InboxStep {
  bool quit = false;
  bool suspend = false;
  std::optional<InboxAnswer> answer;
};

class InboxModel {
 public:
  // After a change that the person did not make, before an answer counts:
  // longer than it takes to see that something moved.
  static constexpr Milliseconds kSettle{1000};
  static constexpr std::size_t kMaxComment = 1000;

  void set_size(int width, int height);
  // Empty while connected; else what the header says instead of a count.
  void set_waiting(std::string why);

  // The daemon's whole list of pending approvals.
  void replace_all(const json::array& approvals, WallTime now);
  // approval/requested, approval/updated.
  void upsert(const json::object& approval, WallTime now);
  // approval/resolved.
  void remove(const json::object& approval, WallTime now);

  InboxStep key(const Key& key, WallTime now);
  // The daemon's reply to an answer.
  void answered(const std::string& approval_id,
                const Result<json::object>& reply, WallTime now);

  // Exactly `height` lines of at most `width` columns. Counts as shown: what
  // is rendered has to reach the screen.
  std::vector<Line> render(WallTime now);

  std::size_t pending() const { return items_.size(); }
  // Empty when nothing is selected.
  std::string selected_id() const;
  // nullptr when nothing waits.
  const ShownApproval* selected_approval() const;
  const std::string& notice() const { return notice_; }
  bool may_allow() const;

 private:
  struct Item {
    ShownApproval approval;
    // Wrapped for wrapped_width; empty: to be made.
    std::vector<Line> page;
    int wrapped_width = 0;
    int offset = 0;     // first visible line
    int shown = 0;      // lines seen without a hole, from the top
    bool read = false;  // all of them were
    bool answering = false;
  };

  Item* selected();
  const Item* selected() const;
  Item* find(const std::string& id);
  void insert(ShownApproval approval);
  void erase(const std::string& id, WallTime now);
  void select(std::size_t index);
  void disturb(WallTime now);
  void wrap_page(Item& item);
  int list_rows() const;
  int page_rows() const;
  void scroll(int lines);
  void scroll_to(int offset);

  InboxStep answer_key(char key, WallTime now);
  InboxStep comment_key(const Key& key, WallTime now);
  bool move_key(const Key& key);
  InboxStep allow(Item& item, const ShownOption& option);
  InboxStep deny(Item& item, const std::string& option_id,
                 const std::string& comment);
  bool ready_to_answer(const Item* item, WallTime now);

  Line header() const;
  Line list_line(const Item& item, bool current, WallTime now) const;
  Line separator(const Item& item) const;
  Line help() const;
  void render_list(std::vector<Line>& out, WallTime now) const;
  void render_page(std::vector<Line>& out, Item& item);

  std::vector<Item> items_;  // oldest first
  std::size_t selected_ = 0;
  int width_ = 80;
  int height_ = 24;
  std::string waiting_ = "connecting";
  std::string notice_;
  WallTime settled_{};  // answers count from here
  // Typing a comment for this approval.
  std::optional<std::string> commenting_;
  std::string comment_;
};

// The key of each option, by position: "a", "d", digits for the others that
// allow or reject, "-" for what cannot be chosen.
std::vector<std::string> option_keys(const ShownApproval& approval);

}  // namespace toolhost::cli
