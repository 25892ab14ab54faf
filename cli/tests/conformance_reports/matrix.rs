//! `extline conformance matrix`: kits by kinds of hosts.

use std::fs;

use crate::support::Extline;

const KIT: &str = "conformance/kit/python";

#[test]
fn what_a_host_does_not_have_is_told_apart_from_what_fails() {
    let extline = Extline::new();
    let page = extline.home().join("matrix.html");
    let html = ["--html", page.to_str().unwrap()];
    let hosts = ["--profile", "spec", "--profile", "zot-0.1.62"];
    let only = ["--only", "K-UPD", "--only", "K-ERR-01", "--only", "K-CMD-01"];
    let words = [&["conformance", "matrix"], &html[..], &hosts, &only, &[KIT]].concat();
    let shown = extline.run(&words);
    shown.assert_code(0);
    let [spec, zot] = ["## spec\n", "## zot-0.1.62\n"].map(|host| {
        let rest = shown.stdout.split(host).nth(1).unwrap_or_else(|| panic!("{host}: {shown:?}"));
        rest.split("\n## ").next().unwrap().to_owned()
    });
    assert!(spec.contains("| updates of running calls | works, 4 |"), "{spec}");
    // A zot of that version knows no updates: the kit must only not send any.
    assert!(zot.contains("| updates of running calls | partly, 2 of 4 |"), "{zot}");
    assert!(zot.contains("| commands | works, 1 |"), "{zot}");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<td class=\"pass\" title=\"\">works, 1</td>"), "{page}");

    let wrong = ["conformance", "matrix", "--profile", "zot", KIT];
    let wrong = extline.run(&wrong);
    wrong.assert_code(3);
    wrong.assert_says(&["there is no profile \"zot\", did you mean zot-0.1.62"]);
}
