#include "gates/scrub/scrub_json.hpp"

namespace toolhost {

void scrub(json::value& value, Scrub what) {
  if (json::string* text = value.if_string()) {
    std::string plain(*text);
    if (scrub(plain, what)) *text = plain;
  } else if (json::array* items = value.if_array()) {
    for (json::value& each : *items) scrub(each, what);
  } else if (json::object* members = value.if_object()) {
    scrub(*members, what);
  }
}

void scrub(json::object& object, Scrub what) {
  for (auto& member : object) {
    json::value& value = member.value();
    const bool named =
        what == Scrub::names_and_shapes && is_secret_name(member.key());
    if (named && value.is_string() && !value.get_string().empty()) {
      value = "[REDACTED:secret]";
    } else {
      scrub(value, what);
    }
  }
}

}  // namespace toolhost
