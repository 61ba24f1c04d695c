// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// How programs inside a sandbox are made to trust its certificate authority: files that stand in
// the place of the host's, for its bundle and for the stores of the JVMs that are installed, and
// variables for whatever carries a bundle of its own. Reads names; changes nothing; one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "confine/network_inside.h"

namespace ward::process {

// Inside, the bundle is always here too, wherever the host keeps its own.
inline constexpr const char* kBundleInside = "/run/ward-ca-bundle.pem";

// `caller` is the caller's environment (null-terminated): its PATH and JAVA_HOME lead to JVMs.
// What `readable` says is hidden inside is left alone: nobody there could read what covers it.
std::vector<confine::InsideFile> trust_files(
    std::string_view host_bundle, std::string_view authority_pem, const char* const* caller,
    const std::function<bool(const std::string&)>& readable);

}  // namespace ward::process
