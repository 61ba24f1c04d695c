// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "cli/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "base/escape.h"
#include "journal/payload.h"

namespace ward::cli {
namespace {

using confine::Examination;
using confine::Finding;
using confine::LayerExamination;

constexpr std::size_t kNameWidth = 24;

struct Palette {
  const char *good, *bad, *weak, *off;
};
Palette palette_of(Colour colour) {
  if (colour == Colour::none) return {"", "", "", ""};
  return {"\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"};
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

// A remedy may have lines of its own (a profile to write); each is escaped and indented.
std::string indented(const char* label, const std::string& text) {
  std::string out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += "          " + padded(begin == 0 ? label : "", 8) +
           escape_for_terminal(std::string_view(text).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string finding_text(const Finding& finding, const Palette& palette) {
  const char* mark = "ok      ";
  const char* colour = palette.good;
  if (!finding.available) {
    const bool required = finding.weight == Finding::Weight::required;
    mark = required ? "MISSING " : "absent  ";
    colour = required ? palette.bad : palette.weak;
  }
  std::string text = std::string("  ") + colour + mark + palette.off +
                     padded(finding.name, kNameWidth) + finding.purpose + "\n";
  text += indented("probe", finding.probe);
  if (finding.available) return text;
  if (!finding.cause.empty()) text += indented("cause", finding.cause);
  if (!finding.remedy.empty()) text += indented("remedy", finding.remedy);
  return text;
}

std::string_view words_for(LayerExamination::State state) {
  switch (state) {
    case LayerExamination::State::works: return "works";
    case LayerExamination::State::unavailable: return "unavailable";
    case LayerExamination::State::not_in_this_version: return "not in this version";
  }
  return "";
}

journal::Payload finding_json(const Finding& finding) {
  journal::Payload json;
  json.set("name", finding.name)
      .set("purpose", finding.purpose)
      .set_flag("required", finding.weight == Finding::Weight::required)
      .set_flag("available", finding.available)
      .set("probe", finding.probe);
  if (!finding.cause.empty()) json.set("cause", finding.cause);
  if (!finding.remedy.empty()) json.set("remedy", finding.remedy);
  return json;
}

std::vector<journal::Payload> findings_json(const std::vector<Finding>& findings) {
  std::vector<journal::Payload> list;
  for (const Finding& finding : findings) list.push_back(finding_json(finding));
  return list;
}

}  // namespace

std::string doctor_text(const Examination& examination, Colour colour) {
  const Palette palette = palette_of(colour);
  std::string text;
  for (const LayerExamination& layer : examination.layers) {
    text += padded(layer.layer, 11) + std::string(words_for(layer.state)) + "\n";
    for (const Finding& finding : layer.findings) text += finding_text(finding, palette);
  }
  text += "limits\n";
  for (const Finding& finding : examination.limits) text += finding_text(finding, palette);
  for (const std::string& group : examination.removed)
    text += "removed    " + escape_for_terminal(group) + ", left by a killed run\n";
  text += "self-test  ";
  if (!examination.self_test) {
    text += std::string(palette.good) + "passed" + palette.off + "\n";
  } else {
    text += std::string(palette.bad) + "FAILED" + palette.off + "\n";
    text += indented("cause", examination.self_test->message());
    if (!examination.self_test->remedy().empty())
      text += indented("remedy", examination.self_test->remedy());
  }
  return text;
}

std::string doctor_json(const Examination& examination) {
  std::vector<journal::Payload> layers;
  for (const LayerExamination& layer : examination.layers) {
    journal::Payload json;
    json.set("layer", layer.layer).set("state", words_for(layer.state));
    json.set_list("findings", findings_json(layer.findings));
    layers.push_back(std::move(json));
  }
  journal::Payload self_test;
  self_test.set_flag("passed", !examination.self_test);
  if (examination.self_test) {
    self_test.set("cause", examination.self_test->message());
    if (!examination.self_test->remedy().empty())
      self_test.set("remedy", examination.self_test->remedy());
  }
  journal::Payload json;
  json.set_number("version", 1).set_flag("healthy", examination.healthy());
  json.set_list("layers", layers).set_list("limits", findings_json(examination.limits));
  json.set_list("removed", examination.removed).set("selfTest", self_test);
  return json.text();
}

int doctor(const std::vector<std::string>& args, const std::function<Status()>& self_test) {
  bool json = false;
  for (const std::string& arg : args) {
    if (arg == "--json") {
      json = true;
    } else {
      const bool help = arg == "--help" || arg == "-h";
      if (!help)
        std::fprintf(stderr, "ward doctor: unknown argument \"%s\"\n",
                     escape_for_terminal(arg).c_str());
      std::fputs("usage: ward doctor [--json]\n", help ? stdout : stderr);
      return help ? 0 : 2;
    }
  }
  char* const here = ::realpath(".", nullptr);
  const Examination examination = confine::examine(self_test, here == nullptr ? "/" : here);
  std::free(here);
  const Colour colour = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr
                            ? Colour::terminal
                            : Colour::none;
  const std::string text =
      json ? doctor_json(examination) + "\n" : doctor_text(examination, colour);
  std::fputs(text.c_str(), stdout);
  return examination.healthy() ? 0 : 1;
}

}  // namespace ward::cli
