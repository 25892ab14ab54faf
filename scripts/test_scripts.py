#!/usr/bin/env python3
"""Tests of the scripts behind the workflows: what a release is collected from, what the site links to, and
what the rules of the workflow files find."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import compat_abi
import docs_links
import docs_site
import lint_workflows
import release


class Scripts(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file


class Release(Scripts):
    def collect(self):
        with contextlib.redirect_stdout(io.StringIO()):
            release.collect(self.folder / "parts", self.folder / "out")

    def part(self, name, **files):
        for place, text in files.items():
            self.write(f"parts/{name}/npm/{place}.tgz", text)
        made = sorted((self.folder / "parts" / name).rglob("*.tgz"))
        sums = "".join(f"{release.digest(file)}  npm/{file.name}\n" for file in made)
        self.write(f"parts/{name}/SHA256SUMS", sums)

    def test_each_file_is_there_once_with_its_sum(self):
        self.part("one", same="x\n")
        self.part("two", same="x\n")
        self.collect()
        sums = (self.folder / "out/SHA256SUMS").read_text()
        self.assertEqual(sums, "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac  same.tgz\n")
        self.assertTrue((self.folder / "out/npm/same.tgz").is_file())

    def test_what_differs_is_refused(self):
        self.part("one", same="x\n")
        self.part("two", same="y\n")
        with self.assertRaisesRegex(SystemExit, "same.tgz is not the same as"):
            self.collect()

    def test_what_one_machine_made_alone_is_refused(self):
        self.part("one", same="x\n")
        self.part("two", same="x\n", more="y\n")
        with self.assertRaisesRegex(SystemExit, "not every machine made npm/more.tgz"):
            self.collect()

    def test_what_its_machine_did_not_make_is_refused(self):
        self.part("one", same="x\n")
        self.write("parts/one/npm/same.tgz", "y\n")
        with self.assertRaisesRegex(SystemExit, "is not what"):
            self.collect()

    def test_the_notes_are_the_section_of_the_version(self):
        release.CHANGELOG = self.write("CHANGELOG.md", "# C\n\n## [1.1.0]\n\nnew\n\n## [1.0.0] - 2026-01-02\n\nold\n\n[1.0.0]: x\n")
        self.assertEqual(release.notes("v1.1.0"), "## [1.1.0]\n\nnew")
        self.assertEqual(release.notes("v1.0.0"), "## [1.0.0] - 2026-01-02\n\nold")
        with self.assertRaises(SystemExit):
            release.notes("v1")


class Site(Scripts):
    def test_a_link_that_leads_nowhere_is_found(self):
        self.write("a.html", '<a href="b.html#there">1</a><a href="b.html#gone">2</a><img src="no.png">')
        self.write("b.html", '<h1 id="there">B</h1>')
        self.assertEqual(docs_links.broken(self.folder), ["a.html: b.html#gone", "a.html: no.png"])

    def test_links_of_the_repository_fit_the_site(self):
        pages = docs_site.pages_by_place()
        page = docs_site.DOCS / "contributing/ci.md"
        files = {}

        def fitted(link):
            return docs_site.target_of(link, page, pages[page], pages, files)

        self.assertEqual(fitted("../../CHANGELOG.md#unreleased"), "../project/changelog.md#unreleased")
        self.assertEqual(fitted("../README.md"), "../pages.md")
        self.assertEqual(fitted("../../examples/weather-c"), f"{docs_site.REPOSITORY}/tree/main/examples/weather-c")
        self.assertEqual(fitted("../tester/report.png"), "../tester/report.png")
        self.assertEqual(fitted(f"{docs_site.ADDRESS}api/extline/index.html"), "../api/extline/index.html")
        self.assertEqual(len(files), 1)


class Workflows(Scripts):
    def faults(self, find, text):
        file = self.write("w.yml", text)
        lint_workflows.ROOT, kept = self.folder, lint_workflows.ROOT
        self.addCleanup(setattr, lint_workflows, "ROOT", kept)
        self.write("Makefile", "test: ## it\n\ttrue\n")
        self.write("scripts/there.py", "")
        return list(find(file))

    def test_actions_are_commits(self):
        text = f"- uses: a/b@{'0' * 40} # v1.2\n- uses: ./.github/actions/prepare\n- uses: a/b@v1\n- uses: a/b@{'0' * 40}\n"
        self.assertEqual(len(self.faults(lint_workflows.pins, text)), 2)

    def test_steps_are_commands_of_ours(self):
        text = "- run: make test\n- run: scripts/there.py x\n- run: make gone\n- run: curl x | sh\n"
        self.assertEqual(len(self.faults(lint_workflows.commands, text)), 2)


class Abi(unittest.TestCase):
    def test_functions_and_constants_are_in_the_program(self):
        header = "/* extline_no() */\n#define EXTLINE_A 1\n#define EXTLINE_VERSION_MAJOR 0\ntypedef void (*extline_cb)(int);\nint extline_f(int);\n"
        program = compat_abi.program(header)
        self.assertIn("of_EXTLINE_A = EXTLINE_A", program)
        self.assertIn("*of_extline_f = extline_f", program)
        for absent in ("VERSION", "extline_no", "extline_cb"):
            self.assertNotIn(absent, program)


if __name__ == "__main__":
    unittest.main()
