// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/policy_commands.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/escape.h"
#include "base/id.h"
#include "cli/command_line.h"
#include "cli/policy_files.h"
#include "cli/policy_print.h"
#include "cli/run_door.h"
#include "cli/run_egress.h"
#include "cli/surroundings.h"
#include "confine/launch.h"
#include "confine/path_plan.h"
#include "policy/path_entry.h"
#include "policy/schema.h"
#include "sys/file.h"

namespace ward::cli {

namespace {

constexpr int kMistake = 1;

int report(const Error& error) {
  std::fprintf(stderr, "ward: %s\n", escape_for_terminal(error.describe()).c_str());
  return error.kind() == ErrorKind::bug ? EXIT_FAILURE : kSetupError;
}

// Escaped line by line: the text's own newlines stay.
std::string escape_lines(std::string_view text) {
  std::string out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out += escape_for_terminal(text.substr(start, end - start)) + "\n";
    start = end + 1;
  }
  return out;
}

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

// What every subcommand that speaks of the policy in force takes.
struct Options {
  std::vector<std::string> workspaces;
  PolicyArguments policy;
  bool json = false;

  void add_to(CommandLine& line) {
    line.option("-w,--workspace", workspaces,
                "a folder to work in; may be repeated (default: the current folder)")
        .option("--policy", policy.files, "a policy document to add; may be repeated")
        .option("--profile", policy.profile, "locked, read-only or workspace")
        .flag("--json", json, "print JSON");
  }
};

struct InForce {
  Surroundings surroundings;
  policy::Place place;
  policy::Loaded loaded;
};

Result<InForce> in_force(const Options& options) {
  InForce found;
  WARD_ASSIGN(found.surroundings, find_surroundings());
  WARD_ASSIGN(found.place, place_of(found.surroundings, options.workspaces));
  WARD_ASSIGN(found.loaded, load_policy(found.surroundings, found.place, options.policy));
  return found;
}

// Creates a file that does not exist yet.
Status create_file(const std::string& path, std::string_view text) {
  Result<UniqueFd> fd = sys::open_path(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
  if (!fd && fd.error().os_errno() == EEXIST)
    return fail(Error(ErrorKind::busy, path + " exists already")
                    .with_remedy("edit it, or remove it first"));
  if (!fd) return fail(std::move(fd).error());
  return sys::write_all(fd->get(), text);
}

Status check_in_force(const Options& options, int& status) {
  WARD_ASSIGN(const InForce found, in_force(options));
  const std::vector<policy::Finding> findings = policy::lint(found.loaded.policy, found.place);
  print(options.json ? findings_json(findings, found.loaded)
                     : findings_text(findings, found.loaded));
  for (const policy::Finding& finding : findings)
    if (finding.severity == policy::Severity::mistake) status = kMistake;
  WARD_TRY(policy::refuse(findings));
  WARD_TRY(policy::process_layer_accepts(found.loaded.policy));
  if (status == 0 && !options.json)
    print("good: profile " + found.loaded.policy.profile + ", " +
          std::to_string(found.loaded.policy.sources.size()) + " files\n");
  return {};
}

// The path as the sandbox would see it: absolute, and where it exists with its links resolved.
std::string resolve(const InForce& found, const std::string& written) {
  std::string path = written;
  if (path == "~" || path.starts_with("~/"))
    path.replace(0, 1, found.surroundings.home);
  else if (!path.starts_with('/'))
    path = found.surroundings.cwd + "/" + path;
  if (const Result<UniqueFd> fd = sys::open_path(path, O_PATH))
    if (Result<std::string> real = sys::path_of_fd(fd->get())) return *real;
  path = policy::lexically_normal(path);
  // An absent name below a link: what exists of the way is resolved.
  const std::string parent(policy::parent_of(path));
  if (parent == path) return path;
  const std::string resolved = resolve(found, parent);
  return (resolved == "/" ? "" : resolved) + path.substr(parent == "/" ? 0 : parent.size());
}

bool looks_like_path(const std::string& subject) {
  if (subject.find_first_of("/~.") == 0) return true;
  if (subject.find('/') != std::string::npos) return true;
  return ::access(subject.c_str(), F_OK) == 0;
}

// What Ward always protects stands over the policy: where the plan of this machine is stricter, it
// is the answer. A plan that cannot be made leaves the policy's own.
void add_protection(const InForce& found, const std::string& path,
                    policy::Explanation& explanation) {
  const confine::HostContext host{found.surroundings.home, found.surroundings.cwd,
                                  found.place.workspaces, confine::private_folders(),
                                  found.surroundings.ward_paths()};
  const Result<confine::PathPlan> plan = confine::plan_paths(found.loaded.policy.filesystem, host);
  if (!plan) return;
  const confine::Access access = plan->rules->decide(path);
  for (policy::Explanation::Line& line : explanation.lines) {
    const bool reads = line.act == "read";
    if (!line.allowed || (reads ? access.read : access.write)) continue;
    line.shadowed.insert(line.shadowed.begin(), line.rule + ": the policy alone would allow it");
    line.allowed = false;
    line.rule = reads ? access.read_rule : access.write_rule;
    line.why = "it stands over every policy";
  }
}

Status explain(const Options& options, const std::string& subject) {
  WARD_ASSIGN(InForce found, in_force(options));
  policy::Explanation explanation;
  if (looks_like_path(subject)) {
    const std::string path = resolve(found, subject);
    explanation = policy::explain_path(found.loaded.policy, path);
    add_protection(found, path, explanation);
  } else {
    // As the gateway of a run would know them.
    policy::Network& network = found.loaded.policy.network;
    WARD_ASSIGN(process::ResolvedPresets presets,
                resolve_presets(found.loaded.policy, found.surroundings, found.place));
    network.allow.insert(network.allow.end(), presets.allow.begin(), presets.allow.end());
    WARD_ASSIGN(explanation, policy::explain_host(network, subject));
  }
  print(options.json ? explanation_json(explanation) : escape_lines(explanation.text()));
  return {};
}

struct TrustOptions {
  std::string workspace;
  bool yes = false, revoke = false, list = false;
};

// Asks on the terminal itself, so that nothing piped in answers.
Status confirm() {
  const std::string remedy = "answer y on a terminal, or give --yes";
  Result<UniqueFd> terminal = sys::open_path("/dev/tty", O_RDWR | O_NOCTTY);
  if (!terminal)
    return fail(Error(ErrorKind::denied, "nobody is there to agree").with_remedy(remedy));
  WARD_TRY(sys::write_all(terminal->get(), "Trust exactly this content? [y/N] "));
  char answer = 'n';
  if (::read(terminal->get(), &answer, 1) != 1 || (answer != 'y' && answer != 'Y'))
    return fail(Error(ErrorKind::denied, "not trusted").with_remedy(remedy));
  return {};
}

Result<policy::TrustSet> read_store(const Surroundings& surroundings) {
  Result<std::string> text = sys::read_file(surroundings.trust_store());
  if (!text && text.error().kind() == ErrorKind::not_found) return policy::TrustSet();
  if (!text) return fail(std::move(text).error());
  return in_context(policy::TrustSet::parse(*text), surroundings.trust_store());
}

Status write_store(const Surroundings& surroundings, const policy::TrustSet& store) {
  WARD_TRY(sys::make_dirs(surroundings.state_folder, 0700));
  return sys::replace_file(surroundings.trust_store(), store.print(), 0600);
}

Status trust(const TrustOptions& options) {
  Options place;
  if (!options.workspace.empty()) place.workspaces = {options.workspace};
  WARD_ASSIGN(const InForce found, in_force(place));
  WARD_ASSIGN(policy::TrustSet store, read_store(found.surroundings));
  if (options.list) {
    print(escape_lines(store.print()));
    return {};
  }
  const std::string& workspace = found.place.workspaces.front();
  if (options.revoke) {
    if (!store.remove_workspace(workspace))
      return fail(ErrorKind::not_found, "nothing of " + workspace + " is trusted");
    return write_store(found.surroundings, store);
  }
  if (found.loaded.workspace_documents.empty())
    return fail(Error(ErrorKind::not_found, workspace + " has no ward.yaml")
                    .with_remedy("write one with `ward policy init`"));
  const policy::WorkspaceDocument& document = found.loaded.workspace_documents.front();
  if (document.trusted || !document.widens) {
    print(
        escape_lines(document.file + (document.trusted ? " is trusted already\n"
                                                       : " widens nothing and needs no trust\n")));
    return {};
  }
  std::string text;
  for (const auto& [file, bytes] : document.contents) text += "--- " + file + "\n" + bytes + "\n";
  text += "--- what waits for trust\n";
  for (const policy::LeftOut& part : found.loaded.left_out)
    if (part.origin.scope == policy::Scope::workspace)
      text += part.origin.describe() + ": " + part.key + "\n";
  print(escape_lines(text));
  if (!options.yes) WARD_TRY(confirm());
  // The hash is of the bytes that were shown, not of what the file holds by now.
  store.add(document.hash, workspace);
  WARD_TRY(write_store(found.surroundings, store));
  print(escape_lines("trusted: " + document.hash + " " + workspace + "\n"));
  return {};
}

Result<policy::Imported> import_file(const std::string& from, const std::string& file) {
  WARD_ASSIGN(const std::string text, PolicyFiles().read(file, policy::kMaxDocumentBytes));
  if (from == "srt") return policy::import_srt(file, text);
  WARD_ASSIGN(const Surroundings surroundings, find_surroundings());
  const bool of_user = sys::open_path(surroundings.home + "/.claude", O_PATH).has_value() &&
                       policy::parent_of(policy::lexically_normal(surroundings.from_cwd(file))) ==
                           surroundings.home + "/.claude";
  return policy::import_claude(
      file, text, of_user ? policy::ClaudeSettings::user : policy::ClaudeSettings::project);
}

}  // namespace

int policy_command(const std::vector<std::string>& arguments) {
  struct Row {
    const char* name;
    const char* purpose;
    int (*run)(const std::vector<std::string>&);
  };
  constexpr Row kRows[] = {
      {"init", "write a commented policy", policy_init},
      {"check", "say what is too wide or without effect", policy_check},
      {"explain", "say which rule decides about a path or a host", policy_explain},
      {"trust", "let a workspace's policy file widen", policy_trust},
      {"import", "turn settings of claude or srt into a policy", policy_import},
      {"learn", "run a command observed, and print the policy that it needs", policy_learn},
      {"reload", "let a run go by what the policy says now of the network", policy_reload},
      {"schema", "print the JSON Schema of the language", policy_schema},
  };
  const std::string name = arguments.empty() ? "" : arguments.front();
  for (const Row& row : kRows)
    if (name == row.name) return row.run({arguments.begin() + 1, arguments.end()});
  const bool help = name == "--help" || name == "-h" || name == "help";
  std::FILE* const stream = help ? stdout : stderr;
  if (!help && !name.empty())
    std::fprintf(stream, "ward policy: there is no subcommand \"%s\"\n",
                 escape_for_terminal(name).c_str());
  std::fputs("usage:\n", stream);
  for (const Row& row : kRows)
    std::fprintf(stream, "  ward policy %-8s %s\n", row.name, row.purpose);
  return help ? 0 : kUsageError;
}

int policy_init(const std::vector<std::string>& arguments) {
  std::string profile = "workspace";
  bool user = false;
  CommandLine line("ward policy init", "Writes a commented policy into the current folder.");
  line.option("--profile", profile, "what it extends: locked, read-only or workspace")
      .flag("--user", user, "write the user's own policy instead");
  if (std::optional<int> status = line.parse(arguments)) return *status;
  const policy::Profile* found = policy::find_profile(profile);
  if (found == nullptr) {
    std::fprintf(stderr, "ward policy init: --profile is locked, read-only or workspace\n");
    return kUsageError;
  }
  const Result<Surroundings> surroundings = find_surroundings();
  if (!surroundings) return report(surroundings.error());
  const std::string path = user ? surroundings->user_policy() : surroundings->cwd + "/ward.yaml";
  if (user)
    if (Status made = sys::make_dirs(surroundings->config_folder, 0700); !made)
      return report(made.error());
  if (Status created = create_file(path, policy::starting_document(*found)); !created)
    return report(created.error());
  print(escape_for_terminal(path) + "\n");
  return 0;
}

int policy_check(const std::vector<std::string>& arguments) {
  Options options;
  std::string file;
  CommandLine line("ward policy check",
                   "Says what is too wide in the policy in force, or without effect.");
  options.add_to(line);
  line.positional("FILE", file, "a document to check as well", false);
  if (std::optional<int> status = line.parse(arguments)) return *status;
  if (!file.empty()) options.policy.files.push_back(file);
  int status = 0;
  if (Status checked = check_in_force(options, status); !checked) return report(checked.error());
  return status;
}

int policy_explain(const std::vector<std::string>& arguments) {
  Options options;
  std::string subject;
  CommandLine line("ward policy explain",
                   "Says which rule decides about a path or a host, and why.");
  options.add_to(line);
  line.positional("PATH|HOST[:PORT]", subject, "what to ask about");
  if (std::optional<int> status = line.parse(arguments)) return *status;
  if (Status explained = explain(options, subject); !explained) return report(explained.error());
  return 0;
}

int policy_trust(const std::vector<std::string>& arguments) {
  TrustOptions options;
  CommandLine line("ward policy trust",
                   "Lets the policy file of a workspace widen what is allowed.");
  line.flag("-y,--yes", options.yes, "agree without being asked")
      .flag("--revoke", options.revoke, "take the trust back")
      .flag("--list", options.list, "print what is trusted")
      .positional("WORKSPACE", options.workspace, "its folder (default: the current one)", false);
  if (std::optional<int> status = line.parse(arguments)) return *status;
  if (Status trusted = trust(options); !trusted) return report(trusted.error());
  return 0;
}

int policy_import(const std::vector<std::string>& arguments) {
  std::string from, file;
  bool json = false;
  CommandLine line("ward policy import",
                   "Turns another tool's settings into a policy, on standard output.");
  line.positional("claude|srt", from, "whose settings they are")
      .positional("FILE", file, "the settings")
      .flag("--json", json, "print JSON");
  if (std::optional<int> status = line.parse(arguments)) return *status;
  if (from != "claude" && from != "srt") {
    std::fputs("ward policy import: settings of claude and srt can be imported\n", stderr);
    return kUsageError;
  }
  const Result<policy::Imported> imported = import_file(from, file);
  if (!imported) return report(imported.error());
  print(json ? import_json(*imported) : imported->yaml);
  if (!json) std::fputs(notes_text(*imported).c_str(), stderr);
  return 0;
}

int policy_reload(const std::vector<std::string>& arguments) {
  std::string run;
  CommandLine line("ward policy reload",
                   "Lets a run that goes on read its policy again, for the network's rules.");
  line.positional("RUN", run, "its id, as `ward audit show` prints it");
  if (std::optional<int> status = line.parse(arguments)) return *status;
  const Result<Surroundings> surroundings = find_surroundings();
  if (!surroundings) return report(surroundings.error());
  const Result<Id> id = Id::parse(run);
  if (!id) return report(id.error());
  const Status done = ask_run(surroundings->state_folder, id->text(), kReloadRequest);
  if (!done) return report(done.error());
  print("the network's rules are in force; all else stays as it was when the run began\n");
  return 0;
}

int policy_schema(const std::vector<std::string>& arguments) {
  CommandLine line("ward policy schema", "Prints the JSON Schema of the policy language.");
  if (std::optional<int> status = line.parse(arguments)) return *status;
  print(policy::json_schema());
  return 0;
}

}  // namespace ward::cli
