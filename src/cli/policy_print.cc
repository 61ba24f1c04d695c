// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/policy_print.h"

#include "base/escape.h"
#include "base/utf8.h"
#include "policy/yaml_writer.h"

namespace ward::cli {

namespace {

using policy::json_string;

// JSON is UTF-8; a name on disk need not be.
std::string json_text(std::string_view text) {
  return json_string(is_utf8(text) ? std::string(text) : escape_for_terminal(text));
}

std::string field(std::string_view name, std::string_view value) {
  return json_string(name) + ": " + json_text(value);
}

template <class T, class Print>
std::string json_list(const std::vector<T>& values, Print print) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "\n  " : ",\n  ") + print(value);
  return "[" + text + (values.empty() ? "]" : "\n]");
}

std::string place_fields(const policy::Origin& origin) {
  return field("file", origin.file) + ", \"line\": " + std::to_string(origin.line);
}

}  // namespace

std::string findings_text(const std::vector<policy::Finding>& findings,
                          const policy::Loaded& loaded) {
  std::string text;
  for (const policy::LeftOut& part : loaded.left_out)
    text += escape_for_terminal(part.describe()) + "\n";
  for (const policy::Finding& finding : findings) {
    std::string line = finding.origin.describe() + ": " + std::string(to_string(finding.severity)) +
                       ": " + finding.id + ": " + finding.message + " (" + finding.remedy + ")";
    if (finding.accepted_by != nullptr)
      line += " [accepted by " + finding.accepted_by->origin.describe() + "]";
    text += escape_for_terminal(line) + "\n";
  }
  return text;
}

std::string findings_json(const std::vector<policy::Finding>& findings,
                          const policy::Loaded& loaded) {
  const auto finding = [](const policy::Finding& f) {
    return "{" + field("id", f.id) + ", " + field("severity", to_string(f.severity)) + ", " +
           place_fields(f.origin) + ", " + field("message", f.message) + ", " +
           field("remedy", f.remedy) +
           ", \"accepted\": " + (f.accepted_by != nullptr ? "true" : "false") + "}";
  };
  const auto left_out = [](const policy::LeftOut& part) {
    return "{" + place_fields(part.origin) + ", " + field("key", part.key) + ", " +
           field("why", part.why) + "}";
  };
  const auto source = [](const policy::Origin& origin) { return json_text(origin.file); };
  return "{" + field("profile", loaded.policy.profile) +
         ", \"sources\": " + json_list(loaded.policy.sources, source) +
         ", \"findings\": " + json_list(findings, finding) +
         ", \"leftOut\": " + json_list(loaded.left_out, left_out) + "}\n";
}

std::string explanation_json(const policy::Explanation& explanation) {
  const auto line = [](const policy::Explanation::Line& l) {
    return "{" + field("act", l.act) + ", \"allowed\": " + (l.allowed ? "true" : "false") + ", " +
           field("rule", l.rule) + ", " + field("why", l.why) + ", \"shadowed\": " +
           json_list(l.shadowed, [](const std::string& s) { return json_text(s); }) + ", " +
           field("remedy", l.remedy) + "}";
  };
  return "{" + field("subject", explanation.subject) +
         ", \"decisions\": " + json_list(explanation.lines, line) + "}\n";
}

std::string import_json(const policy::Imported& imported) {
  const auto note = [](const policy::ImportNote& n) {
    return "{" + field("key", n.key) + ", " + field("why", n.why) + "}";
  };
  return "{" + field("policy", imported.yaml) + ", \"notes\": " + json_list(imported.notes, note) +
         "}\n";
}

std::string notes_text(const policy::Imported& imported) {
  std::string text;
  for (const policy::ImportNote& note : imported.notes)
    text += escape_for_terminal(note.key + ": " + note.why) + "\n";
  return text;
}

}  // namespace ward::cli
