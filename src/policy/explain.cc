// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "policy/explain.h"

#include "policy/network_decision.h"
#include "policy/path_decision.h"

namespace ward::policy {

namespace {

bool is_about(const PathRule& rule, std::string_view act) {
  return act == "read" ? rule.list != PathList::deny_write : rule.list != PathList::allow_read;
}

std::string_view scope_name(Scope scope) {
  switch (scope) {
    case Scope::workspace: return "workspace";
    case Scope::user: return "user";
    case Scope::managed: return "managed";
  }
  return "workspace";
}

// The part of `path` that `depth` components make.
std::string_view ancestor(std::string_view path, std::size_t depth) {
  if (depth == 0) return "/";
  std::size_t end = 0;
  for (std::size_t i = 0; i < depth; ++i) end = path.find('/', end + 1);
  return path.substr(0, end);
}

struct Matching {
  const PathRule* rule;
  std::size_t depth;
};

// Why `loser`, which matches as well, does not decide.
std::string why_lost(const Matching& loser, const Matching& winner) {
  if (winner.rule->origin.scope > loser.rule->origin.scope && denies(*winner.rule) &&
      loser.depth >= winner.depth && !denies(*loser.rule))
    return std::string("a deny of the ") + std::string(scope_name(winner.rule->origin.scope)) +
           " scope is not reopened by a lower one";
  if (loser.depth < winner.depth) return "less specific";
  if (loser.rule->literal != winner.rule->literal && winner.rule->literal)
    return "as specific, but a literal path goes before a wildcard";
  if (is_built_in(*loser.rule) && !is_built_in(*winner.rule))
    return "as specific, but a document goes before a built-in profile";
  if (denies(*winner.rule) && !denies(*loser.rule))
    return "as specific, but deny goes before allow";
  return "says the same";
}

std::string why_won(const Matching& winner, std::string_view path) {
  const std::string_view matched = ancestor(path, winner.depth);
  std::string why = matched == path
                        ? "it names the path itself"
                        : "it names " + std::string(matched) + ", which the path is below";
  return why + (winner.rule->literal ? "" : " (by a wildcard)");
}

Explanation::Line explain_act(const Policy& policy, std::string_view path, std::string_view act,
                              const Verdict& verdict) {
  Explanation::Line line;
  line.act = act;
  line.allowed = verdict.allowed;
  if (verdict.rule == nullptr) {
    line.rule = verdict.allowed ? "the default: read"
                : act == "read" ? "the default: deny"
                                : "the default: what no rule lets be written is read-only";
    line.why = "no rule speaks of it";
    return line;
  }
  const Matching winner{verdict.rule, match_depth(*verdict.rule, path).value_or(0)};
  line.rule = describe(*winner.rule);
  line.why = why_won(winner, path);
  for (const PathRule& rule : policy.filesystem.rules) {
    if (&rule == winner.rule || !is_about(rule, act)) continue;
    if (const auto depth = match_depth(rule, path))
      line.shadowed.push_back(describe(rule) + ": " + why_lost({&rule, *depth}, winner));
  }
  return line;
}

std::string describe_host(std::string_view list, const HostRule& rule) {
  std::string text = std::string(list) + " " + rule.host;
  if (rule.port) text += ":" + std::to_string(*rule.port);
  return text + " (" + rule.origin.describe() + ")";
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string remedy_to_allow(const std::string& host, std::uint16_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return "add \"" + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port) +
         "\" to network.allow";
}

Explanation::Line explain_port(const Network& network, const std::string& host,
                               std::uint16_t port) {
  const HostVerdict verdict = NetworkDecider(network).decide(host, port);
  Explanation::Line line;
  line.act = "connect to port " + std::to_string(port);
  line.allowed = verdict.allowed;
  if (verdict.rule == nullptr) {
    line.rule = "the default: no host can be reached";
    line.why = network.presets.empty() ? "no rule of network.allow covers the host and port"
                                       : "no rule of network.allow covers it; the presets (" +
                                             join(network.presets) + ") add hosts at run time";
    for (const HostRule& rule : network.allow)
      if (host_matches(rule.host, host))
        line.shadowed.push_back(describe_host("allow", rule) + ": another port" +
                                (rule.port ? "" : ", 80 and 443 are meant where none is written"));
    line.remedy = remedy_to_allow(host, port);
    return line;
  }
  line.rule = describe_host(verdict.allowed ? "allow" : "deny", *verdict.rule);
  line.why = verdict.allowed ? "nothing denies it" : "deny goes before rules and allow";
  if (!verdict.allowed) {
    line.remedy = "take that deny away, if the host is meant to be reached";
    for (const HostRule& rule : network.allow)
      if (host_matches(rule.host, host))
        line.shadowed.push_back(describe_host("allow", rule) + ": deny goes before allow");
  }
  for (const RequestRule* rule : verdict.narrowed_by) {
    line.why += "; narrowed by a rule (" + rule->origin.describe() + ")";
    if (!rule->methods.empty()) line.why += " to " + join(rule->methods);
    if (!rule->paths.empty()) line.why += " on " + join(rule->paths);
  }
  return line;
}

}  // namespace

std::string_view list_name(PathList list) {
  switch (list) {
    case PathList::deny_read: return "denyRead";
    case PathList::deny_write: return "denyWrite";
    case PathList::allow_read: return "allowRead";
    case PathList::allow_write: return "allowWrite";
  }
  return "denyRead";
}

std::string describe(const PathRule& rule) {
  return std::string(list_name(rule.list)) + " " + rule.written + " (" + rule.origin.describe() +
         ")";
}

std::string Explanation::text() const {
  std::string text = subject + "\n";
  for (const Line& line : lines) {
    text +=
        "  " + line.act + ": " + (line.allowed ? "allowed" : "denied") + " by " + line.rule + "\n";
    text += "    because " + line.why + "\n";
    for (const std::string& other : line.shadowed) text += "    not by " + other + "\n";
    if (!line.remedy.empty()) text += "    to allow it, " + line.remedy + "\n";
  }
  return text;
}

Explanation explain_path(const Policy& policy, std::string_view path) {
  const PathVerdict verdict = PathDecider(policy.filesystem).decide(path);
  Explanation explanation;
  explanation.subject = path;
  explanation.lines.push_back(explain_act(policy, path, "read", verdict.read));
  explanation.lines.push_back(explain_act(policy, path, "write", verdict.write));
  return explanation;
}

Result<Explanation> explain_host(const Network& network, std::string_view host_port) {
  WARD_ASSIGN(const HostPort asked, parse_host(host_port));
  Explanation explanation;
  explanation.subject = asked.host;
  if (asked.port) {
    explanation.lines.push_back(explain_port(network, asked.host, *asked.port));
  } else {
    for (const std::uint16_t port : {std::uint16_t{443}, std::uint16_t{80}})
      explanation.lines.push_back(explain_port(network, asked.host, port));
  }
  return explanation;
}

}  // namespace ward::policy
