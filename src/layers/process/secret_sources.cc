// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/secret_sources.h"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "sys/file.h"

namespace ward::process {

namespace {

constexpr std::string_view kFromVariable = "env:", kFromFile = "file:";

std::optional<std::string> variable(const char* const* caller, std::string_view name) {
  for (const char* const* line = caller; line != nullptr && *line != nullptr; ++line) {
    const std::string_view text = *line;
    if (text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name))
      return std::string(text.substr(name.size() + 1));
  }
  return std::nullopt;
}

// The path that a source names; "" where it names none.
std::string file_of(const policy::Secret& secret, const std::string& home) {
  if (!secret.from.starts_with(kFromFile)) return {};
  const std::string path = secret.from.substr(kFromFile.size());
  return path.starts_with("~/") ? home + path.substr(1) : path;
}

Result<std::string> value_of_file(const std::string& path) {
  // A named pipe or a device would make the start wait.
  WARD_ASSIGN(const UniqueFd file, sys::open_path(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  WARD_ASSIGN(const struct stat status, sys::stat_fd(file.get()));
  if (!S_ISREG(status.st_mode))
    return fail(Error(ErrorKind::invalid, path + " is not a regular file")
                    .with_remedy("name the file that holds the token"));
  WARD_ASSIGN(std::string value, sys::read_fd(file.get(), egress::kMaxSecretBytes + 2));
  // An editor's last line feed is not part of the token.
  if (value.ends_with('\n')) value.pop_back();
  if (value.ends_with('\r')) value.pop_back();
  return value;
}

Result<std::string> value_of(const policy::Secret& secret, const SecretContext& context) {
  if (secret.from.starts_with(kFromVariable)) {
    const std::string name = secret.from.substr(kFromVariable.size());
    auto value = variable(context.caller, name);
    if (!value)
      return fail(
          Error(ErrorKind::not_found, "the variable " + name + " is not set")
              .with_remedy("set it before calling ward, or take the secret out of the policy"));
    return std::move(*value);
  }
  auto value = value_of_file(file_of(secret, context.home));
  if (!value && value.error().remedy().empty())
    return fail(std::move(value).error().with_remedy(
        "write the token into the file, or take the secret out of the policy"));
  return value;
}

}  // namespace

Result<std::vector<egress::Secret>> resolve_secrets(const policy::Policy& policy,
                                                    const SecretContext& context) {
  std::vector<egress::Secret> secrets;
  for (const policy::Secret& rule : policy.secrets) {
    const std::string place = rule.origin.describe() + ": secret " + rule.name;
    WARD_ASSIGN(std::string value, in_context(value_of(rule, context), place));
    if (const Status checked = egress::check_secret_value(value); !checked)
      return fail(Error(checked.error()).with_context(place + " (" + rule.from + ")"));
    WARD_ASSIGN(std::string placeholder, egress::make_placeholder());
    secrets.push_back({rule, std::move(value), std::move(placeholder)});
  }
  return secrets;
}

void hide_secret_files(policy::Filesystem& filesystem, std::span<const policy::Secret> secrets,
                       const std::string& home) {
  for (const policy::Secret& secret : secrets) {
    std::string path = file_of(secret, home);
    if (path.empty()) continue;
    policy::Origin origin = secret.origin;
    origin.scope = policy::Scope::managed;
    filesystem.rules.push_back(
        {policy::PathList::deny_read, std::move(path), true, secret.from, std::move(origin)});
  }
}

void mask_environment(std::vector<std::string>& environment,
                      std::span<const egress::Secret> secrets) {
  for (const egress::Secret& secret : secrets) {
    const std::string prefix = secret.rule.name + "=";
    environment.erase(
        std::remove_if(environment.begin(), environment.end(),
                       [&](const std::string& line) { return line.starts_with(prefix); }),
        environment.end());
    for (std::string& line : environment)
      for (std::size_t at = line.find(secret.value); at != std::string::npos;
           at = line.find(secret.value, at + secret.placeholder.size()))
        line.replace(at, secret.value.size(), secret.placeholder);
    environment.push_back(prefix + secret.placeholder);
  }
}

Status check_arguments(std::span<const std::string> argv, std::span<const egress::Secret> secrets) {
  for (const std::string& word : argv)
    for (const egress::Secret& secret : secrets)
      if (word.find(secret.value) != std::string::npos)
        return fail(Error(ErrorKind::invalid,
                          "an argument of the command holds the value of the secret " +
                              secret.rule.name + ", which every process inside could read")
                        .with_remedy("pass \"$" + secret.rule.name +
                                     "\" to be expanded inside, as in sh -c '...'"));
  return {};
}

}  // namespace ward::process
