//! The sample of the repository's README is the one of this crate's README, which is compiled.

#[test]
fn the_two_readmes_show_the_same_extension() {
    let sample = |readme: &str| {
        let from = readme.find("use extline::prelude::*;").expect("a sample");
        let length = readme[from..].find("```").expect("its end");
        readme[from..from + length].to_owned()
    };
    assert_eq!(
        sample(include_str!("../../README.md")),
        sample(include_str!("../README.md")),
        "change both README.md and sdk-rust/README.md"
    );
}
