// Approvals as the daemon sends them.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace toolhost::cli::samples {

namespace json = boost::json;

inline json::object command(const std::string& id, const std::string& text,
                            int second = 0) {
  json::object out =
      json::parse(R"({"state":"pending","revision":1,"complete":true,
    "expiresAt":"2026-01-01T00:30:00.000Z","callId":"call_1",
    "tool":{"name":"bash","provider":"builtin"},
    "requester":{"clientName":"claude","clientVersion":"2","pid":42,
                 "exe":"/usr/bin/claude"},
    "workspace":"/home/a/project","cwd":"/home/a/project",
    "title":"Run a command in /home/a/project",
    "because":[{"gate":"permission","detail":"no rule allows it"}],
    "options":[
      {"optionId":"once","kind":"allow_once","label":"Allow once",
       "scope":"call"},
      {"optionId":"remember:0","kind":"allow_always","label":"Allow git here",
       "scope":"workspace","rule":{"text":"bash: git status *"}},
      {"optionId":"deny","kind":"reject_once","label":"Deny","scope":"call"}
    ]})")
          .as_object();
  out["approvalId"] = id;
  out["approvalDigest"] = "sha256:" + id;
  out["createdAt"] = "2026-01-01T00:00:" + std::string(second < 10 ? "0" : "") +
                     std::to_string(second) + ".000Z";
  json::object subject;
  subject["type"] = "command";
  subject["command"] = text;
  subject["cwd"] = "/home/a/project";
  out["subject"] = subject;
  json::object arguments;
  arguments["command"] = text;
  out["arguments"] = arguments;
  return out;
}

inline json::object resolved(json::object approval, const std::string& decision,
                             const std::string& by) {
  json::object who;
  who["clientName"] = by;
  json::object resolution;
  resolution["decision"] = decision;
  resolution["decidedBy"] = who;
  approval["state"] = "resolved";
  approval["resolution"] = resolution;
  return approval;
}

}  // namespace toolhost::cli::samples
