#!/usr/bin/env python3
# Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
"""Registries of the tests: registries.py FOLDER URL writes one small package for each of npm, pip,
cargo, go and maven, and a git repository, as files that a server of plain HTTP can serve at URL.

  npm/demo            pip/simple/demo/     cargo/ (a sparse index)
  go/site.example/demo/@v/                 git/demo.git
"""

import base64
import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import zipfile

FOLDER, URL = pathlib.Path(sys.argv[1]), sys.argv[2]


def write(path, content):
    path = FOLDER / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def tar(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def packed(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def npm():
    package = {"name": "demo", "version": "1.0.0", "main": "index.js"}
    tarball = tar({"package/package.json": json.dumps(package),
                   "package/index.js": "module.exports = 'from the registry';\n"})
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    url = f"{URL}/npm/-/demo-1.0.0.tgz"
    write("npm/-/demo-1.0.0.tgz", tarball)
    dist = {"tarball": url, "integrity": integrity}
    write("npm/demo", json.dumps({"name": "demo", "dist-tags": {"latest": "1.0.0"},
                                  "versions": {"1.0.0": {**package, "dist": dist}}}))
    lock = {"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": True,
            "packages": {"": {"name": "app", "version": "1.0.0", "dependencies": {"demo": "1.0.0"}},
                         "node_modules/demo": {"version": "1.0.0", "resolved": url,
                                               "integrity": integrity}}}
    write("app/package-lock.json", json.dumps(lock))
    write("app/package.json", json.dumps({"name": "app", "version": "1.0.0",
                                          "dependencies": {"demo": "1.0.0"}}))


def pip():
    info = "demo-1.0.dist-info"
    wheel = packed({"demo.py": "VALUE = 'from the registry'\n",
                    f"{info}/METADATA": "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n",
                    f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                    f"{info}/RECORD": f"demo.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n"
                                      f"{info}/RECORD,,\n"})
    name = "demo-1.0-py3-none-any.whl"
    write(f"pip/files/{name}", wheel)
    write("pip/simple/demo/index.html", f'<a href="{URL}/pip/files/{name}">{name}</a>\n')


def cargo():
    manifest = '[package]\nname = "demo"\nversion = "1.0.0"\nedition = "2021"\n'
    crate = tar({"demo-1.0.0/Cargo.toml": manifest,
                 "demo-1.0.0/src/lib.rs": 'pub fn value() -> &\'static str { "from the registry" }\n'})
    write("cargo/config.json", json.dumps({"dl": f"{URL}/cargo/crates/{{crate}}-{{version}}.crate"}))
    write("cargo/crates/demo-1.0.0.crate", crate)
    write("cargo/de/mo/demo", json.dumps({
        "name": "demo", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False,
        "cksum": hashlib.sha256(crate).hexdigest()}) + "\n")


def go():
    module = "module site.example/demo\n"
    base = "go/site.example/demo/@v"
    write(f"{base}/list", "v1.0.0\n")
    write(f"{base}/v1.0.0.info", json.dumps({"Version": "v1.0.0", "Time": "2026-01-01T00:00:00Z"}))
    write(f"{base}/v1.0.0.mod", module)
    write(f"{base}/v1.0.0.zip", packed({
        "site.example/demo@v1.0.0/go.mod": module,
        "site.example/demo@v1.0.0/demo.go":
            'package demo\n\nfunc Value() string { return "from the registry" }\n'}))


def git():
    work = FOLDER / "work"
    work.mkdir(parents=True)
    (work / "README").write_text("from the registry\n")
    repository = FOLDER / "git/demo.git"
    repository.parent.mkdir(parents=True)
    call = ["git", "-c", "user.name=A", "-c", "user.email=a@localhost", "-C", str(work)]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"],
                  ["clone", "-q", "--bare", str(work), str(repository)]):
        subprocess.run(call + words, check=True)
    subprocess.run(["git", "-C", str(repository), "update-server-info"], check=True)


for registry in (npm, pip, cargo, go, git):
    registry()
