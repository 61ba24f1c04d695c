// Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
//
// RunCgroup: the cgroup of one run, wherever this machine lets this user have one. Owned by
// ResourceLimits; one thread. Sources: cgroups(7), Documentation/admin-guide/cgroup-v2.rst and
// cgroup-v1/.
#pragma once

namespace ward::confine {

class RunCgroup {};

}  // namespace ward::confine
