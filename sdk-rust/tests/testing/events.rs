//! Events with what agents say of them.

use extline::prelude::*;
use extline::testing::Host;

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
