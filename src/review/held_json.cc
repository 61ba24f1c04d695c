// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "review/held_json.h"

#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace ward::review {

namespace {

using nlohmann::json;

constexpr std::string_view kHex = "0123456789abcdef";

json bytes_to_json(const std::string& bytes) {
  if (is_utf8(bytes)) return bytes;
  std::string hex;
  for (unsigned char byte : bytes) {
    hex += kHex[byte >> 4U];
    hex += kHex[byte & 15U];
  }
  return {{"$bytes", hex}};
}

std::string bytes_from_json(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  const auto hex = value.at("$bytes").get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    std::size_t high = kHex.find(hex[i]), low = kHex.find(hex[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) break;
    bytes += static_cast<char>(high << 4U | low);
  }
  return bytes;
}

json list_to_json(const std::vector<std::string>& list) {
  json values = json::array();
  for (const std::string& entry : list) values.push_back(bytes_to_json(entry));
  return values;
}

std::vector<std::string> list_from_json(const json& values) {
  std::vector<std::string> list;
  for (const json& value : values) list.push_back(bytes_from_json(value));
  return list;
}

}  // namespace

std::string held_to_json(const HeldInfo& info) {
  json roots = json::array();
  for (const HeldRoot& root : info.roots)
    roots.push_back({{"path", bytes_to_json(root.path)},
                     {"directory", root.directory},
                     {"device", root.object.device},
                     {"inode", root.object.inode}});
  json document = {{"version", 1},
                   {"id", info.id},
                   {"command", list_to_json(info.command)},
                   {"workingDirectory", bytes_to_json(info.working_directory)},
                   {"home", bytes_to_json(info.home)},
                   {"workspaces", list_to_json(info.workspaces)},
                   {"profile", bytes_to_json(info.profile)},
                   {"policyFiles", list_to_json(info.policy_files)},
                   {"startNs", info.start_ns},
                   {"deadline", info.deadline.time_since_epoch().count()},
                   {"outcome", info.outcome},
                   {"landing", info.landing},
                   {"roots", roots}};
  return document.dump(2) + "\n";
}

Result<HeldInfo> held_from_json(const std::string& text) {
  try {
    json document = json::parse(text);
    if (document.at("version") != 1)
      return fail(ErrorKind::unsupported, "it was made by another version of Ward");
    HeldInfo info;
    info.id = document.at("id").get<std::string>();
    info.command = list_from_json(document.at("command"));
    info.working_directory = bytes_from_json(document.at("workingDirectory"));
    info.home = bytes_from_json(document.at("home"));
    info.workspaces = list_from_json(document.at("workspaces"));
    info.profile = bytes_from_json(document.at("profile"));
    info.policy_files = list_from_json(document.at("policyFiles"));
    info.start_ns = document.at("startNs").get<std::uint64_t>();
    info.deadline = Deadline(std::chrono::seconds(document.at("deadline").get<std::int64_t>()));
    info.outcome = document.at("outcome").get<std::string>();
    info.landing = document.at("landing").get<bool>();
    for (const json& root : document.at("roots"))
      info.roots.push_back(
          {bytes_from_json(root.at("path")),
           root.at("directory").get<bool>(),
           {root.at("device").get<std::uint64_t>(), root.at("inode").get<std::uint64_t>()}});
    return info;
  } catch (const json::exception& error) {
    return fail(ErrorKind::invalid, std::string("held.json: ") + error.what());
  }
}

}  // namespace ward::review
