// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// A Java keystore of trusted certificates, since a JVM reads neither PEM nor the variables that
// others go by. The format is JKS, which every JVM reads whatever the file is called; its checksum
// is a SHA-1 by definition and protects nothing here. Pure. Source: OpenJDK,
// sun.security.provider.JavaKeyStore (engineStore); FIPS 180-4 (6.1).
#pragma once

#include <string>
#include <string_view>

namespace ward::egress {

// The password with which the JDK ships its own.
inline constexpr std::string_view kTruststorePassword = "changeit";

// Of every certificate in the PEM text.
std::string java_truststore(std::string_view bundle_pem);

}  // namespace ward::egress
