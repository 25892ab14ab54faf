//! First contact: a program that says no hello is told why, and what to type.
//!
//! Every program here is real, written the way people write it, and the cause that is told is
//! compared with the one that can be seen in its source.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;

use extline_conformance::{CaseReport, Options, Verdict, builtin, run};
use extline_host::{ExtensionSource, Program};

/// A program and what must be told about it.
struct Silent {
    /// What it does wrong.
    name: &'static str,
    /// The file, by whose ending or first line the language is known.
    file: &'static str,
    text: &'static str,
    /// What starts it; the file itself when empty.
    words: &'static [&'static str],
    got: &'static [&'static str],
    cause: &'static str,
    fix: &'static str,
}

const HELLO: &str = r#"{"type":"hello","name":"x","version":"1.0.0","capabilities":["tools"]}"#;

const SILENT: [Silent; 25] = [
    Silent {
        name: "Python prints without a flush",
        file: "buffered.py",
        text: "import sys\nprint('HELLO')\nfor line in sys.stdin:\n    pass\n",
        words: &["python3", "buffered.py"],
        got: &[
            "nothing came on stdout",
            "read on descriptor 0, its stdin",
            "written into a buffer",
        ],
        cause: "Python keeps what it prints in a buffer",
        fix: "flush=True",
    },
    Silent {
        name: "Perl prints without $|",
        file: "buffered.pl",
        text: "print 'HELLO', \"\\n\"; while (<STDIN>) {}\n",
        words: &["perl", "buffered.pl"],
        got: &["nothing came on stdout", "written into a buffer"],
        cause: "Perl keeps what it prints in a buffer",
        fix: "$| = 1",
    },
    Silent {
        name: "a shell script whose jq keeps its output",
        file: "buffered.sh",
        text: "#!/bin/sh\n(printf '%s\\n' 'HELLO'; cat) | jq -c .\n",
        words: &["./buffered.sh"],
        got: &["nothing came on stdout", "written into a buffer"],
        cause: "a program that keeps its output in a buffer",
        fix: "jq --unbuffered",
    },
    Silent {
        name: "a shell script that waits for the host to speak",
        file: "waits.sh",
        text: "#!/bin/sh\nread -r ack\necho 'HELLO'\nwhile read -r line; do :; done\n",
        words: &["./waits.sh"],
        got: &["read on descriptor 0, its stdin", "as soon as a line was sent"],
        cause: "waits for the host to speak first",
        fix: "before the first read",
    },
    Silent {
        name: "Node says hello in a listener",
        file: "listener.mjs",
        text: "process.stdin.on('data', () => {});\nprocess.on('message', () => console.log('HELLO'));\n",
        words: &["node", "listener.mjs"],
        got: &["nothing came on stdout", "waits in epoll"],
        cause: "Node is idle",
        fix: "at the top level",
    },
    Silent {
        name: "a program that reads and writes nothing",
        file: "sleeps.py",
        text: "import time\ntime.sleep(60)\n",
        words: &["python3", "sleeps.py"],
        got: &["nothing came on stdout", "nanosleep"],
        cause: "it sleeps",
        fix: "say hello first",
    },
    Silent {
        name: "a program that waits for a child",
        file: "wraps.sh",
        text: "#!/bin/sh\nsleep 60\n:\n",
        words: &["./wraps.sh"],
        got: &["nothing came on stdout", "for a child"],
        cause: "waits for a program that it started",
        fix: "exec program",
    },
    Silent {
        name: "a program that computes",
        file: "computes.sh",
        text: "#!/bin/sh\nwhile :; do :; done\n",
        words: &["./computes.sh"],
        got: &["nothing came on stdout", "is running"],
        cause: "it computes",
        fix: "say hello first",
    },
    Silent {
        name: "a banner and a prompt",
        file: "banner.py",
        text: "import sys\nprint('Welcome!', flush=True)\nfor line in sys.stdin:\n    pass\n",
        words: &["python3", "banner.py"],
        got: &["the first line on stdout is no frame: Welcome!"],
        cause: "writes words to stdout and no hello",
        fix: "to stderr",
    },
    Silent {
        name: "hello on stderr",
        file: "stderr.mjs",
        text: "console.error('HELLO');\nprocess.stdin.resume();\n",
        words: &["node", "stderr.mjs"],
        got: &["hello came on stderr"],
        cause: "hello is written to stderr",
        fix: "not console.error",
    },
    Silent {
        name: "hello without a line end",
        file: "no_lf.mjs",
        text: "process.stdout.write('HELLO');\nprocess.stdin.resume();\n",
        words: &["node", "no_lf.mjs"],
        got: &["bytes without an LF came on stdout: {\"type\":\"hello\""],
        cause: "a frame ends at its LF",
        fix: "JSON.stringify(frame) + \"\\n\"",
    },
    Silent {
        name: "a language server",
        file: "lsp.py",
        text: "import sys\nsys.stdout.write('Content-Length: 2\\r\\n\\r\\n{}')\nsys.stdout.flush()\nsys.stdin.read()\n",
        words: &["python3", "lsp.py"],
        got: &["Content-Length: 2"],
        cause: "as language servers do",
        fix: "on one line",
    },
    Silent {
        name: "a server of the Model Context Protocol",
        file: "mcp.py",
        text: "import sys\nprint('{\"jsonrpc\":\"2.0\",\"method\":\"ready\"}', flush=True)\nsys.stdin.read()\n",
        words: &["python3", "mcp.py"],
        got: &["\"jsonrpc\""],
        cause: "it speaks JSON-RPC",
        fix: "begin with {\"type\":\"hello\"",
    },
    Silent {
        name: "a Node module that is missing",
        file: "module.mjs",
        text: "import 'there-is-no-such-module';\n",
        words: &["node", "module.mjs"],
        got: &["exit status 1"],
        cause: "a Node module is missing",
        fix: "npm install",
    },
    Silent {
        name: "import in a file of CommonJS",
        file: "import.cjs",
        text: "import fs from 'node:fs';\n",
        words: &["node", "import.cjs"],
        got: &["exit status 1"],
        cause: "import is used in a file that Node takes for CommonJS",
        fix: ".mjs",
    },
    Silent {
        name: "a command that may not be run",
        file: "may_not.sh",
        text: "#!/bin/sh\n/etc/passwd\n",
        words: &["./may_not.sh"],
        got: &["exit status 126"],
        cause: "a shell found a command that it may not run",
        fix: "chmod +x",
    },
    Silent {
        name: "a mistake in a jq program",
        file: "mistake.sh",
        text: "#!/bin/sh\nexec jq -c '.['\n",
        words: &["./mistake.sh"],
        got: &["exit status 3"],
        cause: "the jq program itself has a mistake",
        fix: "try it by hand",
    },
    Silent {
        name: "JSON by hand, a quote missing",
        file: "by_hand.sh",
        text: "#!/bin/sh\necho '{\"type\":\"hello,\"name\":\"x\"}'\nwhile read -r line; do :; done\n",
        words: &["./by_hand.sh"],
        got: &["the first line on stdout is no frame: {\"type\":\"hello,"],
        cause: "not the JSON of one",
        fix: "JSON library",
    },
    Silent {
        name: "registrations before hello",
        file: "order.sh",
        text: "#!/bin/sh\necho '{\"type\":\"ready\"}'\nwhile read -r line; do :; done\n",
        words: &["./order.sh"],
        got: &["the first line on stdout is no hello: {\"type\":\"ready\"}"],
        cause: "begins with another frame",
        fix: "\"type\":\"hello\"",
    },
    Silent {
        name: "a program that ends at once",
        file: "ends.py",
        text: "import json\n",
        words: &["python3", "ends.py"],
        got: &["exit status 0", "nothing came on stdout"],
        cause: "it runs to its end",
        fix: "for line in sys.stdin",
    },
    Silent {
        name: "a module that is missing",
        file: "module.py",
        text: "import there_is_no_such_module\n",
        words: &["python3", "module.py"],
        got: &["exit status 1"],
        cause: "a Python module is missing",
        fix: ".venv/bin/python",
    },
    Silent {
        name: "a command that is missing",
        file: "command.sh",
        text: "#!/bin/sh\nthere-is-no-such-command\n",
        words: &["./command.sh"],
        got: &["exit status 127"],
        cause: "a shell did not find a command",
        fix: "install",
    },
    Silent {
        name: "Windows line ends behind env",
        file: "crlf.py",
        text: "#!/usr/bin/env python3\r\nprint('HELLO', flush=True)\r\n",
        words: &["./crlf.py"],
        got: &["exit status 127"],
        cause: "Windows line ends",
        fix: "LF",
    },
    Silent {
        name: "an interpreter that is not there",
        file: "interpreter",
        text: "#!/usr/bin/there-is-no-such-python\n",
        words: &["./interpreter"],
        got: &["the first line of", "there-is-no-such-python"],
        cause: "does not exist",
        fix: "install /usr/bin/there-is-no-such-python, or correct the first line",
    },
    Silent {
        name: "no first line",
        file: "no_shebang",
        text: "echo 'HELLO'\n",
        words: &["./no_shebang"],
        got: &["neither a script with a #! line nor a program"],
        cause: "neither a script with a #! line",
        fix: "#!/usr/bin/env python3",
    },
];

#[test]
fn each_program_that_says_no_hello_is_told_why() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let problems: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = SILENT
            .iter()
            .filter(|silent| !silent.text.contains("jq") || has("jq"))
            .map(|silent| scope.spawn(move || problem_of(silent, folder)))
            .collect();
        running.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_go_program_that_does_not_flush_is_known_by_its_binary() {
    if !has("go") {
        skip("the Go program", "go");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let source = "package main\nimport (\"bufio\"; \"fmt\"; \"os\")\nfunc main() {\n\
                  \tw := bufio.NewWriter(os.Stdout)\n\tdefer w.Flush()\n\
                  \tfmt.Fprintln(w, `HELLO`)\n\
                  \tfor s := bufio.NewScanner(os.Stdin); s.Scan(); {}\n}\n";
    fs::write(folder.join("main.go"), source.replace("HELLO", HELLO)).unwrap();
    let compiled = Command::new("go")
        .args(["build", "-o", "program", "main.go"])
        .current_dir(folder)
        // Kept, since Go's own library takes longest.
        .env("GOCACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-build"))
        .env("GO111MODULE", "off")
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let case = first_contact(&["./program"], folder);
    let told = case.cause.as_ref().unwrap_or_else(|| panic!("{case:?}"));
    assert!(told.cause.contains("bufio.Writer"), "{case:?}");
    assert!(told.fix.contains("Flush()"), "{case:?}");
    assert!(case.failure.unwrap().got.contains("read on descriptor 0, its stdin"));
}

fn problem_of(silent: &Silent, folder: &Path) -> Option<String> {
    let path = folder.join(silent.file);
    fs::write(&path, silent.text.replace("HELLO", HELLO)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let case = first_contact(silent.words, folder);
    let Some(failure) = &case.failure else {
        return Some(format!("{}: hello came, {case:?}", silent.name));
    };
    let missing = silent.got.iter().find(|part| !failure.got.contains(**part));
    let told = case
        .cause
        .as_ref()
        .is_some_and(|one| one.cause.contains(silent.cause) && one.fix.contains(silent.fix));
    if case.verdict == Verdict::Fail && missing.is_none() && told {
        return None;
    }
    let stderr = case.evidence.as_ref().map(|evidence| evidence.stderr.clone());
    Some(format!("{}: {missing:?}\n  {failure:?}\n  {:?}\n  {stderr:?}", silent.name, case.cause))
}

/// What came of the case of first contact.
fn first_contact(words: &[&str], folder: &Path) -> CaseReport {
    let source = ExtensionSource::command(words[0], &words[1..]);
    let program = Program::of(&source, folder).unwrap_or_else(|problem| panic!("{problem}"));
    run(&Options::of(program), &[&builtin()["E-HSK-01"]], &mut |_| {}).cases.remove(0)
}

fn has(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

fn skip(what: &str, needed: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {what}: {needed} is not installed");
}
