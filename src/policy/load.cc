// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/load.h"

#include <algorithm>
#include <deque>

#include "policy/chain.h"
#include "policy/merge.h"

namespace ward::policy {

namespace {

constexpr std::string_view kWorkspaceFiles[] = {"ward.yaml", "ward.yml", "ward.json"};

class NoFiles : public Files {
 public:
  Result<std::string> read(const std::string& path, std::uint64_t) const override {
    return fail(ErrorKind::not_found, path + ": no such file");
  }
  Result<std::string> read_managed(const std::string& path, std::uint64_t) const override {
    return read(path, 0);
  }
};

// A file that takes part, with everything it extends.
struct Part {
  Chain chain;
  std::vector<std::string> workspaces;
  bool narrow_only = false;
  int document_index = -1;  // into Loaded::workspace_documents
};

class Loader {
 public:
  Loader(const LoadRequest& request, const Files& files) : request_(request), files_(files) {}

  Result<Loaded> run() {
    WARD_TRY(check_place());
    WARD_TRY(add_optional(request_.managed_file, Scope::managed));
    for (const std::string& file : request_.named_files) {
      WARD_ASSIGN(std::string text, files_.read(file, kMaxDocumentBytes));
      WARD_TRY(add({file, 0, Scope::user}, std::move(text), request_.place.workspaces));
    }
    WARD_TRY(add_optional(request_.user_file, Scope::user));
    for (const std::string& workspace : request_.place.workspaces)
      WARD_TRY(add_workspace(workspace));
    WARD_ASSIGN(const MergeBase base, choose_profile());
    return finish(base);
  }

 private:
  Status check_place() const {
    if (request_.place.workspaces.empty()) return fail(ErrorKind::invalid, "no workspace is given");
    for (const std::string& workspace : request_.place.workspaces)
      if (!workspace.starts_with('/'))
        return fail(ErrorKind::invalid,
                    "the workspace '" + workspace + "' is not an absolute path");
    if (!request_.place.home.starts_with('/'))
      return fail(Error(ErrorKind::invalid,
                        "the home folder '" + request_.place.home + "' is not an absolute path")
                      .with_remedy("set HOME to your home folder"));
    return {};
  }

  Status add(const Origin& origin, std::string text, const std::vector<std::string>& workspaces) {
    WARD_ASSIGN(Chain chain, read_chain(origin, std::move(text), request_.place.home, files_));
    for (const auto& [name, contents] : chain.files) loaded_.documents.push_back(name);
    parts_.push_back({std::move(chain), workspaces, false, -1});
    return {};
  }

  // The text of a file that need not exist.
  Result<std::optional<std::string>> read_optional(const std::string& path, Scope scope) const {
    Result<std::string> text = read_document(files_, path, scope);
    if (text) return std::optional(std::move(*text));
    if (text.error().kind() == ErrorKind::not_found) return std::optional<std::string>();
    return fail(std::move(text).error());
  }

  Status add_optional(const std::string& path, Scope scope) {
    if (path.empty()) return {};
    WARD_ASSIGN(std::optional<std::string> text, read_optional(path, scope));
    if (!text) return {};
    return add({path, 0, scope}, std::move(*text), request_.place.workspaces);
  }

  Status add_workspace(const std::string& workspace) {
    std::string found;
    for (const std::string_view name : kWorkspaceFiles) {
      const std::string path = (workspace == "/" ? "/" : workspace + "/") + std::string(name);
      WARD_ASSIGN(std::optional<std::string> text, read_optional(path, Scope::workspace));
      if (!text) continue;
      if (!found.empty())
        return fail(Error(ErrorKind::invalid, found + " and " + path + " both exist")
                        .with_remedy("keep one of them"));
      found = path;
      WARD_TRY(add({path, 0, Scope::workspace}, std::move(*text), {workspace}));
      note_workspace(workspace, path);
    }
    return {};
  }

  void note_workspace(const std::string& workspace, const std::string& path) {
    Part& part = parts_.back();
    WorkspaceDocument document;
    document.workspace = workspace;
    document.file = path;
    document.hash = trust_hash(workspace, part.chain.files);
    document.trusted = request_.trusted.contains(document.hash);
    document.contents = part.chain.files;
    part.narrow_only = !document.trusted;
    part.document_index = static_cast<int>(loaded_.workspace_documents.size());
    loaded_.workspace_documents.push_back(std::move(document));
  }

  // The narrowest profile that anyone names, with the strongest scope that names it.
  Result<MergeBase> choose_profile() {
    std::optional<MergeBase> chosen;
    const auto offer = [&](Profile profile, Scope scope) {
      if (!chosen || profile < chosen->profile) chosen = {profile, scope};
    };
    for (const Part& part : parts_)  // strongest scope first: the first of equals stays
      if (part.chain.profile) offer(*part.chain.profile, part.chain.profile_origin.scope);
    if (!request_.profile.empty()) {
      const Profile* named = find_profile(request_.profile);
      if (named == nullptr)
        return fail(Error(ErrorKind::invalid, "'" + request_.profile + "' is no built-in profile")
                        .with_remedy("the profiles are locked, read-only and workspace"));
      const bool stronger = chosen && chosen->profile == *named && chosen->scope < Scope::user;
      if (stronger) chosen->scope = Scope::user;
      offer(*named, Scope::user);
    }
    const MergeBase base = chosen.value_or(MergeBase{});
    for (const Part& part : parts_)
      if (part.chain.profile && *part.chain.profile > base.profile)
        loaded_.left_out.push_back({part.chain.profile_origin, "extends",
                                    "the narrower profile " + std::string(to_string(base.profile)) +
                                        " is named too, and is in force"});
    return base;
  }

  Loaded finish(const MergeBase& base) {
    std::vector<MergeInput> inputs;
    for (const Part& part : parts_)
      for (const Document& document : part.chain.documents) {
        inputs.push_back({&document, &part.workspaces, part.narrow_only});
        if (part.document_index >= 0 && widens(document, base.profile))
          loaded_.workspace_documents[static_cast<std::size_t>(part.document_index)].widens = true;
      }
    loaded_.policy = merge(base, inputs, request_.place, loaded_.left_out);
    return std::move(loaded_);
  }

  const LoadRequest& request_;
  const Files& files_;
  std::deque<Part> parts_;
  Loaded loaded_;
};

}  // namespace

std::string LeftOut::describe() const { return origin.describe() + ": " + key + ": " + why; }

Result<Loaded> load_policy(const LoadRequest& request, const Files& files) {
  return Loader(request, files).run();
}

Result<Policy> load_text(const std::string& name, const std::string& text, const Place& place) {
  WARD_ASSIGN(const Chain chain, read_chain({name, 0, Scope::user}, text, place.home, NoFiles()));
  MergeBase base;
  if (chain.profile) base = {*chain.profile, Scope::user};
  std::vector<MergeInput> inputs;
  for (const Document& document : chain.documents)
    inputs.push_back({&document, &place.workspaces, false});
  std::vector<LeftOut> left_out;
  return merge(base, inputs, place, left_out);
}

}  // namespace ward::policy
