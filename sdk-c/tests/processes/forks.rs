//! What the child of a fork is told.

use crate::host::{Host, text};

#[test]
fn every_function_says_in_the_child_of_a_fork_that_it_is_one() {
    let mut host = Host::start("forks", &[]);
    let status = text(&host.call("fork_and_talk", "{}")).to_owned();
    let end = host.shut_down();
    assert_eq!(status, "7", "{}", end.stderr);
    end.assert_code(0);
    assert_eq!(end.lines, [r#"{"type":"shutdown_ack"}"#]);
    assert!(
        end.stderr.starts_with("child: this process was forked from an extension"),
        "{}",
        end.stderr
    );
}
