//! Manifests that are wrong: each with all that is told of it. Nothing is run.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use extline_host::{Manifest, Severity, manifests_in};

/// A manifest, and what is told: `LINE:COLUMN CODE POINTER`, with `?` in front of a warning, and a part of the remedy.
type Case = (&'static str, &'static [(&'static str, &'static str)]);

const CASES: [Case; 41] = [
    ("", &[("1:0 manifest.json ", "correct that place")]),
    ("{\"name\": \"w\",\n}", &[("2:1 manifest.json ", "correct that place")]),
    ("{\n// no\n\"name\": \"w\"}", &[("2:1 manifest.json ", "correct that place")]),
    ("[]", &[("- manifest.type ", "write {\"name\"")]),
    ("\"w\"", &[("- manifest.type ", "write {\"name\"")]),
    ("{}", &[("1:1 manifest.name.missing /name", "write \"name\"")]),
    ("{\"name\": null}", &[("1:10 manifest.name.missing /name", "write \"name\"")]),
    ("{\"name\": \"\"}", &[("1:10 manifest.name.invalid /name", "write \"name\"")]),
    ("{\"name\": 5}", &[("1:10 manifest.name.type /name", "correct the value")]),
    ("{\"name\": \"../x\"}", &[("1:10 manifest.name.invalid /name", "letters, digits")]),
    ("{\"name\": \"a\\u202eb\"}", &[("1:10 manifest.name.invalid /name", "letters, digits")]),
    ("{\"name\": \"w\", \"version\": 1}", &[("1:26 manifest.version.type /version", "correct")]),
    ("{\"name\": \"w\", \"exec\": [\"./w\"]}", &[("1:23 manifest.exec.type /exec", "correct")]),
    ("{\"name\": \"w\", \"args\": \"-v\"}", &[("1:23 manifest.args.type /args", "correct")]),
    (
        "{\"name\": \"w\",\n \"args\": [\"a\", 5, null]}",
        &[
            ("2:16 manifest.args.type /args/1", "correct"),
            ("2:19 manifest.args.type /args/2", "correct"),
        ],
    ),
    (
        "{\"name\": \"w\", \"enabled\": \"no\"}",
        &[("1:26 manifest.enabled.type /enabled", "correct")],
    ),
    ("{\"name\": \"w\", \"guards\": {}}", &[("1:25 manifest.guards.type /guards", "correct")]),
    (
        "{\"name\": \"w\", \"permissions\": []}",
        &[("1:30 manifest.permissions.type /permissions", "correct")],
    ),
    (
        "{\"name\": \"w\", \"permissions\": {\"env\": [\"A\", \"B=1\"]}}",
        &[("1:44 manifest.permissions.env.invalid /permissions/env/1", "write the name alone")],
    ),
    (
        "{\"name\": \"w\", \"permissions\": {\"secrets\": [\"A=1\"]}}",
        &[(
            "1:43 manifest.permissions.secrets.invalid /permissions/secrets/0",
            "write the name alone",
        )],
    ),
    (
        "{\"name\": \"w\", \"permissions\": {\"net\": \"all\"}}",
        &[("1:38 manifest.permissions.net.type /permissions/net", "correct")],
    ),
    (
        "{\"name\": \"w\", \"permissions\": {\"fs\": {\"read\": \"/\"}}}",
        &[("1:46 manifest.permissions.fs.read.type /permissions/fs/read", "correct")],
    ),
    (
        "{\"name\": \"w\", \"config_schema\": \"url\"}",
        &[("1:32 manifest.config_schema.invalid /config_schema", "JSON Schema of an object")],
    ),
    ("{\"name\": \"w\", \"samples\": []}", &[("1:26 manifest.samples.type /samples", "correct")]),
    (
        "{\"name\": \"w\", \"schema_version\": 0}",
        &[("1:33 manifest.schema_version.type /schema_version", "correct")],
    ),
    (
        "{\"name\": \"w\", \"capabilities\": [\" \"]}",
        &[("1:32 manifest.capabilities.invalid /capabilities/0", "take it out")],
    ),
    (
        "{\"name\": \"w\", \"providers\": [{\"type\": \"modle\"}]}",
        &[
            ("1:38 manifest.providers.type.invalid /providers/0/type", "did you mean \"model\"?"),
            ("1:29 manifest.providers.name.missing /providers/0/name", "write its \"name\""),
        ],
    ),
    ("{\"name\": \"w\", \"host\": \"beam\"}", &[("1:23 manifest.host.invalid /host", "one of")]),
    (
        "{\"name\": \"w\", \"host\": {\"type\": \"proces\"}}",
        &[("1:32 manifest.host.type.invalid /host/type", "did you mean \"process\"?")],
    ),
    (
        "{\"name\": \"w\", \"requires\": {\"extline\": \"new\"}}",
        &[("1:39 manifest.requires.extline.invalid /requires/extline", ">=0.2")],
    ),
    (
        "{\"name\": \"w\", \"distribution\": {\"source\": \"githib\", \"sha256\": \"12\"}}",
        &[
            ("1:42 manifest.distribution.source.invalid /distribution/source", "\"github\"?"),
            ("1:62 manifest.distribution.sha256.invalid /distribution/sha256", "sha256sum"),
        ],
    ),
    (
        "{\"name\": \"w\", \"audit\": {\"status\": \"ok\"}}",
        &[("1:35 manifest.audit.status.invalid /audit/status", "write one of pending")],
    ),
    ("{\"name\": \"w\", \"tools\": [\"a\"]}", &[("1:25 manifest.tools.type /tools/0", "correct")]),
    // What is started all the same.
    (
        "{\"name\": \"w\",\n  \"arg\": [\"-v\"]}",
        &[("?2:3 manifest.member.misspelt /arg", "did you mean \"args\"?")],
    ),
    (
        "{\"name\": \"w\", \"favourite\": 1, \"x-mine\": 1, \"$schema\": \"s\"}",
        &[("?1:15 manifest.member.unknown /favourite", "begin its name with x-")],
    ),
    (
        "{\"name\": \"w\", \"permissions\": {\"secret\": [\"A\"]}}",
        &[("1:31 manifest.member.misspelt /permissions/secret", "did you mean \"secrets\"?")],
    ),
    (
        "{\"name\": \"w\", \"permissions\": {\"usb\": false, \"x-mine\": 1}}",
        &[("1:31 manifest.member.unknown /permissions/usb", "begin its name with x-")],
    ),
    (
        "{\"name\": \"w\", \"permission\": {\"net\": false}}",
        &[("1:15 manifest.member.misspelt /permission", "did you mean \"permissions\"?")],
    ),
    (
        "{\"name\": \"w\", \"permissions\": {\"fs\": {\"wirte\": []}, \"network\": false}}",
        &[
            ("1:38 manifest.member.misspelt /permissions/fs/wirte", "did you mean \"write\"?"),
            ("1:52 manifest.member.misspelt /permissions/network", "did you mean \"net\"?"),
        ],
    ),
    (
        "{\"name\": \"v\", \"name\": \"w\"}",
        &[("?1:15 manifest.member.twice /name", "take one of the two out")],
    ),
    // All at once, errors in the order of the page.
    (
        "{\"exce\": 1, \"args\": 1, \"name\": \"\"}",
        &[
            ("1:32 manifest.name.invalid /name", "write"),
            ("1:21 manifest.args.type /args", "correct"),
            ("?1:2 manifest.member.misspelt /exce", "did you mean \"exec\"?"),
        ],
    ),
];

#[test]
fn all_that_is_wrong_is_told_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("extension.json");
    let mut wrong = String::new();
    for (text, expected) in CASES {
        fs::write(&file, text).unwrap();
        let check = Manifest::check(&file);
        let is_advice = |code: &str| {
            ["portable", "version.missing", "exec.missing"].iter().any(|it| code.ends_with(it))
        };
        let faults = check.faults.iter().filter(|fault| !is_advice(&fault.code));
        let told: Vec<_> = faults
            .map(|fault| {
                let mark = if fault.severity == Severity::Error { "" } else { "?" };
                let place = match (fault.line, fault.column) {
                    (Some(line), Some(column)) => format!("{line}:{column}"),
                    _ => "-".to_owned(),
                };
                (format!("{mark}{place} {} {}", fault.code, fault.pointer), &fault.remedy)
            })
            .collect();
        let fits = told.len() == expected.len()
            && told.iter().zip(expected).all(|((told, remedy), (expected, part))| {
                told == expected && remedy.contains(part)
            });
        let has_error = expected.iter().any(|(told, _)| !told.starts_with('?'));
        if !fits || check.is_valid() == has_error {
            writeln!(wrong, "{text}\n  expected {expected:?}\n  told     {told:?}").unwrap();
        }
        // Whoever starts it is told the first error.
        if let Err(error) = Manifest::read(&file) {
            assert_eq!(error.problem, check.faults[0].message);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_file_that_cannot_be_read_is_told_too() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("extension.json");
    let code = |path: &Path| Manifest::check(path).faults[0].code.clone();
    assert_eq!(code(&file), "manifest.unreadable");
    fs::write(&file, [b'"', 0xff]).unwrap();
    assert_eq!(code(&file), "manifest.encoding");
    let at_most = 256 * 1024;
    let padded = |length: usize| "{\"name\": \"w\"}".to_owned() + &" ".repeat(length - 13);
    fs::write(&file, padded(at_most)).unwrap();
    assert!(Manifest::check(&file).is_valid());
    fs::write(&file, padded(at_most + 1)).unwrap();
    assert_eq!(code(&file), "manifest.size");
}

#[test]
fn every_member_is_read() {
    let text = r#"{
        "name": "w", "schema_version": 1, "capabilities": ["tools"],
        "permissions": {"env": null, "fs": {"read": ["."], "write": null}, "net": ["h"], "exec": true},
        "providers": [{"type": "memory", "name": "m"}], "host": {"type": "process"},
        "requires": {"extline": ">=0.1", "methods": ["ui.confirm"], "capabilities": null},
        "distribution": "git", "audit": "passed", "tools": [{"name": "t"}], "prompts": [], "resources": null
    }"#;
    let manifest = Manifest::parse(text, Path::new("extension.json")).unwrap();
    assert_eq!(manifest.capabilities, ["tools"]);
    assert_eq!(manifest.permissions.fs.read.as_deref(), Some(&[".".to_owned()][..]));
    assert_eq!(manifest.permissions.net.unwrap()[0], "h");
    assert_eq!((&*manifest.providers[0].r#type, &*manifest.providers[0].name), ("memory", "m"));
    assert_eq!(manifest.host.as_deref(), Some("process"));
    assert_eq!(manifest.requires.extline.as_deref(), Some(">=0.1"));
    assert_eq!(manifest.requires.methods, ["ui.confirm"]);
    assert_eq!(manifest.distribution.unwrap().source.as_deref(), Some("git"));
    assert_eq!(manifest.audit.as_deref(), Some("passed"));
    assert_eq!((manifest.tools.len(), manifest.resources.len()), (1, 0));
    assert!(manifest.enabled && manifest.other.is_empty());
}

#[test]
fn manifests_have_lemon_s_names_too_and_may_be_one_folder_below() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let below = |file: &std::path::PathBuf| file.strip_prefix(dir.path()).unwrap().to_owned();
    for folder in ["a", "b", "c/d"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    fs::write(at("a/lemon_extension.json"), "{\"name\": \"a\", \"version\": \"1\"}").unwrap();
    fs::write(at("b/.lemon-extension.json"), "{}").unwrap();
    fs::write(at("c/d/extension.json"), "{}").unwrap();
    let found: Vec<_> = manifests_in(dir.path()).unwrap().iter().map(below).collect();
    let expected = ["a/lemon_extension.json", "b/.lemon-extension.json"];
    assert_eq!(found, expected.map(std::path::PathBuf::from));
    assert_eq!(Manifest::read(&at("a")).unwrap().name, "a");
    // The first name counts for a host, and all are checked.
    fs::write(at("a/extension.json"), "{\"name\": \"first\"}").unwrap();
    assert_eq!(Manifest::read(&at("a")).unwrap().name, "first");
    assert_eq!(manifests_in(&at("a")).unwrap().len(), 2);
}
