#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""Puts the demo server behind a login (an authorization server of its own and a proxy, both here), runs a program with
its URL, and plays the browser of a user who always consents.

  with_login.py DEMO_SERVER PROGRAM user      runs PROGRAM URL twice: only the first may need the browser;
                                              then PROGRAM URL --logout
  with_login.py DEMO_SERVER PROGRAM machine   runs PROGRAM URL with a secret in the environment, then with a private key
"""
import base64
import contextlib
import hashlib
import http.client
import http.server
import json
import os
import re
import secrets
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

TOKEN = "correct-horse"
MACHINE, SECRET = "the-machine", "battery & staple"
RESOURCE_METADATA = "/.well-known/oauth-protected-resource/mcp"
TYPES = {"Content-Type": "application/json", "Cache-Control": "no-store"}
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SHA256_WITH_RSA = bytes.fromhex("3031300d060960864801650304020105000420")  # RFC 8017, section 9.2


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def signed_with(modulus, jwt):
    """The claims of a JWT, if this 2048-bit RSA key signed it (RS256)."""
    signed, _, signature = jwt.rpartition(".")
    ending = SHA256_WITH_RSA + hashlib.sha256(signed.encode()).digest()
    expected = b"\0\1" + b"\xff" * (256 - 3 - len(ending)) + b"\0" + ending
    found = pow(int.from_bytes(from_base64url(signature), "big"), 65537, modulus)
    return json.loads(from_base64url(signed.split(".")[1])) if found.to_bytes(256, "big") == expected else {}


# To this machine itself, whatever proxies its environment names.
browser = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle(self):
        with contextlib.suppress(ConnectionError):  # a program that ends closes what it kept open
            super().handle()

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", headers=None):
        if not isinstance(body, bytes):
            body, headers = json.dumps(body).encode(), {**TYPES, **(headers or {})}
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))


class Authorization(Handler):
    """Registers everyone, consents to everything, and checks what a server has to check."""

    def do_GET(self):
        where = urllib.parse.urlsplit(self.path)
        if where.path == "/.well-known/oauth-authorization-server":
            return self.send(200, self.metadata())
        if where.path != "/authorize":
            return self.send(404)
        self.server.visits += 1
        asked = dict(urllib.parse.parse_qsl(where.query))
        code = secrets.token_urlsafe()
        self.server.codes[code] = asked
        answer = {"code": code, "state": asked["state"], "iss": self.server.url}
        self.send(302, headers={"Location": asked["redirect_uri"] + "?" + urllib.parse.urlencode(answer)})

    def metadata(self):
        at = self.server.url
        return {"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token",
                "registration_endpoint": at + "/register", "revocation_endpoint": at + "/revoke",
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["authorization_code", "client_credentials"],
                "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "private_key_jwt"],
                "authorization_response_iss_parameter_supported": True}

    def do_POST(self):
        if self.path == "/register":
            about = json.loads(self.body())
            return self.send(201, {**about, "client_id": "client-" + secrets.token_hex(4)})
        asked = dict(urllib.parse.parse_qsl(self.body().decode()))
        if self.path == "/revoke":
            self.server.revoked += 1
            return self.send(200, {})
        if self.path == "/token" and self.granted(asked):
            return self.send(200, {"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600})
        return self.send(400, {"error": "invalid_grant"})

    def granted(self, asked):
        if asked["resource"] != self.server.resource:
            return False
        if asked["grant_type"] == "client_credentials":
            return self.proven(asked)
        before = self.server.codes.pop(asked["code"], None)
        if not before:
            return False
        challenge = base64.urlsafe_b64encode(hashlib.sha256(asked["code_verifier"].encode()).digest()).rstrip(b"=")
        same = all(asked[name] == before[name] for name in ("client_id", "redirect_uri", "resource"))
        return same and before["code_challenge"] == challenge.decode()


    def proven(self, asked):
        if asked.get("client_assertion_type") == ASSERTION:
            claims = signed_with(self.server.modulus, asked["client_assertion"])
            return [claims.get(name) for name in ("iss", "sub", "aud")] == [MACHINE, MACHINE, self.server.url]
        named = base64.b64decode(self.headers["Authorization"].removeprefix("Basic ")).decode()
        return [urllib.parse.unquote_plus(part) for part in named.split(":")] == [MACHINE, SECRET]


class Guarded(Handler):
    """The demo server, and in a 401 the way to where its tokens are."""

    def do_GET(self):
        if self.path != RESOURCE_METADATA:
            return self.send(405 if self.path == "/mcp" else 404)
        return self.send(200, {"resource": self.server.resource, "authorization_servers": [self.server.issuer]})

    def do_POST(self):
        demo = urllib.parse.urlsplit(self.server.demo)
        kept = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        with contextlib.closing(http.client.HTTPConnection(demo.netloc, timeout=100)) as line:
            line.request(self.command, self.path, self.body(), kept)
            answer = line.getresponse()
            headers = {"Content-Type": answer.headers.get("Content-Type", "application/json")}
            if answer.headers.get("Mcp-Session-Id"):
                headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
            if answer.status == 401:
                headers["WWW-Authenticate"] = f'Bearer resource_metadata="{self.server.url}{RESOURCE_METADATA}"'
            self.send(answer.status, answer.read(), headers)

    do_DELETE = do_POST


@contextlib.contextmanager
def served(handler):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        server.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def run(command, environment, authorization):
    """Runs it; where it prints the URL of the login, the user goes there. Gives its exit status."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as program:
        end = threading.Timer(100, program.kill)
        end.start()
        for line in program.stderr:
            sys.stderr.write(line)
            found = re.search(re.escape(authorization.url) + r"/authorize\S*", line)
            if found:
                with browser.open(found[0], timeout=100) as page:
                    page.read()
        status = program.wait()
        end.cancel()
        return status


def new_key(home, authorization):
    """The file of a new private key, whose other half the authorization server then knows."""
    file = os.path.join(home, "machine.pem")
    subprocess.run(["openssl", "genrsa", "-out", file, "2048"], check=True, stderr=subprocess.DEVNULL)
    said = subprocess.run(["openssl", "rsa", "-in", file, "-noout", "-modulus"], check=True, stdout=subprocess.PIPE)
    authorization.modulus = int(said.stdout.decode().split("=")[1], 16)
    return file


def check(command, kind, home, guarded, authorization):
    """Nothing where all went as it should; else what did not."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")  # a developer's own browser stays closed
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["XDG_DATA_HOME"] = home
    if kind == "machine":
        for how in ({"COMCP_CLIENT_SECRET": SECRET}, {"COMCP_CLIENT_KEY": new_key(home, authorization)}):
            proof = {**environment, "COMCP_CLIENT_ID": MACHINE, **how}
            if run([*command, guarded.resource], proof, authorization) != 0:
                return f"it failed with {next(iter(how))}"
        return None
    for what in ("the first run", "the second run"):
        if run([*command, guarded.resource], environment, authorization) != 0:
            return what + " failed"
        if authorization.visits != 1:
            return f"after {what}, the browser was {authorization.visits} times at the login"
    if run([*command, guarded.resource, "--logout"], environment, authorization) != 0:
        return "the logout failed"
    return None if authorization.revoked else "nothing was revoked"


def main(demo_server, program, kind):
    with contextlib.ExitStack() as stack:
        demo = stack.enter_context(
            subprocess.Popen([demo_server, "--http", "0", "--token", TOKEN], stdout=subprocess.PIPE, text=True))
        stack.callback(demo.kill)
        authorization = stack.enter_context(served(Authorization))
        guarded = stack.enter_context(served(Guarded))
        authorization.codes, authorization.visits, authorization.revoked = {}, 0, 0
        guarded.demo = demo.stdout.readline().strip()  # empty when it did not start
        guarded.issuer = authorization.url
        guarded.resource = authorization.resource = guarded.url + "/mcp"
        home = stack.enter_context(tempfile.TemporaryDirectory())
        problem = check([program], kind, home, guarded, authorization) if guarded.demo else "the demo server did not start"
        if problem:
            sys.exit("with_login.py: " + problem)


main(*sys.argv[1:])
