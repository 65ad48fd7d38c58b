#include "daemon/cli/inbox_model.hpp"

#include <algorithm>
#include <utility>

#include "protocol/text.hpp"

namespace toolhost::cli {
namespace {

using Kind = Key::Kind;

}  // namespace

std::vector<std::string> option_keys(const ShownApproval& approval) {
  std::vector<std::string> keys;
  bool allow = false;
  bool deny = false;
  char digit = '1';
  for (const ShownOption& option : approval.options) {
    if (option.kind == "allow_once" && !std::exchange(allow, true)) {
      keys.emplace_back("a");
    } else if (option.kind == "reject_once" && !std::exchange(deny, true)) {
      keys.emplace_back("d");
    } else if ((option.allows() || option.rejects()) && digit <= '9') {
      keys.emplace_back(1, digit++);
    } else {
      keys.emplace_back("-");
    }
  }
  return keys;
}

void InboxModel::set_size(int width, int height) {
  width_ = std::max(width, 1);
  height_ = std::max(height, 1);
}

void InboxModel::set_waiting(std::string why) {
  waiting_ = display_text(why);
  // Whether an answer on its way arrived will be told by the next list.
  for (Item& item : items_) item.answering = false;
}

InboxModel::Item* InboxModel::selected() {
  return selected_ < items_.size() ? &items_[selected_] : nullptr;
}

const InboxModel::Item* InboxModel::selected() const {
  return selected_ < items_.size() ? &items_[selected_] : nullptr;
}

std::string InboxModel::selected_id() const {
  const Item* item = selected();
  return item ? item->approval.id : std::string();
}

const ShownApproval* InboxModel::selected_approval() const {
  const Item* item = selected();
  return item ? &item->approval : nullptr;
}

bool InboxModel::may_allow() const {
  const Item* item = selected();
  return item && waiting_.empty() && item->read && !item->answering &&
         item->approval.complete && !item->approval.digest.empty();
}

InboxModel::Item* InboxModel::find(const std::string& id) {
  const auto found =
      std::find_if(items_.begin(), items_.end(),
                   [&](const Item& item) { return item.approval.id == id; });
  return found == items_.end() ? nullptr : &*found;
}

void InboxModel::disturb(WallTime now) { settled_ = now + kSettle; }

void InboxModel::insert(ShownApproval approval) {
  // Newest last; equal times keep the order of arrival.
  const auto place =
      std::upper_bound(items_.begin(), items_.end(), approval.created,
                       [](const auto& created, const Item& item) {
                         return created && item.approval.created &&
                                *created < *item.approval.created;
                       });
  const auto index = static_cast<std::size_t>(place - items_.begin());
  Item item;
  item.approval = std::move(approval);
  items_.insert(place, std::move(item));
  if (items_.size() > 1 && index <= selected_) ++selected_;
}

void InboxModel::upsert(const json::object& approval, WallTime now) {
  ShownApproval shown = read_approval(approval);
  if (shown.id.empty()) return;
  if (!shown.state.empty() && shown.state != "pending") {
    return remove(approval, now);
  }
  Item* item = find(shown.id);
  if (!item) {
    insert(std::move(shown));
    // The first one appears where an eager finger already is.
    if (items_.size() == 1) disturb(now);
    return;
  }
  if (shown.revision < item->approval.revision) return;
  const bool same_question = shown.digest == item->approval.digest &&
                             shown.revision == item->approval.revision;
  if (same_question && item->approval.complete && !shown.complete) {
    // Only its deadline moved; what was fetched is still the whole of it.
    shown.raw["arguments"] = item->approval.raw.at("arguments");
    shown.raw["complete"] = true;
    shown.complete = true;
  }
  const bool same = same_question && shown.complete == item->approval.complete;
  item->approval = std::move(shown);
  if (same) return;  // only its deadline moved
  item->page.clear();
  item->offset = item->shown = 0;
  item->read = false;
  if (item != selected()) return;
  notice_ = same_question ? "" : "It changed: read it again.";
  disturb(now);
}

void InboxModel::replace_all(const json::array& approvals, WallTime now) {
  std::vector<std::string> there;
  for (const json::value& item : approvals) {
    if (!item.is_object()) continue;
    there.push_back(text_at(item.get_object(), "approvalId"));
    upsert(item.get_object(), now);
  }
  std::size_t gone = 0;
  for (std::size_t i = items_.size(); i-- > 0;) {
    const std::string id = items_[i].approval.id;
    if (std::find(there.begin(), there.end(), id) != there.end()) continue;
    erase(id, now);
    ++gone;
  }
  if (gone > 0) {
    notice_ = std::to_string(gone) + " settled while we were away.";
  }
}

void InboxModel::erase(const std::string& id, WallTime now) {
  const Item* item = find(id);
  if (!item) return;
  const auto index = static_cast<std::size_t>(item - items_.data());
  items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(index));
  if (commenting_ == id) commenting_.reset();
  if (index < selected_) {
    --selected_;
  } else if (index == selected_) {
    if (selected_ > 0 && selected_ == items_.size()) --selected_;
    // Another one is now under the cursor.
    disturb(now);
  }
}

void InboxModel::remove(const json::object& approval, WallTime now) {
  const std::string id = text_at(approval, "approvalId");
  const Item* item = find(id);
  if (!item) return;
  notice_ = describe_end(approval) + ": " + display_text(item->approval.title);
  erase(id, now);
}

void InboxModel::answered(const std::string& approval_id,
                          const Result<json::object>& reply, WallTime now) {
  if (reply) {
    const json::object& approval = object_at(*reply, "approval");
    if (!approval.empty()) remove(approval, now);
    return;
  }
  const Error& error = reply.error();
  notice_ = display_text(error.message);
  const json::object& approval = object_at(error.details, "approval");
  if (error.code == Code::approval_already_resolved) {
    if (!approval.empty()) {
      remove(approval, now);
    } else {
      erase(approval_id, now);
    }
    return;
  }
  if (error.code == Code::approval_not_found) return erase(approval_id, now);
  if (Item* item = find(approval_id)) item->answering = false;
  if (error.code == Code::approval_stale && !approval.empty()) {
    upsert(approval, now);
  }
}

void InboxModel::select(std::size_t index) {
  if (index < items_.size()) selected_ = index;
}

void InboxModel::scroll_to(int offset) {
  Item* item = selected();
  if (!item) return;
  wrap_page(*item);
  const int last =
      std::max(0, static_cast<int>(item->page.size()) - page_rows());
  item->offset = std::clamp(offset, 0, last);
}

void InboxModel::scroll(int lines) {
  if (const Item* item = selected()) scroll_to(item->offset + lines);
}

bool InboxModel::move_key(const Key& key) {
  const bool text = key.kind == Kind::text;
  if (key.kind == Kind::down || (text && key.text == "j")) {
    select(selected_ + 1);
  } else if (key.kind == Kind::up || (text && key.text == "k")) {
    if (selected_ > 0) select(selected_ - 1);
  } else if (key.kind == Kind::page_down || (text && key.text == " ")) {
    // One line of overlap keeps the place; not on a page of one line.
    scroll(std::max(1, page_rows() - 1));
  } else if (key.kind == Kind::page_up || (text && key.text == "b")) {
    scroll(-std::max(1, page_rows() - 1));
  } else if (key.kind == Kind::home || (text && key.text == "g")) {
    scroll_to(0);
  } else if (key.kind == Kind::end || (text && key.text == "G")) {
    if (const Item* item = selected()) {
      scroll_to(static_cast<int>(item->page.size()));
    }
  } else {
    return false;
  }
  return true;
}

InboxStep InboxModel::key(const Key& key, WallTime now) {
  InboxStep step;
  if (key.kind == Kind::suspend) {
    step.suspend = true;
    return step;
  }
  if (key.kind == Kind::interrupt) {
    step.quit = true;
    return step;
  }
  if (commenting_) return comment_key(key, now);
  if (move_key(key)) {
    notice_.clear();
    return step;
  }
  // Pasted text is never a command.
  if (key.kind != Kind::text || key.text.size() != 1) return step;
  if (key.text == "q") {
    step.quit = true;
    return step;
  }
  return answer_key(key.text.front(), now);
}

bool InboxModel::ready_to_answer(const Item* item, WallTime now) {
  if (!item) {
    notice_ = "Nothing is selected.";
  } else if (!waiting_.empty()) {
    notice_ = "Not connected: " + waiting_ + ".";
  } else if (item->answering) {
    notice_ = "The answer is on its way.";
  } else if (now < settled_) {
    notice_ = "The list just changed: look again, then answer.";
  } else {
    return true;
  }
  return false;
}

InboxStep InboxModel::answer_key(char key, WallTime now) {
  const bool digit = key >= '1' && key <= '9';
  if (key != 'a' && key != 'd' && key != 'c' && !digit) return {};
  Item* item = selected();
  if (!ready_to_answer(item, now)) return {};
  if (key == 'c') {
    commenting_ = item->approval.id;
    comment_.clear();
    return {};
  }
  const std::vector<std::string> keys = option_keys(item->approval);
  const auto found = std::find(keys.begin(), keys.end(), std::string(1, key));
  if (found == keys.end()) {
    if (key == 'd') return deny(*item, {}, {});
    notice_ = "There is no such option here.";
    return {};
  }
  const ShownOption& option =
      item->approval.options[static_cast<std::size_t>(found - keys.begin())];
  if (option.allows()) return allow(*item, option);
  return deny(*item, option.id, {});
}

InboxStep InboxModel::allow(Item& item, const ShownOption& option) {
  if (!item.approval.complete) {
    notice_ = "It is not complete here, so it cannot be allowed here.";
    return {};
  }
  if (!may_allow()) {
    notice_ = "Read it to the end first (space), then allow.";
    return {};
  }
  InboxStep step;
  InboxAnswer answer;
  answer.approval_id = item.approval.id;
  answer.option_id = option.id;
  answer.digest = item.approval.digest;
  step.answer = std::move(answer);
  item.answering = true;
  notice_ = "Allowing…";
  return step;
}

InboxStep InboxModel::deny(Item& item, const std::string& option_id,
                           const std::string& comment) {
  InboxStep step;
  InboxAnswer answer;
  answer.approval_id = item.approval.id;
  answer.option_id = option_id;
  if (option_id.empty()) answer.decision = "deny";
  answer.digest = item.approval.digest;
  answer.comment = comment;
  step.answer = std::move(answer);
  item.answering = true;
  notice_ = "Denying…";
  return step;
}

InboxStep InboxModel::comment_key(const Key& key, WallTime now) {
  if (key.kind == Kind::escape) {
    commenting_.reset();
  } else if (key.kind == Kind::backspace) {
    while (!comment_.empty() && (comment_.back() & 0xC0) == 0x80) {
      comment_.pop_back();
    }
    if (!comment_.empty()) comment_.pop_back();
  } else if (key.kind == Kind::text || key.kind == Kind::paste) {
    comment_ =
        std::string(utf8_prefix(comment_ + to_utf8(key.text), kMaxComment));
  } else if (key.kind == Kind::enter) {
    Item* item = find(*commenting_);
    if (!ready_to_answer(item, now)) return {};
    commenting_.reset();
    return deny(*item, {}, comment_);
  }
  return {};
}

}  // namespace toolhost::cli
