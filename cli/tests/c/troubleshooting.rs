//! Every text of docs/c/troubleshooting.md is said where the mistake is made.

use std::fs;
use std::path::Path;

use crate::c_library::{found, try_sh};
use crate::support::repository;

/// What the mistakes are made in.
const PROGRAM: &str = r#"#include <extline.h>

static void give(void *user, extline_call *call, extline_str args)
{
    (void)user; (void)args;
    HANDLER
}

int main(void)
{
    extline_extension *ext = extline_new("mistaken", "1.0.0");
    extline_tool_options tool = { EXTLINE_TOOL_OPTIONS_INIT, .name = "give", .run = give };
    extline_tool(ext, &tool);
    MAIN
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
"#;

/// Makes `mistaken`.
const CC: &str = "cc mistaken.c -o mistaken $(pkg-config --cflags --libs extline)";
/// The same, then calls the tool.
const CALL: &str = "cc mistaken.c -o mistaken $(pkg-config --cflags --libs extline) && extline call give -- ./mistaken";

/// A heading's first words, and what makes it come.
struct Mistake {
    text: &'static str,
    /// What stands in the program's handler, and in its `main`.
    handler: &'static str,
    main: &'static str,
    command: &'static str,
}

const fn command(text: &'static str, command: &'static str) -> Mistake {
    Mistake { text, handler: "extline_call_none(call);", main: "", command }
}

const fn main(text: &'static str, main: &'static str, command: &'static str) -> Mistake {
    Mistake { text, handler: "extline_call_none(call);", main, command }
}

const fn handler(text: &'static str, handler: &'static str) -> Mistake {
    Mistake { text, handler, main: "", command: CALL }
}

const MISTAKES: [Mistake; 16] = [
    command("fatal error: extline.h", "cc mistaken.c -o mistaken -lextline"),
    command(
        "Package extline was not",
        "PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR=. pkg-config --libs extline",
    ),
    command(
        "By not providing",
        "printf 'cmake_minimum_required(VERSION 3.16)\nproject(x C)\nfind_package(extline REQUIRED)\n' \
         >CMakeLists.txt && cmake -S . -B build",
    ),
    main(
        "implicit declaration",
        "extline_tol(ext, &tool);",
        "cc -std=gnu99 -c mistaken.c $(pkg-config --cflags extline)",
    ),
    command("'EXTLINE_TOOL_OPTIONS_INIT'", "sed -i.old 1d mistaken.c && cc -c mistaken.c"),
    main(
        "designator order",
        "extline_tool_options late = { EXTLINE_TOOL_OPTIONS_INIT, .run = give, .name = \"late\" };",
        "c++ -std=c++20 -c -x c++ mistaken.c $(pkg-config --cflags extline)",
    ),
    main(
        "initialization of",
        "extline_command_options other = { EXTLINE_COMMAND_OPTIONS_INIT, .run = main };",
        CC,
    ),
    command(
        "undefined reference",
        "cc $(pkg-config --cflags --libs extline) -Wl,--as-needed mistaken.c -o mistaken",
    ),
    command(
        "cannot find -lextline",
        "cc mistaken.c -o mistaken $(pkg-config --cflags extline) -lextline",
    ),
    command(
        "libextline.so",
        "cc mistaken.c -o mistaken $(pkg-config --cflags --libs-only-L extline) -lextline && ./mistaken",
    ),
    main("no hello within", "for (volatile int i = 0; ; ) (void)i;", CALL),
    command("is an extension for a coding", "TERMINAL"),
    main("there are two tools named", "extline_tool(ext, &tool);", CALL),
    main("the tool name", "tool.name = \"größe\"; extline_tool(ext, &tool);", CALL),
    handler("... returned without", ""),
    handler("/...: required", "extline_str city; extline_args_string(call, \"/city\", &city);"),
];

#[test]
fn every_text_of_the_page_is_said() {
    let page = fs::read_to_string(repository().join("docs/c/troubleshooting.md")).unwrap();
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let texts = headings.map(|heading| heading.trim_matches('`'));
    let mut told = 0;
    for text in texts {
        let text = plain(text);
        let mistake = MISTAKES.iter().find(|mistake| text.starts_with(mistake.text));
        let mistake = mistake.unwrap_or_else(|| panic!("nothing makes this come: {text}"));
        told += 1;
        if text.starts_with("By not") && !found("cmake", "a text of docs/c/troubleshooting.md") {
            continue;
        }
        let said = plain(&provoke(mistake));
        assert!(holds(&said, &text), "{text}\ndoes not come:\n{said}");
    }
    assert_eq!(told, MISTAKES.len(), "a mistake has no heading");
}

/// Makes the mistake, and returns what was said.
fn provoke(mistake: &Mistake) -> String {
    let folder = tempfile::tempdir().unwrap();
    let program = PROGRAM.replace("HANDLER", mistake.handler).replace("MAIN", mistake.main);
    fs::write(folder.path().join("mistaken.c"), program).unwrap();
    if mistake.command == "TERMINAL" {
        return in_a_terminal(folder.path());
    }
    let (code, said) = try_sh(mistake.command, folder.path());
    assert!(code != 0 || said.contains("warning"), "{} succeeds: {said}", mistake.command);
    said
}

/// Starts the program by hand.
fn in_a_terminal(folder: &Path) -> String {
    let python = "import pty, sys; sys.exit(pty.spawn(['./mistaken']) != 0)";
    let (_, said) = try_sh(&format!("{CC} && python3 -c \"{python}\""), folder);
    said
}

/// With the quotes of any locale.
fn plain(text: &str) -> String {
    text.replace(['‘', '’', '`'], "'").replace("\r\n", "\n")
}

/// Whether that was said, where `...` stands for anything in a line.
fn holds(said: &str, text: &str) -> bool {
    let lines = said.lines().chain([said]);
    lines.into_iter().any(|line| {
        let mut rest = line;
        text.split("...").all(|part| {
            let at = rest.find(part);
            rest = at.map_or("", |at| &rest[at + part.len()..]);
            at.is_some()
        })
    })
}
