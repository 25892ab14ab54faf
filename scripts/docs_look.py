"""Looks at the pages of the site in a browser without a window, as wide as a desk and as a phone: nothing may
stand outside of the page. Tables and code scroll in themselves.
"""

import functools
import html
import json
import shutil
import subprocess
import tempfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
# Seconds after which the browser hangs.
PATIENCE = 300
LOOK = """<body><script>
(async () => {
  const seen = [];
  for (const [width, height] of [[1280, 900], [390, 844]]) for (const page of PAGES) {
    const frame = document.createElement("iframe");
    frame.style = `width: ${width}px; height: ${height}px; border: 0`;
    frame.src = page;
    document.body.append(frame);
    await new Promise((loaded) => { frame.onload = loaded; });
    const shown = frame.contentDocument;
    const outside = [...shown.querySelectorAll("main *")].filter((one) =>
      one.getBoundingClientRect().right > width + 1 && !one.closest("pre, .table-wrapper"));
    const wider = shown.documentElement.scrollWidth - width;
    if (wider > 0 || outside.length > 0 || shown.querySelectorAll("main h1").length === 0)
      seen.push(`${page}, ${width} wide: ${wider} too much, ` + outside.slice(0, 3).map((one) => one.textContent.slice(0, 40)));
    frame.remove();
  }
  document.title = "looked";
  document.body.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
})();
</script></body>"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves the site, and the page that looks at it."""

    look = ""

    def do_GET(self):
        if self.path != "/_look.html":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.look.encode())

    def log_message(self, *_):
        pass


def browser():
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def outside(site, pages):
    """What stands outside of its page, a line for each page; None where that could not be seen."""
    Quiet.look = LOOK.replace("PAGES", json.dumps(pages))
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        # In a container it has no sandbox, and it reads nothing but these pages.
        words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        # Its own clock, which runs ahead while it waits for nothing.
        words += ["--virtual-time-budget=600000", "--dump-dom", f"http://127.0.0.1:{server.server_port}/_look.html"]
        try:
            told = subprocess.run([browser(), *words], capture_output=True, text=True, timeout=PATIENCE).stdout
        except subprocess.TimeoutExpired:
            told = ""
    server.shutdown()
    parts = html.unescape(told).split("SEEN")
    return json.loads(parts[1]) if len(parts) == 3 else None
