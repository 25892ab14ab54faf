//! What language an extension is written in, as far as its program tells.

use std::ffi::OsStr;
#[cfg(unix)]
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use extline_host::{Program, file};

/// Interpreters and the endings of their scripts.
const LANGUAGES: [(&str, &[&str], &[&str]); 9] = [
    ("python", &["python", "pypy", "uv"], &["py", "pyz"]),
    ("node", &["node", "nodejs", "bun", "deno", "tsx"], &["js", "mjs", "cjs", "ts", "mts"]),
    ("sh", &["sh", "bash", "dash", "zsh", "ksh"], &["sh", "bash", "zsh"]),
    ("ruby", &["ruby"], &["rb"]),
    ("perl", &["perl"], &["pl"]),
    ("php", &["php"], &["php"]),
    ("java", &["java"], &["jar"]),
    ("jq", &["jq"], &["jq"]),
    ("awk", &["awk", "gawk", "mawk"], &["awk"]),
];
/// Where a program that Go linked says so: its build information begins with this.
const GO: &[u8] = b"\xff Go buildinf:";
/// That stands in the first megabytes, and what is larger is not worth the time.
const SEARCHED: u64 = 64 << 20;

/// The language, `python`, `node`, `sh`, `go`; `None` for other compiled programs.
pub(crate) fn language_of(program: &Program) -> Option<&'static str> {
    let command = program.command();
    language(command.get_program(), command.get_args(), program.dir())
}

/// The language of a command that runs in the present folder.
#[cfg(unix)]
pub(crate) fn language_of_command(words: &[OsString]) -> Option<&'static str> {
    let (program, arguments) = words.split_first()?;
    language(program, arguments.iter().map(OsString::as_os_str), Path::new(""))
}

fn language<'a>(
    program: &OsStr,
    mut arguments: impl Iterator<Item = &'a OsStr>,
    folder: &Path,
) -> Option<&'static str> {
    let file = Path::new(program);
    let script = arguments.find_map(|word| Some(folder.join(word)).filter(|one| one.is_file()));
    by_interpreter(file)
        .or_else(|| by_shebang(file))
        .or_else(|| by_ending(file))
        .or_else(|| script.as_deref().and_then(by_ending))
        .or_else(|| is_go(file).then_some("go"))
}

fn by_interpreter(file: &Path) -> Option<&'static str> {
    let name = file.file_name()?.to_str()?;
    // `python3.11` and `ruby3` are the same language.
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    LANGUAGES.iter().find(|(_, names, _)| names.contains(&plain)).map(|(language, ..)| *language)
}

fn by_ending(file: &Path) -> Option<&'static str> {
    let ending = file.extension().and_then(OsStr::to_str)?;
    LANGUAGES.iter().find(|(.., endings)| endings.contains(&ending)).map(|(language, ..)| *language)
}

/// The interpreter in the first line: `#!/usr/bin/env -S python3 -u`, `#!/bin/sh`.
fn by_shebang(file: &Path) -> Option<&'static str> {
    let mut first = Vec::new();
    file::open(file).ok()?.take(256).read_to_end(&mut first).ok()?;
    let text = String::from_utf8_lossy(&first);
    let line = text.lines().next()?.strip_prefix("#!")?;
    line.split_whitespace().filter(|word| !word.starts_with('-')).find_map(|word| {
        let word = Path::new(word);
        if word.ends_with("env") { None } else { by_interpreter(word) }
    })
}

fn is_go(file: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = file::open(file).and_then(|file| file.take(SEARCHED).read_to_end(&mut bytes));
    let is_program = bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"\xcf\xfa\xed\xfe");
    read.is_ok() && is_program && bytes.windows(GO.len()).any(|window| window == GO)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use extline_host::ExtensionSource;

    use super::*;

    #[test]
    fn a_language_is_known_by_interpreter_first_line_and_ending() {
        let dir = tempfile::tempdir().unwrap();
        let language = |name: &str, text: &str, words: &[&str]| {
            let file = dir.path().join(name);
            fs::write(&file, text).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            }
            let mut words = words.iter().copied();
            let source = ExtensionSource::command(words.next().unwrap(), words);
            language_of(&Program::of(&source, dir.path()).unwrap())
        };
        assert_eq!(language("a", "#!/usr/bin/env python3\n", &["./a"]), Some("python"));
        assert_eq!(language("b", "#!/usr/bin/env -S node --no-warnings\n", &["./b"]), Some("node"));
        assert_eq!(language("c", "#! /bin/bash -e\n", &["./c"]), Some("sh"));
        assert_eq!(language("d.rb", "", &["./d.rb"]), Some("ruby"));
        assert_eq!(language("e", "\x7fELF and more", &["./e"]), None);
        assert_eq!(language("f", "\x7fELF .. \u{0}", &["sh", "f"]), Some("sh"));
    }
}
