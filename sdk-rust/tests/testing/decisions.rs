//! A decision that its handler made and did not return.

use extline::prelude::*;
use extline::testing::{Host, Moment};

fn bash() -> Moment {
    Moment::tool_call("bash", json!({ "command": "ls" }))
}

#[test]
fn a_guard_that_called_block_and_returned_nothing_blocks() {
    let mut host = Host::new(|| {
        Extension::new("guards", "1.0.0").guard("never", async |call, _| {
            let _ = call.block("never");
        })
    });
    assert_eq!(host.intercept(bash()).unwrap().blocked(), Some("never"));
}

#[test]
fn so_does_an_interceptor_and_one_whose_result_holds_nothing() {
    let mut host = Host::new(|| {
        Extension::new("guards", "1.0.0").intercept(point::ToolCall, async |call, _| {
            let args: Value = call.args_as()?;
            if args["command"] == "ls" {
                let _ = call.block("no listing");
            }
            Ok(())
        })
    });
    assert_eq!(host.intercept(bash()).unwrap().blocked(), Some("no listing"));
}

#[test]
fn a_rewrite_that_is_dropped_is_a_failure_that_names_it() {
    let mut host = Host::new(|| {
        Extension::new("guards", "1.0.0").intercept(point::ToolCall, async |call, _| {
            let _ = call.rewrite(json!({ "command": "pwd" }));
        })
    });
    let ruling = host.intercept(bash()).unwrap();
    let reason = ruling.blocked().expect("it failed, and so it blocks");
    assert!(reason.contains("it called `rewrite` and did not return"), "{reason}");
}

#[test]
fn what_is_returned_counts_and_not_what_was_made_on_the_way() {
    let mut host = Host::new(|| {
        Extension::new("guards", "1.0.0")
            .guard("says", async |call, _| {
                let _ = call.block("not this");
                call.allow()
            })
            .guard("none", async |call, _| false.then_some(call.block("nor this")))
    });
    assert!(host.intercept(bash()).unwrap().is_allowed());
}
