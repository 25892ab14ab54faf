//! How often an extension is started: a start is what costs most in a run.

use std::fs;
use std::path::Path;

use extline_conformance::{Options, Verdict, parse, run};
use extline_host::{ExtensionSource, Program};

/// Dies of a line of more than 3,000 bytes, and writes down each start.
const NARROW: &str = r#"
echo start >> "$0"
echo '{"type":"hello","name":"narrow","version":"1","capabilities":["tools"]}'
echo '{"type":"ready"}'
while IFS= read -r line; do
    if [ ${#line} -gt 3000 ]; then exit 1; fi
    case $line in
    *'"type":"tool_call"'*)
        id=${line#*'"id":"'}
        echo "{\"type\":\"tool_result\",\"id\":\"${id%%'"'*}\",\"content\":[],\"is_error\":true}"
        ;;
    *'"type":"shutdown"'*) exit 0 ;;
    esac
done
"#;

const CASE: &str = r#"
[[case]]
id = "E-FRM-14"
title = "long lines are accepted"
clauses = ["frm.accept-max-line"]
values = [100, 6000]
bisect = "octets"
steps = [
  { line = '{"type":"event","event":"turn_start","pad":"$pad"}', bytes = "$value" },
  { canary = 1 },
]
"#;

#[test]
fn what_dies_alone_is_not_played_again_and_a_search_asks_who_lives() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let source = ExtensionSource::command("sh", ["-c", NARROW, starts.to_str().unwrap()]);
    let program =
        Program::of(&source, Path::new("/")).unwrap_or_else(|problem| panic!("{problem}"));
    let cases = parse("starts.toml", CASE).unwrap();
    let report = run(&Options::of(program), &cases.iter().collect::<Vec<_>>(), &mut |_| {});
    let case = &report.cases[0];
    assert_eq!(case.verdict, Verdict::Fail, "{case:?}");
    let boundary = case.boundary.as_ref().expect("it is searched for");
    assert_eq!((boundary.good, boundary.bad), (3000, 3001));
    let starts = fs::read_to_string(&starts).unwrap().lines().count();
    // First contact, one for each size of the case, and at most as many as died in the search, with the
    // last of them once more.
    assert!(boundary.runs > 10, "{boundary:?}");
    assert!(starts < 2 + usize::try_from(boundary.runs).unwrap(), "{starts}: {boundary:?}");
}
