//! The clauses of docs/protocol/specification.md: their form, and their list in docs/protocol/clauses.json.
//!
//! The list is generated from the document by
//! `EXTLINE_GENERATE=1 cargo test -p extline-protocol --test clauses`; without the variable the
//! test fails when the two differ.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

const KEYWORDS: [&str; 5] = ["MUST NOT", "SHOULD NOT", "MUST", "SHOULD", "MAY"];

/// Who is bound, and the words with which the sentence says it.
const SUBJECTS: [(&str, &[&str]); 3] = [
    ("both", &["A sender ", "A receiver ", "An SDK and a host "]),
    ("extension", &["An extension ", "An SDK "]),
    ("host", &["A host "]),
];

/// docs/protocol/clauses.json.
#[derive(Serialize)]
struct ClauseList {
    protocol: u32,
    clauses: Vec<Clause>,
}

#[derive(Serialize)]
struct Clause {
    id: String,
    level: String,
    binds: String,
    text: String,
}

#[test]
fn the_list_is_what_the_document_says() {
    let document = fs::read_to_string(repository("docs/protocol/specification.md")).unwrap();
    let clauses =
        parse(&document).unwrap_or_else(|error| panic!("docs/protocol/specification.md, {error}"));
    let list = ClauseList { protocol: 1, clauses };
    let generated = serde_json::to_string_pretty(&list).unwrap() + "\n";
    let path = repository("docs/protocol/clauses.json");
    if std::env::var_os("EXTLINE_GENERATE").is_some_and(|value| value == "1") {
        fs::write(&path, &generated).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let difference = committed.lines().zip(generated.lines()).position(|(old, new)| old != new);
    assert!(
        committed == generated,
        "docs/protocol/clauses.json is not what docs/protocol/specification.md says, from line {} on; after a change of \
         the document run: EXTLINE_GENERATE=1 cargo test -p extline-protocol --test clauses",
        difference.unwrap_or(committed.lines().count()) + 1,
    );
}

/// A clause is cited in a comment as its id in back quotes, between parentheses. Other words
/// with a dot may stand there too, as long as they do not begin like a clause.
#[test]
fn the_sources_cite_only_clauses_that_exist() {
    let document = fs::read_to_string(repository("docs/protocol/specification.md")).unwrap();
    let clauses =
        parse(&document).unwrap_or_else(|error| panic!("docs/protocol/specification.md, {error}"));
    let ids: HashSet<_> = clauses.iter().map(|clause| clause.id.as_str()).collect();
    let group = |id: &str| id.split('.').next().unwrap_or_default().to_owned();
    let groups: HashSet<_> = ids.iter().map(|id| group(id)).collect();
    let mut cited = 0;
    for folder in [
        "cli/src",
        "conformance/src",
        "host/src",
        "protocol/driver/src",
        "protocol/scenario/src",
        "protocol/schema/src",
        "protocol/src",
        "protocol/stdio/src",
        "protocol/testing/src",
        "sdk-c/src",
        "sdk-node/src",
        "sdk-node/ts",
        "sdk-python/python/extline",
        "sdk-python/src",
        "sdk-rust/src",
    ] {
        for path in sources(&repository(folder)) {
            let source = fs::read_to_string(&path).unwrap();
            for id in citations(&source).filter(|id| groups.contains(&group(id))) {
                let known = id.ends_with(".*") || ids.contains(id);
                assert!(known, "{} cites {id}, which is no clause", path.display());
                cited += 1;
            }
        }
    }
    assert!(cited > 0, "no source cites a clause");
}

/// All clauses in document order, or the line at which the document breaks its own form.
fn parse(document: &str) -> Result<Vec<Clause>, String> {
    let lines: Vec<_> = document.lines().collect();
    let mut clauses: Vec<Clause> = Vec::new();
    let mut fenced = false;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let here = |problem: String| format!("line {}: {problem}", at + 1);
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            check_frame(line.trim_start_matches("E> ").trim_start_matches("H> ")).map_err(here)?;
        } else if let Some(heading) = line.strip_prefix("#### ") {
            let clause = parse_clause(heading, &lines, at)?;
            if clauses.iter().any(|other| other.id == clause.id) {
                return Err(here(format!("a second clause {}", clause.id)));
            }
            clauses.push(clause);
            at += 5;
        } else if line.starts_with("#####")
            || line.starts_with("*Why:*")
            || line.starts_with("*Example:*")
        {
            return Err(here("this belongs into a clause".to_owned()));
        } else {
            check_prose(line).map_err(here)?;
        }
        at += 1;
    }
    if fenced {
        return Err(format!("line {at}: a block of code does not end"));
    }
    Ok(clauses)
}

/// The clause whose heading stands at that line: heading, sentence, blank, why, blank, example.
fn parse_clause(heading: &str, lines: &[&str], at: usize) -> Result<Clause, String> {
    let line = |offset: usize| lines.get(at + offset).copied().unwrap_or_default();
    let check = |offset: usize, result: Result<(), String>| {
        result.map_err(|problem| format!("line {}: {problem}", at + 1 + offset))
    };
    let clause = parse_heading(heading, line(1));
    let clause = clause.map_err(|problem| format!("line {}: {problem}", at + 1))?;
    check(1, check_sentence(&clause))?;
    for offset in [2, 4, 6] {
        check(offset, expect(line(offset).is_empty(), "a blank line must stand here"))?;
    }
    check(3, check_note(line(3), "*Why:* "))?;
    check(5, check_note(line(5), "*Example:* "))?;
    for span in code_spans(line(5)) {
        check(5, check_frame(span))?;
    }
    Ok(clause)
}

fn parse_heading(heading: &str, text: &str) -> Result<Clause, String> {
    let form = "a clause's heading has the form #### `group.words` MUST (both)";
    let (id, rest) =
        heading.strip_prefix('`').and_then(|rest| rest.split_once("` ")).ok_or(form)?;
    let (level, binds) = rest.split_once(' ').ok_or(form)?;
    let binds = binds.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or(form)?;
    expect(is_clause_id(id), "an id is lower-case words, with a dot after the first")?;
    expect(["MUST", "SHOULD", "MAY"].contains(&level), "a level is MUST, SHOULD or MAY")?;
    expect(SUBJECTS.iter().any(|(who, _)| *who == binds), "bound is both, extension or host")?;
    let [id, level, binds, text] = [id, level, binds, text].map(str::to_owned);
    Ok(Clause { id, level, binds, text })
}

fn check_sentence(clause: &Clause) -> Result<(), String> {
    let text = without_code(&clause.text);
    let keywords = keywords(&text);
    let [keyword] = keywords[..] else {
        return Err(format!("a clause has exactly one keyword, this one has {keywords:?}"));
    };
    expect(keyword.starts_with(&clause.level), "the sentence has another level than the heading")?;
    expect(
        text.ends_with('.') && !text.contains(". "),
        "a clause is one sentence with a full stop",
    )?;
    let subjects = SUBJECTS.iter().find(|(who, _)| *who == clause.binds).map(|(_, words)| *words);
    let subjects = subjects.unwrap_or_default();
    let begins = subjects.iter().any(|subject| clause.text.starts_with(subject));
    expect(begins, &format!("the sentence must begin with one of {subjects:?}"))?;
    // "An SDK and a host" would pass as "An SDK", which binds one side only.
    let both = clause.text.starts_with("An SDK and a host ");
    expect(!both || clause.binds == "both", "this sentence binds both")
}

fn check_note(line: &str, label: &str) -> Result<(), String> {
    let text = line.strip_prefix(label).ok_or_else(|| format!("{label}must stand here"))?;
    expect(!text.trim().is_empty(), "there is nothing behind the label")?;
    check_prose(text)
}

/// Rules stand only in clauses, so nothing else has a keyword.
fn check_prose(line: &str) -> Result<(), String> {
    let found = keywords(&without_code(line));
    expect(found.is_empty(), &format!("{found:?} stands outside the sentence of a clause"))
}

/// What looks like a frame is one.
fn check_frame(text: &str) -> Result<(), String> {
    if !text.starts_with("{\"type\"") {
        return Ok(());
    }
    let frame: serde_json::Value =
        serde_json::from_str(text).map_err(|error| format!("{text} is not JSON: {error}"))?;
    expect(frame["type"].is_string(), "a frame's type is a string")
}

fn expect(holds: bool, problem: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(problem.to_owned()) }
}

fn is_clause_id(id: &str) -> bool {
    let mut words = id.split('.');
    let group = words.next().unwrap_or_default();
    let is_word = |word: &str| {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !word.is_empty() && word.bytes().all(allowed)
    };
    let rest: Vec<_> = words.collect();
    !group.is_empty()
        && group.bytes().all(|byte| byte.is_ascii_lowercase())
        && !rest.is_empty()
        && rest.into_iter().all(is_word)
}

/// The keywords of a text, longest first at each place.
fn keywords(text: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let starts_word = !text[..at].ends_with(|c: char| c.is_alphanumeric());
        let is_whole = |word: &str| {
            rest.starts_with(word) && !rest[word.len()..].starts_with(|c: char| c.is_alphanumeric())
        };
        let keyword = KEYWORDS.into_iter().find(|word| starts_word && is_whole(word));
        found.extend(keyword);
        at += keyword.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), str::len);
    }
    found
}

/// The odd parts between back quotes.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The clause ids in `(`id`)` and `(`id`, `id`)`, groups as `group.*` included.
fn citations(source: &str) -> impl Iterator<Item = &str> {
    let lists = source.split("(`").skip(1).filter_map(|rest| rest.split_once("`)"));
    let ids = lists.flat_map(|(list, _)| list.split("`, `"));
    ids.filter(|id| is_clause_id(id.strip_suffix(".*").map_or(id, |_| "group.all")))
}

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|it| ["rs", "py", "ts"].iter().any(|of| it == *of)) {
            files.push(path);
        }
    }
    files
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

const GOOD: &str = "\
Prose.

#### `frm.object` MUST (both)
A sender MUST NOT write `MAY` twice.

*Why:* It is so.

*Example:* `{\"type\":\"ready\"}`, then LF

More prose.
";

#[test]
fn a_clause_is_read_from_its_six_lines() {
    let clauses = parse(GOOD).unwrap();
    assert_eq!(clauses.len(), 1);
    assert_eq!(clauses[0].id, "frm.object");
    assert_eq!((clauses[0].level.as_str(), clauses[0].binds.as_str()), ("MUST", "both"));
    assert_eq!(clauses[0].text, "A sender MUST NOT write `MAY` twice.");
}

#[test]
fn every_broken_form_is_named_with_its_line() {
    let broken = [
        ("`frm.object`", "`Frm.object`", "line 3: an id is"),
        ("`frm.object`", "`frm`", "line 3: an id is"),
        ("MUST (both)", "SHALL (both)", "line 3: a level is"),
        ("MUST (both)", "SHOULD (both)", "line 4: the sentence has another level"),
        ("MUST (both)", "MUST (all)", "line 3: bound is"),
        ("MUST (both)", "MUST both", "line 3: a clause's heading"),
        ("A sender", "The sender", "line 4: the sentence must begin"),
        ("A sender", "A host", "line 4: the sentence must begin"),
        ("MUST NOT write", "MUST and MAY write", "line 4: a clause has exactly one keyword"),
        ("MUST NOT write", "does write", "line 4: a clause has exactly one keyword"),
        ("twice.", "twice. Never.", "line 4: a clause is one sentence"),
        ("twice.", "twice", "line 4: a clause is one sentence"),
        ("twice.\n", "twice.\nAnd so on.\n", "line 5: a blank line"),
        ("*Why:* It is so.", "Because.", "line 6: *Why:* must stand here"),
        ("It is so.", "", "line 6: there is nothing behind the label"),
        ("It is so.", "It MUST be so.", "line 6: [\"MUST\"] stands outside"),
        ("*Example:* ", "Example: ", "line 8: *Example:* must stand here"),
        ("\"ready\"}", "\"ready\"", "line 8: {\"type\":\"ready\" is not JSON"),
        ("\"ready\"}", "5}", "line 8: a frame's type"),
        ("LF\n", "LF\nmore\n", "line 9: a blank line"),
        ("More prose.", "It SHOULD NOT stand here.", "line 10: [\"SHOULD NOT\"] stands outside"),
        ("More prose.", "*Why:* of nothing", "line 10: this belongs into a clause"),
        ("More prose.", "```\nopen", "line 11: a block of code does not end"),
    ];
    for (from, to, expected) in broken {
        let document = GOOD.replacen(from, to, 1);
        assert_ne!(document, GOOD, "{from} is not in the document");
        let error = parse(&document).map(|clauses| clauses.len()).unwrap_err();
        assert!(error.starts_with(expected), "{to:?}: {error}");
    }
    let twice = GOOD.to_owned() + GOOD;
    assert_eq!(parse(&twice).map(|_| ()).unwrap_err(), "line 13: a second clause frm.object");
}

#[test]
fn citations_stand_in_parentheses() {
    let source =
        "/// Reads it (`frm.raw`, `id.opaque`), see `hello.name` and (`cap.*`), (`Vec::new`).";
    assert_eq!(citations(source).collect::<Vec<_>>(), ["frm.raw", "id.opaque", "cap.*"]);
}
