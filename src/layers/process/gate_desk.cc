// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
#include "layers/process/gate_desk.h"

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/id.h"

namespace ward::process {

namespace {

constexpr std::size_t kCodeSize = 4, kMaxUrl = 300;

// Random, and not to be foreseen by the program that shares the screen.
std::string make_code() {
  const auto id = Id::make();
  return id ? id->text().substr(Id::kTextSize - kCodeSize) : std::string();
}

// The attack: what matters of a long address stands where it would be cut off.
std::string shown(const std::string& url) {
  if (url.size() <= kMaxUrl) return url;
  constexpr std::size_t kHalf = kMaxUrl / 2;
  return url.substr(0, kHalf) + " [" + std::to_string(url.size() - 2 * kHalf) +
         " characters left out] " + url.substr(url.size() - kHalf);
}

std::string question_of(const HeldRequest& request, const std::string& code) {
  const egress::Ask& ask = request.ask;
  return "ward: the command wants to " + escape_for_terminal(ask.method) + " " +
         escape_for_terminal(shown(ask.url)) + " (held by " + escape_for_terminal(ask.gate) +
         "). To allow it, type " + code + " and Enter; Enter alone denies it: ";
}

}  // namespace

Result<std::unique_ptr<GateDesk>> GateDesk::create(GateEvents events,
                                                   std::chrono::milliseconds patience) {
  WARD_ASSIGN(UniqueFd timer, sys::make_timer());
  return std::unique_ptr<GateDesk>(new GateDesk(std::move(events), patience, std::move(timer)));
}

void GateDesk::hold(egress::Ask ask) {
  if (held_.size() >= kMostHeld) {
    (void)events_.decide({ask.id, 0, "too many requests wait for a decision"});
    return;
  }
  const std::uint64_t number = ++last_;
  Waiting& waiting = held_[number];
  waiting.request = {number, std::move(ask), false};
  waiting.deadline = std::chrono::steady_clock::now() + patience_;
  ask_next();
  if (events_.on_held) events_.on_held(waiting.request);
  (void)arm();
}

void GateDesk::ask_next() {
  if (asked_ != 0 || !events_.ask_at_terminal) return;
  for (auto& [number, waiting] : held_) {
    const std::string code = make_code();
    if (code.empty()) return;
    keeper::Question question{
        question_of(waiting.request, code), code, [this, at = number](bool yes) {
          asked_ = 0;
          const auto held = held_.find(at);
          if (held != held_.end())
            settle(held, yes ? Choice::allow : Choice::deny,
                   yes ? "allowed at the terminal" : "denied at the terminal");
        }};
    if (!events_.ask_at_terminal(std::move(question))) return;
    asked_ = number;
    waiting.request.at_terminal = true;
    return;
  }
}

Status GateDesk::decide(std::uint64_t number, Choice choice, const std::string& who) {
  if (held_.empty()) return fail(ErrorKind::not_found, "this run holds no request");
  if (number == 0 && held_.size() > 1) {
    std::string listed;
    for (const auto& [one, waiting] : held_)
      listed += "\n  " + std::to_string(one) + ": " + waiting.request.ask.method + " " +
                shown(waiting.request.ask.url);
    return fail(Error(ErrorKind::invalid, "this run holds several requests:" + listed)
                    .with_remedy("name one by its number"));
  }
  const auto held = number == 0 ? held_.begin() : held_.find(number);
  if (held == held_.end())
    return fail(ErrorKind::not_found, "this run holds no request " + std::to_string(number));
  settle(held, choice, (choice == Choice::allow ? "allowed by " : "denied by ") + who);
  return {};
}

void GateDesk::settle(std::map<std::uint64_t, Waiting>::iterator held, Choice choice,
                      std::string reason) {
  const HeldRequest request = std::move(held->second.request);
  held_.erase(held);
  const std::uint8_t allow = choice == Choice::allow ? 1 : 0;
  const egress::Decision decision{request.ask.id, allow, std::move(reason)};
  (void)events_.decide(decision);  // a gateway that is gone has denied it by that
  if (events_.on_decided) events_.on_decided(request, decision);
  if (asked_ == request.number) {
    asked_ = 0;
    if (events_.withdraw_question) events_.withdraw_question(decision.reason);
  }
  ask_next();
  (void)arm();
}

Status GateDesk::on_readable() {
  const auto now = std::chrono::steady_clock::now();
  for (;;) {
    const auto late = std::find_if(held_.begin(), held_.end(),
                                   [&](const auto& one) { return one.second.deadline <= now; });
    if (late == held_.end()) return arm();
    settle(late, Choice::deny, "nobody decided in time");
  }
}

Status GateDesk::arm() {
  if (held_.empty()) return sys::stop_timer(timer_.get());
  const auto first = std::min_element(held_.begin(), held_.end(), [](const auto& a, const auto& b) {
    return a.second.deadline < b.second.deadline;
  });
  return sys::set_timer(timer_.get(), first->second.deadline - std::chrono::steady_clock::now());
}

}  // namespace ward::process
