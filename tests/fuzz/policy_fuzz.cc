// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The policy from bytes to verdicts: the input is a document (JSON where it starts with a brace),
// taken as the user's, as an untrusted and as a trusted workspace's, merged, linted, and asked
// about some paths and hosts. Beyond not crashing, two promises are held: what an untrusted
// workspace file says never allows anything that was not allowed without it, and no deny of it is
// lost.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "policy/explain.h"
#include "policy/import.h"
#include "policy/lint.h"
#include "policy/load.h"
#include "policy/network_decision.h"
#include "policy/path_decision.h"

namespace {

using namespace ward;
using namespace ward::policy;

class OneFile : public Files {
 public:
  OneFile(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}
  Result<std::string> read(const std::string& path, std::uint64_t) const override {
    if (path == path_) return text_;
    return fail(ErrorKind::not_found, path);
  }
  Result<std::string> read_managed(const std::string& path, std::uint64_t most) const override {
    return read(path, most);
  }

 private:
  std::string path_, text_;
};

LoadRequest request_for(const std::string& user_file) {
  LoadRequest request;
  request.place.workspaces = {"/home/u/proj", "/srv/[w]*"};
  request.place.home = "/home/u";
  request.user_file = user_file;
  return request;
}

constexpr const char* kPaths[] = {
    "/",           "/home/u/proj",       "/home/u/proj/a/.env", "/home/u/.ssh/id_rsa",
    "/usr/bin/ls", "/home/u/proj/b/c/d", "/srv/[w]*/x",         "/tmp/x"};
constexpr const char* kHosts[] = {"example.com", "a.example.com", "10.1.2.3", "::1"};

void require(bool holds) {
  if (!holds) std::abort();
}

void exercise(const Policy& policy, const Place& place) {
  const PathDecider decider(policy.filesystem);
  for (const char* path : kPaths) {
    const PathVerdict verdict = decider.decide(path);
    require(!verdict.write.allowed || verdict.write.rule != nullptr);
    (void)explain_path(policy, path).text();
  }
  for (const char* host : kHosts) (void)explain_host(policy, host)->text();
  (void)refuse(lint(policy, place));
  (void)process_layer_accepts(policy);
}

void check_untrusted(const std::string& name, const std::string& text) {
  const LoadRequest request = request_for("");
  const OneFile none("", "");
  const Result<Loaded> without = load_policy(request, none);
  const OneFile file("/home/u/proj/" + name, text);
  const Result<Loaded> with = load_policy(request, file);
  require(without.has_value());
  if (!with) return;
  exercise(with->policy, request.place);
  const PathDecider before(without->policy.filesystem), after(with->policy.filesystem);
  for (const char* path : kPaths) {
    const PathVerdict a = before.decide(path), b = after.decide(path);
    require(a.read.allowed || !b.read.allowed);
    require(a.write.allowed || !b.write.allowed);
  }
  require(!with->policy.network.allows_anything());
  require(with->policy.env.set.empty() && with->policy.secrets.empty() &&
          with->policy.overrides.empty());
  require(with->policy.process.pass_fds.empty() && !with->policy.process.nested_namespaces);

  LoadRequest trusting = request;
  for (const WorkspaceDocument& document : with->workspace_documents)
    trusting.trusted.add(document.hash, document.workspace);
  const Result<Loaded> trusted = load_policy(trusting, file);
  require(trusted.has_value());
  exercise(trusted->policy, request.place);
}

void check_import(const std::string& text) {
  for (const ClaudeSettings kind : {ClaudeSettings::project, ClaudeSettings::user})
    if (const Result<Imported> imported = import_claude("c", text, kind))
      require(load_text("w.yaml", imported->yaml, request_for("").place).has_value());
  if (const Result<Imported> imported = import_srt("s", text))
    require(load_text("w.yaml", imported->yaml, request_for("").place).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const bool json = text.starts_with("{");
  const std::string name = json ? "ward.json" : "ward.yaml";
  const LoadRequest request = request_for("/user/" + name);
  if (const Result<Loaded> loaded = load_policy(request, OneFile(request.user_file, text)))
    exercise(loaded->policy, request.place);
  check_untrusted(name, text);
  if (json) check_import(text);
  return 0;
}
