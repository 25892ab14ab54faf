"""Why a command line must not run. It reads words, quotes and operators, and expands nothing."""
import re
import shlex
from collections.abc import Iterator
from os.path import basename, normpath

DELETES = "this deletes the root, a system folder or a home; name the folder below it"
ERASES = "this writes over a disk; ask the user"
RUNS_DOWNLOAD = "this runs a download; save it and read it first"
FORCES_PUSH = "this overwrites what others pushed; use --force-with-lease"

OPERATORS = "();<>|&\n"
SHELLS = {"bash", "dash", "fish", "ksh", "python", "python3", "sh", "zsh"}
HOMES = re.compile(r"~[^/]*|\$\{?HOME\}?|/(home|Users)(/[^/]*)?")
DEVICE = re.compile(r"(of=)?/dev/(sd|nvme|vd|hd|disk|mmcblk)\w*")


def danger(line: str) -> str | None:
    """The reason, with what to do instead; None for a harmless line."""
    downloads = False  # whether a program before this one in the pipe does
    for before, words in commands(line):
        downloads = downloads and before in ("|", "|&")
        if before.startswith(">") and DEVICE.fullmatch(words[0]):
            return ERASES
        # Behind `sudo -u root` or `timeout 5` too: any word may name the program.
        for at, word in enumerate(words):
            if reason := danger_of(basename(word), words[at + 1 :], downloads):
                return reason
        downloads = downloads or basename(words[0]) in {"curl", "wget"}
    return None


def danger_of(program: str, words: list[str], downloads: bool) -> str | None:
    options = [word for word in words if word.startswith("-")]
    if program == "rm" and any(is_flag(option, "rR", "--recursive") for option in options):
        if any(is_root(word) for word in words):
            return DELETES
    if program.startswith("mkfs") and words or program in {"dd", "tee", "cp", "wipefs"}:
        if any(DEVICE.fullmatch(word) for word in words):
            return ERASES
    if program in SHELLS:
        if downloads and set(words) <= {*options, "-"}:
            return RUNS_DOWNLOAD
        for option, script in zip(words, words[1:]):
            if is_flag(option, "c") and (reason := danger(script)):
                return reason
    if program == "git" and "push" in words:
        if any(is_flag(word, "f", "--force") or word.startswith("+") for word in words):
            return FORCES_PUSH
    return None


def is_flag(option: str, letters: str, long: str | None = None) -> bool:
    """Whether it is that long option, or one of dashless letters as in ``-rf``."""
    return option == long or bool(re.fullmatch(rf"-[A-Za-z]*[{letters}][A-Za-z]*", option))


def is_root(word: str) -> bool:
    path = normpath(word.rstrip("*")) if word.rstrip("*") else ""
    return bool(re.fullmatch(r"//?[^/]*", path) and path != "/tmp" or HOMES.fullmatch(path))


def commands(line: str) -> Iterator[tuple[str, list[str]]]:
    """Each program's words, and the operator in front of it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    before = ""
    words: list[str] = []
    for token in lexer:
        if token and set(token) <= set(OPERATORS):
            if words:
                yield before, words
            before, words = token, []
        else:
            words.append(token)
    if words:
        yield before, words
