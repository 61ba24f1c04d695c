// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/chain.h"

#include <algorithm>

#include "policy/load.h"

namespace ward::policy {

namespace {

Error at_extends(const Document& document, std::string message, std::string remedy) {
  return Error(ErrorKind::invalid, std::move(message))
      .with_remedy(std::move(remedy))
      .with_context(document.origin.file + ":" + std::to_string(document.extends_line) +
                    ": extends");
}

bool names_a_file(std::string_view extends) {
  return extends.find('/') != std::string_view::npos || extends.ends_with(".yaml") ||
         extends.ends_with(".yml") || extends.ends_with(".json");
}

Result<std::string> resolve(const Document& document, const std::string& home) {
  const std::string& written = document.extends;
  if (!names_a_file(written)) {
    const std::string nearest = nearest_word(kProfileNames, written);
    return fail(at_extends(document, "'" + written + "' is neither a built-in profile nor a file",
                           nearest.empty() ? "the profiles are locked, read-only and workspace; a "
                                             "file is written as ./name.yaml"
                                           : "did you mean '" + nearest + "'?"));
  }
  if (written.starts_with("~/")) return lexically_normal(home + written.substr(1));
  if (written[0] == '/') return lexically_normal(written);
  return lexically_normal(std::string(parent_of(document.origin.file)) + "/" + written);
}

}  // namespace

Result<std::string> read_document(const Files& files, const std::string& path, Scope scope) {
  return scope == Scope::managed ? files.read_managed(path, kMaxDocumentBytes)
                                 : files.read(path, kMaxDocumentBytes);
}

Result<Chain> read_chain(const Origin& origin, std::string text, const std::string& home,
                         const Files& files) {
  Chain chain;
  Origin next = origin;
  for (;;) {
    WARD_ASSIGN(Document document, parse_document(next, text));
    chain.files.emplace_back(next.file, std::move(text));
    chain.documents.push_back(std::move(document));
    const Document& last = chain.documents.back();
    if (last.extends.empty()) return chain;
    if (const Profile* profile = find_profile(last.extends)) {
      chain.profile = *profile;
      chain.profile_origin = {last.origin.file, last.extends_line, last.origin.scope};
      return chain;
    }
    WARD_ASSIGN(const std::string path, resolve(last, home));
    const auto seen = [&](const NamedBytes& file) { return file.first == path; };
    if (std::any_of(chain.files.begin(), chain.files.end(), seen))
      return fail(at_extends(last, "'" + path + "' extends itself in the end",
                             "take one `extends` out of the circle"));
    if (chain.files.size() >= kMaxExtends)
      return fail(at_extends(last, "more than " + std::to_string(kMaxExtends) + " files in a row",
                             "join some of them"));
    Result<std::string> read = read_document(files, path, origin.scope);
    if (!read)
      return fail(std::move(read).error().with_context(
          last.origin.file + ":" + std::to_string(last.extends_line) + ": extends"));
    text = std::move(*read);
    next.file = path;
  }
}

}  // namespace ward::policy
