//! Events with what agents say of them, and for some tools alone.

use extline::prelude::*;
use extline::testing::Host;

#[test]
fn a_handler_is_told_of_the_tools_that_it_names() {
    let mut host = Host::new(|| {
        let note = async |event: Event, ctx: Context| {
            ctx.notify_info(event.payload.tool_name.unwrap_or_default());
        };
        Extension::new("a", "1.0.0")
            .on_tools("tool_result", ["bash", "mcp_*"], note)
            .on_tools("tool_result", ["bash"], note)
            .setup(async move |setup, _| {
                setup.on_tools("tool_call", ["read"], note)?;
                let wrong = setup.on_tools("turn_end", ["read"], note).unwrap_err();
                assert!(wrong.to_string().contains("about no tool"), "{wrong}");
                Ok(())
            })
    });
    for tool in ["bash", "read", "mcp_search"] {
        for event in ["tool_call", "tool_result"] {
            host.event(event, json!({"tool_name": tool})).unwrap();
        }
    }
    let told: Vec<_> = host.notes().iter().map(|note| &*note.message).collect();
    assert_eq!(told, ["bash", "bash", "read", "mcp_search"]);
    let filters = host.subscription().filters.as_ref().unwrap();
    assert_eq!(filters["tool_result"].tools.as_ref().unwrap(), &["bash", "mcp_*"]);
}

#[test]
fn tools_that_cannot_be_meant_are_told_at_the_line() {
    let failed = Host::builder().start(|| {
        let none: [&str; 0] = [];
        let nothing = async |_: Event, _: Context| {};
        Extension::new("a", "1.0.0").on_tools("tool_call", none, nothing)
    });
    let failure = failed.unwrap_err().to_string();
    assert!(
        failure.contains("name at least one tool") && failure.contains("events.rs"),
        "{failure}"
    );
}

#[test]
fn a_message_has_its_role_and_its_blocks() {
    let mut host = Host::new(|| {
        Extension::new("a", "1.0.0").on("message_end", async |event, ctx| {
            let message = event.payload.message().unwrap();
            ctx.notify_info(format!("{}: {}", message.role, message.text()));
        })
    });
    let content = json!([{"type": "text", "text": "Hello."}]);
    host.event("message_end", json!({"message": {"role": "user", "content": content}})).unwrap();
    assert_eq!(host.notes()[0].message, "user: Hello.");
}
