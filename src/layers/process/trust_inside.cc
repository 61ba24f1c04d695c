// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/trust_inside.h"

#include <fcntl.h>

#include <algorithm>

#include "egress/java_truststore.h"
#include "egress/trust_bundle.h"
#include "sys/file.h"

namespace ward::process {

namespace {

std::string variable(const char* const* caller, std::string_view name) {
  for (const char* const* line = caller; line != nullptr && *line != nullptr; ++line) {
    const std::string_view text = *line;
    if (text.size() > name.size() && text[name.size()] == '=' && text.starts_with(name))
      return std::string(text.substr(name.size() + 1));
  }
  return {};
}

// "" where there is no such file.
std::string canonical(const std::string& path) {
  const auto file = sys::open_path(path, O_PATH);
  return file ? sys::path_of_fd(file->get()).value_or("") : std::string();
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::vector<std::string> java_stores(const char* const* caller) {
  std::vector<std::string> stores = {"/etc/ssl/certs/java/cacerts", "/etc/pki/java/cacerts"};
  constexpr const char* kStore = "/lib/security/cacerts";
  if (const std::string home = variable(caller, "JAVA_HOME"); !home.empty())
    stores.push_back(home + kStore);
  const std::string path = variable(caller, "PATH");
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    // $HOME/bin/java, behind links.
    const std::string java = canonical(path.substr(start, end - start) + "/java");
    if (!java.empty()) stores.push_back(parent_of(parent_of(java)) + kStore);
    start = end + 1;
  }
  return stores;
}

}  // namespace

std::vector<confine::InsideFile> trust_files(
    std::string_view host_bundle, std::string_view authority_pem, const char* const* caller,
    const std::function<bool(const std::string&)>& readable) {
  const std::string bundle = egress::inside_bundle(host_bundle, authority_pem);
  std::vector<confine::InsideFile> files = {{kBundleInside, bundle}};
  const auto cover = [&](const std::string& path, const std::string& content) {
    const std::string real = canonical(path);
    const auto same = [&](const confine::InsideFile& file) { return file.path == real; };
    if (!real.empty() && readable(real) && std::none_of(files.begin(), files.end(), same))
      files.push_back({real, content});
  };
  for (const std::string& path : egress::usual_bundles()) cover(path, bundle);
  const std::string store = egress::java_truststore(bundle);
  for (const std::string& path : java_stores(caller)) cover(path, store);
  return files;
}

}  // namespace ward::process
