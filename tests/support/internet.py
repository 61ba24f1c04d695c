#!/usr/bin/env python3
# Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
"""The internet of the tests: started by Internet (internet.h) in a network namespace of its own.

usage: internet.py FOLDER    (FOLDER holds ca.pem, leaf.pem, leaf.key)

It waits for the interface isp0, gives itself the addresses below, serves them, says "ready" and
ends when its standard input does. All that reaches it is a line of FOLDER/log. What registries.py
put into FOLDER/www/HOST and FOLDER/git/HOST is served at HOST, by GET, git over HTTPS and SSH.
"""

import hashlib
import http.server
import os
import pathlib
import re
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import threading
import urllib.parse

import fake_model

FOLDER = sys.argv[1]
ADDRESSES = [
    "45.66.77.10/32",  # www, other
    "45.66.77.22/32",  # git
    "45.66.77.23/32",  # code: git over SSH
    "45.66.77.67/32",  # code, the evil one
    "45.66.77.53/32",  # the resolver
    "45.66.77.66/32",  # evil
    "10.20.0.5/32",  # a private network
    "198.18.1.0/32",  # as resolvers of some machines answer
    "169.254.169.254/32",  # metadata
    "2a0e:66::10/128",
    "2a0e:66::16/128",
    "fd20::5/128",  # a private network of IPv6
]
ZONE = {
    "www.site.example": ["45.66.77.10", "2a0e:66::10"],
    "other.site.example": ["45.66.77.10", "2a0e:66::10"],
    "v4.site.example": ["45.66.77.10"],
    "six.site.example": ["2a0e:66::16"],
    "git.site.example": ["45.66.77.22"],
    "model.site.example": ["45.66.77.10"],
    "fake.site.example": ["198.18.1.0"],
    "private.site.example": ["10.20.0.5"],
    "private6.site.example": ["fd20::5"],
    "meta.site.example": ["169.254.169.254"],
    "loop.site.example": ["127.0.0.1"],
    "zero.site.example": ["0.0.0.0"],
    "mapped.site.example": ["::ffff:10.20.0.5"],
    "nat64.site.example": ["64:ff9b::a14:5"],
    "host.site.example": ["10.99.0.2"],
    "mixed.site.example": ["10.20.0.5", "45.66.77.10"],
    "evil.example": ["45.66.77.66"],
    "www.evil.example": ["45.66.77.66"],
}
for kind in ("npm", "pip", "cargo", "maven", "go"):
    ZONE[kind + ".site.example"] = ["45.66.77.10", "2a0e:66::10"]
    ZONE[kind + ".evil.example"] = ["45.66.77.66"]
ZONE["code.site.example"] = ["45.66.77.23"]
ZONE["code.evil.example"] = ["45.66.77.67"]
CODE = {addresses[0]: name for name, addresses in ZONE.items() if name.startswith("code.")}
# Each question of this name gets the next answer, the last one for ever.
REBINDING = {"rebind.site.example": [["45.66.77.10"], ["10.20.0.5"]]}

log_lock = threading.Lock()
log_file = open(FOLDER + "/log", "a", buffering=1)


def log(*words):
    with log_lock:
        log_file.write(" ".join(str(word) for word in words) + "\n")


def dns_answers(name):
    if name in REBINDING:
        answers = REBINDING[name]
        return answers.pop(0) if len(answers) > 1 else answers[0]
    return ZONE.get(name)


def dns_reply(question):
    """One question, one reply; what is malformed gets none."""
    ident, flags, _ = struct.unpack("!HHH", question[:6])
    labels, at = [], 12
    while question[at]:
        labels.append(question[at + 1:at + 1 + question[at]].decode("latin-1"))
        at += 1 + question[at]
    kind, _ = struct.unpack("!HH", question[at + 1:at + 5])
    asked = question[12:at + 5]
    name = ".".join(labels).lower()
    log("dns", name, kind)
    addresses = dns_answers(name)
    records = []
    for address in addresses or []:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        if kind == (28 if family == socket.AF_INET6 else 1):
            data = socket.inet_pton(family, address)
            records.append(b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 5, len(data)) + data)
    status = 0 if addresses is not None else 3
    return (struct.pack("!HHHHHH", ident, 0x8180 | (flags & 0x0100) | status, 1, len(records), 0, 0)
            + asked + b"".join(records))


class DnsDatagram(socketserver.BaseRequestHandler):
    def handle(self):
        data, server = self.request
        server.sendto(dns_reply(data), self.client_address)


class DnsStream(socketserver.StreamRequestHandler):
    def handle(self):
        size = self.rfile.read(2)
        if len(size) == 2:
            reply = dns_reply(self.rfile.read(struct.unpack("!H", size)[0]))
            self.wfile.write(struct.pack("!H", len(reply)) + reply)


def served_file(host, path):
    """What registries.py has put into FOLDER/www/HOST/PATH; the plugins that a build by Maven needs
    are those of the machine's packages."""
    words = [word for word in urllib.parse.unquote(path).split("/") if word]
    places = [pathlib.Path(FOLDER, "www", host, *words)]
    places.append(places[0] / "index.html")
    if host.startswith("maven."):
        places.append(pathlib.Path("/usr/share/maven-repo", *words[1:]))
    return next((place for place in places if place.is_file()), None)


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        scheme = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
        host = self.headers.get("Host", "")
        log(scheme, self.command, host, self.path)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        url = urllib.parse.urlsplit(self.path)
        if host == "model.site.example" and self.command == "POST":
            return self.answer_as_model(url.path, body)
        if host.startswith(("code.", "cargo.")) and ".git/" in url.path:
            return self.answer_as_git(host, url, body)
        if pathlib.Path(FOLDER, "www", host).is_dir():
            return self.send_file(served_file(host, url.path))
        if url.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", urllib.parse.parse_qs(url.query)["to"][0])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if url.path == "/echo":
            reply = str(self.headers).encode() + b"\n" + body
        elif url.path == "/digest":  # what nobody between may know, told without saying it
            header = self.headers.get("Authorization", "")
            reply = hashlib.sha256(header.encode()).hexdigest().encode()
        elif url.path.startswith("/bytes/"):
            reply = b"x" * int(url.path[7:])
        else:
            reply = f"hello from {scheme} {host}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply)

    def send_file(self, path):
        content = path.read_bytes() if path else b"nothing is here\n"
        self.send_response(200 if path else 404)
        self.send_header("Content-Type", "text/html" if path and path.suffix == ".html" else
                         "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def answer_as_model(self, path, body):
        log("model", path, self.headers.get("x-api-key"), self.headers.get("Authorization"))
        reply = fake_model.reply(path, body)
        self.send_response(200 if reply else 404)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(reply or b"")))
        self.end_headers()
        self.wfile.write(reply or b"")

    def answer_as_git(self, host, url, body):
        """By git's own CGI program."""
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": f"{FOLDER}/git/{host}",
            "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": url.path, "QUERY_STRING": url.query,
            "REQUEST_METHOD": self.command, "CONTENT_LENGTH": str(len(body)),
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""), "REMOTE_ADDR": "192.0.2.1",
        }
        answer = subprocess.run(["git", "http-backend"], input=body, env=environment,
                                stdout=subprocess.PIPE, check=False).stdout
        head, _, content = answer.partition(b"\r\n\r\n")
        status = re.search(rb"^Status: (\d+)", head, re.M)
        self.send_response(int(status[1]) if status else 200)
        for line in head.split(b"\r\n"):
            if line and not line.startswith(b"Status:"):
                self.send_header(*line.decode().split(": ", 1))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_PUT = do_DELETE = do_HEAD = do_GET

    def log_message(self, *_):
        pass


def serve_ssh(connection, host):
    """One connection of an sshd that serves the host's repositories, and nothing else."""
    command = (f"cd {FOLDER}/git/{host} && exec git-shell -c \"$SSH_ORIGINAL_COMMAND\"")
    options = {
        "HostKey": FOLDER + "/ssh_host_key", "AuthorizedKeysFile": FOLDER + "/authorized_keys",
        "ForceCommand": command, "PidFile": "none", "StrictModes": "no", "UsePAM": "no",
        "PermitRootLogin": "yes", "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
    }
    words = [word for pair in options.items() for word in ("-o", "%s=%s" % pair)]
    # What started as root wants its folder of /run.
    prepare = "mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec \"$@\""
    subprocess.run(["unshare", "-m", "sh", "-c", prepare, "sh", "/usr/sbin/sshd", "-i", "-f",
                    "/dev/null", "-E", FOLDER + "/log.sshd", *words],
                   stdin=connection, stdout=connection, check=False)


class Echo(socketserver.StreamRequestHandler):
    """Speaks first, as an ssh server does, then repeats what it hears."""

    def handle(self):
        here = self.connection.getsockname()
        log("tcp", here[1])
        code = CODE.get(here[0].removeprefix("::ffff:"))
        if code and here[1] == 22:
            log("ssh", code)
            self.connection.setblocking(True)
            serve_ssh(self.connection, code)
            return
        self.wfile.write(b"SSH-2.0-lab\r\n")
        while line := self.rfile.readline():
            self.wfile.write(line)


class Swallow(socketserver.BaseRequestHandler):
    def handle(self):
        data, server = self.request
        log("udp", server.getsockname()[1], len(data))
        server.sendto(b"heard " + data, self.client_address)


class Threads(socketserver.ThreadingMixIn):
    address_family = socket.AF_INET6  # both families
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 2048

    def handle_error(self, *_):
        pass


class Stream(Threads, socketserver.TCPServer):
    pass


class Datagram(Threads, socketserver.UDPServer):
    pass


class TlsStream(Stream):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(FOLDER + "/leaf.pem", FOLDER + "/leaf.key")
        self.context.sni_callback = lambda _socket, name, _context: log("sni", name)

    def process_request_thread(self, request, client_address):
        try:
            request.settimeout(30)
            request = self.context.wrap_socket(request, server_side=True)
        except (OSError, ssl.SSLError):
            return
        super().process_request_thread(request, client_address)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def configure():
    ip("link", "set", "lo", "up")
    ip("addr", "add", "10.99.0.1/24", "dev", "isp0")
    ip("addr", "add", "fd99::1/64", "dev", "isp0", "nodad")
    ip("link", "set", "isp0", "up")
    for address in ADDRESSES:
        ip("addr", "add", address, "dev", "lo", *(["nodad"] if ":" in address else []))


def main():
    sys.stdin.readline()  # isp0 is there
    configure()
    servers = [
        Stream(("::", 80), Web), Stream(("::", 8080), Web), TlsStream(("::", 443), Web),
        TlsStream(("::", 8443), Web), Stream(("::", 22), Echo), Stream(("::", 7777), Echo),
        # Not at every address: an answer must come from the address that was asked.
        Stream(("::ffff:45.66.77.53", 53), DnsStream),
        Datagram(("::ffff:45.66.77.53", 53), DnsDatagram),
        Datagram(("::ffff:45.66.77.10", 443), Swallow),
        Datagram(("::ffff:45.66.77.66", 53), Swallow),
    ]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()


main()
