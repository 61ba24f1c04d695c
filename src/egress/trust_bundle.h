// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// The certificates of the authorities that the host trusts, and how programs inside are made to
// trust one more. Files are read; nothing else is touched. Safe from any thread. Sources:
// SSL_CTX_load_verify_locations(3) (SSL_CERT_FILE), the documentation of each tool named.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ward::egress {

// The host's bundle in PEM: the file that the caller's SSL_CERT_FILE names, or (where that is "")
// the first of the distributions' usual ones. An error where there is none.
Result<std::string> host_trust_bundle(std::string_view ssl_cert_file);

// Where distributions keep it, whether it is there or not.
std::vector<std::string> usual_bundles();

// What the file inside holds: the host's bundle and the sandbox's own authority.
std::string inside_bundle(std::string_view host_bundle, std::string_view authority_pem);

// "NAME=value": the variables by which programs inside find the bundle at `path`.
std::vector<std::string> trust_variables(const std::string& path);

}  // namespace ward::egress
