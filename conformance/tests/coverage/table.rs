//! docs/tester/coverage.md, from the cases and the reasons.

use std::fmt::Write;

use extline_conformance::{Binds, Clause, Level};

use crate::cited::{Cited, Citing};
use crate::uncovered::{Group, Uncovered};

const HEAD: &str = "# What checks each clause

Each clause of [the specification](../protocol/specification.md) is checked by [conformance cases](cases.md), or by a test \
of this repository where a case cannot see it. This page is made from \
[conformance/cases](../../conformance/cases) and \
[conformance/uncovered.toml](../../conformance/uncovered.toml) by `make generate`; a MUST with neither \
fails `make test`. What no case can see, and why: [limits.md](limits.md).
";

pub(crate) fn write(cited: &Cited, uncovered: &Uncovered) -> String {
    let mut page = HEAD.to_owned();
    // Writing to a string cannot fail.
    let _ = summary(&mut page, cited, uncovered);
    let _ = cases(&mut page, cited);
    let _ = instead(&mut page, &uncovered.groups);
    let _ = nothing(&mut page, cited, &uncovered.groups);
    page
}

/// How many MUSTs are checked by what.
fn summary(page: &mut String, cited: &Cited, uncovered: &Uncovered) -> std::fmt::Result {
    page.push_str("\n| MUST that binds | checked by cases | by tests alone | by nothing |\n");
    page.push_str("|---|---|---|---|\n");
    let kinds =
        [(Binds::Extension, "every extension"), (Binds::Sdk, "SDKs"), (Binds::Host, "hosts")];
    for (binds, words) in kinds {
        let is_meant = |clause: &&Clause| clause.level == Level::Must && clause.binds() == binds;
        let of = |wanted: &dyn Fn(&str) -> bool| {
            Clause::all().filter(is_meant).filter(|clause| wanted(&clause.id)).count()
        };
        let groups = || uncovered.groups.iter();
        let by_cases = of(&|id| !cited.cases(id).is_empty());
        let by_tests = of(&|id| groups().any(|group| group.tests.contains_key(id)));
        let by_nothing = of(&|id| groups().any(|group| group.untested.iter().any(|it| it == id)));
        writeln!(page, "| {words} | {by_cases} | {by_tests} | {by_nothing} |")?;
    }
    Ok(())
}

fn cases(page: &mut String, cited: &Cited) -> std::fmt::Result {
    page.push_str("\n## By cases\n\n| clause | level | cases |\n|---|---|---|\n");
    let link =
        |citing: &Citing| format!("[{}](../../conformance/cases/{})", citing.case, citing.file);
    for clause in Clause::all().filter(|clause| !cited.cases(&clause.id).is_empty()) {
        let cases: Vec<_> = cited.cases(&clause.id).iter().map(link).collect();
        writeln!(page, "| `{}` | {} | {} |", clause.id, clause.level.word(), cases.join(", "))?;
    }
    Ok(())
}

fn instead(page: &mut String, groups: &[Group]) -> std::fmt::Result {
    page.push_str("\n## By tests\n");
    for group in groups.iter().filter(|group| !group.tests.is_empty()) {
        writeln!(page, "\n{}\n\n| clause | tests |\n|---|---|", group.reason)?;
        for (clause, tests) in &group.tests {
            let link = |test: &String| {
                let (file, name) = test.split_once("::").unwrap_or((test, ""));
                let stem = file.rsplit('/').next().unwrap_or(file);
                format!("[{stem}](../../{file}) `{name}`")
            };
            let tests: Vec<_> = tests.iter().map(link).collect();
            writeln!(page, "| `{clause}` | {} |", tests.join("<br>"))?;
        }
    }
    Ok(())
}

fn nothing(page: &mut String, cited: &Cited, groups: &[Group]) -> std::fmt::Result {
    page.push_str("\n## By nothing\n");
    let list = |clauses: Vec<&str>| {
        let quoted: Vec<_> = clauses.iter().map(|clause| format!("`{clause}`")).collect();
        quoted.join(", ")
    };
    for group in groups.iter().filter(|group| !group.untested.is_empty()) {
        let clauses = group.untested.iter().map(String::as_str).collect();
        writeln!(page, "\n- {}: {}", list(clauses), group.reason)?;
    }
    let lax = Clause::all()
        .filter(|clause| clause.level != Level::Must && cited.cases(&clause.id).is_empty())
        .map(|clause| clause.id.as_str());
    writeln!(page, "\nEach SHOULD and MAY without a case: {}.", list(lax.collect()))
}
