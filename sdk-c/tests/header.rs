//! `include/extline.h` is what the sources say.

use std::env;
use std::fs;
use std::path::Path;

use cbindgen::{Builder, Config};

/// The functions in the order in which the header is read: a heading, and what stands below it. A name that
/// ends with `*` is the beginning of several, as far as they are not named themselves.
const SECTIONS: [(&str, &[&str]); 15] = [
    ("Errors", &["extline_last_error", "extline_result_name", "extline_version"]),
    (
        "An extension",
        &[
            "extline_new",
            "extline_free",
            "extline_run",
            "extline_set_max_threads",
            "extline_setup",
            "extline_teardown",
            "extline_require",
        ],
    ),
    (
        "What it offers and listens to",
        &[
            "extline_tool",
            "extline_unregister_tool",
            "extline_command",
            "extline_on",
            "extline_on_tools",
            "extline_intercept",
            "extline_guard",
            "extline_on_failure",
            "extline_method",
            "extline_panel",
        ],
    ),
    (
        "A call",
        &[
            "extline_call_id",
            "extline_call_name",
            "extline_call_session_id",
            "extline_call_operation_key",
            "extline_call_reconcile",
            "extline_call_extension",
            "extline_call_deadline_ms",
            "extline_call_cancelled",
            "extline_call_on_cancel",
            "extline_call_sleep_ms",
            "extline_call_retain",
            "extline_call_release",
        ],
    ),
    ("The arguments of a call", &["extline_args_*", "extline_call_args"]),
    (
        "The answer of a tool or method",
        &[
            "extline_call_text*",
            "extline_call_json*",
            "extline_call_advise",
            "extline_call_image",
            "extline_call_none",
            "extline_call_error",
            "extline_call_fail",
            "extline_call_add_*",
            "extline_call_details",
            "extline_call_view",
            "extline_call_effects",
            "extline_call_activate",
            "extline_call_trust",
            "extline_call_finish",
            "extline_call_update*",
            "extline_call_part",
        ],
    ),
    ("The answer of a command", &["extline_respond_*"]),
    (
        "What a guard or an interceptor decides",
        &[
            "extline_call_allow",
            "extline_call_block",
            "extline_call_ask",
            "extline_call_rewrite",
            "extline_call_replace_text",
            "extline_call_replace_result",
            "extline_call_handled",
            "extline_call_system_prompt",
        ],
    ),
    ("An event", &["extline_event_*"]),
    ("JSON", &["extline_json_*"]),
    (
        "Telling the host",
        &[
            "extline_notify",
            "extline_clear_notes",
            "extline_log",
            "extline_submit",
            "extline_submit_slash",
            "extline_panel_*",
        ],
    ),
    (
        "What the host is",
        &[
            "extline_host_*",
            "extline_extension_dir",
            "extline_data_dir",
            "extline_session_id",
            "extline_config",
        ],
    ),
    (
        "Asking the host",
        &[
            "extline_call_tool*",
            "extline_request*",
            "extline_answer_*",
            "extline_ui_*",
            "extline_secret",
        ],
    ),
    (
        "A loop of the program's own",
        &[
            "extline_start",
            "extline_fds",
            "extline_interest",
            "extline_step",
            "extline_next",
            "extline_timeout_ms",
            "extline_on_wake",
            "extline_exit_status",
            "extline_start_detached",
            "extline_feed*",
            "extline_take_output",
            "extline_output_failed",
        ],
    ),
    ("Texts made as printf does", &["extline_format_refused"]),
];

#[test]
fn the_header_is_made_from_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = header(root);
    let path = root.join("include/extline.h");
    if env::var_os("EXTLINE_GENERATE").is_some() {
        fs::write(&path, header).expect("include/extline.h can be written");
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == header,
        "include/extline.h is not what the sources say: run scripts/generate.sh"
    );
}

/// The comments are the reference (`docs/c/guide.md`): each function says from which threads it may be
/// called, itself or by naming the function that it is otherwise like.
#[test]
fn every_function_says_from_which_threads_it_may_be_called() {
    let header = header(Path::new(env!("CARGO_MANIFEST_DIR")));
    let mut functions = 0;
    let mut silent = Vec::new();
    for part in header.split("/**").skip(1) {
        let Some((comment, declared)) = part.split_once("*/") else { continue };
        let declaration = declared.split(';').next().unwrap_or_default().trim_start();
        let Some((before, _)) = declaration.split_once('(') else { continue };
        let name = before.rsplit([' ', '*']).next().unwrap_or_default();
        if !name.starts_with("extline_") || declaration.starts_with("typedef") {
            continue;
        }
        functions += 1;
        let comment = comment.replace("\n *", " ");
        let is_like = |at: usize| comment[at..].split('`').nth(1) != Some(name);
        let refers = comment.find("`extline_").is_some_and(is_like);
        if !comment.contains("thread") && !refers {
            silent.push(name.to_owned());
        }
    }
    assert!(functions > 120, "only {functions} functions were found");
    assert_eq!(silent, Vec::<String>::new());
}

fn header(root: &Path) -> String {
    let read = |name: &str| fs::read_to_string(root.join(name)).expect(name);
    let mut config = Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    config.after_includes = Some(versioned(&read("src/before.h")));
    let bindings = Builder::new().with_crate(root).with_config(config).generate();
    let mut made = Vec::new();
    bindings.expect("the sources can be read").write(&mut made);
    let made = String::from_utf8(made).expect("a header is text");
    // Inside of `extern "C"`, which cbindgen's own trailer is not.
    let end = made.find("#ifdef __cplusplus\n}").expect("the end of extern \"C\"");
    let (before, end) = made.split_at(end);
    format!("{}{}\n{end}", in_reading_order(before), read("src/after.h"))
}

/// The header with its functions in the order of the sections.
fn in_reading_order(header: &str) -> String {
    const BEGIN: &str = "extern \"C\" {\n#endif // __cplusplus\n\n";
    let (types, functions) = header.split_once(BEGIN).expect("the begin of extern \"C\"");
    let mut functions: Vec<_> = functions.trim_end().split("\n\n").collect();
    let mut made = format!("{types}{BEGIN}");
    for (heading, names) in SECTIONS {
        let line = "-".repeat(88 - heading.len());
        made.extend(["/* ---- ", heading, " ", &line, " */\n\n"]);
        for name in names {
            let is_meant = |function: &&str| is_named(name_of(function), name);
            let found: Vec<_> =
                functions.extract_if(.., |function| is_meant(&&**function)).collect();
            assert!(!found.is_empty(), "there is no function {name}");
            made.extend(found.into_iter().flat_map(|function| [function, "\n\n"]));
        }
    }
    let left: Vec<_> = functions.iter().map(|function| name_of(function)).collect();
    assert!(left.is_empty(), "in no section of this test: {left:?}");
    made
}

/// The function that a comment and a declaration are of.
fn name_of(function: &str) -> &str {
    let declaration = function.rsplit("*/").next().unwrap_or_default();
    let before = declaration.split('(').next().unwrap_or_default();
    before.rsplit([' ', '*', '\n']).next().unwrap_or_default()
}

/// Whether a section's name means that function.
fn is_named(function: &str, name: &str) -> bool {
    let Some(begin) = name.strip_suffix('*') else { return function == name };
    let exactly = SECTIONS.iter().any(|(_, names)| names.contains(&function));
    function.starts_with(begin) && !exactly
}

/// The macros that say which version it is.
fn versioned(text: &str) -> String {
    text.replace("@VERSION@", env!("CARGO_PKG_VERSION"))
        .replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
        .replace("@MINOR@", env!("CARGO_PKG_VERSION_MINOR"))
        .replace("@PATCH@", env!("CARGO_PKG_VERSION_PATCH"))
}
