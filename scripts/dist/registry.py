"""A registry of npm with what is in dist/npm; everything else it leaves to the real one."""

import base64
import contextlib
import hashlib
import json
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from commands import DIST, output


@contextlib.contextmanager
def serving():
    """The address of the registry, while it is there."""
    packages = {}
    for archive in sorted((DIST / "npm").glob("*.tgz")):
        with tarfile.open(archive) as packed:
            manifest = json.load(packed.extractfile("package/package.json"))
        packages[manifest["name"]] = (manifest, archive)
    real = output(["npm", "config", "get", "registry"]).rstrip("/")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802, as http.server calls it
            name = unquote(self.path).lstrip("/")
            if name.startswith("-/dist/"):
                self.answer((DIST / "npm" / name.rsplit("/", 1)[1]).read_bytes())
            elif name in packages:
                manifest, archive = packages[name]
                packed = archive.read_bytes()
                digest = base64.b64encode(hashlib.sha512(packed).digest()).decode()
                address = f"http://{self.headers['Host']}/-/dist/{archive.name}"
                dist = {"tarball": address, "integrity": f"sha512-{digest}"}
                version = manifest["version"]
                document = {"name": name, "dist-tags": {"latest": version}, "versions": {version: manifest | {"dist": dist}}}
                self.answer(json.dumps(document).encode())
            else:
                self.send_response(302)
                self.send_header("Location", f"{real}{self.path}")
                self.end_headers()

        def answer(self, content):
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
