#!/usr/bin/env python3
# Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
"""Fills the lab's package registries (internet.py) with one package each.

usage: registries.py FOLDER    (the lab's)

FOLDER/www/HOST is what HOST serves at GET, FOLDER/git/HOST its repositories, over HTTPS and SSH.
Each registry is there twice, at KIND.site.example and KIND.evil.example. Formats: npm's registry
API, the simple repository API of Python packages, the cargo book's "Index Format", Maven's
repository layout, the Go module proxy protocol.
"""

import base64
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile

FOLDER = sys.argv[1]


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def tar(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o644
            entry.mtime = 1_700_000_000
            archive.addfile(entry, io.BytesIO(content.encode()))
    return packed.getvalue()


def pack(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def git(*words):
    subprocess.run(["git", *words], check=True, stdout=subprocess.DEVNULL)


def repository(path, files):
    """A bare repository with one commit."""
    work = path + ".work"
    for name, content in files.items():
        write(f"{work}/{name}", content)
    git("init", "-q", "-b", "main", work)
    git("-C", work, "add", "-A")
    git("-C", work, "-c", "user.name=A Person", "-c", "user.email=person@localhost", "commit", "-qm",
        "first")
    git("clone", "-q", "--bare", work, path)


def npm(host, site):
    tarball = tar({"package/package.json": '{"name": "left", "version": "1.0.0"}',
                   "package/index.js": "module.exports = 42\n"})
    write(f"{site}/left/-/left-1.0.0.tgz", tarball)
    integrity = base64.b64encode(hashlib.sha512(tarball).digest()).decode()
    version = {"name": "left", "version": "1.0.0",
               "dist": {"tarball": f"https://{host}/left/-/left-1.0.0.tgz",
                        "shasum": hashlib.sha1(tarball).hexdigest(),
                        "integrity": "sha512-" + integrity}}
    write(f"{site}/left/index.html", json.dumps(
        {"name": "left", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}))


# How the sdist is built: a build backend (PEP 517) of its own, which needs nothing fetched.
BACKEND = """
import zipfile

def build_wheel(folder, *_):
    name, about = "source-1.0-py3-none-any.whl", "source-1.0.dist-info/"
    with zipfile.ZipFile(folder + "/" + name, "w") as wheel:
        wheel.write("source.py")
        wheel.writestr(about + "METADATA", "Metadata-Version: 2.1\\nName: source\\nVersion: 1.0\\n")
        wheel.writestr(about + "WHEEL",
                       "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(about + "RECORD", "")
    return name
"""


def pip(_, site):
    about = "Metadata-Version: 2.1\nName: left\nVersion: 1.0\n"
    files = {
        "left/left-1.0-py3-none-any.whl": pack({
            "left.py": "VALUE = 40\n", "left-1.0.dist-info/METADATA": about,
            "left-1.0.dist-info/WHEEL":
                "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "left-1.0.dist-info/RECORD": ""}),
        "source/source-1.0.tar.gz": tar({
            "source-1.0/pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = "
                                         "'backend'\nbackend-path = ['.']\n",
            "source-1.0/backend.py": BACKEND,
            "source-1.0/source.py": "VALUE = 2\n",
            "source-1.0/PKG-INFO": about.replace("left", "source")}),
    }
    for path, content in files.items():
        project, name = path.split("/")
        digest = hashlib.sha256(content).hexdigest()
        write(f"{site}/files/{name}", content)
        write(f"{site}/simple/{project}/index.html",
              f'<!DOCTYPE html><a href="/files/{name}#sha256={digest}">{name}</a>\n')


def cargo(host, site):
    crate = tar({"left-1.0.0/Cargo.toml": '[package]\nname = "left"\nversion = "1.0.0"\n',
                 "left-1.0.0/src/lib.rs": "pub const VALUE: u32 = 42;\n"})
    write(f"{site}/crates/left/1.0.0/download", crate)
    index = {
        "config.json": json.dumps({"dl": f"https://{host}/crates"}),
        "le/ft/left": json.dumps({
            "name": "left", "vers": "1.0.0", "deps": [], "features": {}, "yanked": False,
            "cksum": hashlib.sha256(crate).hexdigest()}) + "\n",
    }
    for name, content in index.items():
        write(f"{site}/index/{name}", content)
    repository(f"{FOLDER}/git/{host}/index.git", index)  # for a cargo that knows no sparse index


def maven(_, site):
    pom = ("<project><modelVersion>4.0.0</modelVersion><groupId>lab</groupId>"
           "<artifactId>left</artifactId><version>1.0</version></project>\n")
    files = {"pom": pom.encode(), "jar": pack({"left.txt": "42\n"})}
    for kind, content in files.items():
        base = f"{site}/repository/lab/left/1.0/left-1.0.{kind}"
        write(base, content)
        write(base + ".sha1", hashlib.sha1(content).hexdigest())
    # Debian's plugins name it and its packages do not bring it.
    write(f"{site}/repository/org/junit/junit-bom/debian/junit-bom-debian.pom",
          "<project><modelVersion>4.0.0</modelVersion><groupId>org.junit</groupId>"
          "<artifactId>junit-bom</artifactId><version>debian</version>"
          "<packaging>pom</packaging></project>\n")


def go(_, site):
    base, module = f"{site}/example.invalid/left/@v/", "module example.invalid/left\n"
    write(base + "list", "v1.0.0\n")
    write(base + "v1.0.0.info", '{"Version": "v1.0.0"}')
    write(base + "v1.0.0.mod", module)
    write(base + "v1.0.0.zip", pack({
        "example.invalid/left@v1.0.0/go.mod": module,
        "example.invalid/left@v1.0.0/left.go": "package left\n\nconst V = 42\n"}))


def code(host, _):
    repository(f"{FOLDER}/git/{host}/left.git", {"value": "42\n"})


for registry in (npm, pip, cargo, maven, go, code):
    for domain in ("site.example", "evil.example"):
        name = f"{registry.__name__}.{domain}"
        registry(name, f"{FOLDER}/www/{name}")
