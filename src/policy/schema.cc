// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/schema.h"

#include <algorithm>

#include "policy/keys.h"
#include "policy/yaml_writer.h"

namespace ward::policy {

namespace {

constexpr std::string_view kName = R"("^[A-Za-z_][A-Za-z0-9_]*$")";
constexpr std::string_view kDefinitions = R"(  "$defs": {
    "path": {
      "description": "A path: absolute, below ~ (home), @tmp (temporary folder) or relative (the workspace); * ? [] stay within a component, ** spans any number",
      "anyOf": [
        {"type": "string", "minLength": 1, "maxLength": 4095},
        {
          "type": "object",
          "properties": {
            "path": {"type": "string", "minLength": 1, "maxLength": 4095},
            "literal": {"type": "boolean"}
          },
          "required": ["path"],
          "additionalProperties": false
        }
      ]
    }
  }
)";

std::string enumeration(std::string_view words) {
  std::string text = "{\"enum\": [";
  for (std::size_t start = 0; start < words.size();) {
    const std::size_t end = std::min(words.find(' ', start), words.size());
    text += (start == 0 ? "" : ", ") + json_string(words.substr(start, end - start));
    start = end + 1;
  }
  return text + "]}";
}

std::string list_of(std::string_view item) {
  return "{\"type\": \"array\", \"maxItems\": 65536, \"items\": " + std::string(item) + "}";
}

std::string quantity(std::string_view pattern, bool bare_number) {
  const std::string text = "{\"type\": \"string\", \"pattern\": " + json_string(pattern) + "}";
  return bare_number ? "{\"anyOf\": [" + text + ", {\"type\": \"integer\", \"minimum\": 1}]}"
                     : text;
}

std::string object(std::string_view prefix, const std::string& indent);

std::string value_schema(const KeyRow& row, const std::string& indent) {
  constexpr std::string_view kSize = "^[0-9]+([KMGT]?i?B)?$";
  switch (row.shape) {
    case Shape::section: return object(std::string(row.path) + ".", indent);
    case Shape::records: return list_of(object(std::string(row.path) + "[].", indent));
    case Shape::version: return "{\"const\": 1}";
    case Shape::text: return "{\"type\": \"string\", \"minLength\": 1}";
    case Shape::choice: return enumeration(row.choices);
    case Shape::choices: return list_of(enumeration(row.choices));
    case Shape::boolean: return "{\"type\": \"boolean\"}";
    case Shape::paths: return list_of("{\"$ref\": \"#/$defs/path\"}");
    case Shape::texts: return list_of("{\"type\": \"string\", \"minLength\": 1}");
    case Shape::ports:
      return list_of("{\"type\": \"integer\", \"minimum\": 1, \"maximum\": 65535}");
    case Shape::numbers:
      return list_of("{\"type\": \"integer\", \"minimum\": 3, \"maximum\": 65535}");
    case Shape::text_map:
      return "{\"type\": \"object\", \"propertyNames\": {\"pattern\": " + std::string(kName) +
             "}, \"additionalProperties\": {\"type\": \"string\"}}";
    case Shape::count: return "{\"type\": \"integer\", \"minimum\": 1}";
    case Shape::cores:
      return "{\"anyOf\": [{\"type\": \"number\", \"minimum\": 0.01, \"maximum\": 1024}, "
             "{\"type\": \"string\", \"pattern\": \"^[0-9]*[.]?[0-9]+$\"}]}";
    case Shape::size: return quantity(kSize, true);
    case Shape::duration:
      return quantity("^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$", false);
    case Shape::bandwidth: return quantity("^[0-9]+([KMGT]?i?B)?/s$", false);
    case Shape::rate: return quantity("^[0-9]+/s$", false);
  }
  return "{}";
}

// The keys right below a prefix.
bool is_child(const KeyRow& row, std::string_view prefix) {
  if (!row.path.starts_with(prefix)) return false;
  return row.path.substr(prefix.size()).find_first_of(".[") == std::string_view::npos;
}

std::string object(std::string_view prefix, const std::string& indent) {
  std::string properties, required;
  for (const KeyRow& row : key_rows()) {
    if (!is_child(row, prefix)) continue;
    const std::string_view name = row.path.substr(prefix.size());
    std::string schema = value_schema(row, indent + "    ");
    schema.insert(1, "\"description\": " + json_string(row.meaning) + ", ");
    properties +=
        (properties.empty() ? "" : ",\n") + indent + "    " + json_string(name) + ": " + schema;
    if (row.required) required += (required.empty() ? "" : ", ") + json_string(name);
  }
  std::string text = "{\"type\": \"object\", \"additionalProperties\": false,";
  if (!required.empty()) text += " \"required\": [" + required + "],";
  return text + " \"properties\": {\n" + properties + "\n" + indent + "}}";
}

std::string commented(const KeyRow& row) {
  const std::size_t dot = row.path.rfind('.');
  const std::string_view name = dot == std::string_view::npos ? row.path : row.path.substr(dot + 1);
  const std::string indent = dot == std::string_view::npos ? "" : "  ";
  std::string text = "# " + indent + "# " + std::string(row.meaning) + "\n";
  text += "# " + indent + std::string(name) + ":";
  if (row.shape != Shape::section) text += " " + std::string(row.example);
  return text + "\n";
}

}  // namespace

std::string json_schema() {
  std::string root = object("", "  ");
  root.erase(0, 1);
  root.pop_back();
  return "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
         "  \"$id\": \"urn:ward:policy:1\",\n  \"title\": \"Ward policy, version 1\",\n  " +
         root + ",\n" + std::string(kDefinitions) + "}\n";
}

std::string starting_document(Profile profile) {
  std::string text =
      "# A policy of Ward: what a confined command may touch. Check it with `ward policy check`,\n"
      "# ask about a path or a host with `ward policy explain`. A file in a workspace narrows at "
      "once\n"
      "# and widens only after `ward policy trust`.\n\nversion: 1\nextends: " +
      std::string(to_string(profile)) +
      "\n\n# Every further key, with an example. Take away the first `# ` of what you need.\n";
  for (const KeyRow& row : key_rows()) {
    if (row.path == "version" || row.path == "extends") continue;
    if (row.path.find('[') != std::string_view::npos) continue;
    if (row.path.find('.') == std::string_view::npos) text += "\n";
    text += commented(row);
  }
  return text;
}

}  // namespace ward::policy
