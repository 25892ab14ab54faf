//! Setup, what an extension requires, tools that come and go, and teardown.

use extline::prelude::*;
use extline::testing::{Failure, Host, Moment};
use extline::{Capability, Error, Requirement};

#[test]
fn setup_registers_what_the_host_s_directory_asks_for() -> Result<(), Failure> {
    let mut host = Host::builder().cwd("/project").start(|| {
        Extension::new("a", "1").setup(async |setup, ctx| {
            ctx.blocking(|| {}).await;
            let cwd = ctx.host().cwd().display().to_string();
            setup.tool("where", "", async move |_: NoArgs, _| Ok(cwd.clone()))?;
            setup.on("turn_end", async |_, ctx| ctx.notify_info("ended"));
            Ok(())
        })
    })?;
    assert_eq!(host.call("where", json!({}))?.text(), "/project");
    host.event("turn_end", json!({}))?;
    assert_eq!(host.notes().len(), 1);
    Ok(())
}

#[test]
fn a_setup_that_fails_is_told() {
    let failure = Host::builder()
        .start(|| {
            Extension::new("a", "1").setup(async |_, _| Err(ToolError::internal("no recipes")))
        })
        .unwrap_err();
    assert!(matches!(failure, Failure::Extension(Error::Setup { .. })), "{failure}");
    assert!(failure.to_string().contains("no recipes"), "{failure}");
}

#[test]
fn what_is_required_and_not_offered_ends_the_start() {
    let careful = || {
        Extension::new("careful", "1")
            .guard("no", async |call, _| call.block("no"))
            .tool("search", "", async |_: NoArgs, _| Ok(()))
            .required(Capability::CallTool)
            .required(Requirement::guards())
            .required(Requirement::tool("search"))
    };
    assert!(Host::builder().start(careful).is_ok());
    for (builder, missing) in [
        (Host::builder().zot(), "does not offer the capability call_tool"),
        (Host::builder().reject(Requirement::guards()), "did not take the guard tool_call"),
        (Host::builder().reject(Requirement::tool("search")), "did not take the tool search"),
    ] {
        let failure = builder.start(careful).unwrap_err();
        let text = failure.to_string();
        assert!(matches!(failure, Failure::Ended { .. }), "{text}");
        assert!(text.contains("the extension has ended with exit code 78\n"), "{text}");
        assert!(text.contains(missing), "{text}");
    }
}

#[test]
fn a_host_does_not_use_what_it_did_not_take() -> Result<(), Failure> {
    let extension = || {
        Extension::new("a", "1")
            .guard("no", async |call, _| call.block("no"))
            .command("go", "", async |_: &str, _| {})
            .on("turn_end", async |_, _| {})
    };
    let mut host = Host::builder()
        .reject(Requirement::guards())
        .reject(Requirement::command("go"))
        .reject(Requirement::event("turn_end"))
        .start(extension)?;
    assert!(host.intercept(Moment::tool_call("bash", json!({})))?.is_allowed());
    assert!(host.commands().is_empty());
    assert!(matches!(host.event("turn_end", json!({})), Err(Failure::Misuse(_))));
    assert_eq!(host.stderr().len(), 3);
    assert!(host.stderr().iter().all(|line| line.starts_with("the host rejected the ")));
    Ok(())
}

#[test]
fn tools_come_and_go() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").tool("login", "", async |_: NoArgs, ctx: Context| {
            ctx.add_tool(Tool::new("whoami", "", async |_: NoArgs, _| Ok("ada")))?;
            ctx.remove_tool("login")?;
            Ok(())
        })
    });
    host.call("login", json!({}))?;
    assert_eq!(host.tools().len(), 1);
    assert_eq!(host.tools()[0].name, "whoami");
    assert_eq!(host.call("whoami", json!({}))?.text(), "ada");
    let gone = host.call("login", json!({})).unwrap_err().to_string();
    assert!(gone.starts_with("the extension offers no tool login: it offers whoami\n"), "{gone}");

    let mut reports = host.transcript().iter().filter(|line| line.frame_type() == "registered");
    assert_eq!(reports.next_back().unwrap().value()["tools"], json!(["whoami"]));
    Ok(())
}

#[test]
fn teardown_has_run_when_the_extension_has_ended() -> Result<(), Failure> {
    let mut host = Host::new(|| {
        Extension::new("a", "1").teardown(async |ctx| {
            ctx.blocking(|| {}).await;
            ctx.notify_info("put away");
        })
    });
    assert!(host.notes().is_empty());
    assert_eq!(host.shutdown()?, 0);
    assert_eq!(host.notes()[0].message, "put away");
    Ok(())
}
