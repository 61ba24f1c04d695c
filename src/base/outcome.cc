// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "base/outcome.h"

#include <sys/wait.h>

namespace ward {

namespace {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

}  // namespace

Outcome outcome_of_wait_status(int wait_status) {
  if (WIFSIGNALED(wait_status)) return Signalled{WTERMSIG(wait_status)};
  return Exited{WEXITSTATUS(wait_status)};
}

int exit_status(const Outcome& outcome) {
  return std::visit(Overload{
                        [](const Exited& it) { return it.code; },
                        [](const Signalled& it) { return 128 + it.signal; },
                        [](const PolicyKilled&) { return 123; },
                        [](const TimedOut&) { return 124; },
                        [](const OutOfMemory&) { return 122; },
                        [](const OutputLimit&) { return 121; },
                        [](const Cancelled&) { return 120; },
                        [](const Expired&) { return 119; },
                        [](const SetupFailed& it) {
                          switch (it.reason) {
                            case SetupFailed::Reason::sandbox: return 125;
                            case SetupFailed::Reason::not_executable: return 126;
                            case SetupFailed::Reason::not_found: return 127;
                          }
                          return 125;
                        },
                    },
                    outcome);
}

std::string_view outcome_name(const Outcome& outcome) {
  return std::visit(Overload{
                        [](const Exited&) { return std::string_view("exited"); },
                        [](const Signalled&) { return std::string_view("signalled"); },
                        [](const PolicyKilled&) { return std::string_view("policy-killed"); },
                        [](const TimedOut&) { return std::string_view("timed-out"); },
                        [](const OutOfMemory&) { return std::string_view("out-of-memory"); },
                        [](const OutputLimit&) { return std::string_view("output-limit"); },
                        [](const Cancelled&) { return std::string_view("cancelled"); },
                        [](const Expired&) { return std::string_view("expired"); },
                        [](const SetupFailed&) { return std::string_view("setup-failed"); },
                    },
                    outcome);
}

std::string describe(const Outcome& outcome) {
  std::string value = std::visit(Overload{
                                     [](const Exited& it) { return std::to_string(it.code); },
                                     [](const Signalled& it) { return std::to_string(it.signal); },
                                     [](const PolicyKilled& it) { return it.what; },
                                     [](const SetupFailed& it) { return it.error.message(); },
                                     [](const auto&) { return std::string(); },
                                 },
                                 outcome);
  std::string text(outcome_name(outcome));
  if (!value.empty()) text += "(" + value + ")";
  return text;
}

}  // namespace ward
