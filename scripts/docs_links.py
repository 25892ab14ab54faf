"""Follows the links of a site of HTML files: to a file, and to a heading in it."""

import os
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The names that a page has, and where it leads."""

    def __init__(self, text):
        super().__init__()
        self.names = {"", "top"}
        self.links = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.names.update(of[key] for key in ("id", "name") if of.get(key))
        link = of.get("src") or (of.get("href") if tag in ("a", "link") else None)
        if link:
            self.links.append(link)


def broken(site, ignore=None):
    """Each link of the book's pages that leads nowhere, as "page: link". Pages below `api` are linked to and
    not read: cargo doc looks after its own."""
    pages = {}

    def page(file):
        if file not in pages:
            pages[file] = Page(file.read_text(encoding="utf-8", errors="replace"))
        return pages[file]

    found = []
    for file in sorted(site.rglob("*.html")):
        inside = file.relative_to(site)
        # The page for what is not there has links from the root of the server.
        if inside.parts[0] == "api" or inside.name in ("404.html", "print.html", "toc.html"):
            continue
        for link in page(file).links:
            to = urlsplit(link)
            if to.scheme or to.netloc:
                continue
            target = file if not to.path else file.parent / unquote(to.path)
            target = target / "index.html" if target.is_dir() else target
            place = os.path.relpath(target, site)
            if ignore and place.startswith(ignore):
                continue
            is_there = target.is_file()
            if is_there and to.fragment and target.suffix == ".html" and not place.startswith("api/"):
                is_there = unquote(to.fragment) in page(target).names
            if not is_there:
                found.append(f"{inside}: {link}")
    return found
